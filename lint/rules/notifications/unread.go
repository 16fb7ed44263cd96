package notifications

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
)

// unread holds, by method, the server's lists whose next page the client has not requested.
type unread map[string]*nextPage

type nextPage struct {
	row     int32
	cursor  []byte
	count   int  // entries so far
	goes    bool // the client has sent another request since
	unasked bool
}

// maxCursor bounds a cursor that is remembered, in bytes.
const maxCursor = 1 << 10

// watchNextPage records the cursor of a page that the client has received.
func watchNextPage(c *lint.Context) {
	if c.M.Request == nil || c.M.Request.Dir != transport.Out || !c.M.IsCompleteObject() {
		return
	}
	own := lint.Own[unread](c.St)
	if *own == nil {
		*own = unread{}
	}
	list, _ := revision.ListOf(c.M.Method)
	page := &nextPage{count: jsonrpc.Count(c.M.Get(c.M.Result, list.Member))}
	if before := (*own)[c.M.Method]; before != nil && jsonrpc.Get(c.M.Request.Params, "cursor") != nil {
		page.count += before.count
	}
	if next := c.M.Get(c.M.Result, "nextCursor"); jsonrpc.TypeOf(next) == "string" && len(next) <= maxCursor {
		page.row, page.cursor, page.unasked = c.M.Frame.Row, append([]byte{}, next...), true
	}
	(*own)[c.M.Method] = page
}

// watchUnread records whether the client requests the next page of a list, or something else.
func watchUnread(c *lint.Context) {
	for method, page := range *lint.Own[unread](c.St) {
		if method == c.M.Method {
			page.unasked = page.unasked && jsonrpc.Get(c.M.Params, "cursor") == nil
			continue
		}
		page.goes = true
	}
}

func unreadPages(c *lint.Context) {
	own := lint.Own[unread](c.St)
	for _, list := range revision.Lists {
		if page := (*own)[list.Method]; page != nil && page.unasked && page.goes {
			c.ReportForIn(lint.Client, page.row, lint.At("result", "nextCursor"), "method", list.Method, "cursor", lint.ShownValue(page.cursor), "count", page.count)
		}
	}
	clear(*own) // report once, even if the end is seen several times
}
