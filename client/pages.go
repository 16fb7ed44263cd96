package client

import (
	"crypto/sha256"
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// PagesError reports a list whose pages do not advance, although their cursors differ.
type PagesError struct {
	Method string
	Page   int // the page that was fetched last, from 1
	Same   int // the earlier page with the same entries, or 0 for a series of empty pages
}

// Error names the pages.
func (e *PagesError) Error() string {
	if e.Same == 0 {
		return fmt.Sprintf("the pages of %s do not advance: the newest %d have no entries, and each has another nextCursor", e.Method, maxEmptyPages)
	}
	return fmt.Sprintf("the pages of %s do not advance: page %d has the entries of page %d, and another nextCursor", e.Method, e.Page, e.Same)
}

// maxEmptyPages bounds the empty pages in a row: a server that filters its entries may have
// some.
const maxEmptyPages = 20

// pages records the pages of a list, to detect a page that comes again.
type pages struct {
	count, empty int
	byEntries    map[[sha256.Size]byte]int // the number of a page by its entries
}

// add notes a page. The error is a *PagesError.
func (p *pages) add(kind revision.List, list []byte) error {
	p.count++
	n := jsonrpc.Count(list)
	if n == 0 {
		if p.empty++; p.empty >= maxEmptyPages {
			return &PagesError{Method: kind.Method, Page: p.count}
		}
		return nil
	}
	p.empty = 0
	sum := sha256.New()
	for item := range jsonrpc.Elements(list) {
		name, ok := jsonrpc.Member(item, kind.Key)
		if !ok || n == 1 { // one entry with a repeated name is a different fault, so the whole entry is compared
			name = item
		}
		fmt.Fprintf(sum, "%d ", len(name))
		sum.Write(name)
	}
	key := [sha256.Size]byte(sum.Sum(nil))
	if same, known := p.byEntries[key]; known {
		return &PagesError{kind.Method, p.count, same}
	}
	if p.byEntries == nil {
		p.byEntries = map[[sha256.Size]byte]int{}
	}
	p.byEntries[key] = p.count
	return nil
}
