package rule

import (
	"mcptea/client/revision"
	"mcptea/session/schema/check"
)

// ToolHistory is the list of tools and their schemas, and how far the list can be
// relied on.
type ToolHistory struct {
	first   int32  // row of the request that began the newest listing
	next    string // the cursor of the next page
	Orderly bool   // each page followed the one before

	changed   int32 // row of the newest list_changed notification
	completed int32 // row of the newest complete list
	Unchanged bool  // no notification came between the two newest complete lists
	stale     bool  // the list may have changed since the request

	Names  map[string]bool   // of the listing so far
	byName map[string][]byte // of the complete list; nil until it is used

	schemas check.Cache
}

// WatchTools updates the list of tools, page by page.
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

// ListedTool finds a tool; known is false while the list is incomplete or may
// have changed.
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

// Schema compiles a schema in the dialect of the revision, once for the same
// bytes.
func (c *Context) Schema(raw []byte, formats bool) *check.Schema {
	o := check.Options{Dialectless: c.Revision().Before(revision.R20251125), Formats: formats}
	return Own[ToolHistory](c.St).schemas.Compile(raw, o)
}
