package behavior

import (
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
)

// A Timeout is the observed time that the client waits for a response: a cancellation names it, or two requests
// were cancelled after the same time.
type Timeout struct {
	After  phrase.Millis `json:"after_ms"`         // duration from the request to the cancellation
	Frames []int32       `json:"frames"`           // the cancellations that show it, numbers of frames
	Reason string        `json:"reason,omitempty"` // reason in the cancellation that mentions a timeout
}

// gaveUp is a request that the client has cancelled.
type gaveUp struct {
	age    time.Duration
	frame  int32
	reason string
}

const (
	// leastTimeout is the minimum wait that counts, because a user may cancel two calls together.
	leastTimeout = time.Second
	// Two waits count as equal if they differ by at most 1/sameWait of the longer one, or by at most leastSame.
	sameWait, leastSame = 100, 100 * time.Millisecond
)

// cancels handles a cancellation by the client. It ignores streams, which have no timeout, and requests with
// progress, which may have extended it.
func (r *reader) cancels(m *store.Match) {
	if m.Flow == nil || m.Flow.Reports > 0 || len(r.gaveUp) >= maxAges || m.Flow.Method == revision.EventsStream || m.Flow.Method == "subscriptions/listen" {
		return
	}
	reason := jsonrpc.Text(m.Envelope.Params.Of(m.Bytes), "reason")
	r.gaveUp = append(r.gaveUp, gaveUp{m.Time.Sub(m.Flow.Start), m.Row + 1, phrase.Clip(reason, maxText)})
}

// namesTimeout reports whether the reason for a cancellation is a timeout.
func namesTimeout(reason string) bool {
	reason = strings.ToLower(reason)
	return strings.Contains(reason, "timed out") || strings.Contains(reason, "timeout")
}

// timeout judges the cancellations, or nil if they show none.
func (r *reader) timeout() *Timeout {
	for _, g := range r.gaveUp {
		if namesTimeout(g.reason) {
			return &Timeout{After: phrase.Millis(g.age), Frames: []int32{g.frame}, Reason: g.reason}
		}
	}
	for i, a := range r.gaveUp {
		for _, b := range r.gaveUp[:i] {
			if a.age >= leastTimeout && (a.age-b.age).Abs() <= max(leastSame, a.age/sameWait) {
				return &Timeout{After: phrase.Millis(min(a.age, b.age)), Frames: []int32{b.frame, a.frame}}
			}
		}
	}
	return nil
}
