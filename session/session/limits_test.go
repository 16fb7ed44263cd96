package session

import (
	"fmt"
	"testing"

	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/store"
)

func TestNote_Bound(t *testing.T) {
	st, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	s := &Session{store: st}
	for i := range 51 {
		s.note(fmt.Sprint(i))
		s.note(fmt.Sprint(i))
		if n := len(s.Notes()); n != min(i+1, 50) {
			t.Errorf("after %d different notes %d are kept", i+1, n)
		}
	}
}

func TestLinter_FindingsOfRule(t *testing.T) {
	rule := &lint.Entry{ID: "J001"}
	l := linterAlone(t)
	for row := range int32(1001) {
		l.found(lint.Finding{Rule: rule, Row: row})
	}
	if of := l.groups[groupKey{rule, 0}]; of.Count != 1001 || len(of.Findings) >= 2*maxFindings || maxFindings != 200 {
		t.Errorf("%d findings of a rule are kept, %d are counted", len(of.Findings), of.Count)
	}
}

func TestRecorded_MaxSteps(t *testing.T) {
	r := &recorded{s: &Session{}}
	for i := range 201 {
		r.step(&r.s.state.Steps, &record.Event{Kind: record.KindStep, Step: &record.Step{Name: "x", State: "done"}})
		r.step(&r.s.state.Authorization, &record.Event{Kind: record.KindAuthorization, Step: &record.Step{Name: "x", State: "done"}})
		if n, m := len(r.s.state.Steps), len(r.s.state.Authorization); n != min(i+1, 200) || m != n {
			t.Errorf("after %d steps %d are kept, and %d of authorization", i+1, n, m)
		}
	}
}
