package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/session/lint"
	"mcptea/session/lintfile"
	"mcptea/ui/paint"
)

func (p *commands) lintCommand() *cobra.Command {
	var fail failOn
	var self bool
	cmd := &cobra.Command{
		Use:   "lint FILE|-",
		Short: "Check a recording, frames or a log against the MCP rules",
		Long: `Check the frames in a file against the rules of MCP, and print each finding with its rule, its severity, the responsible side and the fix. "-" reads stdin.

The file is a recording, one frame per line (with the prefix "> " for the client, "< " for the server, or none), or the log of another program with frames in its lines.

With --json each finding is one line, an object with rule, severity, responsible, frame (line number), path, message and fix; docs/json.md lists the members.`,
		Example: `  mcptea lint session.mcptea.jsonl
  mcptea lint --fail-on warn --mute J030 trace.jsonl
  journalctl -u my-host | mcptea lint - --json | jq -r .message`,
		ValidArgsFunction: target.CompleteFiles(),
		RunE:              p.RunE(func(_ *cobra.Command, args []string) error { return p.lint(args, fail, self) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fail.declare(fs)
		fs.BoolVar(&self, "self", false, "include info findings about frames that mcptea sent on its own")
	})
	p.Flags.AddLint(cmd)
	p.AddOutput(cmd)
	p.Flags.AddConfig(cmd)
	return cmd
}

func (p *commands) lint(args []string, fail failOn, self bool) error {
	if len(args) != 1 {
		return app.Usage("Run: mcptea lint FILE, or mcptea lint - to read stdin", "lint requires one file")
	}
	muted, err := p.Muted()
	if err != nil {
		return err
	}
	in, closing, err := p.OpenInput(args[0])
	if err != nil {
		return err
	}
	defer closing()
	tally := lintTally{p: p, failOn: fail, muted: muted, self: self}
	var options []lint.Option
	if p.Flags.NoHeuristics {
		options = append(options, lint.NoHeuristics())
	}
	report, err := lintfile.Lint(p.Ctx, in, tally.found, options...)
	switch {
	case p.Ctx.Err() != nil:
		return context.Cause(p.Ctx)
	case errors.Is(err, lintfile.ErrNoFrames):
		return app.Usage("A frame is a JSON object with \"jsonrpc\", on a line of its own or after other text.", "%s: %v", args[0], err)
	case errors.Is(err, lintfile.ErrNoEvents):
		for _, text := range report.Problems {
			p.Note(text)
		}
		return app.Failed("%s: %v", args[0], err)
	case err != nil:
		return app.Failed("%s: %v", args[0], err)
	}
	if tally.err != nil {
		return tally.err
	}
	for _, text := range report.Problems {
		fmt.Fprintf(p.Err, "%s %s\n", p.Err.Warn("note:"), p.Err.Safe(text))
	}
	if more := report.Skipped - len(report.Problems); more > 0 {
		fmt.Fprintf(p.Err, "%s %s more lines skipped\n", p.Err.Warn("note:"), paint.HumanCount(more))
	}
	if report.Changed > 0 {
		p.Note(report.ChangedText())
	}
	if !p.JSON {
		fmt.Fprintf(p.Err, "%s, read as %s: %s\n", paint.Plural(report.Frames, "frame"), map[string]string{
			"recording": "a recording", "frames": "frames", "log": "a log",
		}[report.Format], tally.summary())
	}
	if tally.failed {
		return app.Silent(app.ExitError)
	}
	return nil
}

// lintTally prints and counts findings.
type lintTally struct {
	p      *commands
	failOn failOn
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
	t.failed = t.failed || t.failOn.fails(f.Severity)
	if t.err != nil {
		return
	}
	if t.p.JSON {
		t.err = t.p.PrintDocument(f.Document(int(f.Row)))
		return
	}
	t.err = t.text(f)
}

func (t *lintTally) text(f lint.Finding) error {
	out := t.p.Out
	word := f.Severity.String()
	switch f.Severity {
	case lint.Error:
		word = out.Bad(word)
	case lint.Warn:
		word = out.Warn(word)
	default:
		word = out.Faint(word)
	}
	where := f.Where()
	if f.Row > 0 { // a finding about the whole connection has no line
		where = strings.TrimSpace(fmt.Sprintf("line %d %s", f.Row, where))
	}
	if where == "" {
		where = "end of the session"
	}
	lines := []string{
		fmt.Sprintf("%s  %s %s  %s  (%s)", out.Safe(where), word, f.Rule.ID, out.Safe(f.Message), f.Fault),
	}
	if f.Hint != "" {
		lines = append(lines, "    "+out.Faint(out.Safe(f.Hint)))
	}
	return out.Line(strings.Join(lines, "\n"))
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
