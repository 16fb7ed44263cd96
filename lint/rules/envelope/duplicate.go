package envelope

import (
	"bytes"
	"math"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

func duplicateMembers(c *lint.Context) {
	d := lint.Own[duplicates](c.St)
	defer d.reset()
	if !d.find(c.M.Bytes, c.M.Envelope.Special) {
		return
	}
	path := d.path()
	where := "the frame"
	if len(path) > 0 {
		where = lint.At(path...).Path()
	}
	member := string(d.text(d.levels[len(d.levels)-1].member))
	c.Report(lint.At(append(path, member)...), "member", member, "path", where)
}

// duplicates searches for a member that occurs twice in an object, at any depth,
// in one pass over valid JSON. It stores offsets instead of pointers, which is
// faster: it runs for each frame.
type duplicates struct {
	b      []byte
	levels []level
	names  []nameAt // names of all open levels
	many   []map[string]struct{}
}

// level is an object or array that is open. It is small, for there can be many.
type level struct {
	first  int32  // index of its first name in names
	many   int32  // 1-based number of an object with many members
	index  int32  // index of the array element
	member nameAt // newest name of an object
	object bool
}

// nameAt is the offset of a name, without its quotes.
type nameAt struct {
	start, end int32
	escaped    bool
}

// maxCompared is the number of names of an object that are compared one by one.
const maxCompared = 16

// reset drops the frame, and memory that few frames need.
func (d *duplicates) reset() {
	d.b, d.many = nil, nil
	if cap(d.levels)+cap(d.names) > 4096 {
		d.levels, d.names = nil, nil
	}
}

// find searches a message. special reports that it may have escapes.
func (d *duplicates) find(b []byte, special bool) bool {
	if len(b) > math.MaxInt32 {
		return false
	}
	d.b, d.levels, d.names = b, d.levels[:0], d.names[:0]
	name := false // a string would be a name
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			end, escaped := i+1+bytes.IndexByte(b[i+1:], '"')+1, false
			if special {
				var isClosed bool
				if end, isClosed = jsonrpc.StringEnd(b, i); !isClosed {
					return false
				}
				escaped = bytes.IndexByte(b[i:end], '\\') >= 0
			}
			if end <= i+1 {
				return false
			}
			if name {
				name = false
				if d.seen(nameAt{int32(i + 1), int32(end - 1), escaped}) {
					return true
				}
			}
			i = end - 1
		case '{', '[':
			name = b[i] == '{'
			d.levels = append(d.levels, level{object: name, first: int32(len(d.names))})
		case '}', ']', ',':
			if len(d.levels) == 0 {
				return false
			}
			l := &d.levels[len(d.levels)-1]
			if b[i] == ',' {
				name = l.object
				l.index++
				continue
			}
			name = false
			d.names = d.names[:l.first]
			d.levels = d.levels[:len(d.levels)-1]
		}
	}
	return false
}

// text returns the meaning of a name.
func (d *duplicates) text(n nameAt) []byte {
	if n.escaped {
		if text, ok := jsonrpc.Unquote(d.b[n.start-1 : n.end+1]); ok {
			return []byte(text)
		}
	}
	return d.b[n.start:n.end]
}

// seen adds a name and reports whether the object has it already.
func (d *duplicates) seen(n nameAt) bool {
	if len(d.levels) == 0 {
		return false
	}
	l := &d.levels[len(d.levels)-1]
	l.member = n
	text, mine := d.text(n), d.names[l.first:]
	switch {
	case l.many > 0:
	case len(mine) < maxCompared:
		for _, other := range mine {
			if bytes.Equal(d.text(other), text) {
				return true
			}
		}
		d.names = append(d.names, n)
		return false
	default:
		known := make(map[string]struct{}, 4*maxCompared)
		for _, other := range mine {
			known[string(d.text(other))] = struct{}{}
		}
		d.many = append(d.many, known)
		l.many = int32(len(d.many))
	}
	known := d.many[l.many-1]
	_, twice := known[string(text)]
	known[string(text)] = struct{}{}
	return twice
}

// path leads to the object of the name.
func (d *duplicates) path() []any {
	var path []any
	for _, l := range d.levels[:len(d.levels)-1] {
		if l.object {
			path = append(path, string(d.text(l.member)))
		} else {
			path = append(path, int(l.index))
		}
	}
	return path
}
