package session

import (
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// SubscribeResource subscribes to changes of a resource, or unsubscribes. In the
// stateless era it changes the filter of the one subscription, and the outcome
// has no response.
func (s *Session) SubscribeResource(uri string, on bool) *Call {
	s.mu.Lock()
	s.follow(uri, on)
	if w := s.watcher; w != nil && w.c == s.client && w.c.Handshake().Revision.IsStateless() {
		defer s.mu.Unlock()
		return w.setResource(uri, on)
	}
	s.mu.Unlock()
	method := "resources/unsubscribe"
	if on {
		method = "resources/subscribe"
	}
	call := s.Start(method, client.Params(map[string]string{"uri": uri}))
	if on {
		s.goTracked(func() {
			<-call.Done()
			if answer, err := call.Outcome(); err != nil || answer.Err() != nil {
				s.mu.Lock()
				s.follow(uri, false) // the server refused it
				s.mu.Unlock()
			}
		})
	}
	return call
}

// follow adds a resource to those that are followed, or removes it. The caller holds the
// lock.
func (s *Session) follow(uri string, on bool) { s.followed = toggled(s.followed, uri, on) }

// toggled returns a list with a text at its end, or without it.
func toggled(list []string, text string, on bool) []string {
	list = slices.DeleteFunc(list, func(other string) bool { return other == text })
	if on {
		list = append(list, text)
	}
	return list
}

// resubscribeResources repeats the resource subscriptions on a new connection. In
// the stateless era the watcher does that.
func (s *Session) resubscribeResources(c *client.Client) {
	if c.Handshake().Revision.IsStateless() {
		return
	}
	s.mu.Lock()
	uris := slices.Clone(s.followed)
	s.mu.Unlock()
	for _, uri := range uris {
		s.SubscribeResource(uri, true)
	}
}

// Update is what the server has reported of one resource.
type Update struct {
	At    time.Time // of the newest notification
	Count int       // how many there were on this connection
}

// updates are the resources that the server has reported as changed. The zero value is
// ready to use. It is guarded by Session.mu.
type updates struct {
	byURI  map[string]Update
	shared map[string]Update // the copy that was handed out; nil when it is old
}

// maxUpdates bounds for how many URIs updates are kept; what is followed counts
// always.
const maxUpdates = 1000

func (u *updates) clear() { u.byURI, u.shared = nil, nil }

func (u *updates) add(uri string, at time.Time, always bool) {
	before, known := u.byURI[uri]
	if !known && !always && len(u.byURI) >= maxUpdates {
		return
	}
	if u.byURI == nil {
		u.byURI = map[string]Update{}
	}
	u.byURI[uri] = Update{At: at, Count: before.Count + 1}
	u.shared = nil
}

// snapshot returns a copy that is not changed later.
func (u *updates) snapshot() map[string]Update {
	if u.shared == nil && len(u.byURI) > 0 {
		u.shared = make(map[string]Update, len(u.byURI))
		for uri, up := range u.byURI {
			u.shared[uri] = up
		}
	}
	return u.shared
}

// maxURI is the longest URI whose updates are kept.
const maxURI = 4 << 10

// resourceUpdated is called from the wire for notifications/resources/updated.
func (s *Session) resourceUpdated(params []byte, at time.Time) {
	raw, _ := jsonrpc.Member(params, "uri")
	uri, ok := jsonrpc.Unquote(raw)
	if !ok || len(uri) > maxURI {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates.add(uri, at, slices.Contains(s.followed, uri))
}
