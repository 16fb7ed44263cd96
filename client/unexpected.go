package client

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

// unexpectedFrame is a frame that came while a response was awaited.
type unexpectedFrame struct {
	kind  unexpectedKind
	id    jsonrpc.ID
	fault jsonrpc.Fault
	at    int
	head  []byte
	// refusal is the error of an unmatched error response, or nil.
	refusal *RPCError
}

type unexpectedKind uint8

const (
	notMessage        unexpectedKind = iota // bytes that are not a message
	unmatchedResponse                       // a response with the id of no pending request
)

// notMatched describes a response whose id matches no pending request. It keeps the start of the
// frame. It also keeps the error, which may be after that start.
func notMatched(frame []byte, e jsonrpc.Envelope) unexpectedFrame {
	u := unexpectedFrame{kind: unmatchedResponse, id: e.ID.Of(frame).ID(), head: head(frame, frameHead)}
	if e.Kind == jsonrpc.ErrorResponse {
		rpcError := jsonrpc.ParseError(frame, e)
		u.refusal = &RPCError{Code: rpcError.Code, Message: strings.ToValidUTF8(strings.Clone(rpcError.Message[:min(len(rpcError.Message), refusalHead)]), "")}
	}
	return u
}

const (
	frameHead   = 200     // maximum bytes of a frame that are kept as evidence
	refusalHead = 4 << 10 // maximum bytes of an error message that are kept
)

// garbledGrace is the remaining wait after a frame that was probably the response, but garbled.
const garbledGrace = 2 * time.Second

// noteUnexpected stores the first unexpected frame while connecting. If the frame looks like the
// response, it shortens the wait. A banner does not: the response may follow.
func (s *state) noteUnexpected(u unexpectedFrame) {
	if s.connected {
		return
	}
	garbled := u.kind == unmatchedResponse || u.fault != jsonrpc.FaultNoMember && containsVersion(u.head)
	if s.unexpected == nil || garbled && !s.garbled {
		s.unexpected = &u
	}
	s.garbled = s.garbled || garbled
	if !garbled {
		return
	}
	for _, p := range s.pending {
		signal(p.garbled)
	}
}

// withUnexpected adds the unexpected frame to an error: to a timeout, to the end of the connection,
// or to an HTTP exchange that failed without naming a request.
func (c *Client) withUnexpected(err error) error {
	u := read(c, func(s *state) *unexpectedFrame { return s.unexpected })
	if u == nil {
		return err
	}
	var timeout *TimeoutError
	var closed *ClosedError
	var lost *mcphttp.LostError
	instead := &NoResponseError{Err: err, WrongID: u.id, Fault: u.fault, At: u.at, Head: u.head, Refusal: u.refusal}
	if errors.As(err, &timeout) || errors.As(err, &closed) || errors.As(err, &lost) && instead.Refuses() {
		return instead
	}
	return err
}

// NoResponseError reports that the server sent something else instead of the response to initialize or
// server/discover.
type NoResponseError struct {
	Err     error         // the timeout, or the end of the connection
	WrongID jsonrpc.ID    // id of an unmatched response, or the zero ID if the frame is not a message
	Refusal *RPCError     // error of an unmatched error response, without data, or nil
	Fault   jsonrpc.Fault // why the frame is not a message
	At      int           // offset of the fault in the frame
	Head    []byte        // the beginning of the frame: evidence, too short to be read as a message
	// Framed reports that the frame was sent by a restarted server, in response to initialize in
	// the framing of language servers; see [DiagnoseFraming].
	Framed bool
}

// Refuses reports whether the frame is an error response with id null. Such a response says why the
// server does not respond, but not to which request.
func (e *NoResponseError) Refuses() bool {
	return e.Refusal != nil && e.WrongID.Type() == jsonrpc.IDNull
}

// Error describes what was sent instead of the response.
func (e *NoResponseError) Error() string {
	if e.WrongID.Present() {
		return fmt.Sprintf("%v; a response with id %s came, but a response must repeat the id of its request unchanged", e.Err, e.WrongID)
	}
	if _, ok := phrase.Page(e.Head); ok {
		return fmt.Sprintf("%v; the server sent this instead, which is %s: %s", e.Err, e.Fault, phrase.Body(e.Head, -1, len(e.Head)))
	}
	return fmt.Sprintf("%v; the server sent this instead, which is %s: %q", e.Err, e.Fault, e.Head)
}

// Unwrap returns the timeout or the end of the connection.
func (e *NoResponseError) Unwrap() error { return e.Err }
