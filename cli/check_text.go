package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/probe"
	"mcptea/session/report"
	"mcptea/session/shell"
	"mcptea/ui/paint"
)

// isObject reports a JSON object.
func isObject(text string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}

// limitsOf reads --limit.
func limitsOf(given []string) (map[string]float64, error) {
	limits := map[string]float64{}
	for _, l := range given {
		name, value, ok := strings.Cut(l, "=")
		n, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || n < 0 {
			return nil, usage("Write it as --limit tool-tokens=500.", "--limit %s: the value is not a number", l)
		}
		if _, ok := probe.Limits[name]; !ok {
			return nil, usage("The thresholds are "+strings.Join(probe.LimitNames(), ", ")+".", "--limit: unknown threshold %q", name)
		}
		limits[name] = n
	}
	return limits, nil
}

// checkProgress shows on stderr which probe runs, if that is a terminal.
type checkProgress struct {
	p     *Checks
	shown bool
	count map[probe.Verdict]int
}

func newCheckProgress(p *Checks) *checkProgress {
	return &checkProgress{p: p, count: map[probe.Verdict]int{}}
}

func (c *checkProgress) event(e probe.Event) {
	if e.Finished != nil {
		c.count[e.Finished.Verdict]++
	}
	if !c.p.err.terminal || !c.p.err.addressable || e.Started == nil {
		return
	}
	text := fmt.Sprintf("%d of %d  %s %s", e.Done, e.Total, e.Started.ID, e.Started.Slug)
	if n := c.count[probe.Fail]; n > 0 {
		text += fmt.Sprintf("  %d failed", n)
	}
	_, _ = io.WriteString(c.p.err, "\r\x1b[K"+c.p.err.faint(paint.Cut(text, c.p.err.width-1)))
	c.shown = true
}

func (c *checkProgress) end() {
	if c.shown {
		_, _ = io.WriteString(c.p.err, "\r\x1b[K")
	}
}

func (p *Checks) printProbeJSON(r *probe.Report) {
	b, err := report.JSON(r)
	if err == nil {
		_ = p.out.line(p.out.json(string(b))) // the screen keeps the error
	}
}

// printCheck prints the report.
func (p *Checks) printCheck(s *probe.Summary, f *checkFlags) error {
	if p.json {
		b, err := report.SummaryJSON(s)
		if err != nil {
			return err
		}
		return p.out.line(string(b))
	}
	if f.markdown {
		return report.Markdown(p.out, s, probe.Groups())
	}
	for _, server := range s.Servers {
		var reports []probe.Report
		for _, r := range s.Reports {
			if r.Revision == string(server.Revision) {
				reports = append(reports, r)
			}
		}
		h := server.Handshake
		_ = p.out.line(p.out.strong(p.out.safe(h.Server.String())) + p.out.faint(fmt.Sprintf("  %s  %s", transportWords[server.Transport], server.Revision)) + p.listCounts(server.Items) + p.toolTokens(reports))
		p.printGroups(reports, f)
		_ = p.out.line("")
		p.printNotDone(server, reports, f)
	}
	return p.out.line(p.checkSummary(s))
}

// printNotDone prints what could not be judged, what was skipped, and which tools were not called, with the flag
// that changes it.
func (p *Checks) printNotDone(server *probe.Server, reports []probe.Report, f *checkFlags) {
	for _, sentence := range unjudged(reports) {
		for _, line := range paint.Wrap(p.out.safe(sentence), p.readable()) {
			_ = p.out.line(p.out.warn(line))
		}
	}
	if text := report.Skipped(reports, " · "); text != "" {
		if !f.verbose {
			text += "  (--verbose)"
		}
		_ = p.out.line(p.out.faint(text))
	}
	if f.noCall {
		_ = p.out.line(p.out.faint("No tool was called that --allow does not name (--no-call)."))
	}
	called := slices.ContainsFunc(reports, func(r probe.Report) bool { return r.Verdict != probe.Skipped && r.Entry.Capability == "tools" })
	if !called && len(f.only) > 0 {
		return
	}
	for _, sentence := range report.NotCalled(server.Uncalled, shellWord) {
		for _, line := range paint.Wrap(p.out.safe(sentence), p.readable()) {
			_ = p.out.line(p.out.faint(line))
		}
	}
}

// shellWord is a text as a word of a command line.
func shellWord(text string) string {
	if line, err := shell.Bash.Join(shell.Literals(text)); err == nil {
		return line
	}
	return strconv.Quote(text)
}

// listCounts is how many entries the lists have.
func (p *Checks) listCounts(items func(client.ListKind) [][]byte) string {
	var parts []string
	for _, kind := range client.ListKinds {
		if n := len(items(kind)); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind.Name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return p.out.faint("  " + strings.Join(parts, ", "))
}

// toolTokens is the estimate of how many tokens the definitions of the tools have.
func (p *Checks) toolTokens(reports []probe.Report) string {
	for _, r := range reports {
		if n, ok := r.Measure["tokens"]; ok && n > 0 {
			return p.out.faint("  about " + paint.HumanCount(int(n)) + " tokens of tools")
		}
	}
	return ""
}

// printGroups prints a line for each group, and below it what was found.
func (p *Checks) printGroups(reports []probe.Report, f *checkFlags) {
	for _, g := range probe.Groups() {
		var mine []probe.Report
		for _, r := range reports {
			if r.Entry.Group == g.Name {
				mine = append(mine, r)
			}
		}
		c := report.CountOf(mine)
		if len(mine) == 0 || c.Skipped == c.Probes && !f.verbose {
			continue
		}
		_ = p.out.line("")
		_ = p.out.line(fmt.Sprintf("%s  %s", p.out.strong(fmt.Sprintf("%-34s", g.Title)), p.verdictCounts(c)))
		for i := range mine {
			p.printProbe(&mine[i], f)
		}
	}
}

// verdictCounts is how many probes have each verdict, without zeros.
func (p *Checks) verdictCounts(c report.Counts) string {
	var parts []string
	add := func(n int, word string, color func(string) string) {
		if n > 0 {
			parts = append(parts, color(fmt.Sprintf("%d %s", n, word)))
		}
	}
	add(c.Fail, "fail", p.out.bad)
	add(c.Warn, "warn", p.out.warn)
	add(c.Error, "not judged", p.out.warn)
	add(c.Pass, "pass", p.out.good)
	add(c.Skipped, "skipped", p.out.faint)
	return strings.Join(parts, ", ")
}

// printProbe prints the findings of a probe.
func (p *Checks) printProbe(r *probe.Report, f *checkFlags) {
	head := r.Entry.ID + " " + r.Entry.Slug
	word := map[probe.Verdict]string{
		probe.Pass: p.out.good("pass "), probe.Warn: p.out.warn("warn "), probe.Fail: p.out.bad("fail "),
		probe.Skipped: p.out.faint("skip "), probe.Failure: p.out.warn("error"),
	}[r.Verdict]
	quiet := r.Verdict == probe.Pass || r.Verdict == probe.Skipped || isUnjudged(r) // which the end says
	if quiet && !f.verbose {
		return
	}
	text := "  " + word + " " + p.out.name(head) + p.out.faint(shownLevel(r))
	if r.Skip != "" {
		text += "  " + p.out.safe(r.Skip)
	}
	_ = p.out.line(text)
	findings := r.Findings
	if !f.verbose {
		findings = slices.DeleteFunc(slices.Clone(findings), func(found probe.Finding) bool { return found.Severity == lint.Info })
	}
	for i, found := range findings {
		if i == maxShownFindings && !f.verbose {
			_ = p.out.line(p.out.faint(fmt.Sprintf("        … %d more (--verbose)", len(findings)-maxShownFindings)))
			break
		}
		p.printProbeFinding(found, i == 0)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Measure)) {
		if f.verbose {
			_ = p.out.line("        " + p.out.faint(fmt.Sprintf("%g  %s", r.Measure[name], p.out.safe(name))))
		}
	}
	if !quiet && r.Entry.Spec != "" {
		address := report.SpecURL(r.Entry.Spec, r.Revision)
		if address == "" || p.out.terminal && len(address)+15 > p.out.width {
			address = r.Entry.Spec
		}
		_ = p.out.line("        " + p.out.faint("spec   "+address))
	}
}

// isUnjudged reports a probe that could not be judged and has found nothing.
func isUnjudged(r *probe.Report) bool { return r.Verdict == probe.Failure && len(r.Findings) == 0 }

// unjudged are sentences about the probes that could not be judged, one for each reason.
func unjudged(reports []probe.Report) []string {
	var order []string
	by := map[string][]string{}
	for i := range reports {
		if r := &reports[i]; isUnjudged(r) {
			if by[r.Skip] == nil {
				order = append(order, r.Skip)
			}
			by[r.Skip] = append(by[r.Skip], r.Entry.ID)
		}
	}
	var sentences []string
	for _, why := range order {
		ids := by[why]
		names := strings.Join(ids[:min(len(ids), maxNamedProbes)], ", ")
		if len(ids) > maxNamedProbes {
			names += ", …"
		}
		sentences = append(sentences, fmt.Sprintf("%d not judged (%s): %s", len(ids), names, why))
	}
	return sentences
}

// maxNamedProbes is how many probes a sentence names.
const maxNamedProbes = 5

// shownLevel is the kind of requirement that a probe tests.
func shownLevel(r *probe.Report) string {
	if level := r.Requirement(); level != "" {
		return "  " + string(level)
	}
	return ""
}

// maxShownFindings bounds the findings of a probe in the text.
const maxShownFindings = 5

// maxShownStderr is how many lines of stderr a finding shows.
const maxShownStderr = 4

func (p *Checks) printProbeFinding(found probe.Finding, first bool) {
	message := p.out.safe(found.Message)
	if found.Accepted {
		message += p.out.faint("  (accepted by the baseline)")
	}
	indent := "        "
	for _, line := range paint.Wrap(message, max(40, p.readable()-len(indent))) {
		switch found.Severity {
		case lint.Error:
			line = p.out.bad(line)
		case lint.Warn:
			line = p.out.warn(line)
		}
		_ = p.out.line(indent + line)
	}
	for _, frame := range found.Frames {
		arrow := "→"
		if frame.Dir == transport.In {
			arrow = "←"
		}
		text := paint.Sanitize(strings.Join(strings.Fields(string(frame.Bytes)), " "))
		_ = p.out.line(indent + p.out.faint(arrow+" "+paint.Cut(text, max(40, p.readable()-len(indent)-2))))
	}
	if x := found.Exit; x != nil {
		last := len(x.Stderr) - maxShownStderr
		if !first && !x.Crashed { // the same again
			last = len(x.Stderr)
		}
		for _, l := range x.Stderr[max(0, last):] {
			_ = p.out.line(indent + p.out.faint("stderr "+paint.Cut(paint.Sanitize(l), max(40, p.readable()-len(indent)-7))))
		}
	}
	if first && found.Hint != "" && found.Severity != lint.Info {
		for i, line := range paint.Wrap(p.out.safe(found.Hint), max(40, p.readable()-len(indent)-7)) {
			label := "fix    "
			if i > 0 {
				label = "       "
			}
			_ = p.out.line(indent + p.out.faint(label) + line)
		}
	}
}

func (p *Checks) checkSummary(s *probe.Summary) string {
	c := report.CountOf(s.Reports)
	text := fmt.Sprintf("%s: %s%s", paint.Plural(c.Probes, "probe"), p.verdictCounts(c),
		p.out.faint(fmt.Sprintf("  %s frames, %s, seed %d", paint.HumanCount(s.Sent), s.Took.Round(100*time.Millisecond), s.Seed)))
	if s.Stopped != nil {
		text += "\n" + p.out.warn("The check is incomplete: ") + s.Stopped.Error()
	}
	return text
}

// writeFuzzScripts writes the scripts of findings that have one.
func (p *Checks) writeFuzzScripts(s *probe.Summary, dir string) error {
	n := 0
	for _, r := range s.Reports {
		for _, found := range r.Findings {
			if found.Script == "" {
				continue
			}
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			n++
			name := filepath.Join(dir, fmt.Sprintf("fuzz-%d-%d.txtar", s.Seed, n))
			if err := os.WriteFile(name, []byte(found.Script), 0o600); err != nil {
				return err
			}
			fmt.Fprintf(p.err, "%s %s: %s\n", p.err.faint("script"), name, p.err.safe(found.Message))
		}
	}
	return nil
}
