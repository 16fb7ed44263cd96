package client

import (
	"context"
	"errors"

	"mcptea/client/jsonrpc"
)

// MaxPages and MaxListBytes are where a list that never ends is given up.
const (
	MaxPages     = 1000
	MaxListBytes = 256 << 20
)

// ListKind is one of the lists that a server may offer.
type ListKind struct {
	Name   string // what people type: "tools"
	Method string
	Member string // the result member that holds the items
	Needs  string // the capability that offers it
}

// The lists (specification, server features).
var (
	Tools     = ListKind{"tools", "tools/list", "tools", "tools"}
	Resources = ListKind{"resources", "resources/list", "resources", "resources"}
	Templates = ListKind{"templates", "resources/templates/list", "resourceTemplates", "resources"}
	Prompts   = ListKind{"prompts", "prompts/list", "prompts", "prompts"}
)

// ListKinds are all of them in the order in which people look at them.
var ListKinds = []ListKind{Tools, Resources, Templates, Prompts}

// ErrNotAList says that a result lacks the member with the items.
var ErrNotAList = errors.New("the result holds no list")

// List fetches all pages of a list and returns the raw items, which the caller
// may keep. Cursors are opaque and passed back byte for byte; a cursor of null
// is taken for the end. On an error the items so far are returned with it
// (specification, server / utilities / pagination).
func (c *Client) List(ctx context.Context, kind ListKind) ([][]byte, error) {
	items, _, err := c.ListFresh(ctx, kind)
	return items, err
}

// ListFresh is List, and tells for how long the whole list holds.
func (c *Client) ListFresh(ctx context.Context, kind ListKind) (items [][]byte, fresh Freshness, err error) {
	var params []byte
	used := map[string]bool{}
	size := 0
	for range MaxPages {
		answer, err := c.Call(ctx, kind.Method, params)
		if err == nil {
			err = answer.Err()
		}
		if err != nil {
			return items, fresh, err
		}
		if size += len(answer.Frame); size > MaxListBytes {
			return items, fresh, ErrListTooLarge
		}
		list, ok := jsonrpc.Member(answer.Result(), kind.Member)
		if !ok || list[0] != '[' {
			return items, fresh, ErrNotAList
		}
		if here := FreshnessOf(answer.Result()); params == nil {
			fresh = here
		} else {
			fresh = fresh.intersect(here)
		}
		for item := range jsonrpc.Elements(list) {
			items = append(items, item)
		}
		cursor, ok := jsonrpc.Member(answer.Result(), "nextCursor")
		if !ok || string(cursor) == "null" {
			if kind.Name == Tools.Name {
				c.cacheToolHeaders(items)
			}
			return items, fresh, nil
		}
		if used[string(cursor)] {
			return items, fresh, ErrCursorLoop
		}
		used[string(cursor)] = true
		params = append(append([]byte(`{"cursor":`), cursor...), '}')
	}
	return items, fresh, ErrTooManyPages
}
