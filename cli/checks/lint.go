package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/secret"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/lint/baseline"
	"mcptea/lint/contract"
	"mcptea/lint/lintfile"
	"mcptea/ui/paint"
)

// lintCommand is mcptea lint.
type lintCommand struct {
	*settings.Settings
	print printer
}

func (p *lintCommand) command() *cobra.Command {
	tally := lintTally{p: p}
	var files lintReports
	cmd := &cobra.Command{
		Use:   "lint FILE…|-",
		Short: "Check a recording, frames or a log against the MCP rules",
		Long: `Check the frames in files against the rules of MCP, and print each finding with its rule, its severity, the responsible side and the fix. "-" reads stdin.

A file is a recording, one frame per line (with the prefix "> " for the client, "< " for the server, or none), or the log of another program with frames in its lines.

At most 100 findings of one rule at one place are printed, and a line at the end counts the others; --all prints each finding.

With --json each finding is one line, an object with rule, severity, responsible, frame (line number), path, message and fix; mcptea help json lists the members.`,
		Example: `  mcptea lint session.mcptea.jsonl
  mcptea lint --fail-on warning --mute J030 trace.jsonl
  journalctl -u my-host | mcptea lint - --json | jq -r .message`,
		ValidArgsFunction: target.CompleteFiles(),
		RunE:              p.RunE(func(_ *cobra.Command, args []string) error { return p.lint(args, &tally, &files) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&tally.failOn.text, "fail-on", "error", "exit with 1 for findings of this `SEVERITY` or worse: error, warning, info or none; or of rules, as in error,C016")
		tally.expects.declare(fs)
		files.declare(fs)
		fs.BoolVar(&tally.self, "self", false, "include info findings about frames that mcptea sent on its own")
		fs.BoolVar(&tally.all, "all", false, "print each finding, even a frequent one")
	})
	p.Flags.AddLint(cmd)
	p.AddOutput(cmd)
	p.Flags.AddConfig(cmd)
	app.Completes(cmd, "fail-on", severities...)
	for _, name := range []string{"baseline", "junit", "sarif"} {
		_ = cmd.MarkFlagFilename(name)
	}
	return cmd
}

func (p *lintCommand) lint(args []string, tally *lintTally, files *lintReports) error {
	if len(args) == 0 {
		return app.Usage("Run: mcptea lint FILE, or mcptea lint - to read stdin", "lint requires a file")
	}
	if err := p.Reports(files.junit, files.sarif); err != nil {
		return err
	}
	var err error
	if tally.muted, err = p.Muted(); err != nil {
		return err
	}
	if err = tally.failOn.parse(); err != nil {
		return err
	}
	terms, err := tally.expects.terms(p.Ctx)
	if err != nil {
		return err
	}
	failing, unjudged := false, false
	var offers []*baseline.Offer
	for _, name := range args {
		one := *tally // tally of this file
		if len(args) > 1 {
			one.file = name
		}
		one.address = addressOf(name)
		if files.wanted() {
			one.linted = &report.Linted{File: name, Expected: terms.Kinds()}
		}
		read, err := p.lintFile(name, &one, terms)
		if err != nil {
			return err
		}
		p.lintSummary(&one, read)
		failing, unjudged = failing || one.failing, unjudged || len(read.Unjudged) > 0
		files.add(one.linted, read.Unjudged)
		offers = append(offers, read.Offers...)
	}
	if err := p.print.writeLinted(files, tally.failOn.fails); err != nil {
		return err
	}
	if terms.Accepts {
		accepted, err := p.print.acceptOffers(tally.expects.baseline, offers)
		if err != nil {
			return err
		}
		unjudged = unjudged || !accepted
	}
	switch {
	case failing:
		return app.Silent(app.ExitError)
	case unjudged:
		return app.Silent(app.ExitIncomplete)
	}
	return nil
}

// lintFile reads a file to its end and prints the findings.
func (p *lintCommand) lintFile(name string, tally *lintTally, terms contract.Terms) (lintfile.Report, error) {
	if why, hint := app.NotFrames(name); why != "" {
		return lintfile.Report{}, app.Usage(hint, "%s: %v: %s", name, lintfile.ErrNoFrames, why)
	}
	in, closing, err := p.OpenInput(name)
	if err != nil {
		if _, missing := os.Stat(name); missing != nil {
			return lintfile.Report{}, app.Usage(cmp.Or(app.NearFiles(name), "lint reads files; to check a server: mcptea check -- COMMAND, or mcptea check URL"), "%v", err)
		}
		return lintfile.Report{}, err
	}
	defer closing()
	options := []lint.Option{lint.Texts(tally.shown)}
	if !p.JSON || tally.linted != nil {
		var known secret.Values
		learnSecrets(name, &known)
		options = append(options, lint.Excerpts(func(frame []byte) []byte { return secret.JSON(frame, &known, nil) }))
	}
	if p.Flags.NoHeuristics {
		options = append(options, lint.NoHeuristics())
	}
	flush := p.Out.Buffer()
	report, err := lintfile.LintExpecting(p.Ctx, in, terms, tally.found, options...)
	tally.more()
	flush()
	switch {
	case p.Ctx.Err() != nil:
		return report, context.Cause(p.Ctx)
	case errors.Is(err, lintfile.ErrNoFrames):
		return report, app.Usage(cmp.Or(app.ReaderOf("lint", name), "A frame is a JSON object with \"jsonrpc\", on a line of its own or after other text."), "%s: %v", name, err)
	case errors.Is(err, lintfile.ErrNoEvents):
		for _, text := range report.Problems {
			p.Note(text)
		}
		return report, app.Failed("%s: %v", name, err)
	case err != nil:
		return report, app.Failed("%s: %v", name, err)
	}
	return report, tally.err
}

// addressOf returns the address of a file that is read; empty for stdin.
func addressOf(name string) string {
	path, err := filepath.Abs(name)
	if info, _ := os.Stat(name); err != nil || info == nil || !info.Mode().IsRegular() {
		return ""
	}
	return paint.FileAddress(path)
}

// lintSummary prints a summary on stderr: what was read, and what could not be read.
func (p *lintCommand) lintSummary(tally *lintTally, report lintfile.Report) {
	for _, text := range report.Problems {
		p.Note(text)
	}
	if more := report.Skipped - len(report.Problems); more > 0 {
		p.Note(fmt.Sprintf("%s more lines skipped", phrase.Digits(more)))
	}
	if report.Changed > 0 {
		p.Note(report.ChangedText())
	}
	if !p.JSON {
		p.Err.Prose(fmt.Sprintf("%s%s, read as %s: %s", p.Err.Safe(tally.prefix()), phrase.Count(report.Frames, "frame"), map[string]string{
			"recording": "a recording", "frames": "frames", "log": "a log",
		}[report.Format], tally.summary()))
	}
	if report.IsPart {
		p.Note(lintfile.PartText)
	}
	if report.Beside > 0 {
		p.Note(fmt.Sprintf("%s of connections beside the session are not checked: mcptea check opens them, and may send wrong messages there on purpose", phrase.Count(report.Beside, "frame")))
	}
	for _, u := range report.Unjudged {
		p.Note(u.Text)
	}
}

// lintTally prints and counts findings.
type lintTally struct {
	p         *lintCommand
	file      string // if there are several
	address   string // address of the file, for a link
	failOn    failing
	expects   expects
	failing   bool  // a finding fails the command
	err       error // error of printing
	counts    [3]int
	muted     []string // rules
	hidden    int      // the number of their findings
	self      bool     // show info findings about frames that the client sent on its own
	hiddenOwn int      // the number of info findings about own frames that are not shown
	all       bool     // print each finding
	folded    []repeated
	linted    *report.Linted // input of the reports of files, or nil
}

// repeated are the findings of a rule that are counted instead of printed.
type repeated struct {
	rule     *lint.Entry
	severity lint.Severity
	count    int
	last     int32 // the line of the newest one
}

// maxPrinted bounds how often a finding of one rule at one place is printed.
const maxPrinted = 100

// shown reports whether a finding is printed after others at its place. The documents of --json are complete.
func (t *lintTally) shown(times int) bool { return t.all || t.p.JSON || times < maxPrinted }

func (t *lintTally) found(f lint.Finding) {
	switch {
	case slices.Contains(t.muted, f.Rule.ID):
		t.hidden++
		return
	case f.Self && !t.self:
		t.hiddenOwn++
		return
	}
	t.counts[f.Severity]++
	t.failing = t.failing || t.failOn.fails(&f)
	t.keep(&f)
	switch {
	case t.err != nil:
	case !t.shown(f.Times - 1):
		t.fold(&f)
	case t.p.JSON:
		t.err = t.json(f)
	default:
		t.err = t.text(f)
	}
}

// json prints a finding. It is a separate function because it moves f to the heap.
func (t *lintTally) json(f lint.Finding) error {
	d := f.Document(int(f.Row))
	d.File = t.file
	return t.p.PrintDocument(d)
}

// prefix returns the name of the file before a line, if there are several.
func (t *lintTally) prefix() string {
	if t.file == "" {
		return ""
	}
	return t.file + ": "
}

func (t *lintTally) fold(f *lint.Finding) {
	i := 0
	for i < len(t.folded) && (t.folded[i].rule != f.Rule || t.folded[i].severity != f.Severity) {
		i++
	}
	if i == len(t.folded) {
		t.folded = append(t.folded, repeated{rule: f.Rule, severity: f.Severity})
	}
	t.folded[i].count++
	t.folded[i].last = f.Row
}

// more prints how many findings were counted instead of printed.
func (t *lintTally) more() {
	for _, r := range t.folded {
		t.p.Out.Line(t.p.Out.Safe(t.prefix()) + fmt.Sprintf("%s %s  %s more at the same places, the last one in line %d (--all prints each)",
			t.severity(r.severity), r.rule.ID, phrase.Digits(r.count), r.last))
	}
}

func (t *lintTally) text(f lint.Finding) error {
	out := t.p.Out
	where := f.Where()
	if f.Row > 0 { // a finding about the whole connection has no line
		where = strings.TrimSpace(fmt.Sprintf("line %d %s", f.Row, where))
	}
	if where == "" {
		where = "end of the session"
	}
	place := out.Safe(t.prefix() + where)
	if f.Row > 0 {
		place = out.Link(place, t.address)
	}
	lines := []string{
		fmt.Sprintf("%s  %s %s  %s  (%s)", place, t.severity(f.Severity), f.Rule.ID, out.Safe(f.Message), f.Fault),
	}
	if f.Hint != "" {
		lines = append(lines, "    "+out.Faint(out.Safe(f.Hint)))
	}
	if err := out.Line(strings.Join(lines, "\n")); err != nil {
		return err
	}
	for _, fact := range report.LintFacts(&f, report.Lines) {
		if fact.Head == report.NoHead && !fact.OfProbe && fact.Gives < report.Detail {
			t.p.print.printFact(fact.Label, &fact, false)
		}
	}
	return nil
}

// severity returns the word for a severity in its color.
func (t *lintTally) severity(s lint.Severity) string {
	return [...]func(string) string{t.p.Out.Bad, t.p.Out.Warn, t.p.Out.Faint}[s](s.String())
}

func (t *lintTally) summary() string {
	muted := ""
	if t.hidden > 0 {
		muted = fmt.Sprintf("; %s muted", phrase.Count(t.hidden, "finding"))
	}
	if t.hiddenOwn > 0 {
		muted += fmt.Sprintf("; %s about frames of the client not shown (--self)", phrase.Count(t.hiddenOwn, "info finding"))
	}
	if t.counts == [3]int{} {
		return "no findings" + muted
	}
	return fmt.Sprintf("%s, %s, %s", phrase.Count(t.counts[lint.Error], "error"), phrase.Count(t.counts[lint.Warn], "warning"), phrase.Count(t.counts[lint.Info], "info")) + muted
}
