package session

import (
	"fmt"
	"testing"

	"mcptea/session/checks/lint"
	"mcptea/session/record"
	"mcptea/session/record/store"
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

func TestLinter_FindingsOfRows(t *testing.T) {
	rule := &lint.Entry{ID: "J001"}
	l := &linter{groups: map[groupKey]*Group{}, byRow: map[int32][]lint.Finding{}}
	for range 51 {
		l.found(lint.Finding{Rule: rule, Row: 0})
	}
	if n := len(l.byRow[0]); n != 50 {
		t.Errorf("of 51 findings of a row %d are kept", n)
	}
	for row := range int32(maxAtRows) {
		l.found(lint.Finding{Rule: rule, Row: row + 1})
	}
	const last = maxAtRows - 50 // with the 50 of the first row
	if n := len(l.byRow); n != last+1 || l.byRow[last] == nil || l.byRow[last+1] != nil || l.groups[groupKey{rule, 0}].Count != 51+maxAtRows {
		t.Errorf("the findings of %d rows are kept; %d are counted", n, l.groups[groupKey{rule, 0}].Count)
	}
	if n := len(l.groups[groupKey{rule, 0}].Findings); n >= 2*maxFindings || maxFindings != 200 {
		t.Errorf("%d findings of a rule are kept", n)
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
