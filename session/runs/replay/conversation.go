package replay

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/record/store"
)

// responseTimeout bounds how long the mock waits for the response to a server request. A user may
// have to write it.
const responseTimeout = 10 * time.Minute

// maxCalls bounds the concurrent requests of a client, and the turns whose later messages are played. Another
// request gets an error response; the messages after another response are left out.
const maxCalls = 10_000

// reply takes the messages that belong to a request. [rpcserver.Stream] is one.
type reply interface {
	Send(frame []byte)
	// Answer is called once, last, with the response, or nil. status is the
	// HTTP status of the recorded one, or 0.
	Answer(frame []byte, status int)
}

// handle accepts a frame of the client, and returns the function that plays the server's messages for it. Equal
// requests get their responses in the order of the calls of handle.
func (c *conversation) handle(ctx context.Context, frame []byte, r reply) (play func()) {
	e := jsonrpc.Scan(frame)
	nothing := func() { r.Answer(nil, 0) }
	switch e.Kind {
	case jsonrpc.Batch:
		var all []func()
		for one := range jsonrpc.Elements(frame) {
			all = append(all, c.handle(ctx, one, batchReply{r}))
		}
		return func() {
			for _, play := range all {
				play()
			}
			nothing()
		}
	case jsonrpc.Request:
		return c.request(ctx, frame, e, r)
	case jsonrpc.Notification:
		c.notification(frame, e)
		return nothing
	case jsonrpc.Response, jsonrpc.ErrorResponse:
		c.responded(e.ID.Of(frame).ID())
		return nothing
	default:
		code := int64(jsonrpc.CodeParseError)
		if e.Fault == jsonrpc.FaultScalar || e.Fault >= jsonrpc.FaultMethodType && e.Fault <= jsonrpc.FaultBothMembers {
			code = jsonrpc.CodeInvalidRequest
		}
		response := jsonrpc.EncodeError(jsonrpc.IDOf("null"), code, "not a valid message: "+e.Fault.String(), nil)
		return func() { r.Answer(response, http.StatusBadRequest) }
	}
}

// batchReply sends the responses to the elements of a batch one by one.
type batchReply struct{ reply }

func (b batchReply) Answer(frame []byte, _ int) {
	if frame != nil {
		b.Send(frame)
	}
}

func (c *conversation) responded(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waiting := c.requests[id.Key()]; waiting != nil {
		close(waiting)
		delete(c.requests, id.Key())
	}
}

func (c *conversation) notification(frame []byte, e jsonrpc.Envelope) {
	params := e.Params.Of(frame)
	method := e.MethodName(frame)
	if method == methodCancelled {
		if id, ok := jsonrpc.Member(params, "requestId"); ok {
			c.cancel(jsonrpc.IDOf(id))
		}
	}
	if turn, ok := c.match(method, params); ok {
		c.playAfter(call{turn: turn})
	}
}

// pendingCall is a request of the client that is being played. Clients without a session share a conversation,
// so several requests can have the same raw id.
type pendingCall struct {
	id     jsonrpc.ID
	cancel func()
}

// cancel ends the request of the client with an id, unless several clients have a request with it: the request
// of another client needs its response.
func (c *conversation) cancel(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *pendingCall
	for one := range c.calls {
		if !one.id.Same(id) {
			continue
		}
		if found != nil {
			return
		}
		found = one
	}
	if found != nil {
		found.cancel()
	}
}

// call is a request of the client that is played, or a notification.
type call struct {
	turn  *Turn
	id    jsonrpc.ID
	token []byte // raw progress token, or nil
	other bool   // the client is one of the era that the recording does not have
	// Those of the recording:
	oldID, oldToken jsonrpc.Token
}

func tokenOf(params []byte) []byte {
	token, _ := jsonrpc.Member(params, "_meta", "progressToken")
	return token
}

func (c *conversation) request(ctx context.Context, frame []byte, e jsonrpc.Envelope, r reply) (play func()) {
	id, method, params := e.ID.Of(frame).ID(), e.MethodName(frame), e.Params.Of(frame)
	respond := func(frame []byte, status int) func() { return func() { r.Answer(frame, status) } }
	other := c.recorded.isOther(method, params)
	turn, ok := c.match(method, params)
	switch {
	case ok:
	case other && revision.IsHandshake(method) && (c.recorded.stateless || c.Stateless):
		c.report("the recording has no %s; the mock responds with what the server has said in the other form", method)
		return respond(jsonrpc.EncodeResult(id, c.recorded.respond(params)), 0)
	case method == "ping":
		return respond(jsonrpc.EncodeResult(id, nil), 0)
	case method == "initialize" && !c.initializes && !c.discovers:
		c.report("the recording has no handshake; the mock responds to initialize on its own")
		return respond(jsonrpc.EncodeResult(id, c.initializeResult(params)), 0)
	default:
		var unmatched []byte
		if turn, unmatched = c.matchNearly(id, method, params); turn == nil {
			return respond(unmatched, 0)
		}
	}
	recorded, err := c.turns.Frame(turn.Row)
	if err != nil {
		return respond(unreadable(id, err), 0)
	}
	ctx, cancel := context.WithCancel(ctx)
	pending := &pendingCall{id: id, cancel: cancel}
	c.mu.Lock()
	tooMany := len(c.calls) >= maxCalls
	if !tooMany {
		c.calls[pending] = true
	}
	c.mu.Unlock()
	if tooMany {
		cancel()
		return respond(jsonrpc.EncodeError(id, jsonrpc.CodeInternalError, fmt.Sprintf("more than %d requests are pending", maxCalls), nil), 0)
	}
	old := jsonrpc.Scan(recorded)
	k := call{turn: turn, id: id, other: other, token: tokenOf(params), oldID: old.ID.Of(recorded), oldToken: jsonrpc.TokenOf(tokenOf(old.Params.Of(recorded)))}
	return func() {
		defer cancel()
		c.play(ctx, k, r)
		c.mu.Lock()
		delete(c.calls, pending)
		c.mu.Unlock()
	}
}

func unreadable(id jsonrpc.ID, err error) []byte {
	return jsonrpc.EncodeError(id, jsonrpc.CodeInternalError, "cannot read the recording: "+err.Error(), nil)
}

// play sends what belongs to a request, in its order.
func (c *conversation) play(ctx context.Context, k call, r reply) {
	lasts, at := k.turn.lasts(), k.turn.Time
	if !c.sendAll(ctx, k.turn.Before, k, lasts, r.Send, &at) {
		r.Answer(nil, 0)
		return
	}
	if !k.turn.hasResponse() {
		if !lasts {
			c.report("%s", missing(k.turn))
		}
		<-ctx.Done() // wait until the client cancels it or disconnects
		r.Answer(nil, 0)
		return
	}
	row, ok := c.reach(ctx, k.turn.Response, lasts, &at)
	if !ok {
		r.Answer(nil, 0)
		return
	}
	frame, err := c.turns.Frame(k.turn.Response)
	if err != nil {
		frame = unreadable(k.id, err)
	} else {
		frame = c.inEra(k, k.rewrite(frame))
	}
	x, _ := c.turns.Store().ExchangeOf(row.Exchange)
	r.Answer(frame, x.Status)
	c.playAfter(k)
}

// inEra returns a recorded response as the client can read it.
func (c *conversation) inEra(k call, response []byte) []byte {
	if !k.other {
		return response
	}
	response, lost := c.recorded.translate(k.turn.Method, response)
	if lost != "" {
		c.report("%s", lost)
	}
	return response
}

// playAfter sends the messages that the server sent after its response.
func (c *conversation) playAfter(k call) {
	if len(k.turn.After) == 0 {
		return
	}
	at := k.turn.Time
	if row, ok := c.turns.Store().Row(k.turn.Response); ok && k.turn.hasResponse() {
		at = row.Time
	}
	c.mu.Lock()
	tooMany := c.after >= maxCalls
	if !tooMany {
		c.after++
	}
	c.mu.Unlock()
	if tooMany {
		c.report("what the server sent after frame %d is left out: the client has not responded to %d requests like it", k.turn.Row+1, maxCalls)
		return
	}
	c.running.Go(func() {
		c.sendAll(c.ctx, k.turn.After, k, true, c.unrelated, &at)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.after--
	})
}

// sendAll sends the messages of a turn in the given rows. at is the time of the last one. It returns false if
// the conversation or the request ended.
func (c *conversation) sendAll(ctx context.Context, rows []int32, k call, waits bool, to func([]byte), at *int64) bool {
	for _, i := range rows {
		row, ok := c.reach(ctx, i, waits, at)
		if !ok || !c.send(ctx, i, &row, k, to, at) {
			return false
		}
	}
	return true
}

// reach waits until a row is next: for as long as the server did, and with waits for the
// messages that the client had sent before.
func (c *conversation) reach(ctx context.Context, i int32, waits bool, at *int64) (row store.Row, ok bool) {
	row, ok = c.turns.Store().Row(i)
	if !ok || waits && !c.waitFor(ctx, i) || !c.pause(ctx, *at, row.Time) {
		return row, false
	}
	*at = max(*at, row.Time)
	return row, true
}

// send sends a request or notification of the server, and waits for the response to a
// request if the client responded in the recording. at becomes the time of that.
func (c *conversation) send(ctx context.Context, i int32, row *store.Row, k call, to func([]byte), at *int64) bool {
	frame, err := c.turns.Frame(i)
	if err != nil {
		c.report("frame %d cannot be read: %v", i+1, err)
		return true
	}
	if method := c.turns.Store().Method(row.Method); k.other && !c.recorded.stateless && method != "notifications/progress" {
		c.report("frame %d, %s, is left out: a server of %s sends it only on a subscription, or not at all", i+1, method, revision.NewestStateless)
		return true
	}
	if row.Kind != jsonrpc.Request {
		if frame = k.rewrite(frame); frame != nil {
			to(c.ids.replaceCancelled(frame))
		}
		return true
	}
	frame, id := c.ids.replace(k.rewrite(frame))
	response, ok := c.turns.Store().Row(row.Pair)
	if row.Pair == store.None || !ok {
		to(frame)
		return true
	}
	waiting := c.await(id)
	defer c.abandon(id, waiting)
	to(frame)
	limited, stop := context.WithTimeout(ctx, responseTimeout)
	defer stop()
	select {
	case <-waiting:
		*at = max(*at, response.Time)
	case <-limited.Done():
		if ctx.Err() != nil {
			return false
		}
		c.report("the client did not respond to request %s within %s", id, responseTimeout)
	}
	return true
}

// await returns a channel that is closed when the client responds to a request of the server.
func (c *conversation) await(id jsonrpc.ID) chan struct{} {
	waiting := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[id.Key()] = waiting
	return waiting
}

// abandon ends the wait for the response to a request.
func (c *conversation) abandon(id jsonrpc.ID, waiting chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests[id.Key()] == waiting {
		delete(c.requests, id.Key())
	}
}

// rewrite replaces what names the request: its id in the response and in the messages
// of a subscription, and its progress token. It returns nil for progress that the
// client did not ask for.
func (k call) rewrite(frame []byte) []byte {
	e := jsonrpc.Scan(frame)
	if e.Kind.IsResponse() {
		frame = k.subscription(frame, e.Result)
		return jsonrpc.Scan(frame).ID.Replace(frame, k.id)
	}
	if e.HasMethod(frame, "notifications/progress") && k.oldToken.Present() {
		token, ok := jsonrpc.Member(e.Params.Of(frame), "progressToken")
		if ok && jsonrpc.TokenOf(token).Same(k.oldToken) {
			if k.token == nil {
				return nil
			}
			return jsonrpc.SpanOf(frame, token).Replace(frame, k.token)
		}
	}
	return k.subscription(frame, e.Params)
}

// subscription replaces the id of the subscription in the _meta of a message.
func (k call) subscription(frame []byte, in jsonrpc.Span) []byte {
	id, ok := jsonrpc.Member(in.Of(frame), "_meta", revision.MetaSubscriptionID)
	if !ok || !jsonrpc.TokenOf(id).Same(k.oldID) || !k.id.Present() {
		return frame
	}
	return jsonrpc.SpanOf(frame, id).Replace(frame, k.id.Bytes())
}
