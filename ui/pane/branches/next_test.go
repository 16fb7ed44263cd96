package branches

import (
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
	if p.next(1); at() != 2 || program.Asked[len(program.Asked)-1] != "say: There is no other difference." {
		t.Errorf("without another difference frame %d is selected: %v", at(), program.Asked)
	}
}
