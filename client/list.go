package client

import (
	"context"
	"errors"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// maxPages bounds a list; [revision.MaxListBytes] bounds the lists of a connection together.
const maxPages = 1000

// ListKind is a list that a server may offer.
type ListKind = revision.List

// The lists.
var (
	Tools     = revision.Tools
	Resources = revision.Resources
	Templates = revision.Templates
	Prompts   = revision.Prompts
	Skills    = revision.Skills
	Events    = revision.Events
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

// ListFresh is like List, but also returns how long the whole list is fresh.
func (c *Client) ListFresh(ctx context.Context, kind ListKind) (items [][]byte, fresh Freshness, err error) {
	var params []byte
	used := map[string]bool{}
	seen := pages{}
	size, room := 0, c.roomFor(kind)
	defer func() { c.update(func(s *state) { s.listed[kind.Method] = size }) }()
	for range maxPages {
		response, err := c.Call(ctx, kind.Method, params)
		if err == nil {
			err = response.Err()
		}
		if err != nil {
			return items, fresh, err
		}
		list, ok := jsonrpc.Member(response.Result(), kind.Member)
		if !ok || list[0] != '[' {
			return items, fresh, ErrNotAList
		}
		if page := sizeOfPage(response.Frame, list); size+page <= room {
			size += page
		} else {
			return items, fresh, ErrListTooLarge
		}
		if here := FreshnessOf(response.Result()); params == nil {
			fresh = here
		} else {
			fresh = fresh.intersect(here)
		}
		before := len(items)
		for item := range jsonrpc.Elements(list) {
			items = append(items, item)
		}
		cursor, ok := jsonrpc.Member(response.Result(), "nextCursor")
		if !ok || string(cursor) == "null" || c.cfg.As.ReadsFirstPage() {
			if kind.Name == Tools.Name {
				c.cacheToolHeaders(items)
			}
			return items, fresh, nil
		}
		if used[string(cursor)] {
			return items, fresh, ErrCursorLoop
		}
		if err := seen.add(kind, list); err != nil {
			return items[:before], fresh, err
		}
		used[string(cursor)] = true
		params = append(append([]byte(`{"cursor":`), cursor...), '}')
	}
	return items, fresh, ErrTooManyPages
}

// sizeOfPage returns the size of a page in memory: the frame, which contains the entries, and the
// slices of the entries.
func sizeOfPage(frame, list []byte) int {
	size := len(frame)
	for range jsonrpc.Elements(list) {
		size += revision.EntryBytes
	}
	return size
}

// roomFor returns the number of bytes that a list may take: the limit of all lists, less the newest
// lists of other kinds.
func (c *Client) roomFor(kind ListKind) int {
	return read(c, func(s *state) int {
		room := revision.MaxListBytes
		for method, size := range s.listed {
			if method != kind.Method {
				room -= size
			}
		}
		return room
	})
}
