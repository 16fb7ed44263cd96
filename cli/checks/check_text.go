package checks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/cli/use"
	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
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
func (p *printer) checkProgress() func(probe.Event) {
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
		p.Err.Status(p.Err.Faint(display.Cut(text, p.Err.Width-1)))
	}
}

// paceOf reads --pace, a number of requests in a second, minute or hour, and returns the time between two of
// them.
func paceOf(given string) (time.Duration, error) {
	if given == "" {
		return 0, nil
	}
	count, unit, _ := strings.Cut(given, "/")
	n, err := strconv.Atoi(count)
	period := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[unit]
	if err != nil || n <= 0 || period == 0 {
		return 0, app.Usage("Write it as 60/m: so many requests in a second (s), minute (m) or hour (h).", "--pace %s is not a rate", given)
	}
	return period / time.Duration(n), nil
}

// showPause shows on stderr that the check waits, if that is a terminal.
func (p *printer) showPause(pause probe.Pause) {
	text := "waiting until " + pause.Until.Format(time.TimeOnly) + " for the server's limit (429)"
	if !pause.Deadline.IsZero() {
		text += ", --max-time ends at " + pause.Deadline.Format(time.TimeOnly)
	}
	p.Err.Status(p.Err.Faint(display.Cut(text, p.Err.Width-1)))
}

// printCheck prints the report.
func (p *printer) printCheck(s *probe.Summary, f *checkFlags) error {
	if p.JSON {
		return p.PrintDocument(report.LastLineOf(s))
	}
	if f.markdown {
		return report.Markdown(p.Out, s, append(probe.Groups(), probe.Group{Name: report.DiscoveryGroup, Title: "Catalog and server cards"}, probe.Group{Name: authorityGroup, Title: "Tokens"}, probe.Group{Name: directory.Group, Title: "Requirements of directories"}))
	}
	if s.Client != "" && len(s.Servers) > 0 {
		p.Out.Prose(p.Out.Warn(p.Out.Safe(report.ConnectedAs(s)) + "."))
	}
	for _, server := range s.Servers {
		reports := slices.DeleteFunc(slices.Clone(s.Reports), func(r probe.Report) bool { return r.Revision != string(server.Revision) })
		h := server.Handshake
		p.Out.Prose(p.Out.Strong(display.Sanitize(h.Server.String())) + p.Out.Faint(fmt.Sprintf("  %s  %s", use.TransportWords[server.Transport], server.Revision)) + p.listCounts(server.Items) + p.toolTokens(reports) + p.pace(server))
	}
	if len(s.Servers) > 0 {
		reports := probesOf(s, f)
		p.printFindings(reports, f)
		if len(reports) > 0 {
			p.printNotDone(report.Uncalled(s.Servers), reports, f)
		}
	}
	if e := report.EventsOf(s); e != nil && len(probesOf(s, f)) > 0 {
		for _, line := range display.Wrap(e.String(), p.Readable()) {
			p.Out.Line(p.Out.Faint(line))
		}
	}
	p.printDirectories(requirements(s), f)
	p.Out.Line("")
	return p.Out.Prose(p.checkSummary(s, f))
}

// slowPace is the minimum response time at which a check counts as slow.
const slowPace = 500 * time.Millisecond

// pace describes the time that a slow server costs the check.
func (p *printer) pace(server *probe.Server) string {
	if server.Pace < slowPace {
		return ""
	}
	return p.Out.Warn("  " + server.Pace.Round(100*time.Millisecond).String() + " for each response: the check takes long")
}

// printNotDone prints the probes that could not be judged or were skipped, and the tools that were not called,
// with the flag that would allow it.
func (p *printer) printNotDone(uncalled []probe.Uncalled, reports []probe.Report, f *checkFlags) {
	p.printUnjudged(reports)
	if n, why := report.Skipped(reports, " · "); n > 0 {
		text := fmt.Sprintf("%d skipped: %s", n, why)
		if !f.verbose {
			text += "  (--verbose)"
		}
		p.Out.Prose(p.Out.Faint(text))
	}
	if f.call == "none" {
		p.Out.Prose(p.Out.Faint("No tool was called that --allow does not name (--call none)."))
	}
	called := slices.ContainsFunc(reports, func(r probe.Report) bool { return r.Verdict != probe.Skipped && r.Entry.Capability == "tools" })
	if !called && len(f.Only) > 0 {
		return
	}
	for _, sentence := range report.NotCalled(uncalled, shellWord) {
		for _, line := range display.WrapWords(p.Out.Safe(sentence), p.Readable()) {
			p.Out.Line(p.Out.Faint(line))
		}
	}
}

// shellWord returns a text as a word of a command line.
func shellWord(text string) string {
	if line, err := shell.Bash.Join(shell.Literals(text)); err == nil {
		return line
	}
	return strconv.Quote(text)
}

// listCounts returns the number of entries the lists have.
func (p *printer) listCounts(items func(client.ListKind) [][]byte) string {
	var parts []string
	for _, kind := range client.ListKinds {
		if n := len(items(kind)); n > 0 {
			parts = append(parts, phrase.Count(n, kind.Noun))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return p.Out.Faint("  " + strings.Join(parts, ", "))
}

// toolTokens returns the estimate of how many tokens the definitions of the tools have.
func (p *printer) toolTokens(reports []probe.Report) string {
	for _, r := range reports {
		if n, ok := r.Measure["tokens"]; ok && n > 0 {
			return p.Out.Faint("  about " + phrase.Digits(int(n)) + " tokens of tools")
		}
	}
	return ""
}

// verdictCounts returns how many probes have each verdict, without zeros. library is the number of failed
// probes that fail only because of a library, which is not a failure of the check.
func (p *printer) verdictCounts(c report.Counts, library int) string {
	var parts []string
	add := func(n int, word string, color func(string) string) {
		if n > 0 {
			parts = append(parts, color(fmt.Sprintf("%d %s", n, word)))
		}
	}
	add(c.Fail-library, "fail", p.Out.Bad)
	add(library, "fail in a library", p.Out.Warn)
	add(c.Warn, "warning", p.Out.Warn)
	add(c.Error, "not judged", p.Out.Warn)
	add(c.Pass, "pass", p.Out.Good)
	add(c.Skipped, "skipped", p.Out.Faint)
	return strings.Join(parts, ", ")
}

// probesOf returns the probes that the report covers. If only directories are checked, these are the probes
// that ran for them.
func probesOf(s *probe.Summary, f *checkFlags) []probe.Report {
	return slices.DeleteFunc(slices.Clone(report.Merge(s).Reports), func(r probe.Report) bool {
		return isDirectory(r) || f.alone && r.Verdict == probe.Skipped
	})
}

// manyProcesses is the minimum number of concurrent processes that the report mentions: a check has fewer
// unless starts wait.
const manyProcesses = 20

// checkSummary returns the last line: the number of judged probes, and the conditions.
func (p *printer) checkSummary(s *probe.Summary, f *checkFlags) string {
	c := report.CountOf(probesOf(s, f))
	text := phrase.Count(c.Probes, "probe") + ": " + p.verdictCounts(c, failsOfLibraries(s, f))
	switch {
	case f.alone && c.Probes == 0:
		text = p.requirementCounts(requirements(s))
	case f.alone:
		text += "\n" + p.requirementCounts(requirements(s))
	}
	text += p.Out.Faint(fmt.Sprintf("  %s sent, %s, seed %d", phrase.Count(s.Sent, "frame"), s.Took.Round(100*time.Millisecond), s.Seed))
	if s.AtOnce > manyProcesses {
		text += "\n" + p.Out.Faint(fmt.Sprintf("%d processes of the server were started, up to %d at once, because their start is mostly waiting", s.Processes, s.AtOnce))
	}
	if s.Waited > 0 {
		text += "\n" + p.Out.Faint(report.WaitedFor(s))
	}
	if s.Stopped != nil {
		text += "\n" + p.Out.Warn("The check is incomplete: ") + s.Stopped.Error()
	}
	return text
}

// failsOfLibraries returns how many probes fail, and have no finding that makes the check fail.
func failsOfLibraries(s *probe.Summary, f *checkFlags) (n int) {
	for _, r := range probesOf(s, f) {
		if r.Verdict == probe.Fail && f.failOn == "error" && !slices.ContainsFunc(r.Findings, f.counts) {
			n++
		}
	}
	return n
}

// writeFuzzScripts writes the scripts of findings that have one.
func (p *printer) writeFuzzScripts(s *probe.Summary, dir string) error {
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
			if err := system.WriteFileBytes(name, []byte(found.Script)); err != nil { // does not follow a link of a project
				return err
			}
			fmt.Fprintf(p.Err, "%s %s: %s\n", p.Err.Faint("script"), name, p.Err.Safe(found.Message))
		}
	}
	return nil
}
