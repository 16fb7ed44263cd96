package http

import (
	"bytes"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// message is an outgoing frame with its envelope.
type message struct {
	frame    []byte
	note     transport.Note
	envelope jsonrpc.Envelope
}

// newMessage copies a frame, whose exchange may outlive the call that sends it.
func newMessage(o transport.Outgoing) message {
	return message{frame: bytes.Clone(o.Bytes), note: o.Note, envelope: o.Envelope()}
}

func (m *message) isInitialize() bool {
	return m.envelope.HasMethod(m.frame, initialize)
}

// pendingIDs are the ids of the requests of one frame that have no response yet.
type pendingIDs []jsonrpc.ID

// requestIDs returns the ids that need a response: the id of a request, of all requests of a batch, and of an
// invalid frame with an id and without result, since a caller may wait for it, too.
func requestIDs(frame []byte, e jsonrpc.Envelope) pendingIDs {
	switch e.Kind {
	case jsonrpc.Request:
		return pendingIDs{e.ID.Of(frame).ID()}
	case jsonrpc.Invalid:
		if e.ID.Present() && !e.Result.Present() && !e.Error.Present() {
			return pendingIDs{e.ID.Of(frame).ID()}
		}
	case jsonrpc.Batch:
		var ids pendingIDs
		for element := range jsonrpc.Elements(frame) {
			if inner := jsonrpc.Scan(element); inner.Kind == jsonrpc.Request {
				ids = append(ids, inner.ID.Of(element).ID())
			}
		}
		return ids
	}
	return nil
}

// removeAnswered removes the ids of the responses in a frame.
func (a *pendingIDs) removeAnswered(frame []byte, e jsonrpc.Envelope) {
	if len(*a) == 0 {
		return
	}
	switch {
	case e.Kind.IsResponse():
		id := e.ID.Of(frame)
		*a = slices.DeleteFunc(*a, func(other jsonrpc.ID) bool { return id.Is(other) })
	case e.Kind == jsonrpc.Batch:
		for element := range jsonrpc.Elements(frame) {
			// Nested batches are invalid.
			if inner := jsonrpc.Scan(element); inner.Kind != jsonrpc.Batch {
				a.removeAnswered(element, inner)
			}
		}
	}
}

// isBlank reports whether a body has only white space.
func isBlank(body []byte) bool { return len(bytes.TrimSpace(body)) == 0 }
