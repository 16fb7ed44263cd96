package notifications

import (
	"hash/fnv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/flow"
	"mcptea/session/lint/rule"
)

// pageRules check cursors.
var pageRules = []rule.Rule{
	{ID: "N030", Select: revision.Method.Paged, Message: func(c *rule.Context) {
		if cursor, at := cursor(c.M); cursor != nil && rule.Kind(cursor) != "string" && rule.Kind(cursor) != "null" {
			c.Report(at, "got", rule.KindOf(cursor))
		}
	}},
	{ID: "N031", Select: revision.Method.Paged, Message: func(c *rule.Context) {
		if cursor, at := cursor(c.M); rule.Kind(cursor) == "null" {
			c.Report(at)
		}
	}},
	{ID: "N032", Select: revision.Method.Paged, Message: func(c *rule.Context) {
		next := rule.Member(c.M.Result, "nextCursor")
		if p := pagesFor(c); c.M.IsCompleteObject() && rule.Kind(next) == "string" && p.isLoop(c.M, next) {
			c.Report(rule.At("result", "nextCursor"), "got", rule.ShownValue(next))
		}
	}},
	{ID: "N033", Select: revision.Method.Paged, Message: func(c *rule.Context) {
		cursor := rule.Member(c.M.Params, "cursor")
		if c.M.IsRequest() && rule.Kind(cursor) == "string" && !pagesFor(c).hasIssued(cursor) {
			c.ReportFor(c.M.Sender(), rule.At("params", "cursor"))
		}
	}},
	{ID: "N034", Select: revision.Method.Paged, When: rule.Matched, Message: unissuedCursorResponse},
	{Select: revision.Method.Paged, After: watchPages},
}

// cursor is the cursor of a request, or nextCursor of a result, with its place;
// nil if it is absent.
func cursor(m *rule.Message) ([]byte, rule.Place) {
	if m.IsRequest() {
		return rule.Member(m.Params, "cursor"), rule.At("params", "cursor")
	}
	return rule.Member(m.Result, "nextCursor"), rule.At("result", "nextCursor")
}

// pages is the state of the pagination of a method.
type pages struct {
	// issued are all cursors that there ever were, and used those of the
	// requests of the newest listing.
	issued, used map[string]bool
	forgotten    bool   // that there were others
	first        uint64 // a hash of the entries of the newest first page; 0 without
	unissued     map[*flow.Flow]bool
}

// maxCursors is how many cursors of a method are remembered.
const maxCursors = 10_000

// hasIssued reports whether a cursor may be one that was given.
func (p *pages) hasIssued(cursor []byte) bool { return p.forgotten || p.issued[rule.CursorKey(cursor)] }

type pagesOf map[string]*pages

// pagesFor are the pages of the method of the message and of the requesting side.
func pagesFor(c *rule.Context) *pages {
	all := rule.Own[pagesOf](c.St)
	if *all == nil {
		*all = pagesOf{}
	}
	requester := c.M.Sender()
	if c.M.IsResponse() {
		requester = rule.Client + rule.Server - requester
	}
	key := requester.String() + " " + c.M.Method
	p := (*all)[key]
	if p == nil {
		p = &pages{issued: map[string]bool{}, used: map[string]bool{}}
		(*all)[key] = p
	}
	return p
}

// isLoop reports whether nextCursor of a page is the cursor of this page or of an
// earlier one. A page that is fetched a second time proves nothing.
func (p *pages) isLoop(m *rule.Message, next []byte) bool {
	cursor := rule.Member(m.Request.Params, "cursor")
	if rule.Kind(cursor) != "string" || p.used[rule.CursorKey(cursor)] {
		return false
	}
	return rule.PlainToken(cursor) == rule.PlainToken(next) || p.used[rule.CursorKey(next)]
}

func watchPages(c *rule.Context) {
	p := pagesFor(c)
	if c.M.IsRequest() {
		if cursor := rule.Member(c.M.Params, "cursor"); rule.Kind(cursor) == "string" && !p.hasIssued(cursor) {
			rule.Keep(&p.unissued, maxCursors, c.St.Request(c.M.Frame.Dir, c.M.ID), true)
		}
		return
	}
	if c.M.Request == nil {
		return
	}
	delete(p.unissued, c.M.Request)
	if !c.M.IsCompleteObject() {
		return
	}
	if cursor := rule.Member(c.M.Request.Params, "cursor"); rule.Kind(cursor) == "string" {
		p.used[rule.CursorKey(cursor)] = true
	} else {
		clear(p.used)
		p.first = pageHash(c.M)
	}
	if next := rule.Member(c.M.Result, "nextCursor"); rule.Kind(next) == "string" {
		if len(p.issued) >= maxCursors {
			p.forgotten = true
			clear(p.issued)
			clear(p.used)
		}
		p.issued[rule.CursorKey(next)] = true
	}
}

// pageHash is a hash of the entries of a page, 0 if there are none.
func pageHash(m *rule.Message) uint64 {
	list, _ := revision.ListOf(m.Method)
	entries := rule.Member(m.Result, list.Member)
	if rule.First(entries) == nil {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write(entries)
	return h.Sum64()
}

// unissuedCursorResponse checks only errors that are about the cursor.
func unissuedCursorResponse(c *rule.Context) {
	p := pagesFor(c)
	if !p.unissued[c.M.Request] {
		return
	}
	switch {
	case c.M.IsError() && c.M.Envelope.Code != jsonrpc.CodeInvalidParams:
		if rule.ContainsAny(strings.ToLower(rule.Text(c.M.Error, "message")), "cursor", "page", "pagination") {
			c.Report(rule.At("error", "code"))
		}
	case c.M.IsCompleteObject() && p.first != 0 && pageHash(c.M) == p.first:
		list, _ := revision.ListOf(c.M.Method)
		c.Report(rule.At("result", list.Member))
	}
}
