package serve

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/peer"
	"mcptea/internal/server/rpcserver"
)

// conversation implements [rpcserver.Session] for one session of a host, or for one request without a session.
type conversation struct {
	gateway *Gateway
	process *process // process, or nil if there is no room
	full    string   // why there is no room, or ""
	label   string
	alone   bool

	unrelated *rpcserver.Stream
	left      sync.Once

	// The fields below are under the lock of the process.
	subscribed map[string]bool // URIs; at most maxSubscribed
	ready      bool            // initialize had a result
}

// maxSubscribed bounds the subscriptions of a session. More are refused.
const maxSubscribed = 4096

// Unrelated implements [rpcserver.Pusher].
func (c *conversation) Unrelated(s *rpcserver.Stream) {
	c.unrelated = s
	if c.process != nil && c.process.common {
		s.SetWriteTimeout(slowReader)
	}
}

// Handle implements [rpcserver.Session].
func (c *conversation) Handle(ctx context.Context, frame []byte, to *rpcserver.Stream) {
	e := jsonrpc.Scan(frame)
	if c.process == nil {
		to.Answer(jsonrpc.EncodeError(e.ID.Of(frame).ID(), jsonrpc.CodeInternalError, c.full, nil), http.StatusServiceUnavailable)
		return
	}
	if c.process.common {
		to.SetWriteTimeout(slowReader)
	}
	if e.Kind == jsonrpc.Batch {
		c.handleBatch(ctx, frame, to)
		return
	}
	if line := c.outgoing(ctx, frame, e, to, nil); line != nil {
		c.process.send(line)
	}
	if e.Kind != jsonrpc.Request {
		to.Answer(nil, 0)
	}
}

// handleBatch is Handle for a batch. The server receives it as one line, without the messages that are not
// forwarded.
func (c *conversation) handleBatch(ctx context.Context, frame []byte, to *rpcserver.Stream) {
	var b batch
	var requests, kept [][]byte
	isChanged := false
	for part := range jsonrpc.Elements(frame) {
		if jsonrpc.Scan(part).Kind == jsonrpc.Request {
			requests = append(requests, part)
		}
	}
	b.left = len(requests)
	for part := range jsonrpc.Elements(frame) {
		line := c.outgoing(ctx, part, jsonrpc.Scan(part), to, &b)
		isChanged = isChanged || !bytes.Equal(line, part)
		if line != nil {
			kept = append(kept, line)
		}
	}
	switch {
	case !isChanged:
		c.process.send(frame)
	case len(kept) > 0:
		c.process.send(jsonrpc.EncodeBatch(kept...))
	}
	if len(requests) == 0 {
		to.Answer(nil, 0)
	}
}

// outgoing records a message of the host, and returns the frame to send to the server, or nil.
func (c *conversation) outgoing(ctx context.Context, frame []byte, e jsonrpc.Envelope, to *rpcserver.Stream, b *batch) []byte {
	p := c.process
	switch {
	case e.Kind == jsonrpc.Request:
		return c.request(ctx, frame, e, &call{from: c, method: e.MethodName(frame), to: to, batch: b})
	case e.Kind.IsResponse():
		if !p.takesResponse(c, e.ID.Of(frame).ID().Key()) {
			return nil
		}
	case e.HasMethod(frame, "notifications/initialized"):
		if !p.isFirstReady() {
			return nil
		}
	case e.HasMethod(frame, "notifications/cancelled"):
		id := jsonrpc.TokenOf(jsonrpc.Get(e.Params.Of(frame), "requestId"))
		key := id.Key()
		if p.common {
			name := c.name(id)
			key = name.Key()
			frame = jsonrpc.SpanOf(frame, id.Shown()).Replace(frame, name.Bytes())
		}
		if one := p.remove(key); one != nil {
			one.answer(nil, 0)
		}
	case e.HasMethod(frame, "notifications/progress"):
		// The token is of a request of the server: it is unchanged.
	}
	return frame
}

// request is outgoing for a request.
func (c *conversation) request(ctx context.Context, frame []byte, e jsonrpc.Envelope, one *call) []byte {
	uri := jsonrpc.Text(e.Params.Of(frame), "uri")
	line := c.process.add(one, c.named(frame, e, one), uri)
	if line == nil || !c.alone {
		return line
	}
	if one.method == "server/discover" {
		c.process.limitDiscover(one)
	}
	context.AfterFunc(ctx, func() { c.process.cancel(one, "the host has closed the stream of the response") })
	return line
}

// named sets the id and the progress token of a call, and returns the frame for the server.
func (c *conversation) named(frame []byte, e jsonrpc.Envelope, one *call) []byte {
	id := e.ID.Of(frame)
	one.id, one.key = id.ID(), id.Key()
	progress := jsonrpc.TokenOf(jsonrpc.Get(e.Params.Of(frame), "_meta", "progressToken"))
	if len(progress.Shown()) > 0 {
		one.token = progress.Key()
	}
	if !c.process.common {
		return frame
	}
	if len(progress.Shown()) > 0 {
		name := c.name(progress)
		one.token = name.Key()
		frame = jsonrpc.SpanOf(frame, progress.Shown()).Replace(frame, name.Bytes())
		e = jsonrpc.Scan(frame)
	}
	name := c.name(id)
	one.key = name.Key()
	return e.ID.Replace(frame, name)
}

// stream returns the stream of a frame of the server that names no request: the stream of the only request, since the frame
// is about that, or the stream that belongs to no request. If the host does not read that one, it is the stream of the
// newest request. The caller holds the lock of the process.
func (c *conversation) stream() *rpcserver.Stream {
	var newest *rpcserver.Stream
	var open []*rpcserver.Stream
	for _, one := range c.process.order {
		if one.from == c && !one.to.IsClosed() && !slices.Contains(open, one.to) {
			newest = one.to
			open = append(open, newest)
		}
	}
	if len(open) == 1 || len(open) > 1 && !c.unrelated.HasReader() {
		return newest
	}
	return c.unrelated
}

// Refuse implements [rpcserver.Session].
func (c *conversation) Refuse(r *http.Request) string {
	version := revision.Revision(r.Header.Get(rpcserver.VersionHeader))
	if version != "" && !version.Known() {
		return rpcserver.VersionHeader + ": unknown protocol version " + strconv.Quote(string(version))
	}
	return c.full
}

// Ready implements [rpcserver.Session].
func (c *conversation) Ready() bool {
	if c.process == nil {
		return false
	}
	c.process.mu.Lock()
	defer c.process.mu.Unlock()
	return c.ready
}

// Primes implements [rpcserver.Session].
func (c *conversation) Primes() bool {
	return !c.alone && peer.PrimingEvents.In(revision.Revision(jsonrpc.Text(c.process.relay.InitializeResult(), "protocolVersion")))
}

// Wait implements [rpcserver.Session].
func (c *conversation) Wait() {}

// Close implements [rpcserver.Session].
func (c *conversation) Close() {
	c.left.Do(func() {
		if c.process != nil {
			c.gateway.leave(c)
		}
	})
}

// status returns the HTTP status of a response without a frame before it.
func (c *conversation) status(frame []byte) int {
	if !c.alone {
		return 0
	}
	return peer.StatusAlone(frame)
}
