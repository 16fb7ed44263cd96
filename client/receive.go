package client

import (
	"bytes"
	"context"
	"math"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// wire is the receiver of the transport.
type wire struct{ *Client }

var (
	_ transport.Receiver = wire{}
	_ Wire               = wire{}
)

// Stderr reports a line without the secrets. The transport calls it from one goroutine.
func (w wire) Stderr(l transport.Line) {
	l.Text = w.stderr.Redact(w.secrets, l.Text)
	w.tap.Stderr(l)
}

// Process reports an event without the secrets.
func (w wire) Process(e transport.ProcessEvent) {
	w.tap.Process(e.Redacted(w.secrets.Redact, w.target.Shown))
}

func (w wire) Exchange(x transport.Exchange) {
	x = x.Redacted(w.secrets.Redact)
	w.tap.Exchange(x)
	w.noteStatus(x)
	w.noteTLS(x)
	w.noteListening(x)
}

// Frame reports a frame to the tap and then acts on it.
func (w wire) Frame(f transport.Frame) transport.Ref {
	if w.interceptor != nil && f.Dir == transport.In {
		return w.interceptor.Receive(f, w)
	}
	at := w.tap.Frame(f)
	if f.Reported != nil {
		f.Reported(at)
	}
	w.Handle(f, at)
	return at
}

// Transmit implements [Wire].
func (w wire) Transmit(ctx context.Context, frame transport.Outgoing) error {
	return w.transport().Send(ctx, frame)
}

// Handle implements [Wire].
func (w wire) Handle(f transport.Frame, at transport.Ref) {
	if f.Dir == transport.Out || f.NonMessageEvent() || f.Truncated && f.Exchange != 0 || f.Expired {
		return // a truncated event is discarded (WHATWG, server-sent events)
	}
	if f.Exchange != 0 && f.Exchange == w.listening.Load() && f.Envelope.Kind.IsResponse() {
		w.noteElsewhere(f.Bytes, f.Envelope)
	}
	if f.Envelope.Kind != jsonrpc.Batch {
		w.dispatch(f.Bytes, &f.Envelope, f.Own, at)
		return
	}
	n := uint16(0)
	for element := range jsonrpc.Elements(f.Bytes) {
		e := jsonrpc.Scan(element)
		w.dispatch(element, &e, false, at.Within(n))
		n = min(n, math.MaxUint16-1) + 1
	}
}

// dispatch acts on one message of the server. The bytes are only valid during the
// call, unless owned is set. at is the place of the message in the record.
func (c *Client) dispatch(frame []byte, e *jsonrpc.Envelope, owned bool, at transport.Ref) {
	switch e.Kind {
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		c.handleResponse(frame, *e, owned, at)
	case jsonrpc.Request:
		c.noteUnsolicited()
		c.handleServerRequest(ServerRequest{
			ID: e.ID.Of(frame).ID(), Method: e.MethodName(frame), Params: e.Params.Of(frame), Ref: at,
		})
	case jsonrpc.Notification:
		switch string(e.MethodText(frame)) { // without allocations: floods of notifications are common
		case "notifications/message":
			c.noteUnsolicited()
		case "notifications/progress":
			c.handleProgress(e.Params.Of(frame))
		case "notifications/subscriptions/acknowledged":
			c.handleAcknowledgement(e.Params.Of(frame))
		case "notifications/cancelled":
			id, _ := jsonrpc.Member(e.Params.Of(frame), "requestId")
			c.handleCancelled(jsonrpc.IDOf(id))
		}
	default:
		c.handleInvalid(frame, *e)
	}
}

// handleCancelled forgets a request that the server has cancelled, or ends the subscription that
// the notification names. On stdio, no stream ends with a subscription (2026-07-28, basic /
// patterns / subscriptions).
func (c *Client) handleCancelled(id jsonrpc.ID) {
	var p *pending
	c.update(func(s *state) {
		delete(s.serverRequests, id.Key())
		if s.subscriptions[id.Key()] != nil {
			p = s.pending[id.Key()]
		}
	})
	if p != nil {
		p.deliver(reply{err: ErrSubscriptionEnded})
	}
}

func (c *Client) handleResponse(frame []byte, e jsonrpc.Envelope, owned bool, at transport.Ref) {
	id := e.ID.Of(frame).ID()
	var p *pending
	c.update(func(s *state) {
		switch p = s.pending[id.Key()]; {
		case p != nil:
		case s.probe.Present() && id.Same(s.probe):
			s.noteLate(frame, e)
		default:
			s.noteUnexpected(notMatched(frame, e))
		}
	})
	if p == nil {
		return
	}
	if fault := e.ReadFault(); fault != jsonrpc.FaultNone {
		p.deliver(reply{err: newInvalidResponse(frame, id, fault, e.At)})
		return
	}
	if !owned {
		frame = bytes.Clone(frame)
	}
	p.deliver(reply{response: Response{Frame: frame, Envelope: e, Ref: at}})
}

// handleInvalid fails the request that an invalid response belongs to. Otherwise the request would
// wait for its timeout.
func (c *Client) handleInvalid(frame []byte, e jsonrpc.Envelope) {
	id := e.ID.Of(frame).ID()
	var p *pending
	c.update(func(s *state) {
		if p = s.pending[id.Key()]; p == nil && e.Fault != jsonrpc.FaultEmpty {
			s.noteUnexpected(unexpectedFrame{kind: notMessage, fault: e.Fault, at: e.At, head: head(frame, frameHead)})
		}
	})
	if p != nil && !e.Method.Present() {
		p.deliver(reply{err: newInvalidResponse(frame, id, e.Fault, e.At)})
	}
}

func (c *Client) handleProgress(params []byte) {
	token, ok := jsonrpc.Member(params, "progressToken")
	if !ok {
		return
	}
	key := jsonrpc.TokenOf(token).Key()
	c.update(func(s *state) {
		for _, p := range s.pending {
			if p.token == key {
				signal(p.progress)
				return
			}
		}
	})
}

func head(b []byte, limit int) []byte { return bytes.Clone(b[:min(len(b), limit)]) }

// containsVersion reports whether bytes look like a garbled JSON-RPC message.
func containsVersion(b []byte) bool { return bytes.Contains(b, []byte(`"jsonrpc"`)) }
