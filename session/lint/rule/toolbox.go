package rule

import (
	"mcptea/client/revision"
	"mcptea/session/schema/check"
)

// ToolHistory is what is remembered of the server's tools: those that it listed,
// as far as that can be relied on, and their schemas.
type ToolHistory struct {
	first   int32  // row of the request that began the newest listing
	next    string // the cursor that it goes on with
	Orderly bool   // each page followed the one before

	changed   int32 // row of the newest notice that the list has changed
	completed int32 // row of the newest complete list
	Unchanged bool  // no such notice came between the two newest complete lists
	stale     bool  // the list may have changed since it was asked for

	Names  map[string]bool   // of the listing so far
	byName map[string][]byte // of the complete list; nil until it is wanted

	schemas check.Cache
}

// WatchTools follows the list of tools, page by page.
func WatchTools(c *Context) {
	box := Own[ToolHistory](c.St)
	if c.M.IsNotification() {
		box.changed, box.stale = c.M.Frame.Row, true
		return
	}
	if !c.M.IsResult() || c.M.Request == nil {
		return
	}
	box.byName = nil
	if cursor := Text(c.M.Request.Params, "cursor"); cursor == "" {
		box.first, box.Orderly, box.Names = c.M.Request.Row, true, nil
	} else if cursor != box.next {
		box.Orderly = false
	}
	box.next = Text(c.M.Result, "nextCursor")
	if c.St.Tools() != nil && c.St.Tools().Complete {
		box.Unchanged = box.changed <= box.completed
		box.completed = c.M.Frame.Row
		if box.first > box.changed {
			box.stale = false
		}
	}
}

// ListedTool finds a tool. Nothing is known as long as the list is not complete
// or may have changed.
func (c *Context) ListedTool(name string) (tool []byte, known bool) {
	box, list := Own[ToolHistory](c.St), c.St.Tools()
	if list == nil || !list.Complete || box.stale {
		return nil, false
	}
	if box.byName == nil {
		box.byName = make(map[string][]byte, len(list.Items))
		for _, item := range list.Items {
			if n := Text(item, "name"); box.byName[n] == nil {
				box.byName[n] = item
			}
		}
	}
	return box.byName[name], true
}

// Schema reads a schema by the rules of the revision, once for the same bytes.
func (c *Context) Schema(raw []byte, formats bool) *check.Schema {
	o := check.Options{Dialectless: c.Revision().Before(revision.R20251125), Formats: formats}
	return Own[ToolHistory](c.St).schemas.Compile(raw, o)
}
