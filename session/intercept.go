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
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/streamable"
	"mcptea/session/intercept"
	"mcptea/session/store"
)

var _ client.Interceptor = tap{}

// Intercept is the gate of the session's connection: breakpoints, faults, and the
// frames that are held. It lasts over restarts.
func (s *Session) Intercept() *intercept.Gate { return s.gate }

// newGate makes the gate of a session, with the faults of the configuration.
func (s *Session) newGate() error {
	s.gate = intercept.New(intercept.Options{Seed: s.cfg.FaultSeed, HTTP: !s.cfg.Target.IsStdio()})
	s.gate.OnReport(func(r intercept.Report) { s.store.Note(r.Text()) })
	return s.gate.SetFaults(s.cfg.Faults)
}

// dropHeld ends the wait of frames of a connection that was closed.
func (s *Session) dropHeld() {
	s.mu.Lock()
	end := s.endLanes
	s.mu.Unlock()
	if end != nil {
		end()
	}
	s.holding.Wait()
}

// Receive implements [client.Interceptor].
func (t tap) Receive(f transport.Frame, w client.Wire) {
	row := t.append(f)
	ticket := t.in.Take(f, row)
	if ticket == nil {
		t.act(f, row, w)
		return
	}
	t.extend(ticket, jsonrpc.ID(f.Envelope.ID.Of(f.Bytes)))
	t.holding.Go(func() {
		defer ticket.Done()
		o, ok := ticket.Wait(t.ctx)
		if !ok {
			return
		}
		for _, frame := range t.asFrames(o.Frames) {
			f.Bytes, f.Envelope = frame, jsonrpc.Scan(frame)
			t.act(f, row, w)
		}
		for _, frame := range o.Replies {
			_ = w.Transmit(t.ctx, frame) // the error is that of the connection, which reports it
		}
	})
}

// extend gives a request more time while it or its response is held: the time of the
// user is not that of the server.
func (t tap) extend(ticket *intercept.Ticket, id jsonrpc.ID) {
	if limit, held := ticket.Held(); held && id != "" {
		t.Extend(id, limit)
	}
}

// IsHeld reports whether a request, or its response, is held by a breakpoint.
func (s *Session) IsHeld(id jsonrpc.ID) bool {
	if s.gate == nil || !s.gate.Active() {
		return false
	}
	return slices.ContainsFunc(s.gate.State().Held, func(h intercept.Held) bool { return h.MessageID == id })
}

// act has the session and its client act on a frame of the server.
func (t tap) act(f transport.Frame, row int32, w client.Wire) {
	if !f.NonMessageEvent() {
		t.handle(f.Bytes, f.Envelope, row, f.Time)
	}
	w.Handle(f)
}

// asFrames splits what a fault made of a frame as the transport would: over stdio, a
// line break ends a frame.
func (t tap) asFrames(frames [][]byte) [][]byte {
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
func (t tap) Send(ctx context.Context, frame []byte, w client.Wire) error {
	if !t.gate.Active() {
		return w.Transmit(ctx, frame)
	}
	now := time.Now()
	ticket := t.out.Take(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: now, Dir: transport.Out, Ending: "\n"}, store.None)
	if ticket == nil {
		return w.Transmit(ctx, frame)
	}
	defer ticket.Done()
	t.extend(ticket, jsonrpc.ID(jsonrpc.Scan(frame).ID.Of(frame)))
	o, ok := ticket.Wait(ctx)
	if !ok {
		return fmt.Errorf("the frame was held by a breakpoint: %w", context.Cause(ctx))
	}
	if o.Status != nil {
		return t.statusError(*o.Status)
	}
	for _, frame := range o.Frames {
		if err := w.Transmit(ctx, frame); err != nil {
			return err
		}
	}
	for _, frame := range o.Replies {
		f := transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: time.Now(), Dir: transport.In, Ending: "\n"}
		t.act(f, store.None, w) // it was on no wire, as its request; the note has it
	}
	return nil
}

// statusError is the error of a message whose HTTP response is a fault.
func (t tap) statusError(r intercept.Status) error {
	url := secret.URL(t.cfg.Target.URL)
	switch {
	case r.Code == 0:
		return fmt.Errorf("POST %s: connection lost before the response: %w", url, io.EOF)
	case r.Code/100 == 2:
		return &streamable.ContentError{Method: http.MethodPost, URL: url, Status: r.Code, ContentType: r.Header.Get("Content-Type"), Head: r.Body}
	}
	err := error(&transport.StatusError{Method: http.MethodPost, URL: url, Status: r.Code, Header: r.Header, Body: r.Body})
	if r.Code == http.StatusNotFound && t.State().Session != "" {
		err = fmt.Errorf("%w: %w", streamable.ErrSessionExpired, err)
	}
	return err
}
