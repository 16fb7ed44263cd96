package relay

import (
	"bytes"
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/tap/pipeline"
)

// passes reports whether lines that do not concern the relay go on.
func (s *server) passes() bool {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	return !s.cut && s.r.in.IsOpen()
}

// linesFromServer is the first stage of the lines of a server. Lines that are forwarded unchanged are
// forwarded together.
func (r *Relay) linesFromServer(s *server, c *pipeline.Chunk) {
	for i := 0; i < c.Len(); {
		n, late, next := r.passToHost(s, c, i)
		switch {
		case late:
			r.in.DropLines(c, i, c.Len(), replacedBefore)
			return
		case n > 0:
			r.in.Lines(c, i, i+n, nil)
			i += n
		}
		if next != nil {
			r.carryOut(*c.Frame(i), c.Line(i), *next)
			i++
		}
	}
}

// passToHost returns how many frames of a server are forwarded unchanged, and the decision about the
// next frame, if it differs. All are late if the server was replaced.
func (r *Relay) passToHost(s *server, c *pipeline.Chunk, from int) (n int, late bool, next *verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.cut {
		s.late.Add(int64(c.Len() - from))
		return 0, true, nil
	}
	open := r.in.IsOpen()
	for i := from; i < c.Len(); i++ {
		f := c.Frame(i)
		f.Truncated, s.torn = s.torn, false
		if v := r.judge(s, f); v.isOther() || !open {
			return n, false, new(v) // only such a frame may cost an allocation
		}
		n++
	}
	return n, false, nil
}

// fromServer is like linesFromServer, for a frame that arrived in an HTTP exchange, or is not a whole line.
func (r *Relay) fromServer(s *server, f transport.Frame) {
	line := append(append(make([]byte, 0, len(f.Bytes)+2), f.Bytes...), f.Ending...)
	if f.Exchange != 0 {
		line = append(line, '\n')
	}
	r.mu.Lock()
	v := r.judge(s, &f)
	r.mu.Unlock()
	r.carryOut(f, line, v)
}

// A verdict is the decision about a frame of a server. The zero verdict forwards it unchanged.
type verdict struct {
	drop    string // why the message is not forwarded
	sent    []byte // line that is forwarded instead
	why     string // reason for sending sent; without sent, reason for sending nothing
	receive func() // receives a frame that belongs to the relay
}

// isOther reports that the frame does not just go on.
func (v *verdict) isOther() bool {
	return v.drop != "" || v.sent != nil || v.why != "" || v.receive != nil
}

// judge records the effect of a server's frame on the requests, and returns how it is forwarded. The caller
// holds the lock.
func (r *Relay) judge(s *server, f *transport.Frame) (v verdict) {
	if v.drop = r.stops(s, f); v.drop == "" {
		v.sent, v.why, v.receive = r.incoming(s, f)
		if f.Exchange != 0 && f.Envelope.Kind.IsResponse() {
			r.responded, r.failure = true, nil
		}
	}
	return v
}

// carryOut forwards a frame of a server, or its replacement, as decided. No lock is held: the host may
// not read.
func (r *Relay) carryOut(f transport.Frame, line []byte, v verdict) {
	of := pipeline.Origin{Exchange: f.Exchange, EventID: f.EventID, EventName: f.EventName}
	switch {
	case v.drop != "":
		r.in.Drop(f, line, v.drop, of)
	case v.receive != nil:
		r.in.Record(f.Time, line, &f.Envelope, transport.Own, of)
		v.receive()
	case f.NonMessageEvent():
		r.in.Record(f.Time, line, &f.Envelope, transport.Both, of)
	case v.sent == nil && v.why != "":
		r.in.Drop(f, line, v.why, of)
	default:
		if f.Exchange != 0 && v.sent == nil && bytes.ContainsAny(f.Bytes, "\r\n") {
			v.sent, v.why = append(jsonrpc.OneLine(f.Bytes), '\n'), "a message over stdio is one line"
		}
		r.in.Frame(r.ctx, f, line, pipeline.Passage{Of: of, Sent: v.sent, Why: v.why})
	}
}

// replacedBefore is the reason why a frame of a replaced server is not forwarded.
const replacedBefore = "the server was replaced before"

// stops returns the reason why a frame of a server is not forwarded, or "". The caller holds the lock.
func (r *Relay) stops(s *server, f *transport.Frame) string {
	switch {
	case s.cut:
		s.late.Add(1)
		return replacedBefore
	case r.isRefusal(s, f):
		return "the HTTP status decides"
	case r.isAnswered(f):
		return "the request has a response of mcptea"
	case f.Truncated:
		return "the line has no end"
	case f.Exchange != 0 && f.Envelope.Kind == jsonrpc.Invalid && !f.NonMessageEvent():
		return "the body is not a message"
	}
	return ""
}

// isAnswered reports a response to a request that the relay has answered. The caller holds the lock.
func (r *Relay) isAnswered(f *transport.Frame) bool {
	if !f.Envelope.Kind.IsResponse() || len(r.known.settled) == 0 {
		return false
	}
	id := f.Envelope.ID.Of(f.Bytes)
	settled, _ := jsonrpc.Lookup(r.known.settled, id)
	return settled && r.known.calls.get(id) == nil && !r.isOwn(id)
}

// isOwn reports whether an id belongs to a pending request of the relay. The caller holds the lock.
func (r *Relay) isOwn(id jsonrpc.Token) bool {
	_, isOwn := jsonrpc.Lookup(r.ownRequests, id)
	return isOwn
}

// incoming records a frame of the server. sent is the line that is forwarded instead of it, and why
// the reason. If take is set, the frame is the relay's own, and take receives it. The caller holds
// the lock.
func (r *Relay) incoming(s *server, f *transport.Frame) (sent []byte, why string, receive func()) {
	k, e := &r.known, &f.Envelope
	switch {
	case e.Kind.IsResponse():
		id := e.ID.Of(f.Bytes)
		if response, ok := jsonrpc.Lookup(r.ownRequests, id); ok {
			delete(r.ownRequests, id.Key())
			frame := bytes.Clone(f.Bytes)
			return nil, "", func() { response <- frame }
		}
		c := k.calls.get(id)
		if c != nil && !s.served.Load() {
			s.served.Store(true)
		}
		sent, why = r.declared(c, f)
		k.response(f.Bytes, e)
		if sent != nil {
			k.declared = jsonrpc.Get(bytes.TrimSuffix(sent, []byte("\n")), "result")
		}
		r.wake()
	case e.Kind == jsonrpc.Batch:
		for element := range jsonrpc.Elements(f.Bytes) {
			switch part := jsonrpc.Scan(element); {
			case part.Kind.IsResponse():
				k.response(element, &part)
			case part.Kind == jsonrpc.Request:
				k.ask(element, &part)
			}
		}
		r.wake()
	case e.Kind == jsonrpc.Request:
		sent, why = r.asks(s, f)
	case e.HasMethod(f.Bytes, "notifications/cancelled"):
		sent, why = r.cancels(f)
	case e.HasMethod(f.Bytes, "notifications/subscriptions/acknowledged"):
		id := jsonrpc.TokenOf(jsonrpc.Get(e.Params.Of(f.Bytes), "_meta", "io.modelcontextprotocol/subscriptionId"))
		if c := k.calls.get(id); c != nil && c.acknowledged {
			return nil, "", func() {} // the host has one
		} else if c != nil {
			c.acknowledged = true
		}
	}
	return sent, why, receive
}

// ask records a request of the server.
func (k *known) ask(frame []byte, e *jsonrpc.Envelope) {
	if len(k.asked) >= maxPending {
		return
	}
	a := asked{id: e.ID.Of(frame).ID()}
	if token := jsonrpc.Get(e.Params.Of(frame), "_meta", "progressToken"); token != nil {
		a.token = jsonrpc.TokenOf(token).Key()
		delete(k.deadTokens, a.token) // the token belongs to the current server
	}
	k.asked[a.id.Key()] = a
}

// asks records a request of the server. A request gets another id if its id belongs to a request
// of an earlier server, or of the relay, which the host may still answer. The caller holds the
// lock.
func (r *Relay) asks(s *server, f *transport.Frame) (sent []byte, why string) {
	k, e := &r.known, &f.Envelope
	id := e.ID.Of(f.Bytes).ID()
	if r.consents[id.Key()] == nil && !k.dead[id.Key()] || len(k.other) >= maxPending {
		k.ask(f.Bytes, e)
		return nil, ""
	}
	other := jsonrpc.StringID(fmt.Sprintf("mcptea-%d-%s", s.number, id))
	k.other[other.Key()], k.given[id.Key()] = id, other
	k.asked[other.Key()] = asked{id: other}
	return append(e.ID.Replace(f.Bytes, other), '\n'), "the id belonged to another request that the host may answer"
}

// cancels handles notifications/cancelled of a server. The caller holds the lock.
func (r *Relay) cancels(f *transport.Frame) (sent []byte, why string) {
	k := &r.known
	raw := jsonrpc.Get(f.Envelope.Params.Of(f.Bytes), "requestId")
	key := jsonrpc.TokenOf(raw).Key()
	other, ok := k.given[key]
	if !ok {
		delete(k.asked, key)
		return nil, ""
	}
	return append(replaceWithin(f.Bytes, raw, other.Bytes()), '\n'), "the id that the host knows"
}

// lateFrames describes how many frames of a server arrived too late.
func (r *Relay) lateFrames(s *server) {
	if n := s.late.Load(); n > 0 {
		r.tell(phrase.Count(int(n), "late frame") + " of the server before did not reach the host")
	}
}

var _ transport.LineReceiver = (*server)(nil)
