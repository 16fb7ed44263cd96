package lint

import (
	"bytes"
	"math"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/record/flow"
)

// List is a list of the server. It is built from the pages.
type List struct {
	Items    [][]byte // copies of the raw items in the newest listing
	Complete bool     // the last page has been received
	// PreviousNames holds the names in the previous complete listing.
	PreviousNames []string
	Orderly       bool // each page was requested with the cursor in the previous page
	Unchanged     bool // no notification arrived between the two newest complete listings
	// InVain is the number of consecutive complete listings that are equal to the previous one,
	// although a notification had announced a change.
	InVain int
	// ChangedFresh is the ttlMs of the previous complete listing if that was still fresh when this
	// one differed, and no notification had arrived. Otherwise it is 0 (2026-07-28, server /
	// utilities / caching).
	ChangedFresh time.Duration

	// Unannounced reports whether the listing before the newest one differed from its predecessor, and no notification has
	// arrived since that predecessor.
	Unannounced bool

	size      int               // size of the items in bytes
	tooLarge  bool              // more items would not fit
	method    string            // method that requests the list
	notice    string            // method of the notification about changes
	key       string            // name of the member that identifies an item
	byKey     map[string][]byte // items by key; nil until it is used
	first     int32             // row of the request that began the newest listing
	next      string            // cursor of the next page
	page      arrival           // first page of the newest listing
	changed   arrival           // newest list_changed notification
	completed int32             // row of the newest complete listing
	stale     bool              // the list may have changed since it was listed
	ttl       time.Duration     // shortest lifetime among the pages of the newest listing
	kept      time.Duration     // ttl of the newest complete listing
	fresh     time.Time         // time until which the newest complete listing is fresh
	sum       uint64            // a hash of the newest complete listing; 0 before the first
	set       uint64            // like sum, without the order of the items
	differed  bool              // the newest complete listing differs from its predecessor, and no notification has arrived since

	begun  string             // id of the request that began the newest listing, for display
	newest Listing            // newest complete listing
	former map[string]Listing // names in older complete listings; see Former
}

const (
	// maxFormer is the maximum number of remembered names from earlier listings. When it is reached, all are
	// forgotten.
	maxFormer = 10_000
	// maxFormerName is the longest name that is remembered, in bytes.
	maxFormerName = 256
)

// An arrival is the position of a server message: its row, and its HTTP exchange, or 0 over stdio.
// Only the messages of one exchange arrive in the order in which they were sent.
type arrival struct {
	row      int32
	exchange uint32
}

// Listing is a complete listing.
type Listing struct {
	ID  string // id of the first request, for display
	Row int32  // row of the last page
}

// Former returns two listings for a name. then is the newest complete listing that had the name,
// except the newest of all. now is the newest complete listing.
func (l *List) Former(name string) (then, now Listing, ok bool) {
	then, ok = l.former[name]
	return then, l.newest, ok
}

// remember stores the names of a complete listing before the next listing replaces it.
func (l *List) remember() {
	if len(l.former)+len(l.Items) > maxFormer {
		l.former = nil
	}
	if l.former == nil {
		l.former = make(map[string]Listing, min(len(l.Items), maxFormer))
	}
	for i, item := range l.Items {
		if name := jsonrpc.Text(item, l.key); i < maxFormer && len(name) <= maxFormerName {
			l.former[name] = l.newest
		}
	}
}

// Named returns the first item with a name, or the first resource with a URI.
func (l *List) Named(name string) []byte {
	if l == nil {
		return nil
	}
	if l.byKey == nil {
		l.byKey = make(map[string][]byte, len(l.Items))
		for _, item := range l.Items {
			if n := jsonrpc.Text(item, l.key); l.byKey[n] == nil {
				l.byKey[n] = item
			}
		}
	}
	return l.byKey[name]
}

// Tools returns the list of tools, or nil.
func (st *State) Tools() *List { return st.Lists["tools/list"] }

// list returns the list of a method. It creates the list if necessary.
func (st *State) list(method string) *List {
	l := st.Lists[method]
	if l == nil {
		of, _ := revision.ListOf(method)
		l = &List{method: method, notice: of.Changed, key: of.Key}
		st.Lists[method] = l
	}
	return l
}

// Known reports whether the listing is complete and the list has not changed since.
func (l *List) Known() bool { return l != nil && l.Complete && !l.stale }

// Lists reports whether the newest listing has an item with a key, and the list has not changed
// since. The listing need not be complete.
func (l *List) Lists(key string) bool { return l != nil && !l.stale && l.Named(key) != nil }

// doubt returns why the list cannot be used for judgments: it may have changed.
func (l *List) doubt() string {
	return l.method + " was not sent again after " + l.notice
}

// AnnouncedInVain reports whether changes of a list were announced more than once although the list
// stayed unchanged. A single notification proves nothing, because the previous listing may already
// have contained the change.
func (l *List) AnnouncedInVain() bool { return l != nil && l.Complete && l.InVain > 1 }

// IsUnannounced reports whether a change of the list was not announced. The notification may come until the list is read again.
func (l *List) IsUnannounced() bool { return l != nil && l.Complete && l.Unannounced }

// maxTTL is the longest ttlMs that counts, ten years.
const maxTTL = 10 * 365 * 24 * 3600 * 1000

// maxListBytes bounds all lists of a connection together. If a list does not fit, it counts as
// incomplete.
const maxListBytes = revision.MaxListBytes

// roomFor returns the number of bytes that a list may take. The other lists have taken the rest.
func (st *State) roomFor(l *List) int {
	room := maxListBytes
	for _, other := range st.Lists {
		if other != l {
			room -= other.size
		}
	}
	return room
}

// addPage adds a page to a list. A page that was requested without a cursor is the first one.
func (st *State) addPage(r *flow.Flow, member string, m *Message) {
	l := st.list(r.Method)
	l.byKey = nil
	if cursor := jsonrpc.Text(r.Params, "cursor"); cursor != "" {
		l.Orderly = l.Orderly && cursor == l.next
	} else {
		l.first, l.Orderly, l.PreviousNames = r.Row(), true, nil
		l.page = arrival{m.Frame.Row, m.Frame.Exchange}
		l.begun = Escaped(phrase.Clip(r.ID.String(), maxShown))
		if l.Complete {
			if r.Method == revision.Tools.Method {
				l.remember()
			}
			for _, item := range l.Items {
				l.PreviousNames = append(l.PreviousNames, jsonrpc.Text(item, "name"))
			}
		}
		l.Items, l.Complete, l.size, l.tooLarge, l.ttl = nil, false, 0, false, math.MaxInt64
	}
	var items, next []byte
	for name, value := range jsonrpc.Members(m.Result) { // one pass, because lists are long
		switch string(name) {
		case member:
			items = value
		case "nextCursor":
			next = value
		case "ttlMs":
			if ms, ok := jsonrpc.Integer(value); ok && ms >= 0 && ms < maxTTL {
				l.ttl = min(l.ttl, time.Duration(ms)*time.Millisecond)
			}
		}
	}
	room := st.roomFor(l)
	for item := range jsonrpc.Elements(items) {
		size := len(item) + revision.EntryBytes
		if l.tooLarge = l.tooLarge || l.size+size > room; l.tooLarge {
			break
		}
		l.size += size
		l.Items = append(l.Items, bytes.Clone(item))
	}
	l.next, _ = jsonrpc.Unquote(next)
	l.Complete = jsonrpc.TypeOf(next) != "string" && !l.tooLarge
	if l.Complete {
		l.newest = Listing{l.begun, m.Frame.Row}
		l.Unchanged = l.changed.row <= l.completed
		l.completed = m.Frame.Row
		l.compare(m.Frame.Time)
		l.stale = l.stale && l.mayHaveChanged()
	}
}

// mayHaveChanged reports whether the list may have changed since the newest listing. A change was
// announced after its first page arrived. If the notification came in another exchange, it counts
// from the request of that page.
func (l *List) mayHaveChanged() bool {
	if l.page.exchange == l.changed.exchange {
		return l.changed.row > l.page.row
	}
	return l.changed.row >= l.first
}

// compare compares a complete listing with the previous one. It counts equal ones, and records one
// that differs although the previous one was still fresh.
func (l *List) compare(now time.Time) {
	const odd = 0x9E3779B97F4A7C15 // the order counts
	before, set := l.sum, l.set
	l.sum, l.set = 1, 0
	for _, item := range l.Items {
		sum := jsonrpc.Sum(item)
		l.sum, l.set = l.sum*odd+sum, l.set+sum*odd
	}
	l.Unannounced = l.differed && l.Unchanged && l.Orderly
	l.differed = before != 0 && l.set != set && l.Unchanged && l.Orderly
	l.ChangedFresh = 0
	if before != 0 && l.sum != before && l.Orderly && l.Unchanged && now.Before(l.fresh) {
		l.ChangedFresh = l.kept
	}
	l.fresh, l.kept = time.Time{}, 0
	if l.ttl < math.MaxInt64 {
		l.fresh, l.kept = now.Add(l.ttl), l.ttl
	}
	switch {
	case l.sum != before || !l.Orderly:
		l.InVain = 0
	case !l.Unchanged:
		l.InVain++
	}
}

// Duplicates calls found for each entry of a list whose key was already in the same listing. It
// skips a page that was fetched a second time.
func (c *Context) Duplicates(found func(Place, string)) {
	list, _ := revision.ListOf(c.M.Method)
	if !c.M.IsCompleteObject() {
		return
	}
	p := c.Pages()
	if p.repeated == c.M.Request {
		return // rule N035 reports it
	}
	switch cursor := cursorOf(c.M.Request.Params); {
	case cursor == nil:
		p.names = map[string]bool{}
	case p.names == nil || p.used[cursorKey(cursor)]:
		return
	}
	for i, entry := range Indexed(c.M.Get(c.M.Result, list.Member)) {
		name, ok := jsonrpc.Unquote(jsonrpc.Get(entry, list.Key))
		key := ShortKey(name)
		if ok && p.names[key] {
			found(At("result", list.Member, i, list.Key), name)
		}
		if ok && len(p.names) < maxNames {
			p.names[key] = true
		}
	}
}
