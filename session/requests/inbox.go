package requests

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
)

// Inbox holds the server requests of a session. Its methods may be called from any
// goroutine.
type Inbox struct {
	session      Session
	inputChanged func(task string) // a request of a task has a response
	samplers     chan struct{}     // holds an entry for each sampler that runs

	mu        sync.Mutex
	policies  Policies
	requests  []Request // oldest first
	completed completions
}

// Requests returns the requests of the server, oldest first. The caller owns the
// slice.
func (b *Inbox) Requests() []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.requests)
	waiting := map[round]int{}
	for i := range all {
		if r := &all[i]; r.Round != 0 && r.State == Waiting {
			waiting[roundOf(r)]++
		}
	}
	for i := range all {
		if r := &all[i]; r.Round != 0 {
			r.Others = waiting[roundOf(r)]
			if r.State == Waiting {
				r.Others--
			}
		}
	}
	return all
}

// round identifies the input requests whose responses are sent together.
type round struct {
	conn   uint16
	number uint64
}

func roundOf(r *Request) round { return round{r.Conn, r.Round} }

// abandon ends a round: its kept results are not sent, because one of its input requests has no result. The
// caller holds the lock.
func (b *Inbox) abandon(r *Request, by string, at time.Time) {
	if r.Round == 0 {
		return
	}
	for i := range b.requests {
		if other := &b.requests[i]; roundOf(other) == roundOf(r) && other != r && other.State != Waiting && other.State != Withdrawn && other.Result != nil {
			other.end(Withdrawn, by, at)
		}
	}
}

// Waiting counts the requests of each task that wait.
func (b *Inbox) Waiting() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	var waiting map[string]int
	for i := range b.requests {
		if r := &b.requests[i]; r.State == Waiting && r.Task != "" {
			if waiting == nil {
				waiting = map[string]int{}
			}
			waiting[r.Task]++
		}
	}
	return waiting
}

// Add adds a server request, or responds to it by policy. It is called on the
// goroutine of the transport, and sets when the request arrived.
func (b *Inbox) Add(r Request) {
	r.Arrived = time.Now()
	r.Deadline = r.Arrived.Add(requestTimeout)
	b.mu.Lock()
	policy := *b.policies.For(r.Method)
	waiting, size := 0, len(r.Params)
	for i := range b.requests {
		if b.requests[i].State == Waiting {
			waiting++
			size += len(b.requests[i].Params)
		}
	}
	if len(b.requests) >= maxRequests {
		b.requests = slices.DeleteFunc(b.requests, func(r Request) bool { return r.State != Waiting })
	}
	if waiting >= maxRequests || size > maxWaitingBytes && waiting > 0 {
		policy = Policy{Mode: PolicyError}
	}
	ctx := context.Background()
	switch policy.Mode {
	case PolicyUser:
		r.expiry = b.expire(r.ID, r.Conn)
	case PolicyCommand:
		ctx, r.stop = context.WithCancel(ctx)
	}
	b.requests = append(b.requests, r)
	b.mu.Unlock()
	b.session.Changed()
	switch policy.Mode {
	case PolicyUser:
	case PolicyCommand:
		b.session.Go(func() { b.sample(ctx, &r, policy.Command) })
	default:
		b.respondByPolicy(&r, policy)
	}
}

// expire cancels a request that has no response by the deadline. The timer keeps only the id of the request.
func (b *Inbox) expire(id jsonrpc.ID, conn uint16) *time.Timer {
	return time.AfterFunc(requestTimeout, func() {
		b.mu.Lock()
		waits := b.find(id, conn) != nil
		b.mu.Unlock()
		if waits {
			b.session.Go(func() { _ = b.reject(id, Cancelled, "deadline") }) // the traffic shows it
		}
	})
}

// respondByPolicy queues the response that a policy demands. It is called on the
// goroutine of the transport.
func (b *Inbox) respondByPolicy(request *Request, p Policy) {
	r := policyResponse(request, p)
	c, err := b.settle(request.ID, r, "policy")
	if err != nil {
		return // the server has withdrawn it
	}
	if r.result != nil {
		err = c.QueueResponse(request.ID, r.result)
	} else {
		err = c.QueueErrorResponse(request.ID, r.code, r.message)
	}
	if err != nil {
		b.session.Note("responses of mcptea to requests of the server were not sent: " + err.Error())
	}
	b.session.Changed()
}

// find returns the request that waits under an id. The caller holds the lock.
func (b *Inbox) find(id jsonrpc.ID, conn uint16) *Request {
	for i := len(b.requests) - 1; i >= 0; i-- {
		if r := &b.requests[i]; r.ID.Same(id) && r.State == Waiting && (conn == 0 || r.Conn == conn) {
			return r
		}
	}
	return nil
}

// settle ends the wait of a request; only the first response to it is sent.
func (b *Inbox) settle(id jsonrpc.ID, r response, by string) (Client, error) {
	c := b.session.Responder()
	b.mu.Lock()
	request := b.find(id, 0)
	if request == nil || c == nil {
		b.mu.Unlock()
		return nil, errNotWaiting
	}
	request.respond(r, by, time.Now())
	if r.result == nil {
		b.abandon(request, "call", request.Answered)
	}
	task := request.Task
	b.mu.Unlock()
	if task != "" {
		b.inputChanged(task)
	}
	return c, nil
}

// Respond sends the user's result. It waits until the response is written, at most
// ten seconds.
func (b *Inbox) Respond(id jsonrpc.ID, result []byte) error {
	if !json.Valid(result) {
		return errNotJSON
	}
	return b.send(id, resultResponse(result), "you")
}

// Decline sends the response that declines a request of this kind.
func (b *Inbox) Decline(id jsonrpc.ID) error { return b.reject(id, Declined, "you") }

// Cancel sends the response that cancels a request of this kind.
func (b *Inbox) Cancel(id jsonrpc.ID) error { return b.reject(id, Cancelled, "you") }

// Refuse sends an error response that the user has chosen.
func (b *Inbox) Refuse(id jsonrpc.ID, code int64, message string) error {
	return b.send(id, response{state: Refused, code: code, message: message}, "you")
}

// reject declines or cancels a request.
func (b *Inbox) reject(id jsonrpc.ID, state State, by string) error {
	if b.settleRequired(id, state) != nil {
		return nil // the server does not wait for it
	}
	b.mu.Lock()
	method := ""
	if r := b.find(id, 0); r != nil {
		method = r.Method
	}
	b.mu.Unlock()
	return b.send(id, rejection(method, state), by)
}

func (b *Inbox) send(id jsonrpc.ID, r response, by string) error {
	c, err := b.settle(id, r, by)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), sendTimeout)
	defer stop()
	if r.result != nil {
		err = c.Respond(ctx, id, r.result)
	} else {
		err = c.RespondError(ctx, id, r.code, r.message)
	}
	b.session.Changed()
	return err
}

// Withdraw ends the wait of a request that is no longer wanted: by the "server",
// or the "call" that it belongs to.
func (b *Inbox) Withdraw(id jsonrpc.ID, by string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.find(id, 0); r != nil {
		r.end(Withdrawn, by, at)
		b.abandon(r, by, at)
	}
}

// WithdrawAll ends the wait of all requests when the connection ends.
func (b *Inbox) WithdrawAll(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.requests {
		if r := &b.requests[i]; r.State == Waiting {
			r.end(Withdrawn, "server", at)
			b.abandon(r, "server", at)
		}
	}
}

// AddRecorded adds a request of the server that a recording has. Nothing responds
// to it; see [Inbox.RecordedResponse]. Arrived is set by the caller.
func (b *Inbox) AddRecorded(r Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) >= maxRequests { // the oldest requests are dropped
		b.requests = slices.Delete(b.requests, 0, maxRequests/4)
	}
	r.releaseParams()
	if before := b.find(r.ID, r.Conn); before != nil && before.Row == r.Row { // the frame as changed by a breakpoint
		*before = r
		return
	}
	b.requests = append(b.requests, r)
}

// RecordedResponse ends the wait of the newest request that is meant, by its id or, of an
// input request, its key, with the response that a recording has: a result, or nil for
// an error.
func (b *Inbox) RecordedResponse(id jsonrpc.ID, key string, result []byte, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range slices.Backward(b.requests) {
		r := &b.requests[i]
		isFirst := !r.Of.Present() && r.Task == ""
		if r.State != Waiting || key != "" && r.Key != key || key == "" && (!r.ID.Same(id) || !isFirst) {
			continue
		}
		answer := response{state: Refused}
		if result != nil {
			answer = resultResponse(result)
		}
		r.respond(answer, "", at)
		return
	}
}
