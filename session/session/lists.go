package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/offer"
)

// The pause before a list is fetched again after a list_changed notification. It
// doubles, so that a server that sends one for each fetch does not cause a loop. It ends
// with its connection: the next one fetches all of its lists.
const (
	minRefetchPause   = 250 * time.Millisecond
	maxRefetchPause   = 30 * time.Second
	refetchPauseReset = 2 * maxRefetchPause // after which a change is an ordinary one again
)

// changed handles a list_changed notification. It is called on the goroutine of
// the transport.
func (s *Session) changed(kind client.ListKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.state.Phase != Ready || s.closed() || !s.wanted(kind) || s.refetch[kind.Name] {
		return
	}
	s.refetch[kind.Name] = true
	if !s.state.Lists[kind.Name].Loading {
		s.fetchAfterPause(kind)
	}
}

// fetchAfterPause schedules a fetch of a list. The caller holds Session.mu.
func (s *Session) fetchAfterPause(kind client.ListKind) {
	pause := 2 * s.pauses[kind.Name]
	if since := time.Since(s.state.Lists[kind.Name].Loaded); since > refetchPauseReset {
		pause = 0
	}
	pause = min(max(pause, minRefetchPause), maxRefetchPause)
	s.pauses[kind.Name] = pause
	c := s.client
	s.wg.Go(func() {
		if !s.pause(pause, c.Done()) {
			return
		}
		s.mu.Lock()
		current := s.client == c && s.state.Phase == Ready
		if s.client == c {
			s.refetch[kind.Name] = false
		}
		s.mu.Unlock()
		if current {
			s.fetchLists(c, kind)
		}
	})
}

func (s *Session) wanted(kind client.ListKind) bool {
	return slices.ContainsFunc(s.cfg.Lists, func(k client.ListKind) bool { return k.Name == kind.Name })
}

// Fetch fetches a list again, in the background.
func (s *Session) Fetch(kind client.ListKind) {
	if c, err := s.current(); err == nil {
		s.fetchLists(c, kind)
	}
}

// fetchLists starts to fetch the lists that are not being fetched yet. They are
// fetched one after the other, which keeps the traffic readable and costs nothing
// with a server that handles one request at a time.
func (s *Session) fetchLists(c *client.Client, kinds ...client.ListKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed() {
		return
	}
	var todo []client.ListKind
	for _, kind := range kinds {
		l := s.state.Lists[kind.Name]
		if l.Loading {
			continue
		}
		if l.Attempt != s.state.Attempt {
			l = offer.List{Items: l.Items, Attempt: s.state.Attempt} // the entries of another connection are shown until the new list arrives
		}
		l.Offered = c.Handshake().Offers(kind)
		l.Loading = l.Offered
		if l.Offered {
			todo = append(todo, kind)
		} else {
			l = offer.List{}
			s.changes.SetList(kind.Name, nil, s.restartCount)
		}
		s.setList(kind.Name, l)
	}
	if len(todo) > 0 {
		s.wg.Go(func() {
			for _, kind := range todo {
				s.fetchList(c, kind)
			}
		})
	}
}

// offers notes which lists the server of a handshake offers. They are there in a recording, and in a branch
// until it is live, without being fetched. The caller holds Session.mu.
func (s *Session) offers(h client.Handshake) {
	for _, kind := range client.ListKinds {
		if l := s.state.Lists[kind.Name]; !l.Offered && h.Offers(kind) {
			l.Offered = true
			s.setList(kind.Name, l)
		}
	}
}

// setList replaces a list. It copies the map, because states that were returned share it. The caller holds
// s.mu.
func (s *Session) setList(name string, l offer.List) {
	lists := map[string]offer.List{}
	maps.Copy(lists, s.state.Lists)
	lists[name] = l.WithoutUnknown(name)
	s.state.Lists = lists
}

func (s *Session) fetchList(c *client.Client, kind client.ListKind) {
	began := time.Now()
	raws, fresh, err := c.ListFresh(context.Background(), kind) // the client bounds each call
	items := make([]offer.Item, len(raws))
	for i, raw := range raws {
		items[i] = offer.NewItem(kind.Name, raw)
		if kind.Name == client.Tools.Name {
			items[i].Invalid = c.InvalidTool(items[i].Name)
		}
	}
	s.mu.Lock()
	if s.client != c {
		s.mu.Unlock()
		return // the connection has been replaced
	}
	l := s.state.Lists[kind.Name]
	changes := l.Changes
	if !l.Loaded.IsZero() {
		changes++
	}
	s.setList(kind.Name, offer.List{Items: items, Offered: true, Loaded: time.Now(), Began: began, Changes: changes, Err: s.secrets.Error(err), Fresh: fresh, Attempt: l.Attempt})
	if s.refetch[kind.Name] && !s.closed() {
		s.fetchAfterPause(kind) // the list changed while it was fetched
	}
	s.mu.Unlock()
	if err == nil {
		s.listFetched(kind.Name, items)
	}
	s.store.Notify()
}

// listsTimeout bounds the time to fetch the lists of a connected server.
const listsTimeout = 30 * time.Second

// Offered returns the lists of the server as one JSON object, once they are there.
func (s *Session) Offered(ctx context.Context) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, listsTimeout, errors.New("the lists of the server did not arrive within "+listsTimeout.String()))
	defer stop()
	out := []byte("{")
	for _, kind := range client.ListKinds {
		var l offer.List
		err := s.Until(ctx, func() bool {
			l = s.State().Lists[kind.Name]
			return !l.Loading
		})
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, `"`+kind.Member+`":[`...)
		for i, item := range l.Items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, item.Raw...)
		}
		out = append(out, ']')
	}
	return append(out, '}'), nil
}
