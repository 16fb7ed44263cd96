package client

import (
	"errors"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
)

// unexpectedFrame is what came while a response was awaited in vain.
type unexpectedFrame struct {
	kind  unexpectedKind
	id    jsonrpc.ID
	fault jsonrpc.Fault
	at    int
	bytes []byte
}

type unexpectedKind uint8

const (
	notMessage        unexpectedKind = iota // bytes that are not a message
	unmatchedResponse                       // a response with the id of no pending request
)

// garbledGrace is how long the wait goes on after a frame that was probably the
// response, garbled.
const garbledGrace = 2 * time.Second

// noteUnexpected remembers the first unexpected frame while connecting. One that
// looks like the response shortens the wait; a banner does not, since the
// response may follow.
func (s *state) noteUnexpected(u unexpectedFrame) {
	if s.connected {
		return
	}
	garbled := u.kind == unmatchedResponse || u.fault != jsonrpc.FaultNoMember && containsVersion(u.bytes)
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

// withUnexpected adds what came instead to a timeout and to the end of the
// connection.
func (c *Client) withUnexpected(err error) error {
	u := read(c, func(s *state) *unexpectedFrame { return s.unexpected })
	if u == nil {
		return err
	}
	var timeout *TimeoutError
	var closed *ClosedError
	if !errors.As(err, &timeout) && !errors.As(err, &closed) {
		return err
	}
	return &NoResponseError{Err: err, WrongID: u.id, Fault: u.fault, At: u.at, Bytes: u.bytes}
}

// NoResponseError reports that the server sent something else in place of the
// response to initialize or server/discover.
type NoResponseError struct {
	Err     error         // the timeout, or the end of the connection
	WrongID jsonrpc.ID    // of an unmatched response; empty when Bytes are not a message
	Fault   jsonrpc.Fault // why Bytes are not a message
	At      int           // offset of the fault in Bytes
	Bytes   []byte        // the head of the frame
}

// Error describes what was sent instead of the response.
func (e *NoResponseError) Error() string {
	if e.WrongID.Present() {
		return fmt.Sprintf("%v; a response with id %s came, but a response must repeat the id of its request unchanged", e.Err, e.WrongID)
	}
	return fmt.Sprintf("%v; the server sent this instead, which is %s: %q", e.Err, e.Fault, e.Bytes)
}

// Unwrap returns the timeout or the end of the connection.
func (e *NoResponseError) Unwrap() error { return e.Err }
