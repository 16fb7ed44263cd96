package requests

import (
	"bytes"
	"errors"
	"time"

	"mcptea/client/jsonrpc"
)

// Request is a server request for sampling, elicitation or roots (specification,
// client features). It is a copy.
type Request struct {
	ID       jsonrpc.ID
	Method   string
	Params   []byte     // raw JSON; not to be changed; nil when Dropped
	Dropped  bool       // the params were large and are no longer held: the record has them
	Of       jsonrpc.ID // the client's request whose result has the input request; empty for a request of the server
	Key      string     // key of the input request
	Round    uint64     // the same for the input requests whose responses are sent together; 0 for a request of the server, and in a recording
	About    string     // the tool, prompt or resource of that request, or of the task's call
	Task     string     // the id of the task that needs input; empty without
	Call     jsonrpc.ID // the call whose task that is, if it is known
	Row      int32      // row of the request in the store
	Conn     uint16     // number of the connection
	Arrived  time.Time
	Deadline time.Time // time at which mcptea cancels or declines the request if the user has not responded
	State    State
	By       string // who responded: "you", "policy", "sampler", "deadline"; "server" or "call" if it was withdrawn
	Answered time.Time
	// Offered is the result that would have been sent for roots/list without the user.
	Offered []byte
	// Failure is the message of an error response: why the sampler has no result, or what was
	// declined. It is "" for other requests.
	Failure string
	// Stderr is the head of what the sampler wrote to stderr, redacted.
	Stderr []byte
	// Result is the result of the response, its head when it is long; nil for an
	// error and while it waits.
	Result []byte
	// Completed is the time at which the server reported that the user has finished at a page, or zero
	// (2025-11-25, notifications/elicitation/complete).
	Completed time.Time
	// Others is the number of other input requests of the round that are waiting. A response to one of them is
	// kept until none is waiting, and then sent with the others. It is set by [Inbox.Requests].
	Others int
	call   any         // call whose error named the page; nil for a request of the server
	expiry *time.Timer // nil if it has a response, or a policy responds immediately
	stop   func()      // ends the sampler; nil without one
}

// Sampling reports whether the sampler runs for a request that waits.
func (r *Request) Sampling() bool { return r.stop != nil }

// Required reports whether nothing is to be sent for a request: the error of a
// call named the page, and the call can be sent again once the user has been
// there; see [Inbox.Retry].
func (r *Request) Required() bool { return r.call != nil }

// Kept reports whether a response was given that is not sent yet; see Others.
func (r *Request) Kept() bool {
	return r.State != Waiting && r.State != Withdrawn && r.Result != nil && r.Others > 0
}

// Unsent reports whether nothing is sent for a request that no longer waits. The result or error
// with the request belongs to a call that is not sent again.
func (r *Request) Unsent() bool {
	switch {
	case r.Required():
		return r.State == Declined
	case r.Round != 0:
		return r.State == Withdrawn || r.State != Waiting && r.Result == nil
	}
	return false
}

// respond ends the wait of a request with a response.
func (r *Request) respond(with response, by string, at time.Time) {
	r.end(with.state, by, at)
	if with.result != nil {
		r.Result = bytes.Clone(with.result[:min(len(with.result), maxResult)])
	}
	r.Failure = with.message
}

// end makes a request no longer waiting and releases large params.
func (r *Request) end(state State, by string, at time.Time) {
	r.State, r.By, r.Answered = state, by, at
	r.releaseParams()
	if r.expiry != nil {
		r.expiry.Stop()
		r.expiry = nil
	}
	if r.stop != nil {
		r.stop()
		r.stop = nil
	}
}

// releaseParams drops large params: the record has them.
func (r *Request) releaseParams() {
	if len(r.Params) > maxKeptParams {
		r.Params, r.Dropped = nil, true
	}
}

// State is the state of a server request.
type State uint8

// The values of [State].
const (
	Waiting   State = iota
	Answered        // answered with a result
	Declined        // the response declines
	Cancelled       // the response cancels
	Refused         // answered with an error
	Withdrawn       // cancelled by the server or by the end of the connection
)

var states = [...]string{"waiting", "answered", "declined", "cancelled", "refused", "withdrawn"}

// String names the state.
func (s State) String() string { return states[s] }

const (
	// requestTimeout bounds how long a server request waits for the user. It is less than the maximum timeout
	// of the call that it may belong to.
	requestTimeout = 4*time.Minute + 50*time.Second
	// sendTimeout bounds the writing of a response.
	sendTimeout = 10 * time.Second
	// maxRequests bounds the inbox; further requests get an error response.
	maxRequests = 500
	// maxWaitingBytes bounds the params of the requests that wait in it, and maxKeptParams the params of
	// each request that no longer waits.
	maxWaitingBytes = 32 << 20
	maxKeptParams   = 16 << 10
	// maxResult bounds the part of a response that is kept for display, in bytes.
	maxResult = 2 << 10
)

// The errors of responses to server requests.
var (
	errNotWaiting = errors.New("the server no longer waits for this response")
	errNotJSON    = errors.New("the response is not valid JSON")
)
