package inbox

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
)

// AddRecorded adds a request of the server that a recording has. Nothing responds
// to it; see [Inbox.RecordedResponse]. Arrived is set by the caller.
func (b *Inbox) AddRecorded(r Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) >= maxRequests { // the oldest make way
		b.requests = slices.Delete(b.requests, 0, maxRequests/4)
	}
	if len(r.Params) > maxKeptParams {
		r.Params, r.Dropped = nil, true
	}
	b.requests = append(b.requests, r)
}

// RecordedResponse ends the wait of a request with the response that a recording
// has: a result, or nil for an error.
func (b *Inbox) RecordedResponse(id jsonrpc.ID, result []byte, at time.Time) {
	b.recorded(func(r *Request) bool { return r.ID == id && r.Of == "" && r.Task == "" }, result, at)
}

// RecordedInput ends the wait of the newest input request with a key.
func (b *Inbox) RecordedInput(key string, result []byte, at time.Time) {
	b.recorded(func(r *Request) bool { return r.Key == key }, result, at)
}

func (b *Inbox) recorded(is func(*Request) bool, result []byte, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range slices.Backward(b.requests) {
		r := &b.requests[i]
		if r.State != Waiting || !is(r) {
			continue
		}
		r.State = Refused
		if result != nil {
			r.State = resultResponse(result).state
			r.Result = slices.Clone(result[:min(len(result), maxResult)])
		}
		r.Answered = at
		return
	}
}

// RecordedEnd ends the wait of all requests at the end of a recorded connection.
func (b *Inbox) RecordedEnd(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.requests {
		if r := &b.requests[i]; r.State == Waiting {
			r.State, r.By, r.Answered = Withdrawn, "server", at
		}
	}
}
