package probe

import (
	"slices"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
)

// newRun is a run of a probe with a sentence for errors, without connections.
func newRun(t *testing.T, id string) *Run {
	t.Helper()
	for _, e := range Catalogue() {
		if e.ID == id {
			server := &Server{Revision: revision.R20251125}
			runner := &Runner{journal: &journal{}, server: server, seen: map[string]bool{}, causes: map[string]string{}}
			return &Run{Server: server, ctx: t.Context(), runner: runner, report: &Report{Entry: e}}
		}
	}
	t.Fatal(id)
	return nil
}

// The frames of a finding are those of the exchange that it judges, whichever was the newest.
func TestJudgment_FramesOfTheJudgedExchange(t *testing.T) {
	r := newRun(t, "P-026")
	first := Outcome{Kind: Result, evidence: []Frame{{Seq: 1}, {Seq: 2}}, acts: []Act{{What: "closed stdin"}}}
	second := Outcome{Kind: Result, evidence: []Frame{{Seq: 3}, {Seq: 4}}}
	r.Of(second).Error("B.")
	r.Of(first).Error("A.")
	got := r.report.Findings
	if len(got) != 2 || got[0].Frames[0].Seq != 3 || got[1].Frames[0].Seq != 1 || len(got[0].Acts) != 0 || got[1].Acts[0].What != "closed stdin" {
		t.Errorf("%+v", got)
	}
	if got[0].Ground == nil || got[0].Ground.Level() != Must {
		t.Errorf("no sentence: %+v", got[0].Ground)
	}
}

// What the server says again about another case is one finding. Another subject is another finding, unless it is an info.
func TestFold(t *testing.T) {
	r := newRun(t, "P-067")
	refusal := func(name string) Outcome {
		return Outcome{Kind: Error, Code: jsonrpc.CodeOf(-32603), code: []byte("-32603"), evidence: []Frame{{Seq: len(name)}}}
	}
	for _, name := range []string{"a", "bb", "ccc"} {
		j := r.Of(refusal(name))
		j.name = "read of " + name
		j.Named("unreadable").About(lint.Error, "resource:"+name, "%s cannot be read.", name)
	}
	j := r.Of(Outcome{Kind: Result}).Named("unreadable")
	j.About(lint.Error, "tool:a", "%s is wrong.", "a")
	j.About(lint.Error, "tool:b", "%s is wrong.", "b")
	j.About(lint.Info, "tool:a", "%s is odd.", "a")
	j.About(lint.Info, "tool:b", "%s is odd.", "b")
	got := fold(r.report.Findings)
	if len(got) != 4 || !slices.Equal(got[3].Also, []string{"b is odd."}) || got[0].Message != "a cannot be read." || len(got[0].Also) != 2 || got[0].Also[1] != "read of ccc" || len(got[1].Also) != 0 {
		t.Errorf("%+v", got)
	}
}

// What is found without a sentence of the specification is an info.
func TestJudgment_WithoutGround(t *testing.T) {
	r := newRun(t, "P-048")
	r.Case("tools/list").Error("It has no description.")
	if got := r.report.Findings; len(got) != 1 || got[0].Severity != lint.Info || got[0].Ground != nil {
		t.Errorf("%+v", got)
	}
}

// No two connections of a run use the same id.
func TestConn_IDsAreUnique(t *testing.T) {
	runner := &Runner{server: &Server{}}
	a, b := &Conn{r: runner}, &Conn{r: runner}
	seen := map[string]bool{}
	for range 100 {
		for _, c := range []*Conn{a, b} {
			if id := c.ID().String(); seen[id] {
				t.Fatalf("%s is used twice", id)
			} else {
				seen[id] = true
			}
		}
	}
}

// What the probe says of one call, a rule does not say of another that has failed with the same
// error.
func TestAccuses_SameError(t *testing.T) {
	r := newRun(t, "P-058")
	frame := func(seq int, text string) Frame { return Frame{Seq: seq, Dir: transport.In, Bytes: []byte(text)} }
	const failed = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`
	r.report.Findings = []Finding{{Severity: lint.Warn, Frames: []Frame{frame(4, failed)}}}
	for text, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"other"}}`: true,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"no"}}`:    false,
		`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`:                   false,
	} {
		if got := r.accuses(frame(2, text), lint.Warn); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if r.accuses(frame(2, failed), lint.Error) {
		t.Error("an error is more than the warning of the probe")
	}
}

// A response that came while other requests were waited for has come, whatever the time is.
func TestLate_CameBefore(t *testing.T) {
	for range 50 { // a select would choose by chance
		l := &link{}
		w := l.expect([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), true, false)
		w.end()
		if p := (&late{link: l, wait: w, sent: time.Now().Add(-time.Minute)}); !p.comesIn(t.Context(), nil, time.Second) {
			t.Fatal("a response that has come is called missing")
		}
	}
}

// A finding does not get into a report without a proof, whatever made it.
func TestReport_TakesNothingWithoutProof(t *testing.T) {
	var r Report
	r.take(Finding{Message: "It is wrong."}, proof{})
	r.take(Finding{Message: "It is wrong."}, proof{claim: claimRefuses})
	if len(r.Findings) != 0 {
		t.Errorf("%+v", r.Findings)
	}
	r.take(Finding{Message: "It is wrong."}, proof{holds: true, claim: claimRefuses, control: &Control{Sent: "ping"}})
	if len(r.Findings) != 1 || r.Findings[0].Control == nil || r.Findings[0].Claim() != "refuses" {
		t.Errorf("%+v", r.Findings)
	}
}

// A name that begins with a verb of reading says reading, whatever nouns follow.
