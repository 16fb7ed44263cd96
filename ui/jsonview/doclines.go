package jsonview

import (
	"bytes"
	"slices"
	"sort"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// Len returns the number of lines with everything unfolded.
func (d *Doc) Len() int { return d.offsets.n }

func (d *Doc) isOpen(l int) bool { return d.place(l).open }

func (d *Doc) isClose(l int) bool {
	at := d.place(l)
	return at.bordering >= 0 && !at.open
}

// last returns the last line of the value of line l.
func (d *Doc) last(l int) int {
	if at := d.place(l); at.bordering >= 0 {
		return int(d.containers.at(at.bordering).last)
	}
	return l
}

// isBroken reports whether line l represents the rest that is not JSON.
func (d *Doc) isBroken(l int) bool { return d.err != nil && l == d.Len()-1 }

// node returns the line that represents the value of line l: a closing bracket belongs to its opening line.
func (d *Doc) node(l int) int {
	if at := d.place(l); at.bordering >= 0 {
		return int(d.containers.at(at.bordering).open)
	}
	return l
}

// key returns the start and the end of the key of line l. They are equal if it has no key.
func (d *Doc) key(l int) (start, end int) {
	o := d.off(l)
	if at := d.place(l); d.isBroken(l) || at.bordering >= 0 && !at.open || at.parent < 0 || !d.containers.at(at.parent).isObject() {
		return o, o
	}
	end, _ = jsonrpc.StringEnd(d.raw, o) // in the invalid rest it may not be closed
	return o, end
}

// depth returns the number of containers around line l.
func (d *Doc) depth(l int) (n int) {
	for range d.parents(l) {
		n++
	}
	return n
}

// Span returns the start and the end of the value of line l, in bytes. A container spans all of its bytes on
// both its opening and its closing line. The cost does not depend on the length of the value, because the end
// is searched backwards from the next line.
func (d *Doc) Span(l int) (start, end int) {
	l = d.node(l)
	if d.isBroken(l) {
		return d.off(l), len(d.raw)
	}
	start, keyEnd := d.key(l)
	if keyEnd > start {
		start = skipSpace(d.raw, skipSpace(d.raw, keyEnd)+1)
	}
	if last := d.last(l); last > l {
		if d.isBroken(last) {
			return start, len(d.raw)
		}
		return start, d.off(last) + 1
	}
	end = len(d.raw)
	if l+1 < d.Len() {
		end = d.off(l + 1)
	}
	value := bytes.TrimRight(d.raw[start:end], jsonrpc.Whitespace)
	value = bytes.TrimRight(bytes.TrimSuffix(value, []byte(",")), jsonrpc.Whitespace)
	return start, start + len(value)
}

// skipSpace returns the position of the first byte at or after at that is not white space.
func skipSpace(b []byte, at int) int {
	for at < len(b) && strings.IndexByte(jsonrpc.Whitespace, b[at]) >= 0 {
		at++
	}
	return at
}

// Value returns the exact bytes of the value of line l. They alias the document.
func (d *Doc) Value(l int) []byte {
	start, end := d.Span(l)
	return d.raw[start:end]
}

// lineAt finds the line that the byte at offset belongs to.
func (d *Doc) lineAt(offset int) int {
	n := sort.Search(d.Len(), func(i int) bool { return d.off(i) > offset })
	return max(n-1, 0)
}

// children counts the values directly in the container of opening line l.
func (d *Doc) children(l int) int {
	c := d.place(l).bordering
	last := int(d.containers.at(c).last)
	in, before := d.around(last)
	for in != c { // containers that were left open at the end
		in, before = int(d.containers.at(in).parent), in
	}
	if before >= 0 && int(d.containers.at(before).last) == last {
		return d.containers.at(before).index() + 1
	}
	return d.countUpTo(last, c, before)
}

// Path returns the path to the value of line l: $.params.arguments["odd key"][3]. Keys are as sent, so it must
// be sanitized before it is shown.
func (d *Doc) Path(l int) string {
	var parts []string
	l = d.node(l)
	for c := range d.parents(l) {
		parts = append(parts, d.part(l))
		l = int(c.open)
	}
	var b strings.Builder
	b.WriteByte('$')
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

// Place returns the steps to the value of line l: the decoded name of a member, a string, or the index of an element, an
// int, for each level.
func (d *Doc) Place(l int) (place []any) {
	l = d.node(l)
	for c := range d.parents(l) {
		if start, end := d.key(l); end > start {
			name, _ := jsonrpc.Unquote(d.raw[start:end])
			place = append(place, name)
		} else {
			place = append(place, d.index(l))
		}
		l = int(c.open)
	}
	slices.Reverse(place)
	return place
}

// part names the value of line l in its container.
func (d *Doc) part(l int) string {
	start, end := d.key(l)
	if end > start {
		key := string(d.raw[start:end])
		if name := key[1 : len(key)-1]; isName(name) {
			return "." + name
		}
		return "[" + key + "]"
	}
	return "[" + strconv.Itoa(d.index(l)) + "]"
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
