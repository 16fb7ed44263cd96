package relay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/tap/pipeline"
)

// fromHost is the first stage for frames of the host. A frame waits while no server is ready for it, is
// forwarded, or gets a response from the relay. Frames that are forwarded unchanged are forwarded together.
// fromHost runs on the goroutine that reads from the host.
func (r *Relay) fromHost(ctx context.Context, c *pipeline.Chunk) {
	requests := false
	for i := 0; i < c.Len() && !requests; i++ {
		requests = hasRequest(c.Frame(i))
	}
	generation := r.stamp(requests)
	r.waits.turn.Lock()
	defer r.waits.turn.Unlock()
	for i := 0; i < c.Len() && ctx.Err() == nil; {
		n, s, next := r.passToServer(c, i, generation)
		if n > 0 {
			r.out.Lines(c, i, i+n, s.write)
			i += n
		}
		switch {
		case next != nil:
			r.sendOn(ctx, &waiting{f: *c.Frame(i), line: c.Line(i)}, *next)
			i++
		case n == 0:
			r.arrived(ctx, &waiting{f: *c.Frame(i), line: c.Line(i), generation: generation})
			i++
		}
	}
}

// An onward is the decision about a frame of the host: whether and how it is forwarded.
type onward struct {
	to   *server
	sent []byte // line to send instead, or nil for the frame itself
	why  string // reason for sending sent; without sent, reason for sending nothing
	held time.Duration
}

// passToServer returns how many frames are forwarded unchanged, to which server, and the decision about the
// next frame, if there is one.
func (r *Relay) passToServer(c *pipeline.Chunk, from int, generation uint64) (n int, s *server, next *onward) {
	if !r.Server.IsStdio() || !r.out.IsOpen() || len(r.waits.frames) > 0 {
		return 0, nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s = r.server
	for i := from; i < c.Len(); i++ {
		f := c.Frame(i)
		switch {
		case r.phase != ready, hasRequest(f) && (!r.outcome.Decides(generation) || r.outcome.Broken() != ""): // the message waits, or the relay answers it
			return n, s, nil
		case f.Envelope.Kind == jsonrpc.Request && r.known.calls.isFull():
			return n, s, nil
		}
		held := time.Since(f.Time)
		if held >= leastHeld && n > 0 {
			return n, s, nil // this message is forwarded separately, with the reason
		}
		sent, why := r.outgoing(f)
		if why != "" || held >= leastHeld {
			return n, s, &onward{to: s, sent: sent, why: why, held: held}
		}
		n++
	}
	return n, s, nil
}

// tornFromHost handles the last line of a host that has closed stdin, if it has no line ending, and the pieces
// of a line that is too long.
func (r *Relay) tornFromHost(ctx context.Context, f *transport.Frame) {
	if f.Envelope.Kind == jsonrpc.Invalid {
		r.out.Drop(*f, f.Bytes, "the line has no end", pipeline.Origin{})
		r.Warn("a line of the host without its end, or longer than 64 MiB, did not reach the server")
		return
	}
	line := append(f.Bytes[:len(f.Bytes):len(f.Bytes)], '\n')
	generation := r.stamp(hasRequest(f))
	r.waits.turn.Lock()
	defer r.waits.turn.Unlock()
	r.arrived(ctx, &waiting{f: *f, line: line, generation: generation})
}

// fromCommand forwards a line of a command that uses the connection. The line waits like a line of the host.
// fromCommand returns false after the tap has ended.
func (r *Relay) fromCommand(line []byte) bool {
	frame := bytes.TrimSuffix(line, []byte("\n"))
	f := transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: time.Now(), Dir: transport.Out}
	generation := r.stamp(hasRequest(&f))
	r.waits.turn.Lock()
	defer r.waits.turn.Unlock()
	r.arrived(r.ctx, &waiting{f: f, line: line, generation: generation, command: true})
	return r.ctx.Err() == nil
}

// sendOn forwards a frame, or drops it, as was decided.
func (r *Relay) sendOn(ctx context.Context, w *waiting, next onward) {
	if next.sent == nil && next.why != "" {
		r.out.Drop(w.f, w.line, next.why, pipeline.Origin{})
		return
	}
	p := pipeline.Passage{Sent: next.sent, Why: next.why}
	if r.Server.IsStdio() {
		p.To = next.to.write
	}
	if next.held >= leastHeld {
		p.Held, p.Why = next.held, cmp.Or(p.Why, "it has waited for the server")
	}
	if w.command {
		r.out.Command(w.f, w.line, p)
		return
	}
	r.out.Frame(ctx, w.f, w.line, p)
}

// outgoing records a frame for the server. It returns the line that is sent instead, and the reason; only the
// reason if nothing is sent. The caller holds the lock.
func (r *Relay) outgoing(f *transport.Frame) (sent []byte, why string) {
	k, e := &r.known, &f.Envelope
	switch {
	case e.Kind == jsonrpc.Request:
		k.request(f.Bytes, e)
		if r.Revision != "" && e.HasMethod(f.Bytes, "initialize") {
			return r.askFor(f)
		}
	case e.Kind == jsonrpc.Batch:
		return r.outgoingBatch(f)
	case e.Kind.IsResponse():
		return r.outgoingResponse(f)
	case e.HasMethod(f.Bytes, "notifications/initialized"):
		if k.result != nil {
			k.initialized = bytes.Clone(f.Bytes)
		}
	case e.HasMethod(f.Bytes, "notifications/cancelled"):
		id := jsonrpc.TokenOf(jsonrpc.Get(e.Params.Of(f.Bytes), "requestId"))
		c := k.calls.get(id)
		switch {
		case c == nil && k.settled[id.Key()]:
			delete(k.settled, id.Key())
			return nil, "the request was answered by mcptea"
		case c != nil && c.method != "initialize":
			k.calls.forget(c) // a cancelled request may get no response
			r.wake()
		}
	case e.HasMethod(f.Bytes, "notifications/progress"):
		if k.deadTokens[jsonrpc.TokenOf(jsonrpc.Get(e.Params.Of(f.Bytes), "progressToken")).Key()] {
			return nil, replacedServer
		}
	}
	return nil, ""
}

// replacedServer is the reason why a frame of the host for an earlier server is not forwarded.
const replacedServer = "the server that it is for was replaced"

// outgoingResponse is like outgoing, for a response to a server request.
func (r *Relay) outgoingResponse(f *transport.Frame) (sent []byte, why string) {
	k, e := &r.known, &f.Envelope
	key := e.ID.Of(f.Bytes).ID().Key()
	if r.answersConsent(key, f.Bytes, e) {
		return nil, "mcptea has asked"
	}
	if server, ok := k.other[key]; ok {
		delete(k.other, key)
		delete(k.given, server.Key())
		delete(k.asked, key)
		return append(e.ID.Replace(f.Bytes, server), '\n'), "the id of the server"
	}
	if k.dead[key] {
		delete(k.dead, key)
		return nil, replacedServer
	}
	if a, ok := k.asked[key]; ok && a.token != (jsonrpc.Key{}) {
		delete(k.deadTokens, a.token)
	}
	delete(k.asked, key)
	return nil, ""
}

// outgoingBatch is like outgoing, for a batch. It leaves out messages for an earlier server.
func (r *Relay) outgoingBatch(f *transport.Frame) (sent []byte, why string) {
	var kept [][]byte
	changed := false
	for element := range jsonrpc.Elements(f.Bytes) {
		part := *f
		part.Bytes, part.Envelope = element, jsonrpc.Scan(element)
		if part.Envelope.Kind == jsonrpc.Batch {
			kept = append(kept, element)
			continue
		}
		sent, why := r.outgoing(&part)
		switch changed = changed || why != ""; {
		case sent != nil:
			kept = append(kept, bytes.TrimSuffix(sent, []byte("\n")))
		case why == "":
			kept = append(kept, element)
		}
	}
	switch {
	case !changed:
		return nil, ""
	case len(kept) == 0:
		return nil, replacedServer
	}
	return append(jsonrpc.EncodeBatch(kept...), '\n'), replacedServer
}

// askFor makes initialize request the protocol version of the user. The caller holds the lock.
func (r *Relay) askFor(f *transport.Frame) (sent []byte, why string) {
	asked := jsonrpc.Get(f.Envelope.Params.Of(f.Bytes), "protocolVersion")
	if len(asked) == 0 {
		return nil, ""
	}
	line := replaceWithin(f.Bytes, asked, []byte(jsonrpc.Quote(string(r.Revision))))
	if c := r.known.calls.get(f.Envelope.ID.Of(f.Bytes)); c != nil {
		c.frame = line
	}
	return append(bytes.Clone(line), '\n'), "--protocol " + string(r.Revision)
}

// replaceWithin returns a frame with a part of it, which aliases it, replaced.
func replaceWithin(frame, part, with []byte) []byte {
	return jsonrpc.SpanOf(frame, part).Replace(frame, with)
}

// requestsIn calls do for each request in a frame.
func requestsIn(frame []byte, e *jsonrpc.Envelope, do func(id jsonrpc.ID)) {
	switch e.Kind {
	case jsonrpc.Request:
		do(e.ID.Of(frame).ID())
	case jsonrpc.Batch:
		for element := range jsonrpc.Elements(frame) {
			if part := jsonrpc.Scan(element); part.Kind == jsonrpc.Request {
				do(part.ID.Of(element).ID())
			}
		}
	}
}

// refuse responds to a frame while there is no server.
func (r *Relay) refuse(w *waiting, failure failureText) {
	r.out.Drop(w.f, w.line, "there is no server", pipeline.Origin{})
	requestsIn(w.f.Bytes, &w.f.Envelope, func(id jsonrpc.ID) {
		if w.command {
			r.in.Shared.Refuse(id, failure.text)
		} else {
			r.answer(id, failure)
		}
	})
}

// failureText is the text of an error response of the relay.
type failureText struct {
	text, reason, detail string
	// page is an address in the texts that is recorded in another form, or "".
	page, masked string
}

// codeNoServer is the code of the errors that a relay sends. Both eras define it. No host takes it
// for the end of its connection (-32000, -32001 in SDKs) or for a fault of its request.
const codeNoServer = -32603

// answer responds to a request of the host instead of the server. No lock is held, because the host may not
// read.
func (r *Relay) answer(id jsonrpc.ID, t failureText) {
	encode := func(shown func(string) string) []byte {
		data := fmt.Sprintf(`{"source":"mcptea tap","reason":%s,"detail":%s}`, jsonrpc.Quote(t.reason), jsonrpc.Quote(shown(t.detail)))
		return append(jsonrpc.EncodeError(id, codeNoServer, shown(t.text), []byte(data)), '\n')
	}
	line := encode(func(text string) string { return text })
	var shown []byte
	if t.page != "" {
		shown = encode(strings.NewReplacer(t.page, t.masked).Replace)
	}
	r.in.Inject(line, "answered by mcptea: "+t.reason, shown)
}

// downFailure returns the error for requests while there is no server.
func (r *Relay) downFailure(why string) failureText {
	return failureText{text: r.downText(why), reason: "down", detail: why}
}

// inject sends the host a message that no server has written, and records why.
func (r *Relay) inject(frame []byte, why string) {
	r.in.Inject(append(frame[:len(frame):len(frame)], '\n'), why, nil)
}

// toServer delivers a line with its end to the server, recorded or not.
func (r *Relay) toServer(line []byte, recorded bool) error {
	frame := bytes.TrimSuffix(line, []byte("\n"))
	e := jsonrpc.Scan(bytes.TrimSuffix(frame, []byte("\r")))
	stale := false
	r.mu.Lock()
	for !r.Server.IsStdio() && r.phase == starting && r.known.result != nil { // the session has expired since the decision
		changed := r.awaited()
		r.mu.Unlock()
		select {
		case <-changed:
		case <-r.ctx.Done():
			return nil
		}
		r.mu.Lock()
	}
	s := r.server
	requestsIn(frame, &e, func(id jsonrpc.ID) {
		if c := r.known.calls.withID(id); c != nil && s != nil {
			c.server = s.number
		} else if c == nil && r.known.settled[id.Key()] {
			stale = true
		}
	})
	r.mu.Unlock()
	switch {
	case stale && e.Kind == jsonrpc.Request: // a breakpoint held it while its server was replaced
		r.note("a request that was held while the server was replaced gets an error, and is not forwarded")
	case s != nil:
		s.send(frame, &e, recorded)
	}
	return nil // the end of a server is not the end of the direction
}
