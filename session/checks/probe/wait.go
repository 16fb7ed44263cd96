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

// wait is a frame that responses are expected for. The lock of its link guards what
// changes.
type wait struct {
	frame   []byte
	ids     []jsonrpc.Key // raw
	anyNull bool          // takes an error with id null, or without id
	// endsWithExchange reports that nothing comes after the end of the HTTP exchange.
	endsWithExchange bool
	exchange         uint32
	matched          bool        // exchange is set
	status           int         // of the exchange
	header           http.Header // of its response
	responses        [][]byte
	spare            [][]byte      // responses that may be meant for the frame: without an id of it, at most one for each of its ids
	evidence         []Frame       // the frame and its responses, at most maxFrames
	complete         chan struct{} // closed when there is a response to each id, or the exchange has ended
	ended            bool          // complete is closed
	atOnce           bool          // there was a response when a ping behind the frame was answered
}

// end notes that all has come. The caller holds the lock of the link.
func (w *wait) end() {
	if !w.ended {
		w.ended = true
		close(w.complete)
	}
}

// take takes a response, and reports whether it is one that counts; byID reports one with
// an id of the frame.
func (w *wait) take(frame []byte, byID bool) bool {
	if !byID && len(w.ids) > 0 { // one with the id may follow
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

// note keeps a frame as evidence; a batch is one.
func (w *wait) note(kept Frame) {
	if n := len(w.evidence); n < maxFrames && (n == 0 || w.evidence[n-1].Seq != kept.Seq) {
		w.evidence = append(w.evidence, kept)
	}
}

// expect begins the wait for the responses to a frame.
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

// send sends the frame of a wait, which is reported with it.
func (l *link) send(ctx context.Context, w *wait) error {
	return l.client.Transmit(ctx, transport.Outgoing{Bytes: w.frame, Note: transport.Note{Sender: w, Breaks: transport.Probed}})
}

// outcome is what a frame has led to so far.
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
