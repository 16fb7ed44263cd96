package jsonview

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/ui/paint"
)

// find returns the line of the value at a JSON Pointer (RFC 6901). If there is no such value, it returns the
// line of the innermost value on the path, and whole is false.
func (d *Doc) find(pointer string) (line int, whole bool) {
	if !strings.HasPrefix(pointer, "/") {
		return 0, pointer == ""
	}
	for _, part := range jsonrpc.SplitPointer(pointer) {
		next, ok := d.member(line, part)
		if !ok {
			return line, false
		}
		line = next
	}
	return line, true
}

// member returns the line of a member of an object by name, or of an array element by index. Of members with
// the same name it returns the last, like parsers do.
func (d *Doc) member(in int, name string) (line int, ok bool) {
	if !d.isOpen(in) {
		return 0, false
	}
	if start, _ := d.Span(in); d.raw[start] == '[' {
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 {
			return 0, false
		}
		for line = range d.values(in) {
			if n--; n < 0 {
				return line, true
			}
		}
		return 0, false
	}
	for c := range d.values(in) {
		if start, end := d.key(c); jsonrpc.IsText(d.raw[start:end], name) {
			line, ok = c, true
		}
	}
	return line, ok
}

// SelectPointer moves to the value that a JSON pointer names, or to the innermost value around the place,
// and shows it in the middle of the window. It reports whether there is the value itself.
func (v *View) SelectPointer(pointer string) bool {
	l, whole := v.doc.find(pointer)
	v.reveal(l)
	v.centre = true
	return whole
}

// FoldPointer folds the object or array that a JSON pointer names, if there is one, while the window
// has no room for it and the user has not unfolded it. The cursor stays.
func (v *View) FoldPointer(pointer string) {
	if l, whole := v.doc.find(pointer); whole && v.doc.isOpen(l) && l != v.cursor {
		v.fold(l, true)
		v.spare = append(v.spare, l)
		v.settle()
	}
}

// Mark adds a sign after the value at a JSON Pointer, or after the innermost value around the place. The first
// sign of a line stays. The text is trusted.
func (v *View) Mark(pointer string, sign paint.Span) {
	l, _ := v.doc.find(pointer)
	if v.marks == nil {
		v.marks = map[int]paint.Span{}
	}
	if _, there := v.marks[l]; !there {
		v.marks[l] = sign
	}
}

// ClearMarks removes all signs.
func (v *View) ClearMarks() { clear(v.marks) }
