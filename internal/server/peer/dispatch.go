package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Handle handles one frame of the client. Requests that may wait continue in the background; for all other
// frames, Handle returns after the response. It does not keep the frame. It gives reply exactly one Answer for
// each frame, nil if there is no response, except for requests that [Bend] swallows.
func (s *Session) Handle(frame []byte, reply Reply) {
	e := jsonrpc.Scan(frame)
	switch {
	case e.Kind == jsonrpc.Batch:
		s.handleBatch(frame, e, reply)
	case e.Kind.IsResponse():
		s.settle(frame, e)
		reply.Answer(nil)
	case e.Kind == jsonrpc.Invalid:
		s.refuseInvalid(frame, e, reply)
	default:
		s.handleMessage(frame, e, reply)
	}
}

func (s *Session) refuseInvalid(frame []byte, e jsonrpc.Envelope, reply Reply) {
	if e.Fault == jsonrpc.FaultEmpty {
		reply.Answer(nil) // a blank line
		return
	}
	id := e.ID.Of(frame).ID()
	if e.IDType != jsonrpc.IDString && e.IDType != jsonrpc.IDInteger {
		id = s.noID()
	}
	code := int64(jsonrpc.CodeInvalidRequest)
	switch e.Fault {
	case jsonrpc.FaultNotJSON, jsonrpc.FaultNotUTF8, jsonrpc.FaultTooDeep, jsonrpc.FaultTrailingBytes:
		code, id = jsonrpc.CodeParseError, s.noID()
	}
	reply.Answer(jsonrpc.EncodeError(id, code, "cannot read the frame: "+e.Fault.String(), nil))
}

// noID returns the id of an answer to something that cannot be named.
func (s *Session) noID() jsonrpc.ID {
	if nullErrorID.In(s.Revision()) {
		return jsonrpc.IDOf("null")
	}
	return jsonrpc.ID{}
}

func (s *Session) handleMessage(frame []byte, e jsonrpc.Envelope, reply Reply) {
	method, _ := jsonrpc.Unquote(frame[e.Method.Span().Start-1 : e.Method.Span().End+1])
	m := Message{
		ID:     e.ID.Of(frame).ID(),
		Method: method,
		Params: bytes.Clone(e.Params.Of(frame)),
	}
	if err := envelopeError(e); err != nil {
		if e.Kind == jsonrpc.Notification {
			reply.Answer(nil)
			return
		}
		if e.Flaws&jsonrpc.FlawIDType != 0 {
			m.ID = s.noID()
		}
		reply.Answer(err.Frame(m.ID))
		return
	}
	dealtWith := s.server.Bend.Incoming != nil && s.server.Bend.Incoming(s, m)
	switch {
	case e.Kind == jsonrpc.Notification:
		if !dealtWith {
			s.acceptNotification(m)
		}
		reply.Answer(nil)
		return
	case dealtWith:
		return // the client may wait for ever
	}
	s.serve(m, reply)
}

func envelopeError(e jsonrpc.Envelope) *Error {
	switch {
	case e.Flaws&(jsonrpc.FlawNoVersion|jsonrpc.FlawVersion) != 0:
		return invalidRequest(`"jsonrpc" must be "2.0"`)
	case e.Flaws&jsonrpc.FlawIDType != 0:
		return invalidRequest("the id must be a string or an integer, not %s", e.IDType)
	case e.Flaws&jsonrpc.FlawMixed != 0:
		return invalidRequest("a request has neither a result nor an error")
	case e.Flaws&jsonrpc.FlawParamsType != 0:
		return invalidParams("params must be an object")
	}
	return nil
}

// serve runs a request, in the background when it may wait.
func (s *Session) serve(m Message, reply Reply) {
	call := &Call{session: s, reply: reply, message: m, principal: principalIn(reply)}
	method, err := call.find()
	if err != nil {
		s.answer(m, err.Frame(m.ID), reply)
		return
	}
	ctx, cancel, refused := s.begin(m.ID)
	if refused != nil {
		reply.Answer(refused.Frame(m.ID))
		return
	}
	run := func() {
		defer cancel(nil)
		frame := s.run(ctx, method, call)
		s.end(m.ID)
		s.answer(m, frame, reply)
		if call.after != nil {
			call.after()
		}
	}
	if method.waits || call.waits() {
		s.work.Go(run)
		return
	}
	run()
}

// run serves a request and returns the frame of its response, or nil if it gets none.
func (s *Session) run(ctx context.Context, method *method, call *Call) (frame []byte) {
	m := call.message
	defer func() {
		if p := recover(); p != nil {
			s.logf("%s: panic: %v\n%s", m.Method, p, debug.Stack())
			frame = jsonrpc.EncodeError(m.ID, jsonrpc.CodeInternalError, "internal error", nil)
		}
	}()
	result, err := method.serve(ctx, call)
	call.over.Store(true)
	cause := context.Cause(ctx)
	switch {
	case cause == errCancelled && s.server.Bend.LateAnswers:
		if s.sleep(s.ctx, 0.5) != nil {
			return nil
		}
		result = Said("too late, but here it is")
	case cause != nil:
		return nil // cancelled, or the session is over: no answer
	case errors.Is(err, errInputRequired):
		result = call.inputRequired()
	case err != nil:
		return errorOf(err).Frame(m.ID)
	}
	raw := Encode(result)
	if call.terms.modern {
		raw = call.stamp(method, raw)
	}
	if s.server.Bend.Result != nil {
		raw = s.server.Bend.Result(m.Method, raw)
	}
	return jsonrpc.EncodeResult(m.ID, raw)
}

func (s *Session) answer(m Message, frame []byte, reply Reply) {
	if frame == nil || s.server.Bend.Answer == nil {
		reply.Answer(frame)
		return
	}
	frames := s.server.Bend.Answer(m, frame)
	for i, f := range frames {
		if i == len(frames)-1 {
			reply.Answer(f)
			return
		}
		reply.Send(f)
	}
	reply.Answer(nil)
}

// handleBatch serves the elements of an array and answers with an array.
func (s *Session) handleBatch(frame []byte, e jsonrpc.Envelope, reply Reply) {
	refuse := func(text string) {
		reply.Answer(jsonrpc.EncodeError(s.noID(), jsonrpc.CodeInvalidRequest, text, nil))
	}
	if r := s.Revision(); !s.Ready() || !batches.In(r) {
		refuse("batches exist in " + string(revision.R20250326) + " only, after the handshake")
		return
	}
	if e.Flaws&jsonrpc.FlawEmptyBatch != 0 {
		refuse("the batch is empty")
		return
	}
	b := &batchReply{reply: reply}
	for range jsonrpc.Elements(frame) {
		b.open++
	}
	for element := range jsonrpc.Elements(frame) {
		inner := jsonrpc.Scan(element)
		method := inner.MethodName(element)
		switch {
		case inner.Kind == jsonrpc.Batch, inner.Kind == jsonrpc.Invalid:
			b.Answer(jsonrpc.EncodeError(s.noID(), jsonrpc.CodeInvalidRequest, "not a message", nil))
		case inner.Kind == jsonrpc.Request && method == "initialize":
			b.Answer(jsonrpc.EncodeError(inner.ID.Of(element).ID(), jsonrpc.CodeInvalidRequest,
				"initialize must not be in a batch", nil))
		default:
			s.Handle(element, b)
		}
	}
}

// batchReply gathers the answers to the elements of a batch.
type batchReply struct {
	reply   Reply
	mu      sync.Mutex
	open    int
	answers [][]byte
}

func (b *batchReply) Send(frame []byte) { b.reply.Send(frame) }

func (b *batchReply) Answer(frame []byte) {
	b.mu.Lock()
	if frame != nil {
		b.answers = append(b.answers, bytes.Clone(frame))
	}
	b.open--
	done := b.open == 0
	b.mu.Unlock()
	switch {
	case !done:
	case len(b.answers) == 0:
		b.reply.Answer(nil)
	default:
		b.reply.Answer(jsonrpc.EncodeBatch(b.answers...))
	}
}

// Encode writes a value as compact JSON, without escaping what HTML would mind.
func Encode(v any) []byte {
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // a table holds something that is not JSON
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

func encodeData(v any) []byte {
	if v == nil {
		return nil
	}
	return Encode(v)
}
