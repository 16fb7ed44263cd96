package client

import (
	"context"
	"errors"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// maxPages and maxListBytes bound a list.
const (
	maxPages     = 1000
	maxListBytes = 256 << 20
)

// ListKind is one of the lists that a server may offer.
type ListKind = revision.List

// The lists.
var (
	Tools     = revision.Tools
	Resources = revision.Resources
	Templates = revision.Templates
	Prompts   = revision.Prompts
	Skills    = revision.Skills
)

// ListKinds are all lists, in the order of display.
var ListKinds = revision.Lists

// ErrNotAList reports a result without the array of items.
var ErrNotAList = errors.New("the result has no array of items")

// List fetches all pages of a list and returns the raw items, which the caller
// may keep. Cursors are opaque and sent back byte for byte; a null cursor ends the
// list. After an error the items so far are returned with it
// (specification, server / utilities / pagination).
func (c *Client) List(ctx context.Context, kind ListKind) ([][]byte, error) {
	items, _, err := c.ListFresh(ctx, kind)
	return items, err
}

// ListFresh is List, and returns for how long the whole list is fresh.
func (c *Client) ListFresh(ctx context.Context, kind ListKind) (items [][]byte, fresh Freshness, err error) {
	var params []byte
	used := map[string]bool{}
	size := 0
	for range maxPages {
		response, err := c.Call(ctx, kind.Method, params)
		if err == nil {
			err = response.Err()
		}
		if err != nil {
			return items, fresh, err
		}
		if size += len(response.Frame); size > maxListBytes {
			return items, fresh, ErrListTooLarge
		}
		list, ok := jsonrpc.Member(response.Result(), kind.Member)
		if !ok || list[0] != '[' {
			return items, fresh, ErrNotAList
		}
		if here := FreshnessOf(response.Result()); params == nil {
			fresh = here
		} else {
			fresh = fresh.intersect(here)
		}
		for item := range jsonrpc.Elements(list) {
			items = append(items, item)
		}
		cursor, ok := jsonrpc.Member(response.Result(), "nextCursor")
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
