package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/lint"
)

// broken is a run in which the list of tools fails, and five probes are not judged for it.
func broken() *probe.Summary {
	s := reportSummary()
	lists := sample()
	lists.Entry = &probe.Entry{ID: "P-045", Slug: "page-walk", Group: "lists", Level: probe.Must}
	lists.Findings[0].Message = "The list cannot be read: tools/list returned error -32603: fetch failed."
	lists.Findings[0].Control = &probe.Control{Sent: "ping in its plain form", Outcome: probe.Outcome{Kind: probe.Result}}
	lists.Findings[0].Acts = []probe.Act{{What: "closed stdin"}}
	lists.Findings[0].Also = []string{"another page"}
	s.Reports = []probe.Report{sample(), lists}
	for _, id := range []string{"P-022", "P-023", "P-024", "P-025", "P-041"} {
		s.Reports = append(s.Reports, probe.Report{
			Entry: &probe.Entry{ID: id, Slug: "x", Group: "envelope", Level: probe.Must}, Verdict: probe.Failure, Revision: "2025-11-25", Transport: "stdio",
			Skip: "tools/list in its plain form returns error -32603: fetch failed, too", Because: &probe.Because{Probe: "P-045", Cause: "tools/list fails"},
		})
	}
	s.Reports = append(s.Reports, probe.Report{
		Entry: &probe.Entry{ID: "P-189", Slug: "churn", Group: "load"}, Verdict: probe.Failure, Revision: "2025-11-25", Transport: "stdio",
		Skip: "x", Because: &probe.Because{Probe: "P-085", Cause: "ping fails"}, // P-085 has found nothing
	})
	return s
}

// What follows from one cause is folded below it, and names the probe that has the finding.
func TestReport_Causes_Folded(t *testing.T) {
	s := broken()
	all := report.Causes(s.Reports)
	if len(all) != 2 || all[0].String() != "5 not judged: The list cannot be read: tools/list returned error -32603: fetch failed, see P-045" || all[0].Range() != "P-022, P-023, P-024, P-025, P-041" {
		t.Fatalf("%v", all)
	}
	if all[1].String() != "1 not judged: ping fails" {
		t.Errorf("a probe without a finding is named: %s", all[1])
	}
	of, cause, errors, _, _, _, _ := report.ByCause(s.Reports)
	if of == nil || len(cause) != 1 || cause[0].Report.Entry.ID != "P-045" || len(errors) != 1 || errors[0].Report.Entry.ID != "P-050" {
		t.Errorf("%v %v %v", of, cause, errors)
	}
}

// The formats for other programs have the cause, the control and what mcptea did.
func TestReport_Causes_InAllFormats(t *testing.T) {
	s := broken()
	line, err := json.Marshal(report.LineOf(&s.Reports[2]))
	if err != nil || !strings.Contains(string(line), `"because":{"probe":"P-045","cause":"tools/list fails"}`) {
		t.Errorf("%v %s", err, line)
	}
	line, _ = json.Marshal(report.LineOf(&s.Reports[1]))
	for _, want := range []string{`"control":"ping in its plain form gets a result"`, `"acts":["closed stdin"]`, `"also":["another page"]`} {
		if !strings.Contains(string(line), want) {
			t.Errorf("no %s in %s", want, line)
		}
	}
	last, _ := json.Marshal(report.LastLineOf(s))
	if !strings.Contains(string(last), `"causes":[{"probe":"P-045"`) {
		t.Errorf("%s", last)
	}
	var junit, sarif, markdown bytes.Buffer
	for _, err := range []error{
		report.JUnit(&junit, s, func(f probe.Finding) bool { return f.Severity == lint.Error }), report.SARIF(&sarif, s, "x", "1"), report.Markdown(&markdown, s, []probe.Group{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(junit.String(), "fetch failed, too, see P-045") {
		t.Errorf("%s", junit.String())
	}
	for name, text := range map[string]string{"SARIF": sarif.String(), "Markdown": markdown.String()} {
		if !strings.Contains(text, "5 not judged: The list cannot be read") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// reason are the facts of a finding about what the process has written to stderr.
func reason(stderr []string) []string {
	var lines []string
	for _, fact := range report.Facts(&probe.Report{Entry: &probe.Entry{}}, &probe.Finding{Exit: &probe.Exit{Stderr: stderr}}) {
		lines = append(lines, fact.Text)
	}
	return lines
}

// Runtimes write the reason before the place.
func TestReport_Reason(t *testing.T) {
	node := strings.Split("listening\n/srv/x.js:3\n  throw new TypeError('x');\n  ^\n\nTypeError: x is not a function\n    at f (/srv/x.js:3:9)\n    at g\n    at h\n    at i\n\nNode.js v20.20.2", "\n")
	if got := reason(node); len(got) != 4 || got[0] != "TypeError: x is not a function" || got[1] != "    at f (/srv/x.js:3:9)" {
		t.Errorf("node: %q", got)
	}
	if got := reason([]string{"a", "b: c", "panic: x [recovered]", "goroutine 1 [running]:"}); got[0] != "panic: x [recovered]" {
		t.Errorf("go: %q", got)
	}
	if got := reason([]string{"1", "2", "3", "4", "5"}); len(got) != 4 || got[0] != "2" {
		t.Errorf("without a reason: %q", got)
	}
}
