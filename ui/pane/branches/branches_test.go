package branches

import (
	"strings"
	"testing"

	"mcptea/internal/test/panetest"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/replay"
)

// n and N stop at requests that failed as well as at those whose response differs.
func TestNext_StopsAtFailedRequests(t *testing.T) {
	program := panetest.New(t)
	p := New(program, nil, func() string { return "" }, func(int) {})
	program.Pane = p
	states := []replay.State{replay.Equal, replay.Different, replay.Equal, replay.Failed, replay.Different}
	for i, state := range states {
		p.rows = append(p.rows, &row{Result: branch.Result{Result: replay.Result{Frame: i + 1, Method: "tools/call", State: state}}})
	}
	p.rows = append(p.rows, &row{rest: true, Result: branch.Result{Result: replay.Result{Frame: 9, Method: "ping", State: replay.Failed}}})
	p.Changed()
	program.Paint(120, 36, true)
	at := func() int { r, _ := p.Selected(); return r.Frame }
	for _, tt := range []struct{ step, want int }{{1, 2}, {1, 4}, {1, 5}, {1, 2}, {-1, 5}, {-1, 4}, {-1, 2}} {
		if p.next(tt.step); at() != tt.want {
			t.Errorf("%+d: frame %d is selected, want %d", tt.step, at(), tt.want)
		}
	}
	for _, r := range p.rows[3:] {
		r.State = replay.Equal
	}
	if p.next(1); at() != 2 || program.Asked[len(program.Asked)-1] != "say: There are no other differences." {
		t.Errorf("without another difference frame %d is selected: %v", at(), program.Asked)
	}
}

// Calls of one tool are told apart by their arguments, and where the branch is live is not cut by
// the columns beside it.
func TestRows_HaveTheArguments(t *testing.T) {
	program := panetest.New(t)
	p := New(program, nil, func() string { return "" }, func(int) {})
	program.Pane = p
	p.state.Phase = branch.Live
	for i, arguments := range []string{`{"text":"one"}`, `{"text":"two"}`, `{"text":"three"}`} {
		r := &row{Result: branch.Result{Result: replay.Result{Frame: i + 1, Method: "tools/call", Subject: "add_note", Arguments: arguments, Took: 3e6}}}
		if i == 2 {
			r.Took, r.rest, r.next = 0, true, true
		}
		p.rows = append(p.rows, r)
	}
	p.Changed()
	shown := program.Paint(150, 36, true)
	for _, want := range []string{`add_note  {"text":"one"}`, `add_note  {"text":"two"}`, `add_note  live from here  {"text":"three"} `} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s is not in the list:\n%s", want, shown)
		}
	}
}
