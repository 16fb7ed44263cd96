package notifications

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// pageRules check cursors.
var pageRules = []lint.Rule{
	{ID: "N031"},
	{ID: "N032", Select: revision.Method.Paged, Message: func(c *lint.Context) {
		next := c.M.Get(c.M.Result, "nextCursor")
		if c.M.IsCompleteObject() && jsonrpc.TypeOf(next) == "string" && c.Pages().IsLoop(c.M, next) {
			c.Report(lint.At("result", "nextCursor"), "got", lint.ShownValue(next))
		}
	}},
	{ID: "N033", Select: revision.Method.Paged, Message: func(c *lint.Context) {
		cursor := c.M.Get(c.M.Params, "cursor")
		if c.M.IsRequest() && jsonrpc.TypeOf(cursor) == "string" && !c.Pages().HasIssued(cursor) {
			c.ReportFor(c.M.Sender(), lint.At("params", "cursor"))
		}
	}},
	{ID: "N034", Select: revision.Method.Paged, When: lint.Matched, Message: unissuedCursorResponse},
	{ID: "N035", Limit: lint.OncePerSubject, Select: revision.Method.Paged, When: lint.Result | lint.Matched, Message: func(c *lint.Context) {
		next := c.M.Get(c.M.Result, "nextCursor")
		if c.M.IsCompleteObject() && jsonrpc.TypeOf(next) == "string" && c.Pages().Repeats(c.M) && !c.Pages().IsLoop(c.M, next) { // N032
			list, _ := revision.ListOf(c.M.Method)
			c.About(c.M.Method).Report(lint.At("result", list.Member))
		}
	}},
	{Select: revision.Method.Paged, After: lint.WatchPages},
	{When: lint.Request | lint.FromClient, After: watchUnread},
	{Select: revision.Method.Paged, When: lint.Result | lint.Matched, After: watchNextPage},
	{ID: "N036", Last: unreadPages},
	// A change of the resources may be one of the templates, which share the notification.
	{ID: "N017", Limit: lint.OncePerSubject, Methods: []string{"tools/list", "prompts/list"}, When: lint.Result | lint.Matched | lint.FromServer, After: func(c *lint.Context) {
		if list, ok := revision.ListOf(c.M.Method); ok && c.St.Lists[c.M.Method].AnnouncedInVain() {
			c.About(c.M.Method).Report(lint.At("result", list.Member), "changed", list.Changed)
		}
	}},
	{ID: "N039", Limit: lint.OncePerSubject, Methods: []string{"tools/list", "prompts/list", "resources/list"}, When: lint.Result | lint.Matched | lint.FromServer, After: func(c *lint.Context) {
		list, ok := revision.ListOf(c.M.Method)
		if !ok || !c.St.Lists[c.M.Method].IsUnannounced() || c.M.Frame.Exchange != 0 || !c.St.ServerOffers(strings.TrimSuffix(c.M.Method, "/list"), "listChanged") {
			return
		}
		c.About(c.M.Method).Report(lint.At("result", list.Member), "changed", list.Changed)
	}},
}

// unissuedCursorResponse checks only errors that are about the cursor.
func unissuedCursorResponse(c *lint.Context) {
	p := c.Pages()
	switch {
	case !p.IsUnissued(c.M.Request):
	case c.M.IsError():
		if code, ok := lint.ErrorCode(c.M); !ok || code == jsonrpc.CodeInvalidParams {
			break
		}
		if lint.ContainsAny(strings.ToLower(c.M.Text(c.M.Error, "message")), "cursor", "page", "pagination") {
			c.Report(lint.At("error", "code"))
		}
	case c.M.IsCompleteObject() && p.IsFirst(c.M):
		list, _ := revision.ListOf(c.M.Method)
		c.Report(lint.At("result", list.Member))
	}
}
