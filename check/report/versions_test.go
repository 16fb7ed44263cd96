package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/client/revision"
	"mcptea/lint/baseline"
	"mcptea/record"
)

// overTwo is a run over two versions: one finding in both, one that only the first has, and
// probes with other verdicts.
func overTwo() *probe.Summary {
	entry := func(id string) *probe.Entry {
		return &probe.Entry{ID: id, Slug: "x", Group: "tools", Level: probe.Must, Spec: "basic"}
	}
	both, first, unjudged, one := entry("P-024"), entry("P-142"), entry("P-150"), entry("P-001")
	found := func(message string) []probe.Finding {
		return []probe.Finding{{Severity: record.SeverityError, Case: message, Message: message, Hint: "Mend it."}}
	}
	const newer, older = "2026-07-28", "2025-11-25"
	return &probe.Summary{
		Servers: []*probe.Server{{Revision: revision.Revision(newer)}, {Revision: revision.Revision(older)}},
		Reports: []probe.Report{
			{Entry: one, Revision: newer, Verdict: probe.Skipped, Reason: probe.OtherVersion},
			{Entry: both, Revision: newer, Verdict: probe.Fail, Findings: found("No response.")},
			{Entry: first, Revision: newer, Verdict: probe.Fail, Findings: found("A result.")},
			{Entry: unjudged, Revision: newer, Verdict: probe.Failure, Skip: "no plain form"},
			{Entry: one, Revision: older, Verdict: probe.Pass},
			{Entry: both, Revision: older, Verdict: probe.Fail, Findings: found("No response.")},
			{Entry: first, Revision: older, Verdict: probe.Skipped, Reason: probe.OtherVersion},
			{Entry: unjudged, Revision: older, Verdict: probe.Pass},
		},
	}
}

// A finding that holds in two versions is one finding, and says in which.
func TestReport_Merge_OneFinding(t *testing.T) {
	s := overTwo()
	merged := report.Merge(report.Merge(s)) // a writer may get what is merged
	versions := map[string][]string{}
	verdicts := map[string]probe.Verdict{}
	for _, r := range merged.Reports {
		verdicts[r.Entry.ID] = r.Verdict
		for _, f := range r.Findings {
			versions[f.Message] = append(versions[f.Message], f.Versions...)
		}
	}
	if got := versions["No response."]; !slices.Equal(got, []string{"2026-07-28", "2025-11-25"}) {
		t.Errorf("no response: %v", got)
	}
	if got := versions["A result."]; !slices.Equal(got, []string{"2026-07-28"}) {
		t.Errorf("a result: %v", got)
	}
	if verdicts["P-001"] != probe.Pass || verdicts["P-150"] != probe.Failure {
		t.Errorf("verdicts: %v", verdicts)
	}
	if c := report.CountOf(merged.Reports); c != (report.Counts{Probes: 4, Pass: 1, Fail: 2, Error: 1}) {
		t.Errorf("counts: %+v", c)
	}
	if s.Reports[1].Versions != nil || s.Reports[1].Findings[0].Versions != nil {
		t.Error("the run itself was changed, and baselines are made of it")
	}
}

// Each format has the finding once.
func TestReport_Merge_EachFormat(t *testing.T) {
	for _, format := range report.Formats() {
		var b bytes.Buffer
		if err := format.Write(&b, overTwo(), "1"); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		counted := map[string]string{"Markdown": "- **error** P-024", "SARIF": `"ruleId": "P-024"`, "JUnit": `<failure message="No response."`, "JSON": `"message":"No response."`}[format.Name]
		if n := strings.Count(text, counted); n != 1 || !strings.Contains(text, "2025-11-25") {
			t.Errorf("%s has %s %d times:\n%s", format.Name, counted, n, text)
		}
	}
	var last report.LastLine
	line, _ := json.Marshal(report.LastLineOf(overTwo()))
	if err := json.Unmarshal(line, &last); err != nil || last.Summary.Probes != 4 || last.Summary.Fail != 2 {
		t.Errorf("%s: %v", line, err)
	}
}

// A baseline that accepts a finding in one version leaves it in the other.
func TestReport_Merge_AcceptedInOneVersion(t *testing.T) {
	s := overTwo()
	b := report.BaselineOf(s, "x", nil)
	b.Accepted = slices.DeleteFunc(b.Accepted, func(a baseline.Accepted) bool { return a.Revision == "2025-11-25" })
	report.ApplyBaseline(b, s, "x")
	for _, r := range report.Merge(s).Reports {
		if r.Entry.ID == "P-024" && (r.Verdict != probe.Fail || len(r.Findings) != 2 || !r.Findings[0].Accepted || r.Findings[1].Accepted) {
			t.Errorf("%s: %+v", r.Verdict, r.Findings)
		}
	}
}
