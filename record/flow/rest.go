package flow

import (
	"slices"

	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
)

const (
	// maxRecent bounds the entries of each generation of a recent.
	maxRecent = 128 << 10
	// maxTasks bounds the remembered tasks.
	maxTasks = 16 << 10
)

// recent maps keys to requests. It remembers at least the newest max keys, and at most twice as
// many: older keys are forgotten together. Keys are hashes, so an entry has a fixed size whatever
// the peer sends.
type recent struct {
	max      int // entries of a generation
	now, old map[uint64]Ref
}

// any reports whether anything is remembered.
func (r *recent) any() bool { return len(r.now)+len(r.old) > 0 }

func (r *recent) get(key uint64) (v Ref, ok bool) {
	if v, ok = r.now[key]; !ok {
		v, ok = r.old[key]
	}
	return v, ok
}

func (r *recent) put(key uint64, v Ref) {
	if r.now == nil {
		r.now = map[uint64]Ref{}
	}
	if len(r.now) >= r.max {
		r.old, r.now = r.now, make(map[uint64]Ref)
	}
	r.now[key] = v
}

// A rest is the remaining data of a request that is no longer held.
type rest struct {
	time int64 // Unix nanoseconds
	Ref
	method   uint16
	revision uint8 // index in revision.All plus 1; 0 is unknown
	state    State
}

// restOf returns the part of a flow that is kept.
func (t *Table) restOf(f *Flow) rest {
	return rest{
		time: f.Start.UnixNano(), Ref: f.Ref, method: t.method(f.Method), state: f.State,
		revision: uint8(slices.Index(revisions, f.Revision) + 1),
	}
}

// maxMethods bounds the names of methods that are kept.
const maxMethods = 1024

// method returns the number of a name; 0 stands for the empty name, and for names beyond the maximum.
func (t *Table) method(name string) uint16 {
	if name == t.methods[t.newest] {
		return t.newest
	}
	n, ok := t.numbers[name]
	if !ok && len(t.methods) < maxMethods {
		n = uint16(len(t.methods))
		t.numbers[name], t.methods = n, append(t.methods, name)
	}
	t.newest = n
	return n
}

// methodName returns the method of a request. All requests with the method share one string.
func (t *Table) methodName(m *Message) string {
	raw := m.Envelope.MethodText(m.Bytes)
	if newest := t.methods[t.newest]; string(raw) == newest {
		return newest
	}
	if n, ok := t.numbers[string(raw)]; ok {
		return t.methods[n]
	}
	return phrase.Clip(raw, maxText)
}

var revisions = revision.All()
