package session

import (
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/requests"
)

// host is the session as its inbox and its tasks see it. They call it without a
// lock of their own.
type host struct{ s *Session }

var _ requests.Session = host{}

// Connection implements [requests.Session].
func (h host) Connection() (c *client.Client, attempt int, ready bool) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	if !h.s.closed() {
		c = h.s.client
	}
	return c, h.s.state.Attempt, c != nil && h.s.state.Phase == Ready
}

// Responder implements [requests.Session].
func (h host) Responder() requests.Client {
	if c := h.s.newest(); c != nil {
		return c
	}
	return nil
}

// Stateless implements [requests.Session].
func (h host) Stateless() bool { return h.s.isStateless() }

// isStateless reports whether the connection is of the stateless era.
func (s *Session) isStateless() bool {
	s.mu.Lock()
	c, handshake := s.client, s.state.Handshake
	s.mu.Unlock()
	if c != nil {
		handshake = c.Handshake()
	}
	return handshake.Revision.IsStateless()
}

// CancelCall implements [requests.Session].
func (h host) CancelCall(id jsonrpc.ID) bool {
	h.s.mu.Lock()
	call := h.s.calls[id.Key()]
	h.s.mu.Unlock()
	if call != nil {
		call.Cancel()
	}
	return call != nil
}

// Subscribe implements [requests.Session].
func (h host) Subscribe(task string, on bool) { h.s.watchTask(task, on) }

// Subscribed implements [requests.Session].
func (h host) Subscribed(task string) bool { return h.s.taskSubscribed(task) }

// Changed implements [requests.Session].
func (h host) Changed() { h.s.store.Notify() }

// Go implements [requests.Session].
func (h host) Go(do func()) { h.s.goTracked(do) }

// Note implements [requests.Session].
func (h host) Note(text string) { h.s.note(text) }

// Closing implements [requests.Session].
func (h host) Closing() <-chan struct{} { return h.s.life.Done() }
