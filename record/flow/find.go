package flow

import (
	"hash/maphash"
	"iter"
	"sort"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// Pending yields the held pending requests, oldest first. The table must not change during the iteration.
func (t *Table) Pending() iter.Seq[*Flow] {
	return t.PendingAfter(None)
}

// PendingAfter is like Pending, but skips the requests up to a row.
func (t *Table) PendingAfter(row int32) iter.Seq[*Flow] {
	return func(yield func(*Flow) bool) {
		first := sort.Search(len(t.flows), func(i int) bool { return t.flows[i].Row() > row })
		for _, f := range t.flows[first:] {
			if f.Waits() && !yield(f) {
				return
			}
		}
	}
}

// Count returns the number of pending requests of both sides, without subscriptions.
func (t *Table) Count() int { return t.pending }

// Find returns the newest request that a side sent with an id. It returns nil if there is none, or
// if it was sent too long ago. A request that is no longer held has only its id, method, protocol
// version, row, time and state.
func (t *Table) Find(dir transport.Direction, id jsonrpc.Token) *Flow {
	key := t.key(id)
	if f := t.held[dir][key]; f != nil {
		return f
	}
	r, ok := t.rows[dir].get(key)
	if !ok {
		return nil
	}
	if r.state == Pending && r.Row() <= t.abandoned {
		r.state = Abandoned
	}
	f := &Flow{
		Ref: r.Ref, Dir: dir, State: r.state, ID: jsonrpc.IDOf(phrase.Clip(id.Shown(), maxText)), Method: t.methods[r.method], Start: time.Unix(0, r.time), released: true, key: key,
	}
	if r.revision > 0 {
		f.Revision = revisions[r.revision-1]
	}
	return f
}

// HasID reports whether a request has an id.
func (t *Table) HasID(f *Flow, id jsonrpc.Token) bool { return f.key == t.key(id) }

// TokenKey returns a key for a raw progress token. Different spellings of a token have the same
// key: 1.0 is 1, and an escaped letter is the letter.
func (t *Table) TokenKey(token []byte) uint64 { return t.key(jsonrpc.TokenOf(token)) }

// OfToken returns the newest request of a side with the progress token, or nil if there is none or it is no
// longer held.
func (t *Table) OfToken(dir transport.Direction, token []byte) *Flow {
	return t.tokens[dir][t.TokenKey(token)]
}

// RowOf returns the row of the result of [Table.Find], or [None].
func (t *Table) RowOf(dir transport.Direction, id jsonrpc.Token) int32 {
	if f := t.Find(dir, id); f != nil {
		return f.Row()
	}
	return None
}

// key returns a hash of the meaning of an id.
func (t *Table) key(id jsonrpc.Token) uint64 { return t.hash(id.Meaning()) }

// hash returns the hash of the text of an id. Ids that differ only in their last digit get adjacent
// keys. Consecutive requests have such ids, so their data is close together in memory.
func (t *Table) hash(id []byte) uint64 {
	last := len(id) - 1
	if last < 0 || id[last]-'0' > 9 {
		return maphash.Bytes(t.seed, id)
	}
	const digits = 1<<4 - 1
	return ^maphash.Bytes(t.seed, id[:last])&^digits | uint64(id[last]-'0') // an absent id has its own key
}
