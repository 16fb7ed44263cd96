package report_test

import (
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/client"
	"mcptea/lint/baseline"
	"mcptea/record"
)

// summaryOfTool is a check of a server with a tool, that has one warning.
func summaryOfTool(tool string) *probe.Summary {
	s := &probe.Server{Revision: "2025-11-25", Lists: map[string]*probe.List{"tools": {Kind: client.Tools, Items: [][]byte{[]byte(tool)}}}}
	return &probe.Summary{Servers: []*probe.Server{s}, Reports: []probe.Report{
		{Entry: &probe.Entry{ID: "P-005"}, Verdict: probe.Warn, Revision: "2025-11-25", Findings: []probe.Finding{{Severity: record.SeverityWarning, Case: "a second initialize", Message: "It changes."}}},
		{Entry: &probe.Entry{ID: "P-175"}, Verdict: probe.Skipped, Revision: "2025-11-25", Skip: "needs --baseline"},
	}}
}

func TestApply_AcceptsFindingsAndReportsDrift(t *testing.T) {
	const before = `{"name":"add","description":"Adds","inputSchema":{"type":"object","properties":{"a":{"type":"number"}}}}`
	text, err := report.BaselineOf(summaryOfTool(before), "node server.js", nil).Text()
	if err != nil {
		t.Fatal(err)
	}
	b, err := baseline.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	same := summaryOfTool(before)
	report.ApplyBaseline(b, same, "node server.js")
	if r := same.Reports[0]; r.Verdict != probe.Pass || !r.Findings[0].Accepted {
		t.Errorf("the accepted finding: %+v", r)
	}
	other := summaryOfTool(before)
	other.Reports[0].Revision = "2025-06-18"
	report.ApplyBaseline(b, other, "node server.js")
	if r := other.Reports[0]; r.Verdict != probe.Warn || r.Findings[0].Accepted {
		t.Errorf("the same finding of another protocol version: %+v", r)
	}
	if r := same.Reports[1]; r.Verdict != probe.Pass || len(r.Findings) != 0 {
		t.Errorf("drift of the same server: %+v", r)
	}
	changed := summaryOfTool(strings.Replace(before, `"properties"`, `"required":["a"],"properties"`, 1))
	changed.Reports[0].Findings = append(changed.Reports[0].Findings, probe.Finding{Severity: record.SeverityWarning, Case: "another"})
	report.ApplyBaseline(b, changed, "node server.js")
	if r := changed.Reports[0]; r.Verdict != probe.Warn || r.Findings[1].Accepted {
		t.Errorf("a new finding: %+v", r)
	}
	if r := changed.Reports[1]; r.Verdict != probe.Fail || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Message, "Breaking change: tools add") {
		t.Errorf("drift of a changed server: %+v", r)
	}
}

// TestReport_Baseline_ServersDoNotShare: a file may have several servers, and a check compares with its
// own; with a file of one server also where the command line is another one.
func TestReport_Baseline_ServersDoNotShare(t *testing.T) {
	text, err := report.BaselineOf(summaryOfTool(`{"name":"a"}`), "node a.js", nil).Text()
	if err != nil {
		t.Fatal(err)
	}
	drifted := func(b *baseline.File, tool, target string) string {
		s := summaryOfTool(tool)
		report.ApplyBaseline(b, s, target)
		return string(s.Reports[1].Verdict)
	}
	one, _ := baseline.Parse(text)
	if got := drifted(one, `{"name":"b"}`, "node /elsewhere/a.js"); got != "fail" {
		t.Errorf("the only server of the file, with another command line: %s", got)
	}
	if text, err = report.BaselineOf(summaryOfTool(`{"name":"b"}`), "node b.js", one).Text(); err != nil {
		t.Fatal(err)
	}
	two, _ := baseline.Parse(text)
	if a, b, c := drifted(two, `{"name":"a"}`, "node a.js"), drifted(two, `{"name":"b"}`, "node b.js"), drifted(two, `{"name":"b"}`, "node c.js"); a != "pass" || b != "pass" || c != "skipped" {
		t.Errorf("two servers in a file: %s, %s; another one: %s", a, b, c)
	}
}
