package probe

import (
	"fmt"
	"testing"
	"time"

	"mcptea/session/checks/lint"
)

// The pace is that of the newest responses.
func TestNote_Bound(t *testing.T) {
	r := &Runner{server: &Server{}, cfg: Config{Timeout: time.Minute}}
	for range maxPaced {
		r.note(&r.paces, time.Second)
	}
	if len(r.paces) != maxPaced || r.pace() != time.Second {
		t.Errorf("at the bound: %d, %s", len(r.paces), r.pace())
	}
	r.note(&r.paces, time.Millisecond)
	if len(r.paces) != maxPaced || r.paces[maxPaced-1] != time.Millisecond {
		t.Errorf("beyond the bound: %d, the newest %s", len(r.paces), r.paces[len(r.paces)-1])
	}
	if got := r.responseTimeout(); got != paceFactor*time.Second {
		t.Errorf("a response may take %s", got)
	}
	if got := r.quietTime(); got != 2*time.Second {
		t.Errorf("silence lasts %s", got)
	}
}

// Each finding of the linter is taken once, and the first maxLinted are kept.
func TestJournal_LintFindingsBound(t *testing.T) {
	j := &journal{}
	rule := &lint.Entry{ID: "S022"}
	for i := range maxLinted + 1 {
		j.linted(true, lint.Finding{Rule: rule, Fault: lint.Server, Message: fmt.Sprint(i / 2)})
	}
	all := func(located) bool { return true }
	if n := len(j.take(all)); len(j.findings) != maxLinted || n != maxLinted/2 {
		t.Errorf("%d kept, %d taken", len(j.findings), n)
	}
	if again := j.take(all); len(again) != 0 {
		t.Errorf("%d taken twice", len(again))
	}
	j.linted(true, lint.Finding{Rule: rule, Fault: lint.Client})
	if len(j.findings) != maxLinted {
		t.Error("a finding about the client is kept")
	}
}

// After the end of a probe nothing is sent or reported, and its first reason counts.
func TestRun_EndedSendsNothing(t *testing.T) {
	r := &Run{ctx: t.Context(), report: &Report{Entry: &Entry{}}, runner: &Runner{cfg: Config{Timeout: time.Minute}}}
	r.Skip("no tools")
	r.Unjudged("later")
	r.Case("").Error("It is wrong.")
	r.Measure("n", 1)
	r.Sleep(time.Hour)
	if o := r.Ask(&Conn{r: r.runner}, "ping", []byte("{}")); o.Kind != Unsent {
		t.Errorf("a frame is sent: %s", o.Kind)
	}
	if r.verdict() != Skipped || r.why != "no tools" || len(r.report.Findings) != 0 || r.report.Sent != 0 || r.report.Measure != nil {
		t.Errorf("%s %q %+v", r.verdict(), r.why, r.report)
	}
}
