package sequence

import (
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/record/store"
)

// A cursor in a request for a later page of a list is opaque to a reader. If the session shows the number of the page,
// the text of the request has the number instead.

// maxBack is the maximum number of rows that are searched for the request for the previous page, maxListed the maximum
// number of responses that are read for it, and maxPages the maximum number of pages that are counted.
const maxBack, maxListed, maxPages = 256, 8, 99

// pageOf returns the number of the requested page, from 1, or 0 if the session does not show it. The response with the
// previous page has the cursor of the request as its nextCursor (Pagination, in each revision).
func (rd *Reader) pageOf(i int32, r *store.Row, cursor []byte, depth int) int {
	want, ok := jsonrpc.Unquote(cursor)
	if !ok || depth == maxPages {
		return 0
	}
	listed := 0
	for j := i - 1; j >= max(0, i-maxBack) && listed < maxListed; j-- {
		before, ok := rd.store.Row(j)
		if !ok || before.Kind != jsonrpc.Request || before.Method != r.Method || before.Conn != r.Conn || before.Pair == store.None {
			continue
		}
		listed++
		body, err := rd.store.Head(before.Pair, listSize)
		if err != nil {
			return 0
		}
		next, _ := jsonrpc.Start(body, "result", "nextCursor")
		if got, ok := jsonrpc.Unquote(next); !ok || got != want {
			continue
		}
		if n := rd.pageOfRow(j, &before, depth+1); n > 0 {
			return n + 1
		}
		return 0
	}
	return 0
}

// pageOfRow is like [Reader.pageOf], but reads the cursor of a request. A request without a cursor is for the
// first page.
func (rd *Reader) pageOfRow(i int32, r *store.Row, depth int) int {
	if m, ok := rd.known[i]; ok && m.page > 0 {
		return m.page
	}
	head, err := rd.store.Head(i, headSize)
	if err != nil {
		return 0
	}
	cursor, ok := jsonrpc.Start(head, "params", "cursor")
	if !ok {
		return 1
	}
	return rd.pageOf(i, r, cursor, depth)
}

// namePage replaces the cursor in the text of a list request with the page number, if known.
func (rd *Reader) namePage(m *Message, i int32, r *store.Row, head []byte) {
	cursor, ok := jsonrpc.Start(head, "params", "cursor")
	if !ok || !m.alone {
		return
	}
	if m.page = rd.pageOf(i, r, cursor, 0); m.page > 0 {
		m.Text, m.alone = "page "+strconv.Itoa(m.page), false
	}
}
