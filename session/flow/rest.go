package flow

import (
	"slices"

	"mcptea/client/revision"
)

const (
	// maxRecent is how many entries a generation of a recent holds.
	maxRecent = 128 << 10
	// maxTasks bounds what is remembered of tasks.
	maxTasks = 16 << 10
)

// recent remembers something of keys, at least of the newest max and at most of
// twice as many: older keys are forgotten together. Keys are hashes, so that an
// entry has a fixed size whatever the peer sends.
type recent[T any] struct {
	max      int // entries of a generation
	now, old map[uint64]T
}

func (r *recent[T]) get(key uint64) (v T, ok bool) {
	if v, ok = r.now[key]; !ok {
		v, ok = r.old[key]
	}
	return v, ok
}

func (r *recent[T]) put(key uint64, v T) {
	if r.now == nil {
		r.now = map[uint64]T{}
	}
	if len(r.now) >= r.max {
		r.old, r.now = r.now, make(map[uint64]T)
	}
	r.now[key] = v
}

// rest is what is left of a request that is no longer held.
type rest struct {
	time int64 // Unix nanoseconds
	Ref
	method   uint16
	revision uint8 // index in revision.All plus 1; 0 is unknown
	state    State
}

// restOf returns what is left of a flow.
func (t *Table) restOf(f *Flow) rest {
	return rest{
		time: f.Start.UnixNano(), Ref: f.Ref, method: t.method(f.Method), state: f.State,
		revision: uint8(slices.Index(revisions, f.Revision) + 1),
	}
}

// maxMethods bounds the names of methods that are kept.
const maxMethods = 1024

// method numbers a name; 0 is the empty one, and one too many.
func (t *Table) method(name string) uint16 {
	n, ok := t.numbers[name]
	if !ok && len(t.methods) < maxMethods {
		n = uint16(len(t.methods))
		t.numbers[name], t.methods = n, append(t.methods, name)
	}
	return n
}

// methodName is the method of a request, one copy for all that have it.
func (t *Table) methodName(m *Message) string {
	if n, ok := t.numbers[string(m.Envelope.Method.Of(m.Bytes))]; ok {
		return t.methods[n]
	}
	return cut(m.Envelope.MethodName(m.Bytes))
}

var revisions = revision.All()
