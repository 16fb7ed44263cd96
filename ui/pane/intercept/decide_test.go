package intercept

import (
	"errors"
	"testing"

	"mcptea/internal/test/panetest"
	"mcptea/session/intercept"
	"mcptea/session/record/store"
	"mcptea/session/session"
)

// noSession is a session whose connection has a gate.
type noSession struct{}

func (noSession) Store() *store.Store                  { return nil }
func (noSession) Recording() (session.Recording, bool) { return session.Recording{}, false }
func (noSession) Config() session.Config               { return session.Config{} }

// refusing is a gate that holds frames and carries out no decision while err is set.
type refusing struct {
	Gate
	held    []intercept.Held
	err     error
	decided []intercept.Decision
}

func (g *refusing) State() intercept.State { return intercept.State{Held: g.held} }

func (g *refusing) Decide(_ int64, d intercept.Decision) error {
	if g.err == nil {
		g.decided = append(g.decided, d)
		g.held = nil
	}
	return g.err
}

func (*refusing) SetClock(int64, bool) error { return nil }

// When a frame cannot be forwarded, what the user wrote for it is kept: it is there to be
// sent again, and it is listed once the frame is gone.
func TestDecide_FailureKeepsTheText(t *testing.T) {
	for _, action := range []intercept.Action{intercept.Forward, intercept.Respond} {
		program := panetest.New(t)
		program.Hold = true
		g := &refusing{held: []intercept.Held{{ID: 4, Bytes: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)}}, err: errors.New("the tap does not respond")}
		p := New(program, noSession{})
		program.Pane = p
		p.gate = g
		p.look()
		mine := []byte(`{"mine":1}`)
		p.decide(4, intercept.Decision{Action: action, Bytes: mine})
		program.Finish()
		if last := program.Asked[len(program.Asked)-1]; last != "fail: The tap does not respond." {
			t.Errorf("%v: %s", action, last)
		}
		if draft, _ := p.texts.Draft(4, action == intercept.Respond); string(draft) != string(mine) {
			t.Errorf("%v: the text is %q", action, draft)
		}
		g.held = nil // the tap has ended
		p.look()
		if kept := p.texts.Kept(); len(kept) != 1 || string(kept[0].Text) != string(mine) {
			t.Errorf("%v: kept %+v", action, kept)
		}
	}
}

// A text that was sent is not kept.
func TestDecide_SentTextIsGone(t *testing.T) {
	program := panetest.New(t)
	program.Hold = true
	g := &refusing{held: []intercept.Held{{ID: 4}}}
	p := New(program, noSession{})
	program.Pane = p
	p.gate = g
	p.look()
	p.texts.SetDraft(4, false, []byte("mine"))
	p.decide(4, intercept.Decision{Action: intercept.Forward, Bytes: []byte("mine")})
	program.Finish()
	if len(g.decided) != 1 || string(g.decided[0].Bytes) != "mine" || len(p.texts.Kept()) != 0 {
		t.Errorf("decided %+v, kept %+v", g.decided, p.texts.Kept())
	}
}
