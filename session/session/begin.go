package session

import (
	"context"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/profile"
	"mcptea/client/revision"
	"mcptea/offer"
)

// begun is a request or a notification that the client of a profile sends after connecting: a list,
// or a frame of its own.
type begun struct {
	list   client.ListKind // list of the step; its name is empty for a frame
	method string
}

// begin fetches the lists after connecting: the lists that the impersonated client fetches, or else the
// lists of Config.Lists.
func (s *Session) begin(c *client.Client) {
	if s.keepLists() {
		return
	}
	as := s.Link().Client.As
	if len(as.Begins()) == 0 {
		s.fetchLists(c, s.cfg.Lists...)
		return
	}
	steps, kinds := stepsOf(as)
	if !s.cfg.OnlyBegin {
		for _, kind := range s.cfg.Lists {
			if !slices.ContainsFunc(kinds, func(k client.ListKind) bool { return k.Name == kind.Name }) {
				steps, kinds = append(steps, begun{list: kind}), append(kinds, kind)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed() {
		return
	}
	h := c.Handshake()
	todo := map[string]bool{}
	for _, kind := range kinds {
		l := s.state.Lists[kind.Name]
		if l.Loading {
			continue
		}
		if l.Offered = as.Undeclared || h.HasCapability(kind.Capability()...); l.Offered {
			l = offer.List{Items: l.Items, Attempt: s.state.Attempt, Offered: true, Loading: true}
			todo[kind.Name] = true
		} else {
			l = offer.List{}
		}
		s.setList(kind.Name, l)
	}
	s.state.Begins = true
	s.offers(h) // the other lists exist, and are not fetched
	s.wg.Go(func() { s.beginWith(c, steps, todo) })
}

// stepsOf returns the messages that the client of a profile sends after connecting, and the lists that they
// fetch.
func stepsOf(as *profile.Profile) (steps []begun, kinds []client.ListKind) {
	for _, frame := range as.Begins() {
		method := frame.Method()
		i := slices.IndexFunc(client.ListKinds, func(k client.ListKind) bool { return k.Method == method })
		switch {
		case i < 0:
			steps = append(steps, begun{method: method})
		case !slices.ContainsFunc(kinds, func(k client.ListKind) bool { return k.Method == method }):
			steps, kinds = append(steps, begun{list: client.ListKinds[i]}), append(kinds, client.ListKinds[i])
		}
	}
	return steps, kinds
}

// beginWith sends them, one after the other.
func (s *Session) beginWith(c *client.Client, steps []begun, todo map[string]bool) {
	defer s.store.Notify()
	defer func() {
		s.mu.Lock()
		s.state.Begins = false
		s.mu.Unlock()
	}()
	for _, step := range steps {
		if s.closed() {
			return
		}
		switch m, known := revision.Lookup(step.method); {
		case todo[step.list.Name]:
			s.fetchList(c, step.list)
		case step.list.Name != "":
		case known && m.IsNotification():
			ctx, stop := context.WithTimeout(s.life, sendTimeout)
			_ = c.Notify(ctx, step.method, nil) // a failure ends the connection, which is reported
			stop()
		case step.method == "subscriptions/listen":
			s.wg.Go(func() {
				_, _ = c.Do(s.life, c.NewRequest(c.NextID(), step.method, nil), client.WithoutTimeout())
			})
		default:
			_, _ = c.Do(s.life, c.NewRequest(c.NextID(), step.method, nil)) // the response is in the record
		}
	}
}

// sendTimeout bounds the sending of a notification.
const sendTimeout = 10 * time.Second
