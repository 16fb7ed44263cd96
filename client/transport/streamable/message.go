package streamable

import (
	"bytes"
	"slices"

	"mcptea/client/jsonrpc"
)

// message is an outgoing frame and what it is.
type message struct {
	frame    []byte
	envelope jsonrpc.Envelope
}

func (m *message) isInitialize() bool {
	return string(m.envelope.Method.Of(m.frame)) == initialize
}

// awaited are the ids of the requests that one frame carried and that have not
// been answered yet.
type awaited []jsonrpc.ID

// awaitedBy returns the ids to which an answer is due: that of a request, of
// all requests of a batch, and of a frame that is broken but has an id and no
// result, since somebody may wait for that as well.
func awaitedBy(frame []byte, e jsonrpc.Envelope) awaited {
	switch e.Kind {
	case jsonrpc.Request:
		return awaited{jsonrpc.ID(e.ID.Of(frame))}
	case jsonrpc.Invalid:
		if e.ID.Present() && !e.Result.Present() && !e.Error.Present() {
			return awaited{jsonrpc.ID(e.ID.Of(frame))}
		}
	case jsonrpc.Batch:
		var ids awaited
		for element := range jsonrpc.Elements(frame) {
			if inner := jsonrpc.Scan(element); inner.Kind == jsonrpc.Request {
				ids = append(ids, jsonrpc.ID(inner.ID.Of(element)))
			}
		}
		return ids
	}
	return nil
}

// hear takes the answers that a frame holds off the list.
func (a *awaited) hear(frame []byte, e jsonrpc.Envelope) {
	if len(*a) == 0 {
		return
	}
	switch {
	case e.Kind.IsAnswer():
		id := e.ID.Of(frame)
		*a = slices.DeleteFunc(*a, func(other jsonrpc.ID) bool { return string(other) == string(id) })
	case e.Kind == jsonrpc.Batch:
		for element := range jsonrpc.Elements(frame) {
			// A batch inside a batch answers nothing, however deep it goes.
			if inner := jsonrpc.Scan(element); inner.Kind != jsonrpc.Batch {
				a.hear(element, inner)
			}
		}
	}
}

// isBlank reports whether a body holds nothing that a frame could be.
func isBlank(body []byte) bool { return len(bytes.TrimSpace(body)) == 0 }

func unanswered(id jsonrpc.ID, err error) error { return &LostError{ID: id, Err: err} }
