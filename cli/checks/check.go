package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
)

// checkFlags are the flags of mcptea check.
type checkFlags struct {
	probe.Config // Only, Skip, Fuzz, Intrusive and MaxTime; see [checkCommand.checkConfig]

	call                      string
	allow, limits             []string
	triggers                  []string // TOOL or TOOL=JSON; see [probe.Config]
	failOn                    failOn
	pace                      string
	fuzzDir                   string
	junit, sarif, submission  app.Report
	markdown, github, verbose bool
	expired, foreign          string // env:NAME or file:PATH
	lowScope, second          string
	baseline                  string
	updateBaseline            bool
	directories               []string // see [directory.Names]
	alone                     bool     // check only the requirements of directories
	directoryToken            string   // env:NAME or file:PATH
	authority                 string   // address of the authorization server that mcptea is
	stepUp                    []string // TOOL=SCOPE
	discover                  bool     // the catalog of the host and the server cards are judged too
}

// checkCommand is mcptea check.
type checkCommand struct {
	*link.Link
	print  printer
	target *target.Target
}

func (p *checkCommand) command() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check TARGET",
		Short: "Check a server: send correct and malformed messages, and judge the reaction",
		Long: `Connect to a server, read its lists, check everything against the lint rules, and send probes: correct, unusual and malformed messages. Each probe passes, warns, fails, or is skipped. mcptea explain probes lists them, and mcptea explain P-001 describes one.

No tool is called unless it is annotated as read-only (readOnlyHint) or named with --allow. A server that exits is restarted, and the exit is a finding. A server that supports both eras is checked in both, unless --protocol names a version.

The exit code is 1 if a probe fails (see --fail-on), and 5 if none fails but some could not be judged. Findings that a known library causes, such as an SDK, share one line, since the author of the server cannot correct them; they count with --fail-on library.`,
		Example: `  mcptea check -- node server.js
  mcptea check http://127.0.0.1:3000/mcp --fail-on warning
  mcptea check --only 'P-05*' --only http -- ./my-server
  mcptea check --allow 'create_issue={"title":"test"}' -- ./my-server
  mcptea check --json -- ./my-server | jq -r 'select(.verdict=="fail").findings[].message'`,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.check(cmd, args, &f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringSliceVar(&f.Only, "only", nil, "run only this `PROBE`: id, name or group, with * for any text, or passive for probes that send only the handshake and the lists; several with commas, repeatable")
		fs.StringSliceVar(&f.Skip, "skip", nil, "leave out this `PROBE`, as for --only; several with commas, repeatable")
		fs.StringArrayVar(&f.allow, "allow", nil, "also call this tool, whatever its annotations are; repeatable  `TOOL[=JSON]`")
		app.Choice(fs, &f.call, "call", "which `TOOLS` to call besides the tools of --allow: safe (at most ten read-only tools), all (every read-only tool) or none", "safe", "all", "none")
		fs.StringArrayVar(&f.Fuzz, "fuzz", nil, "also call this tool with odd and random arguments, which may change data of the server; without a name, all tools that are called anyway; repeatable  `[=TOOL]`")
		fs.Lookup("fuzz").NoOptDefVal = probe.AllTools
		fs.StringVar(&f.fuzzDir, "fuzz-dir", "mcptea-fuzz", "write a script for mcptea run to this `DIR` for each failure that --fuzz finds")
		fs.BoolVar(&f.Events, "events", false, "also subscribe to events of the server: streams, and webhooks to callbacks on this machine, which servers refuse unless they are configured to accept them")
		fs.StringArrayVar(&f.triggers, "events-trigger", nil, "with --events: call this tool to cause events; several are called in order; repeatable  `TOOL[=JSON]`")
		fs.BoolVar(&f.Intrusive, "intrusive", false, "also send load and attacks to a server that is not on this machine")
		f.failOn.declare(fs)
		fs.BoolVar(&f.discover, "discover", false, "for a URL: also check the catalog of the host and the server cards, without credentials, and compare the card with the server")
		fs.StringSliceVar(&f.directories, "directory", nil, "report unmet requirements of this `DIRECTORY` of servers: "+strings.Join(directory.Names, ", ")+" or "+everyDirectory+"; without --only, no other probe runs; registry reads only a server.json; several with commas, repeatable")
		fs.StringVar(&f.directoryToken, "directory-token", "", "with --directory openai: compare the text at /.well-known/openai-apps-challenge of the server with this `TOKEN`, given as env:NAME or file:PATH")
		f.submission.Declare(fs, "write-submission", "", "write a chatgpt-app-submission.json to this `FILE`, with the hints of the tools as declared and empty justifications; - for stdout, instead of the text")
		fs.StringArrayVar(&f.limits, "limit", nil, "change a threshold: "+strings.Join(probe.LimitNames(), ", ")+"; repeatable  `NAME=VALUE`")
		fs.StringVar(&f.pace, "pace", "", "send at most this many requests, such as 60/m: `N/UNIT` of s, m or h; after 429 the check always waits, up to --max-time")
		fs.DurationVar(&f.MaxTime, "max-time", 5*time.Minute, "maximum `TIME` of the whole check")
		fs.Uint64Var(&p.Flags.FaultSeed, "seed", 0, "`NUMBER` that random values and faults come from, to repeat a check (default: random)")
		fs.StringVar(&f.expired, "token-expired", "", "also send this expired access `TOKEN`, given as env:NAME or file:PATH")
		fs.StringVar(&f.foreign, "token-foreign", "", "also send this access `TOKEN` for another audience, given as env:NAME or file:PATH")
		fs.StringVar(&f.lowScope, "token-lowscope", "", "also send this access `TOKEN` with few scopes, given as env:NAME or file:PATH")
		fs.StringVar(&f.second, "token-second", "", "also act as a second principal with this access `TOKEN`, given as env:NAME or file:PATH, who must not see what belongs to the first")
		link.DeclareAddress(fs, &f.authority, "authority", "be the authorization server of a server on this machine, at this `ADDRESS`, which the server trusts: PORT or 127.0.0.1:PORT; send the tokens of mcptea auth check, and use them for the probes that need some")
		fs.StringArrayVar(&f.stepUp, "step-up", nil, "with --authority: calls of this tool require this scope; repeatable  `TOOL=SCOPE`")
		fs.StringVar(&f.baseline, "baseline", "", "compare with this `FILE`: the lists of the server, and the accepted findings")
		fs.BoolVar(&f.updateBaseline, "update-baseline", false, "write the outcome to the file of --baseline, which then accepts it")
		f.junit.DeclareJUnit(fs, "")
		f.sarif.DeclareSARIF(fs)
		fs.BoolVar(&f.markdown, "markdown", false, "print Markdown")
		fs.BoolVar(&f.github, "github", p.Env.Get("GITHUB_ACTIONS") == "true", "also print annotations of GitHub Actions (default: on in a workflow)")
		fs.BoolVar(&f.verbose, "verbose", false, "also print passed probes, skipped probes with the reason, and infos")
	})
	for _, name := range []string{"only", "skip"} {
		app.Completes(cmd, name, probeNames()...)
	}
	app.Completes(cmd, "directory", append(slices.Clone(directory.Names), everyDirectory)...)
	for _, name := range []string{"baseline", "junit", "sarif", "write-submission"} {
		_ = cmd.MarkFlagFilename(name)
	}
	p.target.AddConnection(cmd)
	p.AddOutput(cmd)
	p.AddFile(cmd)
	p.Flags.AddConfig(cmd)
	cmd.Flags().Lookup("protocol").Usage += "; all: each one that the server speaks"
	cmd.Flags().Lookup("record").Usage = "write all frames of all connections to this FILE"
	cmd.Flags().Lookup("record").DefValue = ""
	cmd.Flags().Lookup("timeout").DefValue = "10s"
	return cmd
}

// probeNames returns the ids, with the names for the completion of the shell.
func probeNames() []string {
	var names []string
	for _, e := range probe.Catalogue() {
		names = append(names, e.ID+"\t"+e.Slug)
	}
	return names
}

func (p *checkCommand) check(cmd *cobra.Command, args []string, f *checkFlags) error {
	if err := f.readDirectories(p.Ctx, p.Env); err != nil {
		return err
	}
	if err := p.Reports(f.junit, f.sarif, f.submission); err != nil {
		return err
	}
	if f.needsNoServer() {
		return p.print.checkFile(args, f)
	}
	t, err := p.checkTarget(cmd, args, f)
	if err != nil {
		return err
	}
	if f.discover && (t.IsStdio() || t.Shared != nil) {
		return app.Usage("Omit the flag, or check a URL.", "--discover requires a URL: server cards describe servers over HTTP")
	}
	secrets := t.Secrets()
	recording, closeRecord, err := p.recordCheck(t, secrets)
	if err != nil {
		return err
	}
	defer closeRecord()
	tokens, err := p.startAuthority(&t, f, recording)
	if err != nil {
		return err
	}
	if tokens != nil {
		defer tokens.stop()
		t.AddSecrets(secrets) // the target has the right token now
	}
	cfg, err := p.checkConfig(cmd, t, f)
	if err != nil {
		return err
	}
	cfg.Record = recording
	if tokens != nil {
		cfg.Tokens = tokens.tokens
	}
	earlier, err := readBaseline(p.Ctx, f.baseline, f.updateBaseline)
	if err != nil {
		return err
	}
	documents := &checkDocuments{p: p, late: earlier != nil || cfg.EachRevision}
	summary, err := p.runCheck(t, cfg, documents)
	if err != nil {
		return err
	}
	if err := p.print.judgeDirectories(summary, t, args, f); err != nil {
		return err
	}
	if err := p.print.judgeCards(summary, t, f); err != nil {
		return err
	}
	tokens.addTokens(summary)
	if earlier != nil {
		report.ApplyBaseline(earlier, summary, t.String())
	}
	if err := documents.rest(summary); err != nil {
		return err
	}
	if err := p.print.printCheck(summary, f); err != nil {
		return err
	}
	if err := p.writeCheck(t, summary, f); err != nil {
		return err
	}
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	return p.print.checkOutcome(summary, f)
}

// checkTarget returns the server that the arguments name.
func (p *checkCommand) checkTarget(cmd *cobra.Command, args []string, f *checkFlags) (client.Target, error) {
	t, rest, err := p.target.NeedTarget(cmd, args)
	switch {
	case err != nil || len(rest) == 0:
		return t, err
	case slices.Contains(f.Fuzz, probe.AllTools):
		return t, app.Usage("Write --fuzz="+rest[0]+" to fuzz a tool.", "check takes only a server, found %q", rest[0])
	}
	return t, p.target.MoreThanTarget(cmd, rest)
}

// runCheck runs the probes and shows how far they are. Its error explains why nothing was judged.
func (p *checkCommand) runCheck(t client.Target, cfg probe.Config, documents *checkDocuments) (*probe.Summary, error) {
	progress := p.print.checkProgress()
	var line sync.Mutex // the status line; pauses come from the goroutines of the probes
	cfg.Paused = func(pause probe.Pause) {
		line.Lock()
		defer line.Unlock()
		p.print.showPause(pause)
	}
	summary, err := probes.Run(p.Ctx, cfg, func(e probe.Event) {
		line.Lock()
		progress(e)
		line.Unlock()
		documents.add(e)
	})
	p.Err.Status("")
	if len(summary.Left) > 0 {
		p.Note(transport.Running(summary.Left))
	}
	if cause := context.Cause(p.Ctx); err != nil && cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, p.checkNotConnected(t, err)
	}
	documents.probed = len(summary.Reports)
	return summary, nil
}

// checkDocuments prints the document of each probe with --json: when it ends, or after the last
// one if it may change until then.
type checkDocuments struct {
	p      *checkCommand
	late   bool
	probed int   // reports of probes
	failed error // error of printing
}

func (d *checkDocuments) add(e probe.Event) {
	if e.Server != nil && e.Server.OtherEra != "" {
		d.late = true
	}
	if e.Finished != nil && !d.late {
		d.print(e.Finished)
	}
}

// rest prints the documents that are not printed yet.
func (d *checkDocuments) rest(s *probe.Summary) error {
	left := s.Reports[d.probed:]
	if d.late {
		left = report.Merge(s).Reports
	}
	for i := range left {
		d.print(&left[i])
	}
	return d.failed
}

func (d *checkDocuments) print(r *probe.Report) {
	if d.p.JSON && d.failed == nil {
		d.failed = d.p.PrintDocument(report.LineOf(r))
	}
}

// recordCheck starts the recording of --record, or returns nil without the flag. Sessions that get a token or explain a
// failure are not recorded. secrets are redacted. closeRecord ends the recording.
func (p *checkCommand) recordCheck(t client.Target, secrets *secret.Values) (s *store.Store, closeRecord func(), err error) {
	path := p.Flags.Record
	p.Flags.Record = ""
	if path == "" || path == "off" {
		return nil, func() {}, nil
	}
	limit, err := app.ParseSize(p.Flags.RecordLimit)
	if err != nil {
		return nil, nil, err // Validate has accepted it
	}
	s, err = store.Create(store.Options{Path: path, Limit: limit, Secrets: secrets}, record.Header{Tool: "mcptea " + p.Version.Version + " check", Transport: t.TransportName(), Target: t.String(), Insecure: t.IsInsecure(), As: p.Flags.As.Words()})
	if err != nil {
		return nil, nil, app.Usage("Use another file.", "--record: %v", err)
	}
	return s, func() {
		if err := s.Close(); err != nil {
			p.Note(err.Error())
		}
	}, nil
}

// checkNotConnected explains why connecting failed: it connects again as the other
// commands do, which keep what an explanation needs.
func (p *checkCommand) checkNotConnected(t client.Target, err error) error {
	s, again := p.Connect(t)
	if again != nil {
		return again
	}
	p.CloseSession(s)
	return p.Explained(err, worksAgain(t, err), app.ExitConnect)
}

// worksAgain returns the explanation of a connection that failed and worked at the second attempt. Only the
// error of the first attempt is known.
func worksAgain(t client.Target, err error) failure.Explanation {
	return failure.Explanation{
		Sentence: fmt.Sprintf("Connecting failed with %q, and worked at the second attempt.", t.Redact(err.Error())),
		Causes:   []failure.Candidate{{Cause: "The server may take long to start, or fail at times.", Remedy: failure.Remedy{Text: "Run the check again; raise --connect-timeout."}}},
	}
}

func (p *printer) listProbes() error {
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name}}
	for _, e := range probe.Catalogue() {
		if !p.JSON {
			t.Row(e.ID, e.Group, e.Slug, string(e.Level), e.Sends)
		} else if err := p.PrintDocument(e); err != nil {
			return err
		}
	}
	t.Print()
	return nil
}
