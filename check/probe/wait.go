package probe

import (
	"context"
	"net/http"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// maxResponses bounds the responses to a frame.
const maxResponses = 256

// A wait is a frame whose responses are expected. The lock of its link guards the mutable fields.
type wait struct {
	frame   []byte
	ids     []jsonrpc.Key // raw JSON
	anyNull bool          // accepts an error with id null or without an id
	// endsWithExchange reports that nothing follows the end of the HTTP exchange.
	endsWithExchange bool
	exchange         uint32
	matched          bool        // exchange is set
	status           int         // HTTP status of the exchange
	header           http.Header // headers of its response
	responses        [][]byte
	spare            [][]byte      // responses without a matching id that may belong to the frame, at most one per id
	evidence         []Frame       // the frame and its responses, at most maxFrames
	complete         chan struct{} // closed when every id has a response or the exchange has ended
	ended            bool          // complete is closed
	atOnce           bool          // a response was there before the ping after the frame was answered
}

// end marks the wait as complete. The caller holds the lock of the link.
func (w *wait) end() {
	if !w.ended {
		w.ended = true
		close(w.complete)
	}
}

// take adds a response and reports whether it counts. byID is whether its id matches.
func (w *wait) take(frame []byte, byID bool) bool {
	if !byID && len(w.ids) > 0 { // a response with the id may follow
		if len(w.spare) < len(w.ids) {
			w.spare = append(w.spare, frame)
			return true
		}
		return false
	}
	if len(w.responses) < maxResponses {
		w.responses = append(w.responses, frame)
	}
	if len(w.responses) >= len(w.ids) {
		w.end()
	}
	return true
}

// note adds a frame as evidence, once per batch.
func (w *wait) note(kept Frame) {
	if n := len(w.evidence); n < maxFrames && (n == 0 || w.evidence[n-1].Seq != kept.Seq) {
		w.evidence = append(w.evidence, kept)
	}
}

// expect starts waiting for the responses to a frame.
func (l *link) expect(frame []byte, anyNull, endsWithExchange bool) *wait {
	w := &wait{frame: frame, anyNull: anyNull, endsWithExchange: endsWithExchange, complete: make(chan struct{})}
	messages := [][]byte{frame}
	if jsonrpc.Scan(frame).Kind == jsonrpc.Batch {
		messages = slices.Collect(jsonrpc.Elements(frame))
	}
	for _, message := range messages {
		if id := jsonrpc.Scan(message).ID.Of(message); id.Present() {
			w.ids = append(w.ids, id.Key())
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == nil {
		l.asked = map[jsonrpc.Key]bool{}
	}
	for _, id := range w.ids {
		l.asked[id] = true
	}
	l.waits = append(l.waits, w)
	return w
}

// send sends the frame of a wait.
func (l *link) send(ctx context.Context, w *wait) error {
	return l.client.Transmit(ctx, transport.Outgoing{Bytes: w.frame, Note: transport.Note{Sender: w, Breaks: transport.Probed}})
}

// outcome returns the outcome of a frame so far.
func (l *link) outcome(w *wait) Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := Outcome{Kind: Silent, Status: w.status, Header: w.header, AtOnce: w.atOnce, Responses: slices.Clone(w.responses), evidence: slices.Clone(w.evidence)}
	if len(o.Responses) == 0 {
		o.Responses = slices.Clone(w.spare)
	}
	if len(o.Responses) > 0 {
		o.Frame = o.Responses[0]
	}
	return o
}

func (l *link) unregister(w *wait) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = slices.DeleteFunc(l.waits, func(other *wait) bool { return other == w })
}
