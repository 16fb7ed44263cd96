// Package changes compares the server's lists, capabilities and instructions with what the user has seen of
// them, after a restart or after a notification that a list has changed.
//
// The first version counts as seen. A difference stays until it is marked as seen or the server reverts it;
// later restarts add to it. The package does not depend on a screen.
package changes

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"mcptea/client/jsonrpc"
	"mcptea/offer/diff"
)

// An Entry is an entry of a server's list.
type Entry struct {
	// Key identifies the entry in its list: the name of a tool or prompt, the URI of a
	// resource, the template of a resource template. Entries with an empty key, and the
	// second one of two with the same key, are not compared.
	Key string
	Raw []byte
}

// An Item is an entry that differs from the version that the user has seen.
type Item struct {
	List string // "tools", "resources", "templates" or "prompts"
	Key  string
	// Kind is [diff.Added], [diff.Removed] or [diff.Changed]; an entry with another key changed.
	Kind     diff.Kind
	Breaking bool // breaks clients that rely on the old entry
	// Old and New are the raw entries. Old is nil if the entry was added, New if it was removed.
	Old, New []byte
	// Renamed is the key that the entry had; empty if it has that still. See [renames].
	Renamed string
	// RenamedAt is the number of the restart that gave the item its new key.
	RenamedAt int
	// Groups holds the changes of a changed entry by member, arranged for reading. Unchanged lists the members
	// that are equal.
	Groups    []Group
	Unchanged []string
	// Restart is the number of the restart that brought the current version, or 0 if the server changed its
	// list before the first restart.
	Restart int
}

// Counts holds the numbers of changed entries of a list.
type Counts struct{ Added, Removed, Changed int }

// Any reports whether an entry differs.
func (c Counts) Any() bool { return c != Counts{} }

// Snapshot is the state of a [Tracker] at one time. It is not changed later.
type Snapshot struct {
	items map[string][]Item // items by the name of their list
	// Server lists the changes of protocol version, server info, capabilities and instructions.
	// ServerRestart is the number of the restart after which they appeared.
	Server        []diff.Change
	ServerRestart int
	// moved maps former names of properties to current ones, by list and key of the entry. See
	// [Snapshot.Properties].
	moved map[string]map[string]map[string]string
}

// In returns the changed entries of a list: changed ones first, with breaking changes at the start, then added,
// then removed ones. A nil Snapshot has none.
func (s *Snapshot) In(list string) []Item {
	if s == nil {
		return nil
	}
	return s.items[list]
}

// Counts returns the numbers of changed entries of lists.
func (s *Snapshot) Counts(lists ...string) (c Counts) {
	for _, name := range lists {
		for _, it := range s.In(name) {
			c.add(it.Kind)
		}
	}
	return c
}

// add counts an entry that differs.
func (c *Counts) add(kind diff.Kind) {
	switch kind {
	case diff.Added:
		c.Added++
	case diff.Removed:
		c.Removed++
	default:
		c.Changed++
	}
}

// A Tracker compares what a server offers with what the user has seen. The first version counts as
// seen. The zero Tracker is ready for use, and its methods are safe for concurrent use. It keeps
// the slices that are passed to it, so the caller must not change them.
type Tracker struct {
	mu      sync.Mutex
	lists   map[string]*list
	seen    diff.Server // without lists
	now     diff.Server
	known   bool // the server has been described once
	restart int  // restart that brought the current description
	// current is read without mu, which is held while entries are compared.
	current atomic.Pointer[Snapshot]
}

// A list is the state of one list.
type list struct {
	seen, now map[string][]byte
	items     []Item
	// moved maps former names of properties to current ones, by key. Snapshots share it, so SetList makes a new
	// one.
	moved map[string]map[string]string
}

// Snapshot returns what differs; it is never nil.
func (t *Tracker) Snapshot() *Snapshot {
	if s := t.current.Load(); s != nil {
		return s
	}
	t.current.CompareAndSwap(nil, &Snapshot{})
	return t.current.Load()
}

// SetList sets the entries of a list as returned after the given number of restarts. It returns the differences
// from the previous entries.
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
	var step Counts
	differences := differing(name, l.now, now)
	for _, d := range differences {
		step.add(d.kind)
	}
	before := l.now
	l.now = now
	if step.Any() {
		l.follow(differences, before)
		l.compare(name, restart)
		t.publish()
	}
	return step
}

// compare finds the entries that differ from the entries that the user has seen. Entries that differed
// before and did not change keep the number of their restart.
func (l *list) compare(name string, restart int) {
	before := make(map[string]*Item, len(l.items))
	for i := range l.items {
		before[l.items[i].Key] = &l.items[i]
	}
	var items []Item
	for _, d := range differing(name, l.seen, l.now) {
		it := Item{
			List: name, Key: d.key, Kind: d.kind, Renamed: d.before, RenamedAt: restart, Restart: restart, Breaking: d.kind == diff.Removed || d.before != "",
			Old: l.seen[cmp.Or(d.before, d.key)], New: l.now[d.key],
		}
		if b := before[d.key]; b != nil && b.Kind == d.kind && b.Renamed == d.before && jsonrpc.Equal(b.Old, it.Old) && jsonrpc.Equal(b.New, it.New) {
			it = *b // the items of a snapshot are not changed
		} else if d.kind == diff.Changed {
			found := diff.Entries(name, it.Old, it.New)
			it.Breaking = it.Breaking || slices.ContainsFunc(found, func(c diff.Change) bool { return c.Breaking })
			it.Unchanged = unchanged(name, it.Old, it.New)
			renamed := RenamedProperties(it.Old, it.New)
			it.Groups = groups(found, renamed)
			l.move(d.key, l.moved[d.key], renamed) // even if the entry was absent in between
		}
		if b := before[d.key]; b != nil && b.Renamed == d.before {
			it.RenamedAt = b.RenamedAt
		}
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(order(&a)-order(&b), cmp.Compare(a.Key, b.Key))
	})
	l.items = items
}

// order returns the sort key of an item.
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

// SetServer sets the server's description of itself after the given number of restarts. It ignores the lists.
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
	if l == nil {
		return
	}
	i := slices.IndexFunc(l.items, func(it Item) bool { return it.Key == key })
	if i < 0 {
		return
	}
	seen := maps.Clone(l.seen)
	delete(seen, key)
	delete(seen, l.items[i].Renamed)
	if raw, ok := l.now[key]; ok {
		seen[key] = raw
	}
	l.seen = seen
	l.items = slices.Delete(slices.Clone(l.items), i, i+1)
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

// SeeServer marks the server's description of itself as seen.
func (t *Tracker) SeeServer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = t.now
	t.publish()
}

// publish makes a new snapshot. The caller holds the lock.
func (t *Tracker) publish() {
	s := &Snapshot{items: make(map[string][]Item, len(t.lists)), moved: make(map[string]map[string]map[string]string, len(t.lists))}
	for name, l := range t.lists {
		s.moved[name] = l.moved
		if len(l.items) > 0 {
			s.items[name] = l.items
		}
	}
	if s.Server = diff.Servers(t.seen, t.now); len(s.Server) > 0 {
		s.ServerRestart = t.restart
	}
	t.current.Store(s)
}
