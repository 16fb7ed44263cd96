package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/authority"
	"mcptea/cli/app"
	"mcptea/cli/journal"
	"mcptea/cli/link"
	"mcptea/demo"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
)

// serveFlags are the flags of auth serve.
type serveFlags struct {
	at                      link.AuthorityPlace
	wrong, resource, record string
	idToken                 string
	scopes, needs, clients  []string
	page, demo, dpop        bool
	life                    time.Duration
}

func (p *authCommand) serveCommand() *cobra.Command {
	f := serveFlags{at: link.AuthorityPlace{Flag: "listen"}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run an authorization server for tests, right or wrong on purpose",
		Long: `Run an authorization server on this machine, for a server under development and for its clients. It has metadata, keys (JWKS), the authorization code grant with PKCE, refresh with rotation, client credentials, dynamic registration, client ID metadata documents, introspection, revocation and DPoP. Each request is printed, with secrets redacted and with the violations of the client; a summary of the clients follows at the end.

With --demo, it also runs the built-in server, which requires its tokens: a client needs no other server. With --wrong, one response is wrong, and mcptea reports a client that continues although it must stop.

It listens on this machine only. Its keys, clients and tokens end with it.`,
		Example: `  mcptea auth serve --listen 9400
  mcptea auth serve --demo                      # with a server that requires its tokens
  mcptea auth serve --demo --wrong iss-other    # a client must discard the code
  mcptea auth serve --wrong list`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error {
			if err := app.NoArguments(cmd, args); err != nil {
				return err
			}
			if f.wrong == "list" {
				return p.listAnswers()
			}
			return p.serve(f)
		}),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		link.DeclareListen(fs, &f.at.Listen, "listen")
		link.DeclareAuthority(fs, &f.at)
		fs.BoolVar(&f.demo, "demo", false, "also run the built-in server, on a port of its own, which requires tokens")
		fs.StringVar(&f.wrong, "wrong", "", "make this `RESPONSE` wrong; \"list\" lists them")
		fs.StringVar(&f.resource, "resource", "", "audience of tokens if a client gives no resource: `URL` of the server under test")
		fs.StringSliceVar(&f.scopes, "scope", []string{"tools"}, "list this `SCOPE` as supported; several with commas, repeatable")
		fs.StringSliceVar(&f.needs, "needs", nil, "with --demo: require this `SCOPE` for each request; several with commas, repeatable")
		fs.StringArrayVar(&f.clients, "client", nil, "register this client from the start, with any redirect URI of this machine; with a secret for client credentials, otherwise public; repeatable  `ID[:SECRET]`")
		fs.BoolVar(&f.page, "ask", false, "ask for consent on a page; otherwise consent is given, unless a web page may have opened the authorization endpoint")
		fs.BoolVar(&f.dpop, "dpop", false, "with --demo: require tokens that are bound to a key (DPoP), with a nonce")
		fs.DurationVar(&f.life, "life", time.Hour, "lifetime of an access token: `TIME`")
		fs.StringVar(&f.idToken, "id-token", "", "write an ID token of the first --client to this `FILE`, for a client that obtains a token through an identity provider (--grant enterprise)")
		fs.StringVar(&f.record, "record", "", "record the requests and responses in this `FILE`, with secrets redacted, for mcptea open")
	})
	app.Completes(cmd, "wrong", append(answerNames(), "list")...)
	_ = cmd.MarkFlagFilename("record")
	_ = cmd.MarkFlagFilename("id-token")
	p.AddOutput(cmd)
	return cmd
}

// answerNames returns the values of --wrong.
func answerNames() []string {
	var names []string
	for _, w := range authority.Answers() {
		names = append(names, w.Name)
	}
	return names
}

func (p *authCommand) serve(f serveFlags) error {
	wrong, known := authority.AnswerNamed(f.wrong)
	switch {
	case f.wrong != "" && !known:
		return app.Usage(app.Suggest(f.wrong, answerNames(), "mcptea auth serve --wrong list lists them."), "--wrong: unknown response %q", f.wrong)
	case !f.demo && (f.dpop || len(f.needs) > 0):
		return app.Usage("Add --demo.", "--dpop and --needs are about the built-in server")
	}
	clients := clientsOf(f.clients)
	if f.idToken != "" && len(clients) == 0 {
		return app.Usage("Add --client ID or --client ID:SECRET.", "--id-token requires a client")
	}
	recorder, done, err := p.recordAuthority(f.record, "auth serve", "authorization server")
	if err != nil {
		return err
	}
	defer done()
	f.at.Wrap = recorder.Wrap
	a, stop, err := p.StartAuthority(f.at, authority.Options{
		Wrong: f.wrong, Resource: f.resource, Scopes: f.scopes, Page: f.page, DPoP: f.dpop, Life: f.life, Clients: clients,
		Seen: func(s authority.Seen) {
			recorder.Seen(s)
			p.printSeen(s)
		},
	})
	if err != nil {
		return err
	}
	defer stop()
	if f.idToken != "" {
		if err := system.WriteFile(f.idToken, func(w io.Writer) error {
			_, err := io.WriteString(w, a.IDToken(clients[0].ID))
			return err
		}); err != nil {
			return app.Failed("--id-token: %v", err)
		}
	}
	fmt.Fprintf(p.Err, "The authority listens at %s\nIts keys are at %s\n", a.Issuer(), a.JWKS())
	if f.wrong != "" {
		fmt.Fprintf(p.Err, "Wrong on purpose: %s. A right client %s.\n", wrong.Summary, wrong.Right)
	}
	if f.demo {
		err = p.serveProtected(a, f.needs, recorder)
	} else {
		<-p.Ctx.Done()
	}
	stop()
	if printed := p.printSummary(a.Summary()); err == nil {
		err = printed
	}
	return err
}

// clientsOf returns the clients of --client.
func clientsOf(texts []string) (all []authority.Client) {
	for _, text := range texts {
		id, secret, _ := strings.Cut(text, ":")
		all = append(all, authority.Client{ID: id, Secret: secret})
	}
	return all
}

// serveProtected serves the built-in server to requests with a token, until the program is
// interrupted. Its exchanges are recorded as an additional connection.
func (p *authCommand) serveProtected(a *authority.Authority, needs []string, recorder *journal.Journal) error {
	var resource atomic.Pointer[string]
	var beside *journal.Journal
	ended := func() {}
	defer func() { ended() }()
	return p.ListenHTTP("127.0.0.1:0", func(ctx context.Context) http.Handler {
		guarded := a.Protect(func() string { return *resource.Load() }, needs, demo.New(demo.Options{}).HandlerContext(ctx))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			beside.Wrap(guarded).ServeHTTP(w, r) // set when the server listens
		})
	}, func(base string) {
		at := base + "/mcp"
		beside, ended = recorder.Beside(at)
		resource.Store(&at)
		a.SetResource(at)
		fmt.Fprintf(p.Err, "The demo server listens at %s\nIt requires a token of the authority.\n", at)
	})
}

func (p *authCommand) listAnswers() error {
	t := app.Table{Out: p.Out, Wrap: true}
	for _, w := range authority.Answers() {
		if p.JSON {
			if err := p.PrintDocument(w); err != nil {
				return err
			}
			continue
		}
		t.Row(w.Name, w.Summary, "A right client "+w.Right+".")
	}
	t.Print()
	return nil
}

// printSeen prints a request when it has been responded to.
func (p *authCommand) printSeen(s authority.Seen) {
	if p.JSON {
		_ = p.PrintDocument(s)
		return
	}
	line := fmt.Sprintf("%-10s %s %s %d %s  %s", s.Endpoint, s.Method, s.Path, s.Status, s.Error, strings.Join(journal.Parameters(s), " "))
	_ = p.Out.Line(strings.TrimRight(display.Sanitize(line), " ")) // one line, because any page can send a request
	p.printClientFindings("  ", s.Findings)
}

func (p *authCommand) printClientFindings(indent string, findings []authority.Finding) {
	for _, f := range findings {
		p.Out.Beside(indent+p.paintLevel(f.Level)+" ", display.Sanitize(f.Text)+" ("+f.Spec+")", p.Out.Width)
	}
}

// paintLevel returns the level of a finding in its color.
func (p *authCommand) paintLevel(level string) string {
	switch level {
	case "error":
		return p.Out.Bad(level)
	case "warning", "unjudged":
		return p.Out.Warn(level)
	}
	return p.Out.Faint(level)
}

// summaryDocument is the last line of auth serve --json.
type summaryDocument struct {
	Summary authority.Summary `json:"summary"` // behavior of the clients
}

// printSummary prints what the clients have done.
func (p *authCommand) printSummary(s authority.Summary) error {
	if p.JSON {
		return p.PrintDocument(summaryDocument{s})
	}
	if len(s.Facts) == 0 {
		return nil
	}
	_ = p.Out.Line("")
	t := app.Table{Out: p.Out, Wrap: true}
	for _, f := range s.Facts {
		t.Row(f.Name, f.Value)
	}
	t.Print()
	worst := func(f authority.Finding) bool { return f.Level != "info" }
	p.printClientFindings("", s.Findings)
	if !slices.ContainsFunc(s.Findings, worst) {
		return p.Out.Line("The clients have done nothing that they must not do.")
	}
	return nil
}
