package notifications

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

// pageRules check cursors.
var pageRules = []rule.Rule{
	{ID: "N030", Select: revision.Method.Paged, Message: func(c *rule.Context) {
		if cursor, at := cursor(c.M); cursor != nil && jsonrpc.TypeOf(cursor) != "string" && jsonrpc.TypeOf(cursor) != "null" {
			c.Report(at, "got", rule.KindOf(cursor))
		}
	}},
	{ID: "N031", Select: revision.Method.Paged, Message: func(c *rule.Context) {
		if cursor, at := cursor(c.M); jsonrpc.TypeOf(cursor) == "null" {
			c.Report(at)
		}
	}},
	{ID: "N032", Select: revision.Method.Paged, Message: func(c *rule.Context) {
		next := jsonrpc.Get(c.M.Result, "nextCursor")
		if c.M.IsCompleteObject() && jsonrpc.TypeOf(next) == "string" && c.Pages().IsLoop(c.M, next) {
			c.Report(rule.At("result", "nextCursor"), "got", rule.ShownValue(next))
		}
	}},
	{ID: "N033", Select: revision.Method.Paged, Message: func(c *rule.Context) {
		cursor := jsonrpc.Get(c.M.Params, "cursor")
		if c.M.IsRequest() && jsonrpc.TypeOf(cursor) == "string" && !c.Pages().HasIssued(cursor) {
			c.ReportFor(c.M.Sender(), rule.At("params", "cursor"))
		}
	}},
	{ID: "N034", Select: revision.Method.Paged, When: rule.Matched, Message: unissuedCursorResponse},
	{Select: revision.Method.Paged, After: rule.WatchPages},
}

// cursor is the cursor of a request, or nextCursor of a result, with its place;
// nil if it is absent.
func cursor(m *rule.Message) ([]byte, rule.Place) {
	if m.IsRequest() {
		return jsonrpc.Get(m.Params, "cursor"), rule.At("params", "cursor")
	}
	return jsonrpc.Get(m.Result, "nextCursor"), rule.At("result", "nextCursor")
}

// unissuedCursorResponse checks only errors that are about the cursor.
func unissuedCursorResponse(c *rule.Context) {
	p := c.Pages()
	switch {
	case !p.IsUnissued(c.M.Request):
	case c.M.IsError() && c.M.Envelope.Code != jsonrpc.CodeInvalidParams:
		if rule.ContainsAny(strings.ToLower(jsonrpc.Text(c.M.Error, "message")), "cursor", "page", "pagination") {
			c.Report(rule.At("error", "code"))
		}
	case c.M.IsCompleteObject() && p.IsFirst(c.M):
		list, _ := revision.ListOf(c.M.Method)
		c.Report(rule.At("result", list.Member))
	}
}
