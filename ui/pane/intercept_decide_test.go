package pane_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/panetest"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	interceptpane "mcptea/ui/pane/intercept"
)

// noSession is a session whose connection has a gate.
type noSession struct{}

func (noSession) Store() *store.Store                   { return nil }
func (noSession) Recording() (session.Recording, bool)  { return session.Recording{}, false }
func (noSession) Deadline(jsonrpc.ID) (time.Time, bool) { return time.Time{}, false }
func (noSession) Pending(jsonrpc.ID) bool               { return false }

// refusing is a gate that holds frames and carries out no decision while err is set.
type refusing struct {
	interceptpane.Gate
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

func (*refusing) Subscribe() (<-chan struct{}, func()) { return nil, func() {} }

// watched is the program around a pane whose gate changes only when the pane is refreshed: what
// waits for changes is left out.
type watched struct {
	*panetest.Program
	watching bool
}

func (w *watched) Go(work func(context.Context) func()) {
	if !w.watching {
		w.watching = true
		return
	}
	w.Program.Go(work)
}

// overGate is the pane over a gate.
func overGate(t *testing.T, g *refusing) (*panetest.Program, *interceptpane.Pane) {
	t.Helper()
	program := panetest.New(t)
	p := interceptpane.New(&watched{Program: program}, noSession{})
	program.Pane = p
	p.Watch(g, "")
	p.Refresh(app.Tick{})
	return program, p
}

// write runs a command that opens a window for a text, and has that be another one.
func write(program *panetest.Program, command, text string) {
	program.T.Helper()
	program.Run(command)
	program.Paint(100, 30, true)
	program.Press("ctrl+end")
	for range 200 {
		program.Press("backspace")
	}
	program.Screen.Field().Paste(text)
}

// closeText closes the window of a text as esc does: the text is kept.
func closeText(program *panetest.Program) {
	d := program.Pane.(app.Dialog)
	program.Close(d)
	d.(app.Closer).Close()
}

// When a frame cannot be forwarded, what the user wrote for it is kept: it is there to be
// sent again, and it is listed once the frame is gone.
func TestIntercept_Decide_FailureKeepsTheText(t *testing.T) {
	for _, action := range []intercept.Action{intercept.Forward, intercept.Respond} {
		g := &refusing{held: []intercept.Held{{ID: 4, Kind: jsonrpc.Request, Bytes: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)}}, err: errors.New("the tap does not respond")}
		program, p := overGate(t, g)
		const mine = `{"mine":1}`
		command := "edit"
		if action == intercept.Respond {
			command = "held.respond"
		}
		write(program, command, mine)
		program.Hold = true
		program.Press("ctrl+s")
		if action == intercept.Forward {
			program.Press("enter")
		}
		program.Finish()
		if last := program.Asked[len(program.Asked)-1]; last != "fail: The tap does not respond." {
			t.Errorf("%v: %s", action, last)
		}
		program.Hold = false
		program.Run(command)
		if screen := program.Paint(100, 30, true); !strings.Contains(screen, `"mine": 1`) && !strings.Contains(screen, mine) {
			t.Errorf("%v: the text is\n%s", action, screen)
		}
		closeText(program)
		g.held = nil // the tap has ended
		p.Refresh(app.Tick{})
		p.Motion(keys.Top)
		if asked := program.Press("y"); !strings.HasSuffix(asked, ": "+mine) {
			t.Errorf("%v: kept %s", action, asked)
		}
		program.Run("held.drop")
		p.Refresh(app.Tick{})
		if p.Present() {
			t.Errorf("%v: more than one text was kept", action)
		}
	}
}

// A text that was sent is not kept.
func TestIntercept_Decide_SentTextIsGone(t *testing.T) {
	g := &refusing{held: []intercept.Held{{ID: 4, Bytes: []byte("theirs")}}}
	program, p := overGate(t, g)
	write(program, "edit", "mine")
	closeText(program) // a draft
	program.Run("edit")
	program.Hold = true
	program.Press("ctrl+s", "enter")
	program.Finish()
	p.Refresh(app.Tick{})
	if len(g.decided) != 1 || string(g.decided[0].Bytes) != "mine" || p.Present() {
		t.Errorf("decided %+v, kept %v", g.decided, p.Present())
	}
}

// A frame that is held while the user is at a breakpoint takes the selection; the key that removes a
// breakpoint does not drop it.
func TestIntercept_KeyMeantForABreakpoint(t *testing.T) {
	g := &refusing{}
	program, p := overGate(t, g)
	g.held = []intercept.Held{{ID: 7, Row: store.None, Bytes: []byte(`{}`)}}
	p.Refresh(app.Tick{})
	if said := program.Press("x"); len(g.decided) > 0 || !strings.Contains(said, "A frame was held just now and has the selection: x again drops it.") {
		t.Errorf("x has decided %v and says %q", g.decided, said)
	}
	if program.Press("x"); len(g.decided) != 1 || g.decided[0].Action != intercept.Drop {
		t.Errorf("x again has decided %v", g.decided)
	}
}
