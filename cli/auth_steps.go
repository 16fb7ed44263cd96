package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"charm.land/lipgloss/v2/tree"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// authSteps lists the values of --until with their steps, in the order of a flow.
var authSteps = [][2]string{
	{"challenge", oauth.StepChallenge},
	{"resource", oauth.StepResource},
	{"server", oauth.StepServer},
	{"metadata", oauth.StepMetadata},
	{"client", oauth.StepClient},
	{"consent", oauth.StepConsent},
	{"token", oauth.StepToken},
	{"refresh", oauth.StepRefresh},
}

// stepsCommand returns the command mcptea auth steps.
func (p *authCommand) stepsCommand() *cobra.Command {
	var until string
	var names []string
	for _, s := range authSteps {
		names = append(names, s[0])
	}
	cmd := &cobra.Command{
		Use:   "steps TARGET",
		Short: "Run the steps of authorization, and show the requests of each",
		Long: `Run the steps of authorization one after another, up to --until, and print for each the requirements of the specification, its requests and responses with secrets redacted, and its mistakes. The steps are those of auth login.

  challenge  the response of the server to a request without a token
  resource   metadata of the resource: the URLs that are tried, in order
  server     the choice of the authorization server
  metadata   metadata of the authorization server: the URLs that are tried, in order
  client     the client id: configured, a metadata document, or registered now
  consent    the authorization request: the URL of the consent page, which is not opened
  token      opens the consent page (--open-browser), waits for the code and exchanges it
  refresh    uses the stored refresh token, or the refresh token of a new token

An obtained token is stored, as by auth login; --token-store off stores none. The exit code is 4 if a step fails, and 1 if the server requires no authorization.`,
		Example: `  mcptea auth steps https://mcp.example.com/mcp
  mcptea auth steps https://mcp.example.com/mcp --until metadata --json
  mcptea auth steps https://mcp.example.com/mcp --until token --open-browser`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error {
			i := slices.Index(names, until)
			if i < 0 {
				return app.Usage("The steps are "+strings.Join(names, ", ")+".", "--until: unknown step %q", until)
			}
			return p.authSteps(cmd, args, authSteps[i][1])
		}),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&until, "until", "consent", "the last `STEP`: "+strings.Join(names, ", "))
	})
	app.Completes(cmd, "until", names...)
	p.target.AddRequest(cmd)
	return cmd
}

// authSteps runs the steps of authorization up to the one with the name until.
func (p *authCommand) authSteps(cmd *cobra.Command, args []string, until string) error {
	s, _, err := p.authorizing(cmd, args, until)
	if err != nil {
		return err
	}
	defer p.CloseSession(s)
	failed := s.Connect(p.Ctx)
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	steps := s.AuthorizationSteps()
	switch {
	case len(steps) == 0 && failed != nil:
		return p.Failure(s, failed, app.ExitConnect)
	case len(steps) == 0:
		return errNoAuthorization
	}
	if err := p.printAuthSteps(steps); err != nil {
		return err
	}
	if failed == nil || errors.Is(failed, oauth.ErrStopped) {
		return nil
	}
	why := failure.Explain(failed, failure.FactsOf(s))
	why.Attempt, why.Steps, why.Evidence = nil, nil, nil // already printed
	return p.Explained(failed, why, link.ConnectCode(failed, why))
}

// authStepsDocument is the output of auth steps --json.
type authStepsDocument struct {
	Steps []session.AuthorizationStep `json:"steps"` // steps that were started, in order
}

func (p *authCommand) printAuthSteps(steps []session.AuthorizationStep) error {
	if p.JSON {
		return p.PrintDocument(authStepsDocument{steps})
	}
	out := p.Out
	for _, st := range steps {
		mark := out.Good("✓")
		if p.ASCII {
			mark = "ok"
		}
		switch {
		case st.State == oauth.Failed.String() && p.ASCII:
			mark = "x"
		case st.State == oauth.Failed.String():
			mark = out.Bad("✗")
		}
		t := tree.Root(out.Labeled(mark+" "+out.Strong(st.Name)+"  ", st.Detail, out.Width))
		add := func(label, text string, width int) {
			t.Child(out.Labeled(out.Faint(fmt.Sprintf("%-9s", label))+" ", text, width))
		}
		sentence := func(label, text string) { add(label, text, max(0, out.Width-out.Branch(1))) }
		// Lines that users copy are not wrapped.
		fact := func(label string, lines ...string) { add(label, strings.Join(lines, "\n"), 0) }
		sentence("requires", st.Required)
		for _, x := range st.Exchanges {
			fact("request", message(x.Method+" "+x.URL, x.RequestHeaders, x.RequestBody)...)
			answer := transport.StatusText(x.Status)
			if x.Status == 0 {
				answer = "none: " + x.Error
			}
			fact("response", message(answer, x.ResponseHeaders, x.ResponseBody)...)
		}
		if st.Page != "" {
			lines := []string{st.Page}
			u, _ := url.Parse(st.Page) // valid: this program has made it
			for _, name := range slices.Sorted(maps.Keys(u.Query())) {
				lines = append(lines, name+" = "+u.Query().Get(name))
			}
			fact("page", lines...)
		}
		for _, remark := range st.Remarks {
			sentence("note", remark)
		}
		out.Tree(t)
	}
	return nil
}

// maxBody bounds the printed part of a body, in bytes.
const maxBody = 2000

// message returns the first line of a request or a response, its headers and its body.
func message(first string, headers map[string]string, body string) []string {
	lines := []string{first}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		lines = append(lines, name+": "+headers[name])
	}
	if body != "" {
		lines = append(lines, display.Cut(body, maxBody))
	}
	return lines
}

// errNoAuthorization is the error for a server that accepts a connection without a token.
var errNoAuthorization = app.FailedWith("Connect without a token: mcptea info TARGET", "the server requires no authorization, or accepts the token of -H or --token")

// authorizing prepares a session that obtains a token. It stops after the step until, or after the
// last step if that is "".
func (p *authCommand) authorizing(cmd *cobra.Command, args []string, until string) (s *session.Session, url string, err error) {
	t, rest, err := p.target.NeedTarget(cmd, args)
	switch {
	case err != nil:
		return nil, "", err
	case len(rest) > 0:
		return nil, "", p.target.MoreThanTarget(cmd, rest)
	case t.IsStdio():
		return nil, "", app.Usage("Pass secrets to a command in its environment: -e NAME=value.", "%s requires the URL of a server, but the target is a command", cmd.Name())
	}
	p.Flags.Auth.Until, p.Flags.Auth.Relogin = until, until != oauth.StepRefresh
	p.Flags.Auth.Register = true // the user has requested it
	s, err = p.PrepareWith(t, p.Browse)
	return s, t.URL, err
}
