package checks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/session/explain/failure"
	"mcptea/session/requests"
	"mcptea/session/runs/script"
	"mcptea/session/session"
)

// runFlags holds the flags of mcptea run.
type runFlags struct {
	junit     app.Report
	update    bool
	verbose   bool
	keepGoing bool
}

// runCommand is mcptea run.
type runCommand struct {
	*link.Link
	target *target.Target
}

func (p *runCommand) command() *cobra.Command {
	var f runFlags
	var table strings.Builder
	for _, c := range script.Commands() {
		fmt.Fprintf(&table, "  %s\n      %s\n", c.Usage, c.About)
	}
	cmd := &cobra.Command{
		Use:   "run FILE… [TARGET]",
		Short: "Run test scripts",
		Long: `Run scripts of requests and expectations, and print the first failure of each, or with --keep-going all of them. TARGET is the server for scripts that name no server. "-" reads a script from stdin.

A script is a txtar archive: one command per line, then files that commands name as @FILE. A line that starts with # names a section. A request must succeed; ! before it expects an error, & after it sends it in the background. {{NAME}} inserts a variable, {{env.NAME}} an environment variable.

Commands:
` + table.String() + `
With --watch or --build it runs the scripts at the start and after each save, and prints a line: the time, the saved file, the numbers of passed and failed sections, and the names of the failed ones; --verbose prints the failures too. If the build fails or the server does not connect, the line says so.

The exit code is 1 if a script failed, and 3 if one could not connect. mcptea help script describes the whole language.`,
		Example: `  mcptea run tests/*.txtar -- node server.js
  mcptea run smoke.txtar --junit report.xml --url http://127.0.0.1:3000/mcp
  mcptea run smoke.txtar --update -- node server.js
  mcptea run --watch mcptea.txtar -- node server.js     # again after each save, a line each`,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.runScripts(cmd, args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		f.junit.DeclareJUnit(fs, "")
		fs.BoolVar(&f.update, "update", false, "write the actual results into the files that expect --exact names")
		fs.BoolVar(&f.keepGoing, "keep-going", false, "also run the sections after a failed one")
		fs.BoolVar(&f.verbose, "verbose", false, "print each command")
	})
	_ = cmd.MarkFlagFilename("junit", "xml")
	p.target.AddRequest(cmd)
	p.target.AddReload(cmd)
	return cmd
}

func (p *runCommand) runScripts(cmd *cobra.Command, args []string, f runFlags) error {
	if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
		if line := target.SourceLine(args[:1]); line != "" {
			return app.Usage("To inspect the server, write: mcptea -- "+line, "run is for scripts (txtar), but %q is source code", args[0])
		}
	}
	target, files, found, err := p.target.SplitTarget(cmd, args)
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		return app.Usage("For example: mcptea run smoke.txtar -- node server.js", "run requires a script")
	}
	if err := p.Reports(f.junit); err != nil {
		return err
	}
	var scripts []*script.Script
	for _, name := range files {
		s, err := p.readScript(name)
		if err != nil {
			return err
		}
		scripts = append(scripts, s)
	}
	r := scriptRun{p: p, ctx: p.Ctx, flags: f, target: target, hasTarget: found}
	if p.target.Watches() {
		return r.watch(files)
	}
	for _, s := range scripts {
		if _, err := r.runScript(s); err != nil {
			return err
		}
	}
	if err := p.WriteReport(f.junit, func(w io.Writer) error { return report.WriteJUnit(w, r.suites) }); err != nil {
		return err
	}
	if len(scripts) > 1 && !p.JSON {
		fmt.Fprintf(p.Err, "%d of %d scripts passed\n", len(scripts)-r.failed, len(scripts))
	}
	if r.code != app.ExitOK {
		return app.Silent(r.code)
	}
	return nil
}

func (p *runCommand) readScript(name string) (*script.Script, error) {
	if _, err := os.Stat(name); name != "-" && errors.Is(err, fs.ErrNotExist) {
		return nil, app.Usage("mcptea export RECORDING --to script --output "+name+" writes one from a recording; mcptea help script describes the language.", "cannot read the script %s: no such file or directory", name)
	}
	text, err := p.ReadNamed("script", name)
	if err != nil {
		return nil, err
	}
	s, err := script.Parse(name, text)
	var mistake *script.Error
	if errors.As(err, &mistake) {
		if use := app.ReaderOf("run", name); use != "" {
			return nil, app.Usage(use, "%s is not a script: %v", name, mistake)
		}
		return nil, app.Usage(mistake.Hint, "%v", mistake)
	}
	return s, err
}

// scriptRun runs scripts one after another.
type scriptRun struct {
	p         *runCommand
	ctx       context.Context // ends the run
	quiet     bool            // print nothing about the script
	flags     runFlags
	target    client.Target
	hasTarget bool
	suites    []report.Suite
	failed    int
	code      int
}

// runScript runs a script and prints how it went. The error is why the command ends.
func (r *scriptRun) runScript(s *script.Script) (result script.Result, err error) {
	p := r.p
	var last *session.Session // newest session, for the path of its recording
	o := script.Options{
		Connect: func(ctx context.Context, c script.Connection) (*session.Session, error) {
			opened, err := r.connect(ctx, c)
			last = opened
			return opened, err
		},
		Close: p.CloseSession, Explain: link.SentenceOf, Timeout: p.Flags.Timeout, Update: r.flags.update, KeepGoing: r.flags.keepGoing,
	}
	if r.flags.verbose {
		o.Step = func(line int, text string) {
			fmt.Fprintf(p.Err, "%s %s\n", p.Err.Faint(fmt.Sprintf("%s:%d", s.Name, line)), display.Sanitize(text))
		}
	}
	result = script.Run(r.ctx, s, o)
	if r.ctx.Err() != nil {
		return result, context.Cause(r.ctx)
	}
	if s.Updated() && s.Name != "-" {
		if err := system.WriteFileBytes(s.Name, s.Text()); err != nil {
			return result, app.Failed("--update: %v", err)
		}
	}
	for i, failed := range result.Failures() {
		if i == 0 {
			r.failed++
		}
		r.code = max(r.code, app.ExitError)
		var mistake *app.Error
		switch {
		case errors.As(failed.Connect, &mistake):
			r.code = max(r.code, mistake.Code)
		case failed.Connect != nil:
			r.code = max(r.code, link.ConnectCode(failed.Connect, failure.Explain(failed.Connect, failure.Facts{})))
		}
	}
	switch r.suites = append(r.suites, suiteOf(s, &result)); {
	case p.JSON:
		return result, r.printJSON(s, &result)
	case r.quiet:
		return result, nil
	}
	return result, r.print(s, &result, last)
}

// connect opens a session for a script. Server requests wait for the script. If the script names another
// server, the flags about the target of the command line do not apply.
func (r *scriptRun) connect(ctx context.Context, c script.Connection) (*session.Session, error) {
	p, target := r.p, c.Target
	flags := p.Flags
	defer func() { p.Flags = flags }()
	if target.URL != "" && r.hasTarget {
		p.Flags = flags.For(r.target, target.URL)
	}
	if !target.IsStdio() && target.URL == "" {
		if !r.hasTarget {
			return nil, app.Usage("Name a server after connect, or on the command line.", "the script names no server, and neither does the command line")
		}
		target = r.target
	} else if err := p.Complete(&target); err != nil {
		return nil, err
	}
	target.Env = append(target.Env[:len(target.Env):len(target.Env)], c.Env...)
	if c.Protocol != "" {
		p.Flags.Protocol = c.Protocol
	}
	cfg, err := p.Config(target, "off")
	if err != nil {
		return nil, err
	}
	cfg.Policies = requests.Policies{Sampling: requests.Policy{Mode: requests.PolicyUser}, Elicitation: requests.Policy{Mode: requests.PolicyUser}}
	cfg.Lint = true
	s, err := session.Open(cfg)
	if err != nil {
		return nil, err
	}
	p.Track(s)
	return s, s.Connect(ctx)
}

func (r *scriptRun) print(s *script.Script, result *script.Result, last *session.Session) error {
	p := r.p
	took := phrase.Took(result.Took)
	failures := result.Failures()
	if len(failures) == 0 {
		text := fmt.Sprintf("%s  %s  %s", p.Out.Good("ok  "), s.Name, p.Out.Faint(phrase.Count(len(result.Sections), "section")+", "+took))
		if s.Updated() {
			text += "  updated"
		}
		return p.Out.Line(text)
	}
	var b strings.Builder
	for _, f := range failures {
		r.writeFailure(&b, s, f, took, last)
	}
	return p.Out.Line(strings.TrimSuffix(b.String(), "\n"))
}

// writeFailure writes the place of a failure, its reason and the difference.
func (r *scriptRun) writeFailure(b *strings.Builder, s *script.Script, f *script.Failure, took string, last *session.Session) {
	p := r.p
	fmt.Fprintf(b, "%s  %s:%d: %s  %s\n", p.Out.Bad("FAIL"), s.Name, f.Line, display.Sanitize(f.Command), p.Out.Faint(took))
	fmt.Fprintf(b, "      %s\n", p.Out.Safe(f.Reason))
	for _, line := range DiffLines(f.Rows, MaxDiff) {
		fmt.Fprintf(b, "      %s\n", p.Out.Diff(display.Sanitize(line)))
	}
	if last != nil && f.Request > 0 {
		if path := last.Store().Path(); path != "" {
			fmt.Fprintf(b, "      %s\n", p.Out.Faint(fmt.Sprintf("frame %d of %s", f.Request, path)))
		}
	}
}

// MaxDiff bounds the printed lines of a difference in a script.
const MaxDiff = 60

// DiffLines returns the rows of a unified view with their signs: "-" for the expected rows. If
// there are more than most, an ellipsis follows.
func DiffLines(rows []diff.Row, most int) []string {
	var lines []string
	for _, row := range diff.Unified(diff.LinesOf(rows)) {
		if len(lines) == most {
			return append(lines, "  …")
		}
		switch {
		case row.Skipped > 0:
			lines = append(lines, "  … "+phrase.Count(row.Skipped, "equal value"))
		case row.Kind == diff.Removed:
			lines = append(lines, "- "+row.Old)
		case row.Kind == diff.Added:
			lines = append(lines, "+ "+row.New)
		default:
			lines = append(lines, "  "+row.New)
		}
	}
	return lines
}

// Section is the output of run --json for each section of a script, one per line.
type Section struct {
	Script  string        `json:"script"`            // file
	Section string        `json:"section"`           // name of the section
	Line    int           `json:"line"`              // line of the failure, or of the section
	Verdict string        `json:"verdict"`           // "pass", "fail" or "skipped"
	Took    phrase.Millis `json:"took_ms"`           // duration of the section
	Command string        `json:"command,omitempty"` // command that failed
	Reason  string        `json:"reason,omitempty"`  // why it failed
	Diff    string        `json:"diff,omitempty"`    // expected and actual output, as lines
}

func (r *scriptRun) printJSON(s *script.Script, result *script.Result) error {
	for _, one := range result.Sections {
		d := Section{Script: s.Name, Section: one.Section.Name, Line: one.Section.Line, Verdict: "pass", Took: phrase.Millis(one.Took)}
		switch f := one.Failure; {
		case one.Skipped:
			d.Verdict = "skipped"
		case f != nil:
			d.Verdict, d.Line, d.Command, d.Reason = "fail", f.Line, f.Command, f.Reason
			d.Diff = strings.Join(DiffLines(f.Rows, MaxDiff), "\n")
		}
		if err := r.p.PrintDocument(d); err != nil {
			return err
		}
	}
	return nil
}

// suiteOf returns a script in a JUnit report: each section is a case.
func suiteOf(s *script.Script, result *script.Result) report.Suite {
	suite := report.Suite{Name: s.Name, Took: result.Took.Round(time.Millisecond)}
	for _, one := range result.Sections {
		c := report.Case{Name: one.Section.Name, Class: s.Name, Took: one.Took}
		switch f := one.Failure; {
		case one.Skipped:
			c.Skipped = &report.Problem{Message: "an earlier section failed"}
		case f != nil && f.Connect != nil:
			c.Error = &report.Problem{Type: "connect", Message: f.Reason, Text: fmt.Sprintf("%s:%d: %s", s.Name, f.Line, f.Command)}
		case f != nil:
			text := append([]string{fmt.Sprintf("%s:%d: %s", s.Name, f.Line, f.Command)}, DiffLines(f.Rows, MaxDiff)...)
			c.Failure = &report.Problem{Type: strings.Fields(strings.TrimPrefix(f.Command, "!"))[0], Message: f.Reason, Text: strings.Join(text, "\n")}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}
