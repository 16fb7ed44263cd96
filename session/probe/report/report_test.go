package report

import (
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/probe/harness"
	"mcptea/session/schema/check"
)

// sample is a report with everything in it.
func sample() harness.Report {
	return harness.Report{
		Entry:   &harness.Entry{ID: "P-050", Slug: "tool-unknown", Group: "tools", Level: harness.Must, Spec: "server/tools#error-handling"},
		Verdict: harness.Fail, Revision: "2025-11-25", Transport: "stdio", Took: 3 * time.Millisecond, Sent: 1,
		Measure: map[string]float64{"p50": 0.5},
		Findings: []harness.Finding{{
			Severity: lint.Error, Case: "a call of an unknown tool", Subject: "tool:x", Message: "It returns a <result>.", Hint: "Return an error.",
			Frames: []harness.Frame{{Seq: 4, Conn: 1, Dir: transport.In, Bytes: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), Size: 5000}},
			Exit:   &harness.Exit{Code: -1, Signal: "SIGSEGV", Stderr: []string{"panic: x"}},
		}},
	}
}

func TestJSON_MatchesSchema(t *testing.T) {
	schema := check.Compile([]byte(Schema), check.Options{})
	if p := schema.Problem(); p != nil {
		t.Fatalf("the schema is not valid: %s %s", p.Path, p.Reason)
	}
	r := sample()
	skipped := harness.Report{Entry: r.Entry, Verdict: harness.Skipped, Skip: "transport", Revision: "2024-11-05", Transport: "sse"}
	for _, r := range []harness.Report{r, skipped} {
		line, err := JSON(&r)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := schema.Check(line); !ok || m != nil {
			t.Errorf("%s does not match the schema: %+v", line, m)
		}
	}
	if m, _ := schema.Check([]byte(`{"v":1,"probe":"50"}`)); m == nil {
		t.Error("the schema accepts an incomplete line")
	}
}

func TestFingerprint_IndependentOfText(t *testing.T) {
	r := sample()
	before := fingerprint(r.Entry, r.Findings[0])
	changed := r.Findings[0]
	changed.Message, changed.Frames = "other words", nil
	if fingerprint(r.Entry, changed) != before {
		t.Error("the fingerprint depends on the message")
	}
	changed.Subject = "tool:y"
	if fingerprint(r.Entry, changed) == before {
		t.Error("the fingerprint does not depend on the subject")
	}
}
