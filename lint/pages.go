package lint

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/record/flow"
)

// Pages holds what is known about the pages of a method that one side has requested.
type Pages struct {
	// issued maps each cursor that was ever issued to the cacheScope of the first page of its
	// listing. used holds the cursors in the requests of the newest listing.
	issued    map[string]string
	used      map[string]bool
	forgotten bool                // some cursors were forgotten
	names     map[string]bool     // names of the entries in the newest listing, or nil before the first
	first     uint64              // hash of the entries in the first page of the newest listing, or 0
	last      uint64              // hash of the entries in the newest page of the newest listing
	next      string              // key of the newest nextCursor, or ""
	repeated  *flow.Flow          // request of the newest page, if it repeats an earlier one
	unissued  map[*flow.Flow]bool // requests with a cursor that was never issued
}

type pagesOf map[string]*Pages

// bounds of the remembered values
const (
	maxPaged   = 100     // maximum number of methods and sides
	maxCursors = 10_000  // maximum number of cursors of a method
	maxNames   = 200_000 // maximum number of names of a listing that are compared
)

// Pages returns the pages that the receiver of the message has requested with its method.
func (c *Context) Pages() *Pages {
	all := Own[pagesOf](c.St)
	requester := c.M.Sender()
	if c.M.IsResponse() {
		requester = Client + Server - requester
	}
	key := requester.String() + " " + c.M.Method
	p := (*all)[key]
	if p == nil {
		p = &Pages{issued: map[string]string{}, used: map[string]bool{}}
		Keep(all, maxPaged, key, p)
	}
	return p
}

// cursorOf returns the raw cursor of a request, or nil for the first page.
func cursorOf(params []byte) []byte {
	if cursor := jsonrpc.Get(params, "cursor"); jsonrpc.TypeOf(cursor) == "string" && len(cursor) > len(`""`) {
		return cursor
	}
	return nil
}

// cursorKey returns a map key for the meaning of a raw cursor.
func cursorKey(raw []byte) string { return ShortKey(string(jsonrpc.TokenOf(raw).Meaning())) }

// HasIssued reports whether a cursor may have been issued.
func (p *Pages) HasIssued(cursor []byte) bool {
	_, ok := p.issued[cursorKey(cursor)]
	return ok || p.forgotten
}

// IsUnissued reports whether a request has a cursor that was never issued.
func (p *Pages) IsUnissued(r *flow.Flow) bool { return p.unissued[r] }

// IsLoop reports whether the nextCursor of a page is the cursor of the same page or of an earlier
// one. A page that is fetched a second time proves nothing.
func (p *Pages) IsLoop(m *Message, next []byte) bool {
	cursor := cursorOf(m.Request.Params)
	if cursor == nil || p.used[cursorKey(cursor)] {
		return false
	}
	return jsonrpc.TokenOf(cursor).Same(jsonrpc.TokenOf(next)) || p.used[cursorKey(next)]
}

// IsFirst reports whether a page has the same entries as the newest first page.
func (p *Pages) IsFirst(m *Message) bool { return p.first != 0 && pageHash(m) == p.first }

// Repeats reports whether the page has the same entries as the previous page, although it was
// requested with the cursor in that page. Its entries do not count as duplicates; see
// [Context.Duplicates].
func (p *Pages) Repeats(m *Message) bool {
	cursor := cursorOf(m.Request.Params)
	is := cursor != nil && p.next != "" && cursorKey(cursor) == p.next && p.last != 0 && pageHash(m) == p.last
	if is {
		p.repeated = m.Request
	}
	return is
}

// Scope returns the cacheScope of the first page of a listing, or "" if unknown. The message is a
// later page of that listing.
func (p *Pages) Scope(m *Message) string {
	if cursor := cursorOf(m.Request.Params); cursor != nil {
		return p.issued[cursorKey(cursor)]
	}
	return ""
}

// WatchPages updates the pages with a request or a page. It runs after the rules about pages.
func WatchPages(c *Context) {
	p, m := c.Pages(), c.M
	switch {
	case m.IsRequest():
		if cursor := m.Get(m.Params, "cursor"); jsonrpc.TypeOf(cursor) == "string" && !p.HasIssued(cursor) {
			Keep(&p.unissued, maxCursors, c.St.Flows.Find(m.Frame.Dir, m.ID), true)
		}
		return
	case m.Request == nil:
		return
	}
	delete(p.unissued, m.Request)
	if !m.IsCompleteObject() {
		return
	}
	scope := m.Text(m.Result, "cacheScope")
	if cursor := cursorOf(m.Request.Params); cursor != nil {
		p.used[cursorKey(cursor)] = true
		if scope != "" {
			scope = p.Scope(m)
		}
	} else {
		clear(p.used)
		p.first = pageHash(m)
	}
	p.last, p.next = pageHash(m), ""
	if next := m.Get(m.Result, "nextCursor"); jsonrpc.TypeOf(next) == "string" {
		p.next = cursorKey(next)
		if len(p.issued) >= maxCursors {
			p.forgotten = true
			clear(p.issued)
			clear(p.used)
		}
		p.issued[cursorKey(next)] = scope
	}
}

// pageHash returns a hash of the meaning of the entries in a page, or 0 if the page has none.
func pageHash(m *Message) uint64 {
	list, _ := revision.ListOf(m.Method)
	entries := m.Get(m.Result, list.Member)
	if First(entries) == nil {
		return 0
	}
	return max(jsonrpc.Sum(entries), 1)
}
