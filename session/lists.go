package session

import (
	"context"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// List is one of the server's lists as far as it is known.
type List struct {
	Items   []Item
	Offered bool // the server declared the capability
	Loading bool
	Loaded  time.Time // zero before the first time
	Changes int       // how often it was fetched again
	Err     error
}

// Item is one entry of a list. A member that is not what the specification
// says is left empty; Raw has everything.
type Item struct {
	Kind        string // name of its list: "tools", "resources", "templates", "prompts"
	Name        string
	Title       string
	Description string
	URI         string // of a resource, or the template
	MIME        string
	Raw         []byte
}

func newItem(kind client.ListKind, raw []byte) Item {
	i := Item{
		Kind: kind.Name, Raw: raw,
		Name: member(raw, "name"), Title: member(raw, "title"), Description: member(raw, "description"),
		URI: member(raw, "uri"), MIME: member(raw, "mimeType"),
	}
	if t := member(raw, "uriTemplate"); t != "" {
		i.URI = t
	}
	if i.Title == "" {
		i.Title = member(raw, "annotations", "title")
	}
	return i
}

func member(object []byte, name string, more ...string) string {
	v, _ := jsonrpc.Member(object, name, more...)
	s, _ := jsonrpc.Unquote(v)
	return s
}

// Member returns a raw member of the entry.
func (i Item) Member(name string, more ...string) []byte {
	v, _ := jsonrpc.Member(i.Raw, name, more...)
	return v
}

// changed is called from the wire when the server says that a list is another
// now. A thousand such notices cost one more fetch, or two.
func (s *Session) changed(kind client.ListKind) {
	s.mu.Lock()
	c := s.client
	ready := c != nil && s.state.Phase == Ready && !s.closed
	if ready && s.state.Lists[kind.Name].Loading {
		s.refetch[kind.Name] = true
		ready = false
	}
	s.mu.Unlock()
	if ready && s.wanted(kind) {
		s.fetchLists(c, kind)
	}
}

func (s *Session) wanted(kind client.ListKind) bool {
	for _, k := range s.cfg.Lists {
		if k.Name == kind.Name {
			return true
		}
	}
	return false
}

// Fetch fetches a list again, in the background.
func (s *Session) Fetch(kind client.ListKind) {
	if c, err := s.current(); err == nil {
		s.fetchLists(c, kind)
	}
}

// fetchLists starts to fetch lists, unless that is happening already. It is one
// after the other: the traffic reads better, and a server that does one thing
// at a time is no slower for it.
func (s *Session) fetchLists(c *client.Client, kinds ...client.ListKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	var todo []client.ListKind
	for _, kind := range kinds {
		l := s.state.Lists[kind.Name]
		if l.Loading {
			continue
		}
		l.Offered = s.state.Handshake.HasCapability(kind.Needs)
		l.Loading = l.Offered
		if l.Offered {
			todo = append(todo, kind)
		} else {
			l = List{}
		}
		s.setList(kind, l)
	}
	if len(todo) > 0 {
		s.wg.Go(func() {
			for _, kind := range todo {
				s.fetchUntilQuiet(c, kind)
			}
		})
	}
}

// setList replaces a list; the map of a state that was handed out stays as it
// was. The caller holds the lock.
func (s *Session) setList(kind client.ListKind, l List) {
	lists := make(map[string]List, len(s.state.Lists)+1)
	for k, v := range s.state.Lists {
		lists[k] = v
	}
	lists[kind.Name] = l
	s.state.Lists = lists
}

func (s *Session) fetchUntilQuiet(c *client.Client, kind client.ListKind) {
	for again := true; again; {
		raws, err := c.List(context.Background(), kind) // the client bounds each call
		items := make([]Item, len(raws))
		for i, raw := range raws {
			items[i] = newItem(kind, raw)
		}
		s.mu.Lock()
		l := s.state.Lists[kind.Name]
		again = s.refetch[kind.Name] && err == nil && s.client == c
		s.refetch[kind.Name] = false
		changes := l.Changes
		if !l.Loaded.IsZero() {
			changes++
		}
		s.setList(kind, List{Items: items, Offered: true, Loading: again, Loaded: time.Now(), Changes: changes, Err: err})
		s.mu.Unlock()
		s.store.Poke()
	}
}
