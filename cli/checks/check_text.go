package checks

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/use"
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
			return nil, app.Usage("Write it as --limit tool-tokens=500.", "--limit %s: the value is not a number", l)
		}
		if _, ok := probe.Limits[name]; !ok {
			return nil, app.Usage("The thresholds are "+strings.Join(probe.LimitNames(), ", ")+".", "--limit: unknown threshold %q", name)
		}
		limits[name] = n
	}
	return limits, nil
}

// checkProgress shows on stderr which probe runs, if that is a terminal.
func (p *commands) checkProgress() func(probe.Event) {
	failed := 0
	return func(e probe.Event) {
		if e.Finished != nil && e.Finished.Verdict == probe.Fail {
			failed++
		}
		if e.Started == nil {
			return
		}
		text := fmt.Sprintf("%d of %d  %s %s", e.Done, e.Total, e.Started.ID, e.Started.Slug)
		if failed > 0 {
			text += fmt.Sprintf("  %d failed", failed)
		}
		p.Err.Status(p.Err.Faint(paint.Cut(text, p.Err.Width-1)))
	}
}

// printCheck prints the report.
func (p *commands) printCheck(s *probe.Summary, f *checkFlags) error {
	if p.JSON {
		return p.PrintDocument(report.LastLineOf(s))
	}
	if f.markdown {
		return report.Markdown(p.Out, s, probe.Groups())
	}
	for _, server := range s.Servers {
		var reports []probe.Report
		for _, r := range s.Reports {
			if r.Revision == string(server.Revision) {
				reports = append(reports, r)
			}
		}
		h := server.Handshake
		p.Out.Line(p.Out.Strong(p.Out.Safe(h.Server.String())) + p.Out.Faint(fmt.Sprintf("  %s  %s", use.TransportWords[server.Transport], server.Revision)) + p.listCounts(server.Items) + p.toolTokens(reports))
		p.printGroups(reports, f)
		p.Out.Line("")
		p.printNotDone(server, reports, f)
	}
	return p.Out.Line(p.checkSummary(s))
}

// printNotDone prints what could not be judged, what was skipped, and which tools were not called, with the flag
// that changes it.
func (p *commands) printNotDone(server *probe.Server, reports []probe.Report, f *checkFlags) {
	for _, sentence := range unjudged(reports) {
		for _, line := range paint.Wrap(p.Out.Safe(sentence), p.Readable()) {
			p.Out.Line(p.Out.Warn(line))
		}
	}
	if text := report.Skipped(reports, " · "); text != "" {
		if !f.verbose {
			text += "  (--verbose)"
		}
		p.Out.Line(p.Out.Faint(text))
	}
	if f.call == "none" {
		p.Out.Line(p.Out.Faint("No tool was called that --allow does not name (--call none)."))
	}
	called := slices.ContainsFunc(reports, func(r probe.Report) bool { return r.Verdict != probe.Skipped && r.Entry.Capability == "tools" })
	if !called && len(f.Only) > 0 {
		return
	}
	for _, sentence := range report.NotCalled(server.Uncalled, shellWord) {
		for _, line := range paint.Wrap(p.Out.Safe(sentence), p.Readable()) {
			p.Out.Line(p.Out.Faint(line))
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
func (p *commands) listCounts(items func(client.ListKind) [][]byte) string {
	var parts []string
	for _, kind := range client.ListKinds {
		if n := len(items(kind)); n > 0 {
			parts = append(parts, paint.Plural(n, kind.Noun))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return p.Out.Faint("  " + strings.Join(parts, ", "))
}

// toolTokens is the estimate of how many tokens the definitions of the tools have.
func (p *commands) toolTokens(reports []probe.Report) string {
	for _, r := range reports {
		if n, ok := r.Measure["tokens"]; ok && n > 0 {
			return p.Out.Faint("  about " + paint.HumanCount(int(n)) + " tokens of tools")
		}
	}
	return ""
}

// printGroups prints a line for each group, and below it what was found.
func (p *commands) printGroups(reports []probe.Report, f *checkFlags) {
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
		p.Out.Line("")
		p.Out.Line(fmt.Sprintf("%s  %s", p.Out.Strong(fmt.Sprintf("%-34s", g.Title)), p.verdictCounts(c)))
		for i := range mine {
			p.printProbe(&mine[i], f)
		}
	}
}

// verdictCounts is how many probes have each verdict, without zeros.
func (p *commands) verdictCounts(c report.Counts) string {
	var parts []string
	add := func(n int, word string, color func(string) string) {
		if n > 0 {
			parts = append(parts, color(fmt.Sprintf("%d %s", n, word)))
		}
	}
	add(c.Fail, "fail", p.Out.Bad)
	add(c.Warn, "warn", p.Out.Warn)
	add(c.Error, "not judged", p.Out.Warn)
	add(c.Pass, "pass", p.Out.Good)
	add(c.Skipped, "skipped", p.Out.Faint)
	return strings.Join(parts, ", ")
}

// printProbe prints the findings of a probe.
func (p *commands) printProbe(r *probe.Report, f *checkFlags) {
	head := r.Entry.ID + " " + r.Entry.Slug
	word := map[probe.Verdict]string{
		probe.Pass: p.Out.Good("pass "), probe.Warn: p.Out.Warn("warn "), probe.Fail: p.Out.Bad("fail "),
		probe.Skipped: p.Out.Faint("skip "), probe.Failure: p.Out.Warn("error"),
	}[r.Verdict]
	quiet := r.Verdict == probe.Pass || r.Verdict == probe.Skipped || isUnjudged(r) // which the end says
	if quiet && !f.verbose {
		return
	}
	text := "  " + word + " " + p.Out.Name(head) + p.Out.Faint(shownLevel(r))
	if r.Skip != "" {
		text += "  " + p.Out.Safe(r.Skip)
	}
	p.Out.Line(text)
	findings := r.Findings
	if !f.verbose {
		findings = slices.DeleteFunc(slices.Clone(findings), func(found probe.Finding) bool { return found.Severity == lint.Info })
	}
	for i, found := range findings {
		if i == maxShownFindings && !f.verbose {
			p.Out.Line(p.Out.Faint(fmt.Sprintf("        … %d more (--verbose)", len(findings)-maxShownFindings)))
			break
		}
		p.printProbeFinding(found, i == 0)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Measure)) {
		if f.verbose {
			p.Out.Line("        " + p.Out.Faint(fmt.Sprintf("%g  %s", r.Measure[name], p.Out.Safe(name))))
		}
	}
	if !quiet && r.Entry.Spec != "" {
		address := report.SpecURL(r.Entry.Spec, r.Revision)
		if address == "" || p.Out.Terminal && len(address)+15 > p.Out.Width {
			address = r.Entry.Spec
		}
		p.Out.Line("        " + p.Out.Faint("spec   "+address))
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

func (p *commands) printProbeFinding(found probe.Finding, first bool) {
	message := p.Out.Safe(found.Message)
	if found.Accepted {
		message += p.Out.Faint("  (accepted by the baseline)")
	}
	indent := "        "
	for _, line := range paint.Wrap(message, max(40, p.Readable()-len(indent))) {
		switch found.Severity {
		case lint.Error:
			line = p.Out.Bad(line)
		case lint.Warn:
			line = p.Out.Warn(line)
		}
		p.Out.Line(indent + line)
	}
	for _, frame := range found.Frames {
		arrow := "→"
		if frame.Dir == transport.In {
			arrow = "←"
		}
		text := paint.Sanitize(strings.Join(strings.Fields(string(frame.Bytes)), " "))
		p.Out.Line(indent + p.Out.Faint(arrow+" "+paint.Cut(text, max(40, p.Readable()-len(indent)-2))))
	}
	if x := found.Exit; x != nil {
		last := len(x.Stderr) - maxShownStderr
		if !first && !x.Crashed { // the same again
			last = len(x.Stderr)
		}
		for _, l := range x.Stderr[max(0, last):] {
			p.Out.Line(indent + p.Out.Faint("stderr "+paint.Cut(paint.Sanitize(l), max(40, p.Readable()-len(indent)-7))))
		}
	}
	if first && found.Hint != "" && found.Severity != lint.Info {
		p.Out.Beside(indent+p.Out.Faint("fix    "), found.Hint, p.Readable())
	}
}

func (p *commands) checkSummary(s *probe.Summary) string {
	c := report.CountOf(s.Reports)
	text := fmt.Sprintf("%s: %s%s", paint.Plural(c.Probes, "probe"), p.verdictCounts(c),
		p.Out.Faint(fmt.Sprintf("  %s frames, %s, seed %d", paint.HumanCount(s.Sent), s.Took.Round(100*time.Millisecond), s.Seed)))
	if s.Stopped != nil {
		text += "\n" + p.Out.Warn("The check is incomplete: ") + s.Stopped.Error()
	}
	return text
}

// writeFuzzScripts writes the scripts of findings that have one.
func (p *commands) writeFuzzScripts(s *probe.Summary, dir string) error {
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
			fmt.Fprintf(p.Err, "%s %s: %s\n", p.Err.Faint("script"), name, p.Err.Safe(found.Message))
		}
	}
	return nil
}
