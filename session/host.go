package session

import (
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/inbox"
	"mcptea/session/store"
	"mcptea/session/tasks"
)

// host is the session as its inbox and its tasks see it. They call it without a
// lock of their own.
type host struct{ *Session }

var (
	_ inbox.Session = host{}
	_ tasks.Session = host{}
)

// Responder implements [inbox.Session].
func (h host) Responder() inbox.Client {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.client == nil {
		return nil
	}
	return h.client
}

// Connection implements [tasks.Session].
func (h host) Connection() (c *client.Client, attempt int, ready bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		c = h.client
	}
	return c, h.state.Attempt, c != nil && h.state.Phase == Ready
}

// Stateless implements [tasks.Session].
func (h host) Stateless() bool {
	h.mu.Lock()
	c, handshake := h.client, h.state.Handshake
	h.mu.Unlock()
	if c != nil {
		handshake = c.Handshake()
	}
	return handshake.Revision.IsStateless()
}

// RequestRow implements [tasks.Session].
func (h host) RequestRow(id jsonrpc.ID) (request, response int32) {
	request = h.store.RequestRow(transport.Out, string(id))
	if r, ok := h.store.Row(request); ok {
		return request, r.Pair
	}
	return request, store.None
}

// CancelCall implements [tasks.Session].
func (h host) CancelCall(id jsonrpc.ID) bool {
	h.mu.Lock()
	call := h.calls[id]
	h.mu.Unlock()
	if call != nil {
		call.Cancel()
	}
	return call != nil
}

// Waiting implements [tasks.Session].
func (h host) Waiting() map[string]int { return h.inbox.Waiting() }

// Subscribe implements [tasks.Session].
func (h host) Subscribe(task string, on bool) {
	if on {
		h.watchTask(task)
	} else {
		h.unwatchTask(task)
	}
}

// Subscribed implements [tasks.Session].
func (h host) Subscribed(task string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.taskSubscribed(task)
}

// InputChanged implements [inbox.Session].
func (h host) InputChanged(task string) { h.tasks.Wake(task) }

// Changed implements [inbox.Session] and [tasks.Session].
func (h host) Changed() { h.store.Notify() }

// Go implements [inbox.Session] and [tasks.Session].
func (h host) Go(do func()) { h.goTracked(do) }

// Note implements [inbox.Session].
func (h host) Note(text string) { h.note(text) }

// Closing implements [tasks.Session].
func (h host) Closing() <-chan struct{} { return h.ending }
