package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/input"
	"mcptea/client"
	"mcptea/session"
	"mcptea/session/atomicfile"
	"mcptea/session/diff"
	"mcptea/session/report"
	"mcptea/session/requests"
	"mcptea/session/script"
	"mcptea/ui/paint"
)

// runFlags are those of mcptea run.
type runFlags struct {
	junit     string
	update    bool
	verbose   bool
	keepGoing bool
}

func (p *Checks) runCommand() *cobra.Command {
	var f runFlags
	var table strings.Builder
	for _, c := range script.Commands() {
		fmt.Fprintf(&table, "  %s\n      %s\n", c.Usage, c.About)
	}
	cmd := &cobra.Command{
		Use:   "run FILE… [TARGET]",
		Short: "Run test scripts",
		Long: `Run scripts of requests and expectations, and print the first failure of each, or with --keep-going all of them. TARGET is the server for scripts that do not name one. "-" reads a script from stdin.

A script is a txtar archive: one command per line, then files that commands name as @FILE. A line that begins with # names a section. A request must succeed; ! before it expects an error, & behind it sends it in the background. {{NAME}} inserts a variable, {{env.NAME}} one of the environment.

Commands:
` + table.String() + `
The exit code is 1 if a script failed, and 3 if one could not connect. docs/script.md has the language in full.`,
		Example: `  mcptea run tests/*.txtar -- node server.js
  mcptea run smoke.txtar --junit report.xml --url http://127.0.0.1:3000/mcp
  mcptea run smoke.txtar --update -- node server.js`,
		Args: cobra.ArbitraryArgs,
		RunE: p.runE(func(cmd *cobra.Command, args []string) error { return p.runScripts(cmd, args, f) }),
	}
	declare(cmd, groupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.junit, "junit", "", "write a JUnit report to this `FILE`")
		fs.BoolVar(&f.update, "update", false, "write what is found into the files that expect --exact names")
		fs.BoolVar(&f.keepGoing, "keep-going", false, "run the sections after one that has failed, too")
		fs.BoolVarP(&f.verbose, "verbose", "v", false, "print each command")
	})
	_ = cmd.MarkFlagFilename("junit", "xml")
	p.addRequest(cmd)
	return cmd
}

func (p *Checks) runScripts(cmd *cobra.Command, args []string, f runFlags) error {
	target, files, found, err := p.splitTarget(cmd, args)
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		return usage("For example: mcptea run smoke.txtar -- node server.js", "run requires a script")
	}
	var scripts []*script.Script
	for _, name := range files {
		s, err := p.readScript(name)
		if err != nil {
			return err
		}
		scripts = append(scripts, s)
	}
	r := scriptRun{p: p, flags: f, target: target, hasTarget: found}
	for _, s := range scripts {
		if err := r.one(s); err != nil {
			return err
		}
	}
	if f.junit != "" {
		if err := atomicfile.Write(f.junit, func(w io.Writer) error { return report.WriteJUnit(w, r.suites) }); err != nil {
			return failed("--junit: %v", err)
		}
	}
	if len(scripts) > 1 && !p.json {
		fmt.Fprintf(p.err, "%d of %d scripts passed\n", len(scripts)-r.failed, len(scripts))
	}
	if r.code != ExitOK {
		return silent(r.code)
	}
	return nil
}

func (p *Checks) readScript(name string) (*script.Script, error) {
	var text []byte
	var err error
	if name == "-" {
		text, err = input.Read(p.ctx, p.in, "stdin", inputLimit)
	} else {
		text, err = input.ReadFile(p.ctx, name, inputLimit)
	}
	if err != nil {
		return nil, inputError("", "cannot read the script", err)
	}
	s, err := script.Parse(name, text)
	var mistake *script.Error
	if errors.As(err, &mistake) {
		return nil, usage(mistake.Hint, "%v", mistake)
	}
	return s, err
}

// scriptRun runs scripts one after another.
type scriptRun struct {
	p         *Checks
	flags     runFlags
	target    client.Target
	hasTarget bool
	suites    []report.Suite
	failed    int
	code      int
}

func (r *scriptRun) one(s *script.Script) error {
	p := r.p
	var last *session.Session // of the newest connection, for the place of its recording
	o := script.Options{
		Connect: func(ctx context.Context, c script.Connection) (*session.Session, error) {
			opened, err := r.connect(ctx, c)
			last = opened
			return opened, err
		},
		Close: p.closeSession, Explain: sentenceOf, Timeout: p.flags.timeout, Update: r.flags.update, KeepGoing: r.flags.keepGoing,
	}
	if r.flags.verbose {
		o.Step = func(line int, text string) {
			fmt.Fprintf(p.err, "%s %s\n", p.err.faint(fmt.Sprintf("%s:%d", s.Name, line)), paint.Sanitize(text))
		}
	}
	result := script.Run(p.ctx, s, o)
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	if s.Updated() && s.Name != "-" {
		if err := atomicfile.WriteBytes(s.Name, s.Text()); err != nil {
			return failed("--update: %v", err)
		}
	}
	for i, failure := range result.Failures() {
		if i == 0 {
			r.failed++
		}
		r.code = max(r.code, ExitError)
		var mistake *exitError
		switch {
		case errors.As(failure.Connect, &mistake):
			r.code = max(r.code, mistake.code)
		case failure.Connect != nil:
			r.code = max(r.code, connectCode(failure.Connect))
		}
	}
	r.suites = append(r.suites, suiteOf(s, &result))
	if p.json {
		return r.printJSON(s, &result)
	}
	return r.print(s, &result, last)
}

// connect opens a session for a script. Server requests wait for the script.
func (r *scriptRun) connect(ctx context.Context, c script.Connection) (*session.Session, error) {
	p, target := r.p, c.Target
	if !target.IsStdio() && target.URL == "" {
		if !r.hasTarget {
			return nil, usage("Name a server after connect, or on the command line.", "the script names no server, and neither does the command line")
		}
		target = r.target
	} else if err := p.complete(&target); err != nil {
		return nil, err
	}
	target.Env = append(target.Env[:len(target.Env):len(target.Env)], c.Env...)
	before := p.flags.protocol
	if c.Protocol != "" {
		p.flags.protocol = c.Protocol
	}
	cfg, err := p.config(target, "off")
	p.flags.protocol = before
	if err != nil {
		return nil, err
	}
	cfg.Policies = requests.Policies{Sampling: requests.Policy{Mode: requests.PolicyUser}, Elicitation: requests.Policy{Mode: requests.PolicyUser}}
	cfg.Lint = true
	s, err := session.Open(cfg)
	if err != nil {
		return nil, err
	}
	p.track(s)
	return s, s.Connect(ctx)
}

func (r *scriptRun) print(s *script.Script, result *script.Result, last *session.Session) error {
	p := r.p
	took := paint.HumanDuration(result.Took)
	failures := result.Failures()
	if len(failures) == 0 {
		text := fmt.Sprintf("%s  %s  %s", p.out.good("ok  "), s.Name, p.out.faint(paint.Plural(len(result.Sections), "section")+", "+took))
		if s.Updated() {
			text += "  updated"
		}
		return p.out.line(text)
	}
	var b strings.Builder
	for _, f := range failures {
		r.writeFailure(&b, s, f, took, last)
	}
	return p.out.line(strings.TrimSuffix(b.String(), "\n"))
}

// writeFailure writes the place of a failure, its reason and the difference.
func (r *scriptRun) writeFailure(b *strings.Builder, s *script.Script, f *script.Failure, took string, last *session.Session) {
	p := r.p
	fmt.Fprintf(b, "%s  %s:%d: %s  %s\n", p.out.bad("FAIL"), s.Name, f.Line, paint.Sanitize(f.Command), p.out.faint(took))
	fmt.Fprintf(b, "      %s\n", p.out.safe(f.Reason))
	for _, line := range diffLines(f.Rows) {
		text := paint.Sanitize(line)
		switch line[0] {
		case '-':
			text = p.out.sgr("31", text)
		case '+':
			text = p.out.sgr("32", text)
		}
		fmt.Fprintf(b, "      %s\n", text)
	}
	if last != nil && f.Request > 0 {
		if path := last.Store().Path(); path != "" {
			fmt.Fprintf(b, "      %s\n", p.out.faint(fmt.Sprintf("frame %d of %s", f.Request, path)))
		}
	}
}

// maxDiff is how many lines of a difference are printed.
const maxDiff = 60

// diffLines are the rows of a unified view with their signs: "-" is what was expected.
func diffLines(rows []diff.Row) []string {
	var lines []string
	for _, row := range diff.Unified(rows) {
		if len(lines) == maxDiff {
			return append(lines, "  …")
		}
		switch {
		case row.Skipped > 0:
			lines = append(lines, fmt.Sprintf("  … %d equal", row.Skipped))
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

// sectionDocument is what run --json prints for each section, one per line.
type sectionDocument struct {
	Script  string  `json:"script"`
	Section string  `json:"section"`
	Line    int     `json:"line"` // of the failure, or of the section
	Verdict string  `json:"verdict"`
	Took    float64 `json:"took_ms"`
	Command string  `json:"command,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	Diff    string  `json:"diff,omitempty"`
}

func (r *scriptRun) printJSON(s *script.Script, result *script.Result) error {
	for _, one := range result.Sections {
		d := sectionDocument{Script: s.Name, Section: one.Section.Name, Line: one.Section.Line, Verdict: "pass", Took: milliseconds(one.Took)}
		switch f := one.Failure; {
		case one.Skipped:
			d.Verdict = "skipped"
		case f != nil:
			d.Verdict, d.Line, d.Command, d.Reason = "fail", f.Line, f.Command, f.Reason
			d.Diff = strings.Join(diffLines(f.Rows), "\n")
		}
		if err := r.p.printDocument(d); err != nil {
			return err
		}
	}
	return nil
}

// suiteOf is a script in a JUnit report: each section is a case.
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
			text := append([]string{fmt.Sprintf("%s:%d: %s", s.Name, f.Line, f.Command)}, diffLines(f.Rows)...)
			c.Failure = &report.Problem{Type: strings.Fields(strings.TrimPrefix(f.Command, "!"))[0], Message: f.Reason, Text: strings.Join(text, "\n")}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}
