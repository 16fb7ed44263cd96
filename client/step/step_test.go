package step_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client/step"
)

// recorded keeps the newest report of each step.
type recorded []step.Step

func (r *recorded) report(s step.Step) {
	for len(*r) <= s.Index {
		*r = append(*r, step.Step{})
	}
	(*r)[s.Index] = s
}

func (r recorded) String() string {
	var lines []string
	for _, s := range r {
		lines = append(lines, fmt.Sprintf("%s %s %s", s.Name, s.State, s.Detail))
	}
	return strings.Join(lines, ", ")
}

func TestList_PlanReplacesWaitingSteps(t *testing.T) {
	var got recorded
	l := step.NewList(1, got.report)
	l.Plan("a", "b", "c")
	l.Begin("a", "", time.Minute)
	if got[0].Deadline.IsZero() || got[0].Of != 3 {
		t.Errorf("deadline %v, %d steps", got[0].Deadline, got[0].Of)
	}
	l.Remark("odd")
	l.Remark("odd")
	l.End("", step.Done, "fine")
	l.Plan("d")
	l.Fail(errors.New("broken"))
	if got, want := got[:2].String(), "a done fine, d failed broken"; got != want {
		t.Errorf("steps %q, want %q", got, want)
	}
	if got[1].Of != 2 || len(got[0].Remarks) != 1 {
		t.Errorf("%d steps, remarks %q", got[1].Of, got[0].Remarks)
	}
}

func TestList_BeginUnplanned(t *testing.T) {
	for flow, want := range map[int]string{0: "", 1: "a running "} {
		var got recorded
		step.NewList(flow, got.report).Begin("a", "", 0) // the list is empty
		if got.String() != want {
			t.Errorf("flow %d: steps %q, want %q", flow, got, want)
		}
	}
}

func TestList_ReopenAndReset(t *testing.T) {
	var got recorded
	l := step.NewList(0, got.report)
	l.Plan("a")
	l.Begin("a", "", 0)
	l.Reset()
	if got.String() != "a waiting " {
		t.Errorf("after Reset: %s", got)
	}
	l.Begin("a", "", 0)
	l.End("a", step.Done, "1")
	l.Reopen("a")
	if name := l.End("", step.Failed, "2"); name != "a" || got.String() != "a failed 2" {
		t.Errorf("after Reopen: %q, %s", name, got)
	}
}

func TestStep_MaskedURL(t *testing.T) {
	s := step.Step{URL: "https://as.example/authorize?client_id=1&state=xyz"}
	if got := s.MaskedURL(); strings.Contains(got, "xyz") || !strings.Contains(got, "client_id=1") {
		t.Errorf("masked URL %s", got)
	}
}

// A handshake is part of the request that needs it: what failed there was not sent.
func TestList_PastStep(t *testing.T) {
	var got recorded
	l := step.NewList(0, got.report)
	l.Plan("handshake", "send", "response")
	l.Begin("send", "", 0)
	l.End("send", step.Done, "12 bytes")
	l.Begin("response", "", 0)
	if !l.Past("handshake", step.Failed, "refused", time.Second) || got[0].Took != time.Second {
		t.Errorf("%s, took %v", got, got[0].Took)
	}
	if want := "handshake failed refused, send waiting 12 bytes, response waiting "; got.String() != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if l.Past("handshake", step.Done, "", 0) || l.Past("nothing", step.Done, "", 0) {
		t.Error("a step that has ended, or that there is not, was changed")
	}
}
