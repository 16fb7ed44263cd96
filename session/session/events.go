package session

import (
	"mcptea/client"
	"mcptea/record/store"
	"mcptea/session/events"
)

// Events returns the server's event subscriptions.
func (s *Session) Events() *events.Tracker { return s.events }

// eventHost is the session as the tracker of its events sees it.
type eventHost struct{ s *Session }

var _ events.Session = eventHost{}

// Store implements [events.Session].
func (h eventHost) Store() *store.Store { return h.s.store }

// Send implements [events.Session].
func (h eventHost) Send(method string, params []byte) events.Call { return h.s.Start(method, params) }

// Hide implements [events.Session].
func (h eventHost) Hide(secret string) { h.s.Hide(secret) }

// Connected implements [events.Session].
func (h eventHost) Connected() (attempt int, ready bool) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return h.s.state.Attempt, h.s.client != nil && h.s.state.Phase == Ready && !h.s.closed()
}

// Go implements [events.Session].
func (h eventHost) Go(do func()) bool {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	if h.s.closed() {
		return false
	}
	h.s.wg.Go(do)
	return true
}

// Closing implements [events.Session].
func (h eventHost) Closing() <-chan struct{} { return h.s.life.Done() }

// alreadyLoaded is the closed channel of a session that is not a recording.
var alreadyLoaded = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Loaded implements [events.Session].
func (h eventHost) Loaded() <-chan struct{} {
	if h.s.recorded == nil {
		return alreadyLoaded
	}
	return h.s.recorded.loaded
}

// Changed implements [events.Session].
func (h eventHost) Changed() { h.s.store.Notify() }

// Payload implements [events.Session].
func (h eventHost) Payload(name string) []byte {
	h.s.mu.Lock()
	list := h.s.state.Lists[client.Events.Name]
	h.s.mu.Unlock()
	item, _ := list.Find(name)
	return item.Member("payloadSchema")
}
