package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/session/lint"
	"mcptea/session/lintfile"
	"mcptea/ui/paint"
)

func (p *Checks) lintCommand() *cobra.Command {
	var failOn string
	var self bool
	cmd := &cobra.Command{
		Use:   "lint FILE|-",
		Short: "Check a recording, frames or a log against the MCP rules",
		Long: `Check the frames in a file against the rules of MCP, and print each finding with its rule, its severity, the responsible side and the fix. "-" reads stdin.

The file is a recording, one frame per line (with the prefix "> " for the client, "< " for the server, or none), or the log of another program with frames in its lines.

With --json each finding is one line, an object with rule, severity, fault, frame (line number), path, message and hint.`,
		Example: `  mcptea lint session.mcptea.jsonl
  mcptea lint --fail-on warn --mute J030 trace.jsonl
  journalctl -u my-host | mcptea lint - --json | jq -r .message`,
		Args: cobra.ArbitraryArgs,
		RunE: p.runE(func(_ *cobra.Command, args []string) error { return p.lint(args, failOn, self) }),
	}
	declare(cmd, groupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&failOn, "fail-on", "error", "exit with 1 for findings of this `SEVERITY` or worse: error, warn or info")
		fs.BoolVar(&self, "self", false, "include info findings about frames that mcptea sent on its own")
	})
	completes(cmd, "fail-on", "error", "warn", "info")
	p.flags.addLint(cmd)
	p.addOutput(cmd)
	p.flags.addConfig(cmd)
	return cmd
}

func (p *Checks) lint(args []string, failOn string, self bool) error {
	if len(args) != 1 {
		return usage("Run: mcptea lint FILE, or mcptea lint - to read stdin", "lint requires one file")
	}
	var worst lint.Severity
	if err := worst.UnmarshalText([]byte(failOn)); err != nil {
		return usage("The severities are error, warn and info.", "--fail-on: unknown severity %q", failOn)
	}
	muted, err := p.muted()
	if err != nil {
		return err
	}
	in, closing, err := p.openInput(args[0])
	if err != nil {
		return err
	}
	defer closing()
	tally := lintTally{p: p, failOn: worst, muted: muted, self: self}
	var options []lint.Option
	if p.flags.noHeuristics {
		options = append(options, lint.NoHeuristics())
	}
	report, err := lintfile.Lint(p.ctx, in, tally.found, options...)
	switch {
	case p.ctx.Err() != nil:
		return context.Cause(p.ctx)
	case errors.Is(err, lintfile.ErrNoFrames):
		return usage("A frame is a JSON object with \"jsonrpc\", on a line of its own or after other text.", "%s: %v", args[0], err)
	case errors.Is(err, lintfile.ErrNoEvents):
		for _, text := range report.Problems {
			p.note(text)
		}
		return failed("%s: %v", args[0], err)
	case err != nil:
		return failed("%s: %v", args[0], err)
	}
	if tally.err != nil {
		return tally.err
	}
	for _, text := range report.Problems {
		fmt.Fprintf(p.err, "%s %s\n", p.err.warn("note:"), p.err.safe(text))
	}
	if more := report.Skipped - len(report.Problems); more > 0 {
		fmt.Fprintf(p.err, "%s %s more lines skipped\n", p.err.warn("note:"), paint.HumanCount(more))
	}
	if report.Changed > 0 {
		p.note(report.ChangedText())
	}
	if !p.json {
		fmt.Fprintf(p.err, "%s, read as %s: %s\n", paint.Plural(report.Frames, "frame"), map[string]string{
			"recording": "a recording", "frames": "frames", "log": "a log",
		}[report.Format], tally.summary())
	}
	if tally.failed {
		return silent(ExitError)
	}
	return nil
}

// lintTally prints and counts findings.
type lintTally struct {
	p      *Checks
	failOn lint.Severity
	failed bool
	err    error // of printing
	counts [3]int
	muted  []string // rules
	hidden int      // the number of their findings
	self   bool     // show info findings about frames that the client sent on its own
	own    int      // the number of those not shown
}

func (t *lintTally) found(f lint.Finding) {
	switch {
	case slices.Contains(t.muted, f.Rule.ID):
		t.hidden++
		return
	case f.Self && !t.self:
		t.own++
		return
	}
	t.counts[f.Severity]++
	t.failed = t.failed || f.Severity <= t.failOn
	if t.err != nil {
		return
	}
	if t.p.json {
		t.err = t.json(f)
		return
	}
	t.err = t.text(f)
}

func (t *lintTally) json(f lint.Finding) error {
	b, err := f.JSON(int(f.Row))
	if err != nil {
		return err
	}
	return t.p.printJSON(string(b))
}

func (t *lintTally) text(f lint.Finding) error {
	out := t.p.out
	word := f.Severity.String()
	switch f.Severity {
	case lint.Error:
		word = out.bad(word)
	case lint.Warn:
		word = out.warn(word)
	default:
		word = out.faint(word)
	}
	where := f.Where()
	if f.Row > 0 { // a finding about the whole connection has no line
		where = strings.TrimSpace(fmt.Sprintf("line %d %s", f.Row, where))
	}
	if where == "" {
		where = "end of the session"
	}
	lines := []string{
		fmt.Sprintf("%s  %s %s  %s  (%s)", out.safe(where), word, f.Rule.ID, out.safe(f.Message), f.Fault),
	}
	if f.Hint != "" {
		lines = append(lines, "    "+out.faint(out.safe(f.Hint)))
	}
	return out.line(strings.Join(lines, "\n"))
}

func (t *lintTally) summary() string {
	muted := ""
	if t.hidden > 0 {
		muted = fmt.Sprintf("; %s muted", paint.Plural(t.hidden, "finding"))
	}
	if t.own > 0 {
		muted += fmt.Sprintf("; %s about frames of the client not shown (--self)", paint.Plural(t.own, "info finding"))
	}
	if t.counts == [3]int{} {
		return "no findings" + muted
	}
	return fmt.Sprintf("%s, %s, %s", paint.Plural(t.counts[lint.Error], "error"), paint.Plural(t.counts[lint.Warn], "warning"), paint.Plural(t.counts[lint.Info], "info")) + muted
}
