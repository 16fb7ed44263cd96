package peer

import (
	"context"
	"time"
)

// Toggle shows or hides an entry of a list ("tools", "prompts", "resources")
// that is hidden by default, tells the client that the list changed, and
// returns whether the entry is shown now.
func (c *Call) Toggle(list, name string) bool {
	shown := c.memory().toggle(list + "/" + name)
	method := "notifications/" + list + "/list_changed"
	if c.terms.modern {
		c.server().publish(method, nil, func(f *filter) bool { return f.wantsList(list) })
		return shown
	}
	c.session.Notify(method, nil)
	return shown
}

// TouchResource tells all subscribers of a resource that it changed, and
// returns how many these are. It reports false for an unknown uri.
func (c *Call) TouchResource(uri string) (int, bool) {
	if !c.holds(uri) {
		return 0, false
	}
	return c.server().updated(uri), true
}

// NotifyUnasked sends a notification that does not belong to this call. Where
// there are no sessions there is nowhere to send it.
func (c *Call) NotifyUnasked(method string, params any) {
	if !c.terms.modern {
		c.session.Notify(method, encode(params))
	}
}

// EndSubscriptions ends all subscriptions/listen streams as a server does that
// shuts down, and returns how many there were.
func (c *Call) EndSubscriptions() int {
	return c.server().EndSubscriptions()
}

// EndSubscriptions is [Call.EndSubscriptions] without a call.
func (s *Server) EndSubscriptions() int {
	return s.endListening(func(*listener) bool { return true })
}

// updated tells all the sessions and streams that subscribed to a resource, and
// returns how many these are.
func (s *Server) updated(uri string) int {
	s.mu.Lock()
	var told []*Session
	for session := range s.sessions {
		if session.subscribed(uri) {
			told = append(told, session)
		}
	}
	s.mu.Unlock()
	for _, session := range told {
		session.notifyUpdated(uri)
	}
	return len(told) + s.publish(methodUpdated, map[string]any{"uri": uri}, func(f *filter) bool { return f.wantsURI(uri) })
}

const methodUpdated = "notifications/resources/updated"

func (s *Session) notifyUpdated(uri string) {
	s.Notify(methodUpdated, encode(map[string]string{"uri": uri}))
}

// every is how long it takes until a resource changes by itself, 0 for never.
func (s *Server) every(uri string) time.Duration {
	for i := range s.Resources {
		if s.Resources[i].URI == uri {
			return time.Duration(s.Resources[i].Every * float64(s.pace()))
		}
	}
	return 0
}

// tick calls changed each time the resource changes by itself, until ctx ends.
func (s *Server) tick(ctx context.Context, uri string, changed func()) {
	every := s.every(uri)
	if every <= 0 {
		return
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.memory.count("ticks of " + uri)
			changed()
		case <-ctx.Done():
			return
		}
	}
}

// Ticks returns how often a resource has changed by itself.
func (c *Call) Ticks(uri string) int {
	m := &c.server().memory
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts["ticks of "+uri]
}
