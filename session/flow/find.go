package flow

import (
	"hash/maphash"
	"iter"
	"sort"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Pending walks over the pending requests that are held, oldest first. The table
// must not change meanwhile.
func (t *Table) Pending() iter.Seq[*Flow] {
	return t.PendingAfter(None)
}

// PendingAfter is Pending without the requests up to a row.
func (t *Table) PendingAfter(row int32) iter.Seq[*Flow] {
	return func(yield func(*Flow) bool) {
		first := sort.Search(len(t.flows), func(i int) bool { return t.flows[i].Row > row })
		for _, f := range t.flows[first:] {
			if f.Waits() && !yield(f) {
				return
			}
		}
	}
}

// Count is how many requests of both sides are pending, without subscriptions.
func (t *Table) Count() int { return t.pending }

// Find returns the newest request that a side sent under a raw id; nil without
// one, or if it was too long ago. One that is not held any more has only its id,
// method, revision, row, time and state.
func (t *Table) Find(dir transport.Direction, id []byte) *Flow {
	r := t.find(dir, t.key(id))
	if r.flow == nil && r.ok() {
		return t.released(dir, id, r.rest)
	}
	return r.flow
}

// HasID reports whether a request has a raw id.
func (t *Table) HasID(f *Flow, id []byte) bool { return f.key == t.key(id) }

// TokenKey identifies a raw progress token, however it is written: 1.0 is 1, and an
// escaped letter is the letter.
func (t *Table) TokenKey(token []byte) uint64 { return t.key(jsonrpc.Shortest(token)) }

// OfToken returns the newest request of a side with the progress token; nil without
// one, or if it is not held any more.
func (t *Table) OfToken(dir transport.Direction, token []byte) *Flow {
	return t.tokens[dir][t.TokenKey(token)]
}

// RowOf returns the row of [Table.Find], and [None] without one.
func (t *Table) RowOf(dir transport.Direction, id []byte) int32 {
	return t.find(dir, t.key(id)).Row
}

// found is a request, with its flow if it is held.
type found struct {
	rest // with the row None if nothing was found; of a held flow only its place and state are set
	flow *Flow
	key  uint64
}

func (r *found) ok() bool { return r.Row != None }

func (t *Table) methodOf(r found) string {
	if r.flow != nil {
		return r.flow.Method
	}
	return t.methods[r.method]
}

func (t *Table) find(dir transport.Direction, key uint64) found {
	if f := t.held[dir][key]; f != nil {
		return found{flow: f, key: key, rest: rest{Ref: f.Ref, state: f.State}}
	}
	r, ok := t.rows[dir].get(key)
	switch {
	case !ok:
		r.Ref = NoRef
	case r.state == Pending && r.Row <= t.abandoned:
		r.state = Abandoned
	}
	return found{rest: r, key: key}
}

func (t *Table) key(id []byte) uint64 { return maphash.Bytes(t.seed, id) }
