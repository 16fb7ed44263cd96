package rule

import (
	"mcptea/client/jsonrpc"
)

// listing is the entries of the newest listing by one of their members.
type listing struct {
	names   map[string]bool
	cursors map[string]bool // of the pages so far
}

// listings are those of a connection, by list and member.
type listings map[string]*listing

// maxNames is how many names of a listing are compared with each other.
const maxNames = 200_000

// Duplicates calls found with the entries of a list whose name was there before in the
// same listing. A page that is fetched a second time is passed over.
func (c *Context) Duplicates(list, member string, found func(Place, string)) {
	if !c.M.IsCompleteObject() {
		return
	}
	all := Own[listings](c.St)
	if *all == nil {
		*all = listings{}
	}
	l := (*all)[list+"/"+member]
	if cursor := Member(c.M.Request.Params, "cursor"); Kind(cursor) != "string" || len(cursor) == len(`""`) {
		l = &listing{names: map[string]bool{}, cursors: map[string]bool{}}
		(*all)[list+"/"+member] = l
	} else {
		key := CursorKey(cursor)
		if l == nil || l.cursors[key] {
			return
		}
		if len(l.cursors) < maxNames {
			l.cursors[key] = true
		}
	}
	for i, entry := range Indexed(Member(c.M.Result, list)) {
		name, ok := jsonrpc.Unquote(Member(entry, member))
		key := ShortKey(name)
		if ok && l.names[key] {
			found(At("result", list, i, member), name)
		}
		if ok && len(l.names) < maxNames {
			l.names[key] = true
		}
	}
}
