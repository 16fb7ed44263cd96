package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/authority"
	"mcptea/authority/trial"
	"mcptea/cli/app"
	"mcptea/cli/link"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

// tokenFlags are the flags of auth check.
type tokenFlags struct {
	at                              link.AuthorityPlace
	audience, record                string
	issuerEnv, jwksEnv, audienceEnv string
	env, scopes, only, stepUp       []string
	required, list, verbose         bool
	timeout, start, settle, pace    time.Duration
}

func (p *authCommand) checkCommand() *cobra.Command {
	f := tokenFlags{at: link.AuthorityPlace{Flag: "listen"}}
	cmd := &cobra.Command{
		Use:   "check URL [-- COMMAND…]",
		Short: "Send right and wrong tokens to a server, and judge its reactions",
		Long: `Run an authorization server for a server under development, check that the server accepts the right token, and then send wrong tokens, each with one fault. It is an error if the server accepts a wrong token, and a warning if it rejects one with a status other than 401 or 403, or without WWW-Authenticate. A rejection counts only if the right token is still accepted afterwards.

COMMAND starts the server, which listens at URL; it is stopped at the end. The server must trust the authority: {issuer}, {jwks}, {metadata}, {introspection} and {audience} are replaced in COMMAND and in the values of -e, and --issuer-env NAME sets a variable. If URL contains {port}, mcptea chooses a free port, and replaces {port} in COMMAND and -e too. Without COMMAND, the server is running and trusts the authority at --listen.

The exit code is 1 if there is an error, 3 if the server rejects the right token, and 5 if some tokens could not be judged.`,
		Example: `  mcptea auth check http://127.0.0.1:3000/mcp --issuer-env OAUTH_ISSUER -- node server.js
  mcptea auth check http://127.0.0.1:3000/mcp -e JWKS_URL={jwks} --scope read -- ./server --audience {audience}
  mcptea auth check http://127.0.0.1:3000/mcp --listen 9400
  mcptea auth check --list`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error {
			if f.list {
				return p.listTokens(f.only)
			}
			at := cmd.ArgsLenAtDash()
			if at < 0 {
				at = len(args)
			}
			if at != 1 {
				return app.Usage("For example: mcptea auth check http://127.0.0.1:3000/mcp --issuer-env ISSUER -- node server.js", "auth check requires the URL of a server, found %d words", at)
			}
			return p.checkTokens(args[0], args[at:], f)
		}),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		link.DeclareListen(fs, &f.at.Listen, "the authority listens")
		link.DeclareAuthority(fs, &f.at)
		fs.StringVar(&f.issuerEnv, "issuer-env", "", "set the variable `NAME` of COMMAND to the issuer")
		fs.StringVar(&f.jwksEnv, "jwks-env", "", "set the variable `NAME` of COMMAND to the URL of the keys")
		fs.StringVar(&f.audienceEnv, "audience-env", "", "set the variable `NAME` of COMMAND to the audience")
		fs.StringArrayVarP(&f.env, "env", "e", nil, "set a variable of COMMAND; repeatable  `NAME=VALUE`")
		fs.StringVar(&f.audience, "audience", "", "audience of the tokens: `TEXT` (default: the resource in the metadata of the server, or else URL)")
		fs.StringSliceVar(&f.scopes, "scope", nil, "the right token has this `SCOPE`; several with commas, repeatable")
		fs.BoolVar(&f.required, "scope-required", false, "each request requires the scopes of --scope: a token without them must be rejected with 403")
		fs.StringArrayVar(&f.stepUp, "step-up", nil, "calls of this tool require this scope: call the tool with and without it; repeatable  `TOOL=SCOPE`")
		fs.StringSliceVar(&f.only, "only", nil, "send only this `TOKEN`, with * for any text; several with commas, repeatable")
		fs.BoolVar(&f.list, "list", false, "list the tokens, and the reaction of a right server to each: never is what a right server never does")
		fs.BoolVar(&f.verbose, "verbose", false, "also print what passed, and infos")
		fs.DurationVar(&f.timeout, "timeout", 10*time.Second, "maximum `TIME` of a request")
		fs.DurationVar(&f.start, "connect-timeout", 30*time.Second, "maximum `TIME` until COMMAND listens")
		fs.DurationVar(&f.settle, "settle", 40*time.Second, "maximum `TIME` until the server knows a new key")
		fs.StringVar(&f.record, "record", "", "record the requests to the server, and its requests to the authority, in this `FILE`, with secrets redacted, for mcptea open")
		fs.DurationVar(&f.pace, "pace", 0, "pause before each request: `TIME`")
	})
	_ = cmd.MarkFlagFilename("record")
	p.AddOutput(cmd)
	return cmd
}

func (p *authCommand) listTokens(only []string) error {
	t := app.Table{Out: p.Out, Wrap: true}
	for _, w := range authority.Tokens() {
		if len(only) > 0 && !slices.ContainsFunc(only, func(pattern string) bool { return trial.Matches(pattern, w.Name) }) {
			continue
		}
		if p.JSON {
			if err := p.PrintDocument(w); err != nil {
				return err
			}
			continue
		}
		right := fmt.Sprint(w.Status)
		switch w.Expect {
		case "accept":
			right = "accepted"
		case "never":
			right = "never"
		}
		t.Row(w.Name, right, w.Level, w.Summary+" ("+w.Spec+")")
	}
	t.Print()
	return nil
}

// tokenConfig returns the configuration of the trial according to the flags, without the authority.
func (f *tokenFlags) tokenConfig() (trial.Config, error) {
	cfg := trial.Config{
		Audience: f.audience, Scopes: f.scopes, ScopesRequired: f.required, Only: f.only,
		Timeout: f.timeout, Settle: f.settle, Pace: f.pace,
	}
	var err error
	if cfg.StepUp, err = trial.ParseStepUps(f.stepUp); err != nil {
		return cfg, app.Usage("Write it as TOOL=SCOPE.", "--step-up: %v", err)
	}
	for _, e := range f.env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" {
			return cfg, app.Usage("Write it as NAME=VALUE.", "--env: %q is not NAME=VALUE", e)
		}
	}
	if f.required && len(f.scopes) == 0 {
		return cfg, app.Usage("Name them with --scope.", "--scope-required requires the scopes")
	}
	for _, pattern := range f.only {
		if !isToken(pattern) {
			return cfg, app.Usage("mcptea auth check --list lists the tokens.", "--only: no token is called %q", pattern)
		}
	}
	return cfg, nil
}

// isToken reports whether a pattern matches the name of a token.
func isToken(pattern string) bool {
	for _, t := range authority.Tokens() {
		if trial.Matches(pattern, t.Name) {
			return true
		}
	}
	return false
}

func (p *authCommand) checkTokens(target string, command []string, f tokenFlags) error {
	cfg, err := f.tokenConfig()
	if err != nil {
		return err
	}
	release := func() {}
	if strings.Contains(target, "{port}") {
		port, free, err := p.reservePort()
		if err != nil {
			return err
		}
		defer free()
		target, release = strings.ReplaceAll(target, "{port}", port), free
	}
	u, err := url.Parse(target)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return app.Usage("Write it as http://127.0.0.1:3000/mcp.", "%q is not the URL of a server", target)
	case !mcphttp.IsLoopback(u.Hostname()):
		return app.Usage("Start the server on this machine.", "auth check is for servers on this machine: others cannot reach its authority")
	}
	recorder, done, err := p.recordAuthority(f.record, "auth check", target)
	if err != nil {
		return err
	}
	defer done()
	f.at.Wrap, cfg.Transport = recorder.Wrap, recorder.Transport()
	a, stop, err := p.StartAuthority(f.at, authority.Options{Scopes: f.scopes, Seen: recorder.Seen})
	if err != nil {
		return err
	}
	defer stop()
	release()
	s, err := p.startServer(a, u, command, f)
	if err != nil {
		return err
	}
	defer s.stop()
	cfg.URL, cfg.Authority = target, a
	cfg.Report = recorder.Tried
	return p.tryTokens(cfg, s, f.verbose)
}

// reservePort returns a port that no other program gets until release is called.
func (p *authCommand) reservePort() (port string, release func(), err error) {
	l, err := p.ListenAt("127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	_, port, err = net.SplitHostPort(l.Addr().String())
	return port, func() { _ = l.Close() }, err
}

// maxNames is the maximum number of tokens that one finding names.
const maxNames = 6

// tryTokens runs the trial and prints the findings.
func (p *authCommand) tryTokens(cfg trial.Config, s *startedServer, verbose bool) error {
	var results []trial.Result
	var printed error
	record := cfg.Report
	cfg.Report = func(r trial.Result) {
		results = append(results, r)
		record(r)
		if p.JSON && printed == nil {
			printed = p.PrintDocument(r)
		}
	}
	ctx, stop := context.WithCancel(p.Ctx)
	defer stop()
	err := trial.Run(ctx, cfg)
	var control *trial.ControlError
	switch {
	case errors.As(err, &control):
		text := control.Text
		if s.hasEnded() {
			text += "; the command has ended: " + s.reason()
		}
		return &app.Error{Code: app.ExitConnect, Text: text, Hint: control.Try}
	case err != nil:
		return err
	case printed != nil:
		return printed
	}
	count := trial.Count(results)
	if !p.JSON {
		p.printTokenFindings(trial.Fold(results), verbose)
		text := fmt.Sprintf("The right token was accepted. Of the others: %s right, %s, %s, %s, %s not judged", phrase.Digits(count[trial.Pass]),
			phrase.Count(count[trial.Error], "error"), phrase.Count(count[trial.Warning], "warning"), phrase.Count(count[trial.Info], "info"), phrase.Digits(count[trial.Unjudged]))
		if n := count[trial.Skipped]; n > 0 {
			text += ", " + phrase.Digits(n) + " not sent, since the server accepts others (--verbose)"
		}
		if err := p.Out.Prose(text); err != nil {
			return err
		}
	}
	if s.hasEnded() {
		p.Note("the command has ended during the check: " + s.reason())
	}
	switch {
	case count[trial.Error] > 0:
		return app.Silent(app.ExitError)
	case count[trial.Unjudged] > 0:
		return app.Silent(app.ExitIncomplete)
	}
	return nil
}

// printTokenFindings prints one paragraph for each finding.
func (p *authCommand) printTokenFindings(findings []trial.Finding, verbose bool) {
	var libraries [][]trial.Finding
	if !verbose {
		libraries, findings = trial.Libraries(findings)
	}
	for _, f := range findings {
		if !verbose && (f.Verdict == trial.Info || f.Verdict == trial.Skipped || f.Verdict == trial.Pass) {
			continue
		}
		names := strings.Join(f.Tokens, ", ")
		if !verbose {
			names = phrase.JoinFirst(f.Tokens, maxNames)
		}
		const width = 10
		add := func(label, text string) {
			if text != "" {
				p.Out.Beside(label+strings.Repeat(" ", max(1, width-len(label))), text, p.Out.Width)
			}
		}
		p.Out.Beside(p.paintLevel(string(f.Verdict))+strings.Repeat(" ", max(1, width-len(f.Verdict))), names, p.Out.Width)
		add("", f.Message)
		if f.Verdict == trial.Error || f.Verdict == trial.Warning {
			add("", f.Spec)
			if f.First.Library != "" {
				add("", f.First.Known()+" If it is built on that: "+f.First.Does()+".")
			}
			add("  fix", f.Fix)
		}
	}
	for _, of := range libraries {
		p.printLibrary(of)
	}
}

// maxLibraryNames is the maximum number of tokens in a sentence about a library.
const maxLibraryNames = 2

// printLibrary prints what a library does, in one line.
func (p *authCommand) printLibrary(findings []trial.Finding) {
	var does []string
	for _, f := range findings {
		does = append(does, f.First.Does()+" ("+phrase.JoinFirst(f.Tokens, maxLibraryNames)+")")
	}
	const label = "library   "
	p.Out.Beside(p.paintLevel("library")+strings.Repeat(" ", len(label)-len("library")), findings[0].First.Library+": "+strings.Join(does, "; ")+". (--verbose)", p.Out.Width)
}
