package lint

import (
	"bytes"

	"mcptea/client/jsonrpc"
)

func duplicateMembers(c *Case) {
	d := &c.engine.duplicates
	defer d.forget()
	if !d.find(c.M.Bytes) {
		return
	}
	path := d.path()
	where := "the frame"
	if len(path) > 0 {
		where = At(path...).path
	}
	member := string(d.name)
	c.Find(At(append(path, member)...), "member", member, "path", where)
}

// duplicates looks for a member that stands twice in an object, at any depth. It
// goes once over bytes of which it is known that they are JSON.
type duplicates struct {
	name []byte // the one that stands twice

	levels []level
	names  [][]byte // of all levels that are open
}

// forget lets go of the frame, and of memory that few frames need.
func (d *duplicates) forget() {
	clear(d.levels[:cap(d.levels)])
	clear(d.names[:cap(d.names)])
	d.name = nil
	if cap(d.levels)+cap(d.names) > 256 {
		d.levels, d.names = nil, nil
	}
}

// level is an object or array that is open.
type level struct {
	object bool
	first  int                 // of its names in the list of all
	many   map[string]struct{} // of an object with many members
	index  int                 // of the element of an array
	member []byte              // the newest name of an object
}

// mostCompared is how many names of an object are compared one by one.
const mostCompared = 16

func (d *duplicates) find(b []byte) bool {
	d.levels, d.names = d.levels[:0], d.names[:0]
	name := false // a string would be a name
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end := endOfString(b, i)
			if end < 0 {
				return false
			}
			if name {
				if d.twice(unescaped(b[i:end])) {
					return true
				}
				name = false
			}
			i = end - 1
		case '{':
			d.levels = append(d.levels, level{object: true, first: len(d.names)})
			name = true
		case '[':
			d.levels = append(d.levels, level{first: len(d.names)})
		case '}', ']':
			if len(d.levels) == 0 {
				return false
			}
			d.names = d.names[:d.levels[len(d.levels)-1].first]
			d.levels = d.levels[:len(d.levels)-1]
			name = false
		case ',':
			if len(d.levels) == 0 {
				return false
			}
			l := &d.levels[len(d.levels)-1]
			name = l.object
			l.index++
		}
	}
	return false
}

// twice takes note of a name and reports whether it was there before.
func (d *duplicates) twice(name []byte) bool {
	l := &d.levels[len(d.levels)-1]
	l.member = name
	if l.many != nil {
		if _, twice := l.many[string(name)]; twice {
			d.name = name
			return true
		}
		l.many[string(name)] = struct{}{}
		return false
	}
	mine := d.names[l.first:]
	for _, other := range mine {
		if bytes.Equal(other, name) {
			d.name = name
			return true
		}
	}
	if len(mine) < mostCompared {
		d.names = append(d.names, name)
		return false
	}
	l.many = make(map[string]struct{}, 4*mostCompared)
	for _, other := range mine {
		l.many[string(other)] = struct{}{}
	}
	l.many[string(name)] = struct{}{}
	return false
}

// path leads to the object of the name.
func (d *duplicates) path() []any {
	var path []any
	for _, l := range d.levels[:len(d.levels)-1] {
		if l.object {
			path = append(path, string(l.member))
		} else {
			path = append(path, l.index)
		}
	}
	return path
}

// endOfString returns where a string ends that begins at an offset, -1 when it
// does not.
func endOfString(b []byte, start int) int {
	for i := start + 1; i < len(b); {
		next := bytes.IndexByte(b[i:], '"')
		if next < 0 {
			return -1
		}
		end := i + next
		slashes := 0
		for end-slashes-1 > start && b[end-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
	return -1
}

// unescaped is the text of a string, which needs memory only where something is
// escaped.
func unescaped(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') >= 0 {
		if text, ok := jsonrpc.Unquote(quoted); ok {
			return []byte(text)
		}
	}
	return inner
}
