package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"mcptea/check/probe"
	"mcptea/internal/words/phrase"
	"mcptea/record"
)

// title returns the name of a probe in reports.
func title(e *probe.Entry) string { return e.ID + " " + e.Slug }

// evidence returns the evidence for a finding, over several lines.
func evidence(r *probe.Report, f probe.Finding) string {
	return lines(f.Message, f.Hint, Facts(r, &f))
}

// lines returns a complete finding, one fact per line with its label.
func lines(head, hint string, facts []Fact) string {
	text := head + "\n"
	if hint != "" {
		text += "fix: " + hint + "\n"
	}
	for _, fact := range facts {
		text += fact.Label + ": " + fact.Text + "\n"
	}
	return text
}

// Format is a format of the report of a run.
type Format struct {
	Name, Title string
	File        string // suggested name
	Write       func(w io.Writer, s *probe.Summary, version string) error
}

// Formats returns the formats for reports.
func Formats() []Format {
	return []Format{
		{"Markdown", "a table of the groups, and what was found", "check.md", func(w io.Writer, s *probe.Summary, _ string) error {
			return Markdown(w, s, probe.Groups())
		}},
		{"SARIF", "for code scanning, such as that of GitHub", "check.sarif", func(w io.Writer, s *probe.Summary, version string) error {
			return SARIF(w, s, "README.md", version)
		}},
		{"JUnit", "for the test reports of CI", "check-junit.xml", func(w io.Writer, s *probe.Summary, _ string) error {
			return JUnit(w, s, func(f probe.Finding) bool { return f.Severity == record.SeverityError && !f.Accepted })
		}},
		{"JSON", "a line for each probe, as mcptea check --json", "check.jsonl", writeJSON},
	}
}

func writeJSON(w io.Writer, s *probe.Summary, _ string) error {
	e := json.NewEncoder(w)
	s = Merge(s)
	for i := range s.Reports {
		if err := e.Encode(LineOf(&s.Reports[i])); err != nil {
			return err
		}
	}
	return e.Encode(LastLineOf(s))
}

// Text returns the outcome of a probe in a few lines, for a bug report. r is nil if the probe has not run.
func Text(e *probe.Entry, r *probe.Report) string {
	if r == nil {
		return fmt.Sprintf("%s: not run yet\nIt sends: %s\nIt passes: %s\n", title(e), e.Sends, e.Pass)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s): %s\n", title(e), e.Level, r.Revision, r.Verdict)
	if r.Why() != "" {
		b.WriteString(r.Why() + "\n")
	}
	for _, f := range r.Findings {
		b.WriteString(evidence(r, f))
	}
	return b.String()
}

// JUnit writes a report with a suite for each group. Probes with a finding that failed selects
// are failures.
func JUnit(w io.Writer, s *probe.Summary, failed func(probe.Finding) bool) error {
	s = Merge(s)
	var suites []Suite
	var of []Property
	if s.Client != "" {
		of = []Property{{Name: "as-client", Value: s.Client}}
	}
	for _, r := range s.Reports {
		name := r.Entry.Group + " " + r.Revision
		if r.Versions != nil {
			name = r.Entry.Group + " " + versionsOf(s)
		}
		if len(suites) == 0 || suites[len(suites)-1].Name != name {
			suites = append(suites, Suite{Name: name, Properties: of})
		}
		suite := &suites[len(suites)-1]
		c := Case{Name: title(r.Entry), Class: "mcptea." + r.Entry.Group, Took: r.Took}
		var messages, texts []string
		for _, f := range r.Findings {
			if failed(f) {
				messages, texts = append(messages, f.Message), append(texts, evidence(&r, f))
			}
		}
		switch {
		case len(messages) > 0:
			c.Failure = &Problem{Type: string(r.Entry.Level), Message: messages[0], Text: strings.Join(texts, "\n")}
		case r.Verdict == probe.Failure:
			c.Error = &Problem{Type: "not judged", Message: r.Why()}
			if r.Because != nil && r.Because.Probe != "" {
				c.Error.Message += ", see " + r.Because.Probe
			}
		case r.Verdict == probe.Skipped && r.Why() != "":
			c.Skipped = &Problem{Message: r.Why()}
		}
		suite.Took += r.Took
		suite.Cases = append(suite.Cases, c)
	}
	return WriteJUnit(w, suites)
}

// subject returns the subject of a finding.
func subject(f probe.Finding) string {
	if f.Subject != "" {
		return f.Subject
	}
	return "server"
}

// Markdown writes a table of the groups and a list of the findings.
func Markdown(w io.Writer, s *probe.Summary, groups []probe.Group) error {
	s = Merge(s)
	var b strings.Builder
	if len(s.Servers) > 0 {
		fmt.Fprintf(&b, "## %s, %s\n\n| group | pass | warn | fail | not judged | skipped |\n|---|---:|---:|---:|---:|---:|\n", cell(s.Servers[0].Handshake.Server.String()), versionsOf(s))
		for _, g := range groups {
			var mine []probe.Report
			for _, r := range s.Reports {
				if r.Entry.Group == g.Name {
					mine = append(mine, r)
				}
			}
			if c := CountOf(mine); c.Probes > 0 && c.Skipped < c.Probes {
				fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", g.Title, c.Pass, c.Warn, c.Fail, c.Error, c.Skipped)
			}
		}
		b.WriteString("\n")
		for i := range s.Reports {
			markdownFindings(&b, &s.Reports[i])
		}
		for _, c := range Causes(s.Reports) {
			fmt.Fprintf(&b, "- %s (%s)\n", cell(c.String()), c.Range())
		}
		b.WriteString("\n")
	}
	c := CountOf(s.Reports)
	fmt.Fprintf(&b, "%s: %d pass, %d warn, %d fail, %d not judged, %d skipped. Seed %d.\n", phrase.Count(c.Probes, "probe"), c.Pass, c.Warn, c.Fail, c.Error, c.Skipped, s.Seed)
	if s.Client != "" {
		fmt.Fprintf(&b, "\n%s.\n", cell(ConnectedAs(s)))
	}
	if e := EventsOf(s); e != nil {
		fmt.Fprintf(&b, "\n%s.\n", phrase.Capital(e.String()))
	}
	if s.Waited > 0 {
		fmt.Fprintf(&b, "\n%s\n", WaitedFor(s))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ConnectedAs returns a sentence about the client that mcptea impersonated.
func ConnectedAs(s *probe.Summary) string {
	return "Connected as " + s.Client + ", but for what probes send in its place"
}

// WaitedFor returns a sentence about the pauses of a check due to the server's rate limit.
func WaitedFor(s *probe.Summary) string {
	return "The check waited " + phrase.Duration(s.Waited.Round(time.Second)) + " for the server's limit of requests."
}

// maxMarkdown bounds each fact in Markdown, in bytes.
const maxMarkdown = 300

// markdownFindings writes the errors and warnings of a probe.
func markdownFindings(b *strings.Builder, r *probe.Report) {
	for _, f := range r.Findings {
		if f.Severity == record.SeverityInfo {
			continue
		}
		note := ""
		if f.Accepted {
			note += " *(accepted)*"
		}
		if f.Library != nil {
			note += " *(as " + f.Library.Name + " does)*"
		}
		fmt.Fprintf(b, "- **%s** %s: %s%s %s\n", f.Severity, title(r.Entry), cell(f.Message), note, cell(f.Hint))
		b.WriteString(MarkdownFacts(Facts(r, &f), cell))
	}
}

// MarkdownFacts returns facts as a list below a finding, without details. escaped turns a text into one line
// without markup.
func MarkdownFacts(facts []Fact, escaped func(text string) string) string {
	var b strings.Builder
	for _, fact := range facts {
		text := escaped(fact.Excerpt(maxMarkdown))
		if strings.HasPrefix(fact.Text, "https://") && fact.Short != "" {
			text = "[" + fact.Short + "](" + fact.Text + ")"
		}
		if fact.Gives < Detail {
			fmt.Fprintf(&b, "  - %s: %s\n", fact.Label, text)
		}
	}
	return b.String()
}

// cell escapes text of the server for a table cell: one line without markup.
func cell(text string) string {
	return strings.NewReplacer("\n", " ", "|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[").Replace(text)
}

// GitHub writes a workflow command of GitHub Actions for each error and warning:
// they become annotations.
func GitHub(w io.Writer, s *probe.Summary) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, r := range Merge(s).Reports {
		for _, f := range r.Findings {
			if f.Severity == record.SeverityInfo || f.Accepted {
				continue
			}
			name := strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data.Replace(title(r.Entry)))
			if _, err := fmt.Fprintf(w, "::%s title=%s::%s %s\n", level(f.Severity), name, data.Replace(f.Message), data.Replace(f.Hint)); err != nil {
				return err
			}
		}
	}
	return nil
}
