package intercept

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

// Gate holds frames of the session's own connection, or of an active tap to which the inspector is attached.
// Its methods are safe for concurrent use. Those that change something may wait for the tap.
type Gate interface {
	State() intercept.State
	Subscribe() (changed <-chan struct{}, stop func())
	SetBreakpoints(list []intercept.Breakpoint) error
	SetFaults(list []intercept.Fault) error
	Decide(id int64, d intercept.Decision) error
	SetClock(id int64, running bool) error
	ForwardAll()
}

// Attached is a gate of an active tap.
type Attached struct {
	Gate
	Name  string          // name of the tap, for display
	Done  <-chan struct{} // closed when the tap has ended
	Close func() error
	// Restart makes the tap restart its server, or returns why it cannot.
	Restart func() error
	// Page returns the consent page that the tap is waiting for and its issuer, or "".
	Page func() (url, issuer string)
}

// Watch shows a gate, and refreshes the screen when it changes. of names its owner, if that is not the session.
func (p *Pane) Watch(g Gate, of string) {
	p.leave()
	p.gate, p.of = g, of
	changed, unsubscribe := g.Subscribe()
	ended := make(chan struct{})
	p.unwatch = func() { close(ended); unsubscribe() }
	p.app.Go(func(ctx context.Context) func() {
		for {
			select {
			case <-changed:
				p.session.Store().Notify()
			case <-ended:
				return nil
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// leave drops the gate.
func (p *Pane) leave() {
	if p.unwatch != nil {
		p.unwatch()
		p.unwatch = nil
	}
	if p.attached != nil {
		_ = p.attached.Close()
	}
	p.gate, p.attached, p.of, p.state = nil, nil, "", intercept.State{}
	p.arrange()
}

// Detach releases all frames, and ends the connection to a tap.
func (p *Pane) Detach() {
	if p.gate != nil && p.attached == nil {
		p.gate.ForwardAll()
	}
	p.leave()
}

// CannotHold returns why no frames can be held, or "" if they can or only attaching to a tap will tell.
func (p *Pane) CannotHold() string {
	rec, recorded := p.session.Recording()
	if p.gate != nil || !recorded || rec.Tap && rec.Growing && p.Attach != nil {
		return ""
	}
	return "A recording has no frames to hold: only a connection has, or an active tap."
}

// with does what needs a gate. In a recording it attaches to the tap that writes it first.
func (p *Pane) with(do func(g Gate)) {
	rec, recorded := p.session.Recording()
	switch why := p.CannotHold(); {
	case p.gate != nil:
		do(p.gate)
		return
	case !recorded:
		return
	case why != "":
		p.app.Fail(why)
		return
	}
	p.app.Say("Attaching to the tap")
	attach := p.Attach
	p.app.Go(func(ctx context.Context) func() {
		a, err := attach(ctx, rec.Path)
		if err == nil && ctx.Err() != nil { // the program ends
			_ = a.Close()
			return nil
		}
		return func() { p.took(a, err, do) }
	})
}

func (p *Pane) took(a *Attached, err error, do func(g Gate)) {
	switch {
	case err != nil:
		p.app.Fail(err.Error())
		return
	case p.attached != nil: // the user has pressed the key twice
		_ = a.Close()
	default:
		p.Watch(a.Gate, "tap "+a.Name)
		p.attached = a
		p.app.Say("Attached to the tap. Its frames are forwarded when mcptea closes.")
		p.app.Go(func(ctx context.Context) func() {
			select {
			case <-a.Done:
				return func() {
					if p.attached == a {
						p.leave()
						p.app.Say("The tap has ended.")
					}
				}
			case <-ctx.Done():
				return nil
			}
		})
	}
	do(p.gate)
}

// change changes the gate outside of Update, because the gate of a tap responds later. then is called in
// Update, with nil on success.
func (p *Pane) change(do func(g Gate) error, then func(err error)) {
	p.with(func(g Gate) {
		p.app.Go(func(context.Context) func() {
			err := do(g)
			return func() {
				p.readGate()
				then(err)
				dialog.Tell(p.app, err)
			}
		})
	})
}

// decide decides about a held frame.
func (p *Pane) decide(id int64, d intercept.Decision) {
	p.change(func(g Gate) error {
		return g.Decide(id, d)
	}, func(err error) {
		if err != nil {
			if p.texts.Decide(id, false); d.Bytes != nil {
				p.texts.SetDraft(id, d.Action == intercept.Respond, d.Bytes)
			}
			return
		}
		p.app.Say(d.Text())
	})
	p.texts.Decide(id, true)
}

// forward forwards a held frame with its edits.
func (p *Pane) forward(h *intercept.Held) {
	p.decide(h.ID, intercept.Decision{Action: intercept.Forward, Bytes: p.texts.Edited(h.ID)})
}

func (p *Pane) duplicate(h *intercept.Held) {
	p.decide(h.ID, intercept.Decision{Action: intercept.Duplicate, Bytes: p.texts.Edited(h.ID)})
}

func (p *Pane) forwardAll() {
	p.change(func(g Gate) error { g.ForwardAll(); return nil }, func(error) { p.app.Say("All held frames were forwarded.") })
}

// stopClock makes a frame wait for the user, or restarts its clock. It ignores a frame that is no longer held.
func (p *Pane) stopClock(id int64, stopped bool) {
	if g := p.gate; g != nil {
		p.app.Go(func(context.Context) func() {
			_ = g.SetClock(id, !stopped)
			return p.readGate
		})
	}
}

// drop drops a held frame, or removes a text whose frame is gone.
func (p *Pane) drop() {
	it := p.selected()
	if it.kind == held {
		if time.Since(p.taken) < takenPause {
			p.taken = time.Time{}
			p.app.Say("A frame was held just now and has the selection: " + p.app.Key("held.drop") + " again drops it.")
			return
		}
		p.decide(it.id, intercept.Decision{Action: intercept.Drop})
		return
	}
	p.texts.Drop(it.id)
	p.arrange()
}

// copy copies a held frame, or a text whose frame is gone.
func (p *Pane) copy() {
	it := p.selected()
	if h := p.heldFrame(it.id); it.kind == held && h != nil {
		p.app.Copy(string(p.texts.Bytes(h)), nil, "frame")
	} else if k := p.kept(it.id); k != nil {
		p.app.Copy(string(k.Text), nil, "text")
	}
}

// changeEntry switches a breakpoint or a fault on or off, or removes it.
func (p *Pane) changeEntry(remove bool) {
	it := p.selected()
	done := func(error) {}
	if it.kind == fault {
		p.change(func(g Gate) error {
			return g.SetFaults(changed(g.State().Faults, func(f *intercept.Fault) (int, *bool) { return f.ID, &f.Disabled }, it.id, remove))
		}, done)
		return
	}
	p.change(func(g Gate) error {
		return g.SetBreakpoints(changed(g.State().Breakpoints, func(b *intercept.Breakpoint) (int, *bool) { return b.ID, &b.Disabled }, it.id, remove))
	}, done)
}

func changed[T any](list []T, of func(*T) (id int, off *bool), id int64, remove bool) []T {
	list = slices.Clone(list)
	for i := range list {
		switch is, off := of(&list[i]); {
		case int64(is) != id:
		case remove:
			return slices.Delete(list, i, i+1)
		default:
			*off = !*off
		}
	}
	return list
}

// open handles a click on the selected entry.
func (p *Pane) open(it item) {
	switch {
	case it.kind != breakpoint && it.kind != fault:
	case it.id == 0:
		p.editEntry()
	default:
		p.changeEntry(false)
	}
}

// why describes the outcome of a frame that is no longer held.
func (p *Pane) why(h intercept.Held) string {
	const kept = "Your text is kept: "
	s, row := p.session.Store(), h.Row
	if row == store.None && h.MessageID.Present() {
		// h dates from the time when the editor was opened, and a tap records a frame after it was held: there
		// was no reference then.
		row = s.RequestRow(h.Dir, h.MessageID)
	}
	if c, ok := s.Change(row); ok {
		return fmt.Sprintf("%s#%d %s.", kept, row+1, c.Text())
	}
	return kept + "the frame is no longer held: its request or connection has ended, or it was forwarded."
}

func notRequest(h *intercept.Held) string {
	return keys.Reason(h.Kind != jsonrpc.Request, "Only a request can be responded to.")
}
