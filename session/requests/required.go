package requests

import (
	"fmt"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

const (
	// maxPages bounds the pages that one error puts into the inbox.
	maxPages = 20
	// maxCompleted bounds the elicitations that are remembered as complete before a
	// request for them arrives.
	maxCompleted = 100
	// maxElicitationID is the longest id that is remembered, in bytes.
	maxElicitationID = 1 << 10
)

// completions are the ids of notifications/elicitation/complete that match no
// request in the inbox yet, oldest first.
type completions []completion

type completion struct {
	id string
	at time.Time
}

// AddRequired adds the pages that the error of a call names: list is the raw array
// of elicitations (2025-11-25, client / elicitation, "URL Elicitation Required
// Error"). About r, Of, About, Row and Conn are set; call is the caller's, and
// [Inbox.Retry] returns it.
func (b *Inbox) AddRequired(r Request, list []byte, call any) {
	r.Method, r.Arrived, r.call = client.MethodElicitation, time.Now(), call
	n := 0
	defer b.session.Changed()
	b.mu.Lock()
	defer b.mu.Unlock()
	for page := range jsonrpc.Elements(list) {
		if n++; n > maxPages || len(b.requests) >= maxRequests {
			return
		}
		request := r
		request.ID = jsonrpc.StringID(fmt.Sprintf("required-%s-%d-%d", r.Of, n, r.Arrived.UnixNano())) // never sent
		request.Params, request.Key = slices.Clone(page), fmt.Sprintf("page %d", n)
		id := jsonrpc.Text(page, "elicitationId")
		b.completed = slices.DeleteFunc(b.completed, func(done completion) bool {
			if done.id == id {
				request.Completed = done.at
			}
			return done.id == id
		})
		b.requests = append(b.requests, request)
	}
}

// Complete handles notifications/elicitation/complete: the user has finished at a page.
func (b *Inbox) Complete(params []byte, at time.Time) {
	id := jsonrpc.Text(params, "elicitationId")
	if id == "" || len(id) > maxElicitationID {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	known := false
	for i := range b.requests {
		r := &b.requests[i]
		if jsonrpc.Text(r.Params, "mode") == "url" && jsonrpc.Text(r.Params, "elicitationId") == id {
			r.Completed, known = at, true
		}
	}
	if !known {
		b.completed = append(b.completed, completion{id, at})
		b.completed = b.completed[max(0, len(b.completed)-maxCompleted):]
	}
}

// Retry takes all pages of a call's error out of the waiting ones, and returns the
// call that [Inbox.AddRequired] got.
func (b *Inbox) Retry(id jsonrpc.ID) (call any, err error) {
	if call = b.settleRequired(id, Answered); call == nil {
		return nil, errNotWaiting
	}
	return call, nil
}

// settleRequired ends the waiting entries for the pages of a call's error. It
// returns the call; nil when none was waiting.
func (b *Inbox) settleRequired(id jsonrpc.ID, state State) any {
	defer b.session.Changed()
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.find(id, 0)
	if r == nil || r.call == nil {
		return nil
	}
	call := r.call
	for i := range b.requests {
		if other := &b.requests[i]; other.call == call && other.State == Waiting {
			other.end(state, "you", time.Now())
		}
	}
	return call
}
