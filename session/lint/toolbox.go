package lint

import (
	"mcptea/client/revision"
	"mcptea/session/schema/check"
)

// toolbox is what is remembered of the server's tools: those that it listed,
// as far as that can be relied on, and their schemas.
type toolbox struct {
	first   int32  // row of the request that began the newest listing
	next    string // the cursor that it goes on with
	orderly bool   // each page followed the one before

	changed   int32 // row of the newest notice that the list has changed
	completed int32 // row of the newest complete list
	unchanged bool  // no such notice came between the two newest complete lists
	stale     bool  // the list may have changed since it was asked for

	names  map[string]bool   // of the listing so far
	byName map[string][]byte // of the complete list; nil until it is wanted

	schemas check.Cache
}

// watchTools follows the list of tools, page by page.
func watchTools(c *Context) {
	box := Own[toolbox](c.St)
	if c.M.IsNotification() {
		box.changed, box.stale = c.M.Frame.Row, true
		return
	}
	if !c.M.IsResult() || c.M.Request == nil {
		return
	}
	box.byName = nil
	if cursor := Text(c.M.Request.Params, "cursor"); cursor == "" {
		box.first, box.orderly, box.names = c.M.Request.Row, true, nil
	} else if cursor != box.next {
		box.orderly = false
	}
	box.next = Text(c.M.Result, "nextCursor")
	if c.St.Tools() != nil && c.St.Tools().Complete {
		box.unchanged = box.changed <= box.completed
		box.completed = c.M.Frame.Row
		if box.first > box.changed {
			box.stale = false
		}
	}
}

// listedTool finds a tool. Nothing is known as long as the list is not complete
// or may have changed.
func (c *Context) listedTool(name string) (tool []byte, known bool) {
	box, list := Own[toolbox](c.St), c.St.Tools()
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

// schema reads a schema by the rules of the revision, once for the same bytes.
func (c *Context) schema(raw []byte, formats bool) *check.Schema {
	o := check.Options{Dialectless: c.revision().Before(revision.R20251125), Formats: formats}
	return Own[toolbox](c.St).schemas.Compile(raw, o)
}
