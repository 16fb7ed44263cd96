package jsonrpc

import "strconv"

// Locate returns the span of the value of a JSON Pointer in a frame: of the member with its name, or of
// the element. If there is no such value, found is false, and the span is the span of the innermost value
// around it.
func Locate(frame []byte, pointer string) (at Span, found bool) {
	at = Span{0, len(frame)}
	if pointer == "" {
		return at, true
	}
	value := at
	for _, part := range SplitPointer(pointer) {
		start, inner := child(value.Of(frame), part)
		if !inner.Present() {
			return at, false
		}
		at = Span{value.Start + start, value.Start + inner.End}
		value = Span{value.Start + inner.Start, value.Start + inner.End}
	}
	return at, true
}

// child returns the value of a member or of an element in a container, and where it starts: for a member, at
// its name. Of two members with the same name, it returns the last, as [Member] does.
func child(container []byte, part string) (start int, value Span) {
	c := cursor{b: container}
	c.space()
	if c.i >= len(container) || container[c.i] != '{' && container[c.i] != '[' {
		return 0, Span{}
	}
	isObject := container[c.i] == '{'
	for n := 0; ; n++ {
		c.i++
		c.space()
		begin, is := c.i, false
		if isObject {
			name, ok := c.memberName()
			if !ok {
				return start, value
			}
			is = string(name) == part
		} else {
			is = strconv.Itoa(n) == part
		}
		from := c.i
		if !c.value() {
			return start, value
		}
		if is {
			start, value = begin, Span{from, c.i}
		}
		c.space()
		if is && !isObject || c.i >= len(container) || container[c.i] != ',' {
			return start, value
		}
	}
}
