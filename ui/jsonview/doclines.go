package jsonview

import (
	"sort"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// Len is the number of lines, all unfolded.
func (d *Doc) Len() int { return len(d.off) }

// Err is what Parse returned, or nil.
func (d *Doc) Err() error {
	if d.err == nil {
		return nil
	}
	return d.err
}

func (d *Doc) isOpen(l int) bool  { return int(d.link[l]) > l }
func (d *Doc) isClose(l int) bool { return d.link[l] >= 0 && int(d.link[l]) < l }

// isBroken tells the line that stands for the rest that is not JSON.
func (d *Doc) isBroken(l int) bool { return d.err != nil && l == len(d.off)-1 }

// node gives the line that stands for the value which line l belongs to: a
// closing bracket belongs to its opening line.
func (d *Doc) node(l int) int {
	if d.isClose(l) {
		return int(d.link[l])
	}
	return l
}

// key gives where the key of line l starts and ends; they are equal when it
// has none.
func (d *Doc) key(l int) (start, end int) {
	o := int(d.off[l])
	if d.isBroken(l) || d.level[l]&keyed == 0 {
		return o, o
	}
	end, _ = jsonrpc.StringEnd(d.raw, o) // in the broken rest it may not be closed
	return o, end
}

// depth is the number of containers around line l.
func (d *Doc) depth(l int) int { return int(d.level[l] &^ keyed) }

// Span gives where the value of line l starts and ends, in bytes. A container
// spans all of it on its opening and on its closing line. The cost does not
// depend on the length of the value: the end is looked for from the next line
// backwards.
func (d *Doc) Span(l int) (start, end int) {
	l = d.node(l)
	if d.isBroken(l) {
		return int(d.off[l]), len(d.raw)
	}
	start, keyEnd := d.key(l)
	if keyEnd > start {
		start = skipSpace(d.raw, skipSpace(d.raw, keyEnd)+1)
	}
	if d.isOpen(l) {
		last := int(d.link[l])
		if d.isBroken(last) {
			return start, len(d.raw)
		}
		return start, int(d.off[last]) + 1
	}
	end = len(d.raw)
	if l+1 < len(d.off) {
		end = int(d.off[l+1])
	}
	end = trimSpace(d.raw, end)
	if d.raw[end-1] == ',' && end-1 > start {
		end = trimSpace(d.raw, end-1)
	}
	return start, end
}

// Value gives the exact bytes of the value that line l belongs to. They are
// the document's own.
func (d *Doc) Value(l int) []byte {
	start, end := d.Span(l)
	return d.raw[start:end]
}

// lineAt finds the line that the byte at offset belongs to.
func (d *Doc) lineAt(offset int) int {
	n := sort.Search(len(d.off), func(i int) bool { return int(d.off[i]) > offset })
	return max(n-1, 0)
}

// after gives the line after the value of line l, a sibling or the closing
// line of what is around them.
func (d *Doc) after(l int) int {
	if d.isOpen(l) {
		return int(d.link[l]) + 1
	}
	return l + 1
}

// children counts the values directly in the container of opening line l.
func (d *Doc) children(l int) int {
	last := int(d.link[l])
	if d.isBroken(last) && int(d.parent[last]) == l {
		return int(d.index[last]) // what is broken counts for no value
	}
	c := d.node(last - 1)
	for int(d.parent[c]) != l {
		c = int(d.parent[c]) // containers that were left open at the end
	}
	return int(d.index[c]) + 1
}

// Path names the value of line l: $.params.arguments["odd key"][3]. Keys are
// as they were sent, so it has to be sanitised before it is shown.
func (d *Doc) Path(l int) string {
	var parts []string
	for l = d.node(l); l >= 0 && d.parent[l] >= 0; l = int(d.parent[l]) {
		parts = append(parts, d.part(l))
	}
	var b strings.Builder
	b.WriteByte('$')
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

func (d *Doc) part(l int) string {
	start, end := d.key(l)
	if end > start {
		key := string(d.raw[start:end])
		if name := key[1 : len(key)-1]; isName(name) {
			return "." + name
		}
		return "[" + key + "]"
	}
	return "[" + strconv.Itoa(int(d.index[l])) + "]"
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '$' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// isChild tells whether line l exists and is directly in the container of
// opening line in.
func (d *Doc) isChild(l, in int) bool {
	return l < len(d.off) && int(d.parent[l]) == in && !d.isBroken(l)
}
