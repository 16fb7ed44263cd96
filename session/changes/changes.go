package changes

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"mcptea/client/revision"
	"mcptea/session/diff"
)

// Entry is an entry of a list of the server.
type Entry struct {
	// Key identifies the entry in its list: the name of a tool or prompt, the URI of a
	// resource, the template of a resource template. Entries with an empty key, and the
	// second one of two with the same key, are not compared.
	Key string
	Raw []byte
}

// Item is an entry that differs from what the user has seen of it.
type Item struct {
	List string // "tools", "resources", "templates" or "prompts"
	Key  string
	// Kind is [diff.Added], [diff.Removed] or [diff.Changed].
	Kind     diff.Kind
	Breaking bool // for clients that work with the old entry
	// Old and New are the entries, raw. Old is nil of one that was added, New of one
	// that was removed.
	Old, New []byte
	// Renamed is the key of the entry that is equal but for its name: of an entry that
	// was added the one that was removed, and the reverse.
	Renamed string
	// Groups are the changes of an entry that changed, by member, arranged for reading,
	// and Unchanged are the members that are equal.
	Groups    []Group
	Unchanged []string
	// Restart is the number of the restart after which the entry became as it is; 0 if
	// the server changed its list without one before the first.
	Restart int
}

// Counts are how many entries of a list differ.
type Counts struct{ Added, Removed, Changed int }

// Any reports whether an entry differs.
func (c Counts) Any() bool { return c != Counts{} }

// Snapshot is the state of a [Tracker] at one time. It is not changed later.
type Snapshot struct {
	items map[string][]Item // by the name of their list
	// Server are the changes of protocol version, server info, capabilities and
	// instructions, and ServerRestart is the restart after which they appeared.
	Server        []diff.Change
	ServerRestart int
}

// In returns the entries of a list that differ: those that changed, the breaking ones
// first, then the added, then the removed. A nil Snapshot has none.
func (s *Snapshot) In(list string) []Item {
	if s == nil {
		return nil
	}
	return s.items[list]
}

// Counts are how many entries of lists differ.
func (s *Snapshot) Counts(lists ...string) (c Counts) {
	for _, name := range lists {
		c = c.with(s.In(name))
	}
	return c
}

func (c Counts) with(items []Item) Counts {
	for i := range items {
		switch items[i].Kind {
		case diff.Added:
			c.Added++
		case diff.Removed:
			c.Removed++
		default:
			c.Changed++
		}
	}
	return c
}

// Tracker compares what a server offers with what the user has seen of it. What is
// there first counts as seen. The zero Tracker is ready for use; its methods may be
// called from any goroutine. It keeps the slices that it is given, which the caller
// must not change.
type Tracker struct {
	mu      sync.Mutex
	lists   map[string]*list
	seen    diff.Server // without lists
	now     diff.Server
	known   bool // the server has been described once
	restart int  // after which the description became as it is
	// current is read without mu, which is held while entries are compared.
	current atomic.Pointer[Snapshot]
}

// list is one of the lists.
type list struct {
	seen, now map[string][]byte
	items     []Item
}

// Snapshot returns what differs; it is never nil.
func (t *Tracker) Snapshot() *Snapshot {
	if s := t.current.Load(); s != nil {
		return s
	}
	t.current.CompareAndSwap(nil, &Snapshot{})
	return t.current.Load()
}

// SetList takes the entries of a list as the server returned them after a number of
// restarts. It returns how they differ from those that it returned before.
func (t *Tracker) SetList(name string, entries []Entry, restart int) Counts {
	now := make(map[string][]byte, len(entries))
	for _, e := range entries {
		if _, twice := now[e.Key]; e.Key != "" && !twice {
			now[e.Key] = e.Raw
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lists[name]
	if l == nil {
		if t.lists == nil {
			t.lists = make(map[string]*list)
		}
		t.lists[name] = &list{seen: now, now: now}
		return Counts{}
	}
	step := stepOf(l.now, now)
	if !step.Any() {
		l.now = now
		return step
	}
	l.now = now
	l.compare(name, restart)
	t.publish()
	return step
}

// stepOf counts the differences of two states of a list.
func stepOf(old, now map[string][]byte) (c Counts) {
	for key, a := range old {
		if b, ok := now[key]; !ok {
			c.Removed++
		} else if !same(a, b) {
			c.Changed++
		}
	}
	for key := range now {
		if _, ok := old[key]; !ok {
			c.Added++
		}
	}
	return c
}

func same(a, b []byte) bool { return bytes.Equal(a, b) || diff.Equal(a, b) }

// compare finds the entries that differ from what was seen. Of those that did so
// before and are as they were, the number of the restart stays.
func (l *list) compare(name string, restart int) {
	before := make(map[string]*Item, len(l.items))
	for i := range l.items {
		before[l.items[i].Key] = &l.items[i]
	}
	var items []Item
	add := func(key string, kind diff.Kind, old, now []byte) {
		if b := before[key]; b != nil && b.Kind == kind && same(b.Old, old) && same(b.New, now) {
			kept := *b // the items of a snapshot are not changed
			kept.Renamed = ""
			items = append(items, kept)
			return
		}
		it := Item{List: name, Key: key, Kind: kind, Old: old, New: now, Restart: restart}
		if kind != diff.Changed {
			it.Breaking = kind == diff.Removed
			items = append(items, it)
			return
		}
		found := diff.Servers(offer(name, old), offer(name, now))
		if len(found) == 0 {
			return
		}
		it.Breaking = slices.ContainsFunc(found, func(c diff.Change) bool { return c.Breaking })
		it.Unchanged = unchanged(name, old, now)
		it.Groups = groups(found, diff.RenamedProperties(member(old, "inputSchema"), member(now, "inputSchema")))
		items = append(items, it)
	}
	for key, a := range l.seen {
		if b, ok := l.now[key]; !ok {
			add(key, diff.Removed, a, nil)
		} else if !same(a, b) {
			add(key, diff.Changed, a, b)
		}
	}
	for key, b := range l.now {
		if _, ok := l.seen[key]; !ok {
			add(key, diff.Added, nil, b)
		}
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(order(&a)-order(&b), cmp.Compare(a.Key, b.Key))
	})
	findRenamed(items)
	l.items = items
}

func offer(name string, entry []byte) diff.Server {
	return diff.Server{Lists: map[string][][]byte{name: {entry}}}
}

// order is the place of an item among the others.
func order(it *Item) int {
	switch {
	case it.Kind == diff.Removed:
		return 3
	case it.Kind == diff.Added:
		return 2
	case it.Breaking:
		return 0
	}
	return 1
}

// findRenamed connects each entry that was added with the one that was removed and
// is equal but for the name, where there is exactly one of each.
func findRenamed(items []Item) {
	type pair struct{ added, removed []int }
	pairs := make(map[uint64]*pair)
	for i := range items {
		raw := items[i].New
		if items[i].Kind == diff.Removed {
			raw = items[i].Old
		} else if items[i].Kind != diff.Added {
			continue
		}
		list, _ := revision.ListNamed(items[i].List)
		hash, ok := diff.HashWithout(raw, list.Key)
		if !ok {
			continue
		}
		p := pairs[hash]
		if p == nil {
			p = &pair{}
			pairs[hash] = p
		}
		if items[i].Kind == diff.Added {
			p.added = append(p.added, i)
		} else {
			p.removed = append(p.removed, i)
		}
	}
	for _, p := range pairs {
		if len(p.added) == 1 && len(p.removed) == 1 {
			a, r := &items[p.added[0]], &items[p.removed[0]]
			a.Renamed, r.Renamed = r.Key, a.Key
		}
	}
}

// SetServer takes what the server says of itself after a number of restarts; its
// lists are not looked at.
func (t *Tracker) SetServer(s diff.Server, restart int) {
	s.Lists = nil
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known {
		t.seen, t.now, t.known = s, s, true
		return
	}
	if len(diff.Servers(t.now, s)) == 0 {
		return
	}
	t.now, t.restart = s, restart
	t.publish()
}

// See marks an entry of a list as seen.
func (t *Tracker) See(name, key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lists[name]
	if l == nil || !slices.ContainsFunc(l.items, func(it Item) bool { return it.Key == key }) {
		return
	}
	seen := make(map[string][]byte, len(l.seen)+1)
	for k, raw := range l.seen {
		seen[k] = raw
	}
	delete(seen, key)
	if raw, ok := l.now[key]; ok {
		seen[key] = raw
	}
	l.seen = seen
	l.items = slices.DeleteFunc(slices.Clone(l.items), func(it Item) bool { return it.Key == key })
	t.publish()
}

// SeeList marks all entries of lists as seen.
func (t *Tracker) SeeList(names ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range names {
		if l := t.lists[name]; l != nil {
			l.seen, l.items = l.now, nil
		}
	}
	t.publish()
}

// SeeServer marks what the server says of itself as seen.
func (t *Tracker) SeeServer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = t.now
	t.publish()
}

// publish makes a new snapshot. The caller holds the lock.
func (t *Tracker) publish() {
	s := &Snapshot{items: make(map[string][]Item, len(t.lists))}
	for name, l := range t.lists {
		if len(l.items) > 0 {
			s.items[name] = l.items
		}
	}
	if s.Server = diff.Servers(t.seen, t.now); len(s.Server) > 0 {
		s.ServerRestart = t.restart
	}
	t.current.Store(s)
}
