package lint

import (
	"iter"

	"mcptea/client/jsonrpc"
	"mcptea/record"
)

// objects caches members of objects and elements of arrays in a message. It holds the values that
// rules used last, because many rules read the same ones.
type objects struct {
	known [4]object
	next  int    // index of the entry to be replaced next
	text  string // newest short text returned; most texts are equal to the previous one
}

// object is a JSON object with its members in the order of the bytes, or an array with its
// elements. Elements have no names.
type object struct {
	raw     []byte
	members []member
	long    bool // the object has more than maxMembers members
}

type member struct{ name, value []byte }

// maxShortText is the maximum length of a short text, in bytes.
const maxShortText = 32

// maxMembers bounds the cached members of an object.
const maxMembers = 32

// reset drops the message, so that its bytes can be freed.
func (all *objects) reset() {
	for i := range all.known {
		if o := &all.known[i]; o.raw != nil {
			clear(o.members)
			o.raw, o.members = nil, o.members[:0]
		}
	}
	all.next = 0
}

// LookAhead appends the spans of the member names and values in a frame's params, or in its result.
// If a name has escapes or is empty, or if there are many, it appends none. It does not depend on
// earlier frames, so other goroutines may call it; see [record.Lines.Parts].
func LookAhead(e *record.Event, to []jsonrpc.Span) []jsonrpc.Span {
	b := e.Frame.Bytes
	in := e.Frame.Envelope.Params.Of(b)
	if in == nil {
		in = e.Frame.Envelope.Result.Of(b)
	}
	before := len(to)
	for name, value := range jsonrpc.Members(in) {
		at := jsonrpc.SpanOf(b, name)
		if !at.Present() || len(to) == before+2*maxMembers {
			return to[:before]
		}
		to = append(to, at, jsonrpc.SpanOf(b, value))
	}
	return to
}

// know caches the members of an object whose spans [LookAhead] has found.
func (all *objects) know(frame, object []byte, parts []jsonrpc.Span) {
	if len(parts) == 0 {
		return
	}
	o := all.begin(object)
	for i := 0; i < len(parts); i += 2 {
		o.members = append(o.members, member{parts[i].Of(frame), parts[i+1].Of(frame)})
	}
}

// begin returns an empty cache entry for an object that is not cached.
func (all *objects) begin(raw []byte) *object {
	o := &all.known[all.next]
	all.next = (all.next + 1) % len(all.known)
	clear(o.members)
	o.raw, o.members, o.long = raw, o.members[:0], false
	return o
}

// members returns the members or elements of a value. The value must not be empty.
func (all *objects) members(raw []byte) *object {
	for i := range all.known {
		if o := &all.known[i]; len(o.raw) == len(raw) && &o.raw[0] == &raw[0] {
			return o
		}
	}
	o := all.begin(raw)
	if raw[0] == '[' {
		for value := range jsonrpc.Elements(raw) {
			if !o.add(nil, value) {
				break
			}
		}
		return o
	}
	for name, value := range jsonrpc.Members(raw) {
		if !o.add(name, value) {
			break
		}
	}
	return o
}

func (o *object) add(name, value []byte) bool {
	if o.long = len(o.members) == maxMembers; !o.long {
		o.members = append(o.members, member{name, value})
	}
	return !o.long
}

// Get is like [jsonrpc.Get], but scans an object in the message only once, even for several
// members.
func (m *Message) Get(object []byte, name string) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	o := m.objects.members(object)
	if o.long {
		return jsonrpc.Get(object, name)
	}
	for i := len(o.members) - 1; i >= 0; i-- { // the last of duplicate members counts
		if string(o.members[i].name) == name {
			return o.members[i].value
		}
	}
	return nil
}

// Text is like [jsonrpc.Text], but caches the object; see [Message.Get].
func (m *Message) Text(object []byte, name string) string {
	raw, newest := m.Get(object, name), m.objects.text
	if last := len(raw) - 1; len(newest) == last-1 && raw[0] == '"' && string(raw[1:last]) == newest {
		return newest
	}
	s, _ := jsonrpc.Unquote(raw)
	if len(s) <= maxShortText && len(s) == len(raw)-len(`""`) {
		m.objects.text = s
	}
	return s
}

// scanned returns the members of an object in the message, in the order of the bytes. ok is false if there are
// too many.
func (m *Message) scanned(object []byte) (members []member, ok bool) {
	if len(object) == 0 || object[0] != '{' {
		return nil, false
	}
	o := m.objects.members(object)
	return o.members, !o.long
}

// Has is like the function [Has], but caches the object; see [Message.Get].
func (m *Message) Has(object []byte, name string) bool { return m.Get(object, name) != nil }

// Indexed is like the function [Indexed], but caches the array; see [Message.Get].
func (m *Message) Indexed(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) { m.indexed(array, yield) }
}

func (m *Message) indexed(array []byte, yield func(int, []byte) bool) {
	if len(array) == 0 || array[0] != '[' || m.objects.members(array).long {
		Indexed(array)(yield)
		return
	}
	for i := 0; ; i++ {
		o := m.objects.members(array) // the rule may have used the cache for other objects
		if i >= len(o.members) || !yield(i, o.members[i].value) {
			return
		}
	}
}
