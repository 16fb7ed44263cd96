package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
)

var _ client.Interceptor = (*tap)(nil)

// Intercept returns the gate of the session's connection: breakpoints, faults, and held frames. It survives
// restarts.
func (s *Session) Intercept() *intercept.Gate { return s.gate }

// newGate makes the gate of a session, with the faults of the configuration.
func (s *Session) newGate() error {
	s.gate = intercept.New(intercept.Options{Seed: s.cfg.FaultSeed, HTTP: !s.cfg.Target.IsStdio()})
	s.gate.OnChange(func(_ string, c *record.Change) {
		if c.Row != store.None { // otherwise Send records it with the frame
			s.store.Changed(c)
		}
	})
	return s.gate.SetFaults(s.cfg.Faults)
}

// dropHeld ends the wait of frames of a connection that was closed.
func (s *Session) dropHeld() {
	s.mu.Lock()
	t := s.tap
	s.mu.Unlock()
	if t != nil {
		t.end()
		t.in.Wait()
	}
}

// makeRoom lets the server send without waiting for held frames, because its connection is about to be closed,
// which bounds the messages that it can still send.
func (s *Session) makeRoom() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tap != nil {
		s.tap.endRoom()
	}
}

// Receive implements [client.Interceptor].
func (t *tap) Receive(f transport.Frame, w client.Wire) transport.Ref {
	row := t.append(f)
	if ticket := t.in.Take(t.room, f, row); ticket != nil {
		t.hold(ticket, f, row, w)
	} else {
		t.act(f, row, w)
	}
	return transport.RefTo(row, 0)
}

// hold forwards a frame of the server once its outcome is decided. It is separate from Receive so that Receive
// allocates nothing.
func (t *tap) hold(ticket *intercept.Ticket, f transport.Frame, row int32, w client.Wire) {
	t.extend(ticket, f.Envelope.ID.Of(f.Bytes).ID())
	f.Bytes = nil // valid only during the call of Receive
	ticket.Move(t.ctx, func(o intercept.Outcome) {
		for _, frame := range t.asFrames(o.Frames) {
			f.Bytes, f.Envelope = frame, jsonrpc.Scan(frame)
			t.act(f, row, w)
		}
		for _, frame := range o.Replies {
			// The connection reports its own errors.
			_ = w.Transmit(t.ctx, transport.Outgoing{Bytes: frame, Note: transport.Note{Side: transport.Injected, Breaks: transport.Edited}})
		}
	})
}

// extend extends the deadline of a request while it or its response is held, because the user's time does not
// count against the server.
func (t *tap) extend(ticket *intercept.Ticket, id jsonrpc.ID) {
	if !id.Present() {
		return
	}
	if limit, held := ticket.Held(); held {
		t.s.Extend(id, limit)
	}
	ticket.WhileStopped(func(by time.Duration) { t.s.Extend(id, by) })
}

// IsHeld reports whether a request, or its response, is held by a breakpoint.
func (s *Session) IsHeld(id jsonrpc.ID) bool {
	if s.gate == nil || !s.gate.Active() {
		return false
	}
	return slices.ContainsFunc(s.gate.State().Held, func(h intercept.Held) bool { return h.Session == "" && h.MessageID.Same(id) })
}

// act passes a frame of the server to the session and its client.
func (t *tap) act(f transport.Frame, row int32, w client.Wire) {
	if !f.NonMessageEvent() {
		t.s.handle(f.Bytes, &f.Envelope, row, f.Time)
	}
	w.Handle(f, transport.RefTo(row, 0))
}

// asFrames splits the result of a fault into frames, as the transport would. Over stdio, a line
// break ends a frame.
func (t *tap) asFrames(frames [][]byte) [][]byte {
	if t.transportName != "stdio" {
		return frames
	}
	var lines [][]byte
	for _, f := range frames {
		lines = append(lines, bytes.Split(f, []byte("\n"))...)
	}
	return lines
}

// Send implements [client.Interceptor].
func (t *tap) Send(ctx context.Context, written transport.Outgoing, w client.Wire) error {
	if !t.s.gate.Active() {
		return w.Transmit(ctx, written)
	}
	f := transport.Frame{
		Bytes: written.Bytes, Envelope: written.Envelope(), Time: time.Now(), Dir: transport.Out, Ending: "\n", Note: written.Note,
	}
	ticket := t.out.Take(ctx, f, store.None)
	if ticket == nil {
		return w.Transmit(ctx, written)
	}
	defer ticket.Done()
	t.extend(ticket, f.Envelope.ID.Of(f.Bytes).ID())
	o, ok := ticket.Wait(ctx)
	if len(o.Frames) == 0 && o.Change != nil {
		f.Side = transport.Withheld
		o.Change.Row = t.append(f)
		t.s.store.Changed(o.Change)
		if f.Reported != nil {
			f.Reported(transport.RefTo(o.Change.Row, 0))
		}
	}
	if !ok {
		return fmt.Errorf("the frame was held by a breakpoint: %w", context.Cause(ctx))
	}
	if o.Status != nil {
		return t.statusError(*o.Status)
	}
	for i := range o.Frames {
		if err := w.Transmit(ctx, t.inPlaceOf(written, o, i)); err != nil {
			return err
		}
	}
	for _, frame := range o.Replies {
		f := transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: time.Now(), Dir: transport.In, Ending: "\n", Note: transport.Note{Side: transport.Injected}}
		t.act(f, t.append(f), w)
	}
	return nil
}

// inPlaceOf returns the i-th frame that was sent instead of a frame of the client. The row of the
// first one shows the sent frame, and the change holds the original.
func (t *tap) inPlaceOf(written transport.Outgoing, o intercept.Outcome, i int) transport.Outgoing {
	sent, same := transport.Outgoing{Bytes: o.Frames[i]}, bytes.Equal(o.Frames[i], written.Bytes)
	if i > 0 {
		sent.Side, sent.Cause, sent.Breaks = transport.Injected, written.Cause, transport.Edited
		return sent
	}
	sent.Note = written.Note
	if same {
		sent.Scanned = written.Scanned
	} else {
		sent.Side, sent.Breaks = transport.Injected, transport.Edited
	}
	change := o.Change
	if change == nil {
		return sent
	}
	if !same {
		change.Received = written.Bytes
	}
	if len(o.Frames) == 1 {
		change.Sent = nil
	}
	sent.Reported = func(at transport.Ref) {
		change.Row = at.Row()
		t.s.store.Changed(change)
		if written.Reported != nil {
			written.Reported(at)
		}
	}
	return sent
}

// statusError returns the error of a message whose HTTP response is a fault.
func (t *tap) statusError(r intercept.Status) error {
	url := t.s.Target().String()
	switch {
	case r.Code == 0:
		return fmt.Errorf("POST %s: connection lost before the response: %w", url, io.EOF)
	case r.Code/100 == 2:
		return &mcphttp.ContentError{Method: http.MethodPost, URL: url, Status: r.Code, ContentType: r.Header.Get("Content-Type"), Head: r.Body}
	}
	err := error(&transport.StatusError{Method: http.MethodPost, URL: url, Status: r.Code, Header: r.Header, Body: r.Body})
	if r.Code == http.StatusNotFound && t.s.State().Session != "" {
		err = fmt.Errorf("%w: %w", mcphttp.ErrSessionExpired, err)
	}
	return err
}
