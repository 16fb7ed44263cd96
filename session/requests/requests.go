// Package requests tracks the open work between a server and its client: the server's requests for sampling,
// elicitation and roots, until the user or a policy responds ([Inbox]), and the tasks of calls, until they
// end ([Tracker]).
//
// Frames of the server change both states, in a live session and in a recording alike. Only with a
// connection, policies respond, deadlines expire and tasks are polled.
package requests

import (
	"context"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Client sends responses; see [client.Client].
type Client interface {
	Respond(ctx context.Context, id jsonrpc.ID, result []byte) error
	RespondError(ctx context.Context, id jsonrpc.ID, code int64, message string) error
	QueueResponse(id jsonrpc.ID, result []byte) error
	QueueErrorResponse(id jsonrpc.ID, code int64, message string) error
}

// A Session has the methods of the session that the inbox and the tracker need. They call it without holding a
// lock.
type Session interface {
	// Connection is the client of the current connection, nil without one, the
	// number of the attempt to connect, and whether the connection is ready.
	Connection() (c *client.Client, attempt int, ready bool)
	// Responder returns the client of the current connection, even while that is being closed, or nil.
	Responder() Client
	// Stateless reports whether the connection is of the stateless era.
	Stateless() bool
	// CancelCall cancels the call with an id; false if none runs.
	CancelCall(id jsonrpc.ID) bool
	// Subscribe adds a task to the subscription of the connection, or removes it.
	Subscribe(task string, on bool)
	// Subscribed reports whether the server has acknowledged the subscription to a
	// task.
	Subscribed(task string) bool
	// Changed wakes what shows the requests and the tasks.
	Changed()
	// Go runs do on a goroutine of the session, unless that is closing.
	Go(do func())
	// Note records a decision of mcptea.
	Note(text string)
	// Closing is closed when the session is.
	Closing() <-chan struct{}
}

// New returns the inbox and the tracker of a session. The timeout is the timeout of a request; 0 is one
// minute.
func New(s Session, p Policies, timeout time.Duration) (*Inbox, *Tracker) {
	if timeout <= 0 {
		timeout = time.Minute
	}
	b := &Inbox{session: s, policies: p, samplers: make(chan struct{}, maxSamplers)}
	k := &Tracker{session: s, waiting: b.Waiting, resultTimeout: timeout, tokens: map[string]*entry{}}
	b.inputChanged = k.Wake
	return b, k
}
