package lint

import (
	"hash/fnv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// paged are the methods whose results come in pages.
var paged = func() []string {
	var names []string
	for _, m := range revision.Methods("", revision.Both) {
		if m.Paged {
			names = append(names, m.Name)
		}
	}
	return names
}()

// pageRules judge cursors.
var pageRules = []rule{
	{id: "N030", methods: paged, message: func(c *Context) {
		if cursor, at := c.M.cursor(); cursor != nil && Kind(cursor) != "string" && Kind(cursor) != "null" {
			c.Report(at, "got", kindOf(cursor))
		}
	}},
	{id: "N031", methods: paged, message: func(c *Context) {
		if cursor, at := c.M.cursor(); Kind(cursor) == "null" {
			c.Report(at)
		}
	}},
	{id: "N032", methods: paged, message: func(c *Context) {
		next := Member(c.M.Result, "nextCursor")
		if p := c.pages(); c.M.done() && Kind(next) == "string" && p.again(c.M, next) {
			c.Report(At("result", "nextCursor"), "got", shownValue(next))
		}
	}},
	{id: "N033", methods: paged, message: func(c *Context) {
		cursor := Member(c.M.Params, "cursor")
		if c.M.IsRequest() && Kind(cursor) == "string" && !c.pages().hasIssued(cursor) {
			c.ReportFor(c.M.Sender(), At("params", "cursor"))
		}
	}},
	{id: "N034", methods: paged, message: unknownCursorAnswered},
	{methods: paged, after: watchPages, release: releasePages},
}

// cursor is what a message says of pages: of the one that it wants, or of the
// next one. It is nil when there is nothing.
func (m *Message) cursor() ([]byte, Place) {
	if m.IsRequest() {
		return Member(m.Params, "cursor"), At("params", "cursor")
	}
	return Member(m.Result, "nextCursor"), At("result", "nextCursor")
}

// pages are what is known of the pages of a method.
type pages struct {
	// issued are all cursors that there ever were, and used those of the
	// requests of the newest listing.
	issued, used map[string]bool
	forgot       bool   // that there were others
	first        uint64 // a hash of the entries of the newest first page; 0 without
	invented     map[*Request]bool
}

// maxCursors is how many cursors of a method are remembered.
const maxCursors = 10_000

// hasIssued reports whether a cursor may be one that was given.
func (p *pages) hasIssued(cursor []byte) bool { return p.forgot || p.issued[tokenKey(cursor)] }

type pagesOf map[string]*pages

// pages are those of the method of the message and of the side that asks.
func (c *Context) pages() *pages {
	all := Own[pagesOf](c.St)
	if *all == nil {
		*all = pagesOf{}
	}
	asker := c.M.Sender()
	if c.M.IsAnswer() {
		asker = Client + Server - asker
	}
	key := asker.String() + " " + c.M.Method
	p := (*all)[key]
	if p == nil {
		p = &pages{
			issued: map[string]bool{}, used: map[string]bool{}, invented: map[*Request]bool{},
		}
		(*all)[key] = p
	}
	return p
}

// again reports whether a page names a cursor as the next one that led to it,
// or to a page before. A page that is fetched a second time proves nothing.
func (p *pages) again(m *Message, next []byte) bool {
	cursor := Member(m.Request.Params, "cursor")
	if Kind(cursor) != "string" || p.used[tokenKey(cursor)] {
		return false
	}
	return plainToken(cursor) == plainToken(next) || p.used[tokenKey(next)]
}

func watchPages(c *Context) {
	p := c.pages()
	if c.M.IsRequest() {
		if cursor := Member(c.M.Params, "cursor"); Kind(cursor) == "string" && !p.hasIssued(cursor) {
			p.invented[c.St.Request(c.M.Frame.Dir, c.M.ID)] = true
		}
		return
	}
	if c.M.Request == nil {
		return
	}
	delete(p.invented, c.M.Request)
	if !c.M.done() {
		return
	}
	if cursor := Member(c.M.Request.Params, "cursor"); Kind(cursor) == "string" {
		p.used[tokenKey(cursor)] = true
	} else {
		clear(p.used)
		p.first = pageHash(c.M)
	}
	if next := Member(c.M.Result, "nextCursor"); Kind(next) == "string" {
		if len(p.issued) >= maxCursors {
			p.forgot = true
			clear(p.issued)
			clear(p.used)
		}
		p.issued[tokenKey(next)] = true
	}
}

// pageHash tells pages from each other; 0 of an empty one.
func pageHash(m *Message) uint64 {
	entries := Member(m.Result, lists[m.Method])
	for range jsonrpc.Elements(entries) {
		h := fnv.New64a()
		_, _ = h.Write(entries)
		return h.Sum64()
	}
	return 0
}

// unknownCursorAnswered speaks of refusals only when they are about the cursor.
func unknownCursorAnswered(c *Context) {
	if c.M.Request == nil {
		return
	}
	p := c.pages()
	if !p.invented[c.M.Request] {
		return
	}
	switch {
	case c.M.IsError() && c.M.Envelope.Code != jsonrpc.CodeInvalidParams:
		if containsAny(strings.ToLower(Text(c.M.Error, "message")), "cursor", "page", "pagination") {
			c.Report(At("error", "code"))
		}
	case c.M.done() && p.first != 0 && pageHash(c.M) == p.first:
		c.Report(At("result", lists[c.M.Method]))
	}
}

func releasePages(st *State, r *Request) {
	for _, p := range *Own[pagesOf](st) {
		delete(p.invented, r)
	}
}
