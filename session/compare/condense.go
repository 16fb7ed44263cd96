package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
)

// several is the minimum number of entries with the same difference that share a
// row.
const several = 3

// condense returns the notable rows. Entries of a list that differ
// in the same way share a row, and these rows come first in their section.
func (t Table) condense() []Row {
	groups := make(map[string][]int)
	for i, r := range t.Rows {
		if mayShare(r) {
			groups[likeness(r)] = append(groups[likeness(r)], i)
		}
	}
	var out, single []Row
	for i, r := range t.Rows {
		if i > 0 && r.Section != t.Rows[i-1].Section {
			out, single = append(out, single...), nil
		}
		switch group := groupOf(r, groups); {
		case !r.isNotable():
		case len(group) < several:
			single = append(single, r)
		case group[0] == i:
			out = append(out, t.merged(group))
		}
	}
	return append(out, single...)
}

// mayShare reports whether a row is about a member of an entry, and notable.
func mayShare(r Row) bool {
	return r.Section != "capabilities" && len(r.Items) == 1 && r.Path != "" && r.isNotable()
}

func groupOf(r Row, groups map[string][]int) []int {
	if !mayShare(r) {
		return nil
	}
	return groups[likeness(r)]
}

// merged is one row for several. Values that are not the same for all are left
// out.
func (t Table) merged(group []int) Row {
	r := t.Rows[group[0]]
	r.Items, r.Cells = nil, append([]Cell(nil), r.Cells...)
	for _, i := range group {
		other := t.Rows[i]
		r.Items = append(r.Items, other.Items...)
		for n := range r.Cells {
			if !equal(r.Cells[n].Value, other.Cells[n].Value) {
				r.Cells[n].Value = nil
			}
		}
	}
	return r
}

// likeness is the key of rows that may be merged: the place, and how the cells
// differ. If the values differ between revisions, they are part of the key.
func likeness(r Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q", r.Section, r.Path)
	most := 0
	classes := Classes(r.Cells)
	for i, c := range r.Cells {
		fmt.Fprintf(&b, " %d%d%v", c.State, classes[i], c.Undefined)
		most = max(most, classes[i])
	}
	if most > 0 {
		for _, c := range r.Cells {
			fmt.Fprintf(&b, " %q", canonical(c.Value))
		}
	}
	return b.String()
}

// Shorten cuts values to about most bytes for display. Strings have no quotes, unless
// they look like another JSON value. A long common beginning of long values is cut
// away, so that the difference is visible. The mark replaces what was cut.
func Shorten(values [][]byte, most int, mark string) []string {
	texts := make([]string, len(values))
	long := false
	for i, v := range values {
		texts[i] = legible(v)
		long = long || len(texts[i]) > most
	}
	if !long {
		return texts
	}
	const lead = 12 // bytes of the common beginning that remain
	common := commonStart(texts)
	cut := 0
	if len(texts) > 1 && common > lead+2 {
		cut = common - lead
	}
	for i, t := range texts {
		for n := cut; n > 0; n-- {
			if utf8.RuneStart(t[n]) {
				t = mark + t[n:]
				break
			}
		}
		texts[i] = head(t, most, mark)
	}
	return texts
}

func head(text string, most int, mark string) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + mark
}

// legible is a value for display. A string that looks like another JSON value keeps
// its quotes.
func legible(value []byte) string {
	if s, ok := jsonrpc.Unquote(value); ok && s != "" && !json.Valid([]byte(s)) {
		return s
	}
	return canonical(value)
}

// commonStart is how many bytes all the texts begin with, never all of one.
func commonStart(texts []string) int {
	n := 0
	for {
		for _, t := range texts {
			if n+1 >= len(t) || t[n] != texts[0][n] {
				return n
			}
		}
		n++
	}
}
