package sequence

import (
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/session/record/store"
)

// A request for a further page of a list has a cursor, which says nothing to a reader. Where the session shows which
// page it is, that is said in its place.

// maxBack is the number of rows before a request in which the request for the page before it is looked for, and maxPages
// the number of pages that are counted.
const maxBack, maxPages = 256, 99

// pageOf is the number of the page that a request asks for, counted from 1; 0 if the session does not show it. The page
// before it is the one whose response has its cursor (Pagination, in each revision).
func (rd *Reader) pageOf(i int32, r *store.Row, cursor []byte, depth int) int {
	want, ok := jsonrpc.Unquote(cursor)
	if !ok || depth == maxPages {
		return 0
	}
	for j := i - 1; j >= max(0, i-maxBack); j-- {
		before, ok := rd.store.Row(j)
		if !ok || before.Kind != jsonrpc.Request || before.Method != r.Method || before.Conn != r.Conn || before.Pair == store.None {
			continue
		}
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

// pageOfRow is [Reader.pageOf] of a request of a list, which is the first page without a cursor.
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

// tellPage says which page a request of a list asks for, in the place of its cursor.
func (rd *Reader) tellPage(m *Message, i int32, r *store.Row, head []byte) {
	cursor, ok := jsonrpc.Start(head, "params", "cursor")
	if !ok || !m.alone {
		return
	}
	if m.page = rd.pageOf(i, r, cursor, 0); m.page > 0 {
		m.Text, m.alone = "page "+strconv.Itoa(m.page), false
	}
}
