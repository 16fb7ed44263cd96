package report_test

import (
	"slices"
	"strings"
	"testing"

	"mcptea/check/report"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record"
)

// What a finding of a rule rests on has the labels, the order and the bounds of the findings of probes.
func TestReport_LintFacts(t *testing.T) {
	frame := `{"jsonrpc":"2.0","id":2,"result":{"tools":[` + strings.Repeat(`{"name":"a"},`, 50) + `{"name":7},` + strings.Repeat(`{"name":"b"},`, 50) + `{"name":"z"}]}}`
	const place = "/result/tools/50/name"
	e := lint.ExcerptOf([]byte(frame), place, -1)
	e.Dir = transport.In
	f := &lint.Finding{
		Rule: &lint.Entry{ID: "T001", Slug: "tool-name", Condition: "a name is no string", Spec: "server/tools#tool"}, Severity: record.SeverityError, Fault: lint.Server,
		Row: 4, Path: place, Offset: -1, Related: []int32{1, 2}, Message: "The name is a number.", Hint: "Send a string.", Revision: "2025-11-25", Excerpt: &e,
	}
	facts := report.LintFacts(f, report.Frames)
	var got []string
	for _, fact := range facts {
		got = append(got, fact.Label+": "+fact.Excerpt(40))
	}
	want := []string{
		`received: …"name":7},{"name":"b"},{"name":"b"},{"na…`, "place: " + place, "also: frame 2, frame 3", "fix in: server", "rule: T001 tool-name",
		"trigger: a name is no string", "source: https://modelcontextprotocol.io/specific…",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	markdown := report.MarkdownFacts(facts, strings.ToUpper)
	for _, part := range []string{"  - received: …\"NAME\":7},", "\n  - place: " + strings.ToUpper(place) + "\n  - also: FRAME 2, FRAME 3\n  - fix in: SERVER\n", "[server/tools#tool](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool)"} {
		if !strings.Contains(markdown, part) {
			t.Errorf("Markdown lacks %q:\n%s", part, markdown)
		}
	}
	text := report.LintText(f, "line 4", report.Lines)
	if !strings.HasPrefix(text, "line 4: T001 tool-name (error, server): The name is a number.\nfix: Send a string.\nreceived: "+frame+"\nplace: "+place+"\nalso: line 1, line 2\nfix in: server\nrule: ") {
		t.Error(text)
	}
}
