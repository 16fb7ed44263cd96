package apps

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/offer/declared"
	"mcptea/session/apps/hostpage"
	"mcptea/session/intercept"
)

// wire is one direction between host and app.
type wire struct {
	mu   sync.Mutex      // keeps the frames in order
	lane *intercept.Lane // nil in a session without breakpoints
}

// pass records a frame and forwards it when breakpoints and faults permit. deliver receives the
// forwarded frame and its row. reply receives the frame that is sent back.
func (a *App) pass(w *wire, f transport.Frame, deliver func(f transport.Frame, row int32), reply func(frame []byte)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	row := a.record.Append(f)
	a.mu.Lock()
	if f.Dir == transport.In {
		a.state.In++
	} else {
		a.state.Out++
	}
	a.mu.Unlock()
	var ticket *intercept.Ticket
	if w.lane != nil {
		ticket = w.lane.Take(a.ctx, f, row)
	}
	if ticket == nil {
		deliver(f, row)
		return
	}
	f.Bytes = nil
	ticket.Move(a.ctx, func(o intercept.Outcome) {
		for _, frame := range o.Frames {
			f.Bytes, f.Envelope = frame, jsonrpc.Scan(frame)
			deliver(f, row)
		}
		for _, frame := range o.Replies {
			reply(frame)
		}
	})
}

func newFrame(dir transport.Direction, side transport.Side, b []byte) transport.Frame {
	return transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: time.Now(), Dir: dir, Ending: "", Note: transport.Note{Side: side}}
}

// send sends a frame to the app.
func (a *App) send(frame []byte) { a.sendAs(transport.Both, frame) }

func (a *App) sendAs(side transport.Side, frame []byte) {
	if a.ctx.Err() != nil {
		return
	}
	a.pass(&a.out, newFrame(transport.Out, side, frame), a.toPage, func(frame []byte) {
		f := newFrame(transport.In, transport.Injected, frame)
		a.received(f, a.record.Append(f))
	})
}

// toPage sends a frame to the page. Messages between windows are values, so invalid JSON, as made by a fault or
// the user, cannot be sent.
func (a *App) toPage(f transport.Frame, row int32) {
	if !json.Valid(f.Bytes) {
		a.s.Store().Note(fmt.Sprintf("frame %d did not reach the app of %s: it is not JSON", row+1, a.tool.Name))
		return
	}
	a.page.Send(f.Bytes)
}

// receive handles a message of the app. It waits if there are more than the limits allow.
func (a *App) receive(raw []byte) {
	if !a.limit.wait(a.ctx, len(raw)) {
		return
	}
	a.pass(&a.in, newFrame(transport.In, transport.Both, raw), a.received, func(frame []byte) { a.sendAs(transport.Injected, frame) })
}

// event handles a report of the page.
func (a *App) event(e hostpage.Event) {
	switch {
	case e.Connected:
		a.update(func(st *State) {
			st.enter(Loading)
			st.Connected = time.Now()
		})
		a.show()
	case e.Lost > 0:
		a.update(func(st *State) { st.Lost += e.Lost })
		a.s.Store().Note(fmt.Sprintf("the app of %s sends too much: %d messages were dropped", a.tool.Name, e.Lost))
	case e.Violation != nil:
		if !a.limit.wait(a.ctx, len(e.Violation)) {
			return
		}
		f := newFrame(transport.In, transport.Both, e.Violation)
		f.EventName = declared.ViolationEvent
		a.record.Append(f)
		a.update(func(st *State) { st.Violations++ })
	case e.Width > 0 && e.Height > 0:
		a.resized(Size{e.Width, e.Height})
	}
}
