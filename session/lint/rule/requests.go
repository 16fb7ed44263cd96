package rule

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"iter"
	"slices"
	"time"

	"mcptea/client/revision"
	"mcptea/client/transport"
)

const (
	// maxOpen bounds the requests that are held without a response. Of more than
	// these, the older half is only known by its ids.
	maxOpen = 50_000
	// maxEnded bounds the requests that are held after their end: rules compare
	// later messages with them.
	maxEnded = 4096
	// MaxEndedBytes bounds what such requests, and the memory of a family for
	// ended tasks, may hold.
	MaxEndedBytes = 8 << 20
	// maxOpenBytes bounds the params of the server's requests without a response.
	maxOpenBytes = 32 << 20
	// maxUsed is how many ids are known at least for which no request is held.
	maxUsed = 64 << 10
	// maxShown is how much of an id, a name or a token is kept for display.
	maxShown = 256
)

// requestTable holds the requests of a connection, and the ids of released ones.
// A peer can fill it only up to its bounds.
type requestTable struct {
	seed maphash.Seed
	held [2]map[uint64]*Request // by direction and hash of the raw id, the newest for each id
	// byAge are the pending requests, oldest first, without those that were
	// overdue. One with a response stays until such ones are the majority, or it
	// is the oldest.
	byAge   []*Request
	pending int
	// openBytes are the params of the pending server requests.
	openBytes  int
	ended      []*Request // oldest first
	endedBytes int
	used       [2]formerRequests
	answered   [2]int // how many requests of a side have a response
	methods    map[string]uint16
	names      []string
}

// formerRequest is what is kept of a released request.
type formerRequest struct {
	time     int64
	row      int32
	method   uint16
	revision uint8 // index of revision.All plus 1; 0 is unknown
	answered bool
}

// formerRequests are the newest of them, by the hash of the raw id.
type formerRequests struct{ now, old map[uint64]formerRequest }

func (u *formerRequests) get(key uint64) (formerRequest, bool) {
	id, ok := u.now[key]
	if !ok {
		id, ok = u.old[key]
	}
	return id, ok
}

func (u *formerRequests) put(key uint64, id formerRequest) {
	if u.now == nil || len(u.now) >= maxUsed {
		u.old, u.now = u.now, map[uint64]formerRequest{}
	}
	u.now[key] = id
}

func newRequestTable() requestTable {
	return requestTable{
		seed: maphash.MakeSeed(), held: [2]map[uint64]*Request{{}, {}},
		methods: map[string]uint16{"": 0}, names: []string{""},
	}
}

func (t *requestTable) key(id []byte) uint64 { return maphash.Bytes(t.seed, id) }

// Request finds the newest request of a side with a raw id, or nil.
// One that ended long ago has only its method, row and time.
func (st *State) Request(dir transport.Direction, id []byte) *Request {
	t := &st.requests
	key := t.key(id)
	if r := t.held[dir][key]; r != nil {
		return r
	}
	u, ok := t.used[dir].get(key)
	if !ok {
		return nil
	}
	r := &Request{
		Dir: dir, ID: truncatedText(id), Method: t.names[u.method], Row: u.row, Time: time.Unix(0, u.time),
		Answered: u.answered, lost: !u.answered, key: key, released: true,
	}
	if u.revision > 0 {
		r.revision = revision.All()[u.revision-1]
	}
	return r
}

// HasID reports whether a request was sent under a raw id.
func (st *State) HasID(r *Request, id []byte) bool { return r.key == st.requests.key(id) }

// HasSameID reports whether two requests of a connection have the same id.
func (r *Request) HasSameID(other *Request) bool { return r.key == other.key }

// IsReleased reports whether only the id of a request is known any more.
func (r *Request) IsReleased() bool { return r.released }

// AnsweredRequests is how many requests of a side have a response.
func (st *State) AnsweredRequests(dir transport.Direction) int { return st.requests.answered[dir] }

// Pending walks over the pending requests, in any order.
func (st *State) Pending() iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		for _, held := range st.requests.held {
			for _, r := range held {
				if r.IsPending() && !yield(r) {
					return
				}
			}
		}
	}
}

// TakeOverdue removes and returns the requests that have been pending since
// before a time.
func (st *State) TakeOverdue(since time.Time) []*Request {
	t := &st.requests
	var list []*Request
	n := 0
	for _, r := range t.byAge {
		waits := r.IsPending() && t.held[r.Dir][r.key] == r
		if waits && r.Time.After(since) {
			break
		}
		n++
		if waits {
			list = append(list, r)
		}
	}
	if n > 0 {
		t.byAge = slices.Delete(t.byAge, 0, n)
	}
	return list
}

// addRequest adds a new request.
func (st *State) addRequest(r *Request, id []byte) {
	t := &st.requests
	r.key, r.ID = t.key(id), truncatedText(id)
	if r.Dir == transport.In {
		r.Name = truncatedText(r.Name)
		r.Method = truncatedText(r.Method)
		if t.openBytes += len(r.Params); t.openBytes > maxOpenBytes && len(r.Params) > MaxKeptBytes {
			t.openBytes -= len(r.Params)
			r.Params = nil
		}
		r.counted = len(r.Params)
	}
	if len(t.held[0])+len(t.held[1])-len(t.ended) >= maxOpen {
		st.dropOldest()
	}
	if before := t.held[r.Dir][r.key]; before != nil && !before.queued {
		st.release(before) // a response now belongs to the newer one
	}
	t.held[r.Dir][r.key] = r
	if len(t.byAge) >= 1024 && len(t.byAge) >= 2*t.pending {
		t.byAge = slices.DeleteFunc(t.byAge, func(r *Request) bool { return !r.IsPending() || t.held[r.Dir][r.key] != r })
		t.pending = len(t.byAge)
	}
	t.byAge = append(t.byAge, r)
	t.pending++
}

// dropOldest releases the older half of the pending requests.
func (st *State) dropOldest() {
	t := &st.requests
	var open []*Request
	for _, held := range t.held {
		for _, r := range held {
			if !r.queued {
				open = append(open, r)
			}
		}
	}
	slices.SortFunc(open, func(a, b *Request) int { return int(a.Row) - int(b.Row) })
	for _, r := range open[:len(open)/2] {
		st.release(r)
	}
}

// end moves a request from the pending to the ended ones.
func (st *State) end(r *Request) {
	t := &st.requests
	if r.queued || r.released {
		return
	}
	r.queued = true
	t.pending--
	t.openBytes -= r.counted
	r.counted = 0
	r.trimParams()
	t.ended = append(t.ended, r)
	r.size = len(r.Params) + len(r.Name) + len(r.Token) + len(r.ID)
	t.endedBytes += r.size
	if len(t.ended) <= maxEnded && t.endedBytes <= MaxEndedBytes {
		return
	}
	n := 0 // an eighth at a time, so that moving the rest is cheap
	for n < len(t.ended)-1 && (n < maxEnded/8 || t.endedBytes > MaxEndedBytes) {
		st.release(t.ended[n])
		t.endedBytes -= t.ended[n].size
		n++
	}
	t.ended = slices.Delete(t.ended, 0, n)
}

// release drops a request, but for what is needed to recognize its id.
func (st *State) release(r *Request) {
	t := &st.requests
	r.released = true
	if !r.queued {
		t.pending--
	}
	t.openBytes -= r.counted
	r.counted, r.Params = 0, nil
	if t.held[r.Dir][r.key] == r {
		delete(t.held[r.Dir], r.key)
		t.used[r.Dir].put(r.key, formerRequest{
			time: r.Time.UnixNano(), row: r.Row, method: t.method(r.Method),
			revision: uint8(slices.Index(revision.All(), r.revision) + 1), answered: r.Answered,
		})
	}
	if st.Tokens[r.Dir][r.TokenKey] == r {
		delete(st.Tokens[r.Dir], r.TokenKey)
	}
	for _, release := range st.hooks.release {
		release(st, r)
	}
}

// method numbers the names of methods; 0 is one too many.
func (t *requestTable) method(name string) uint16 {
	n, ok := t.methods[name]
	if !ok && len(t.names) < 1024 {
		n = uint16(len(t.names))
		t.methods[name], t.names = n, append(t.names, name)
	}
	return n
}

// truncatedText is text of the peer as it is kept for display.
func truncatedText[T string | []byte](text T) string {
	if len(text) > maxShown {
		return string(text[:maxShown]) + "…"
	}
	return string(text)
}

// ShortKey is a text that a map may be keyed with: a long one becomes a hash.
func ShortKey(text string) string {
	if len(text) <= maxShown {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return text[:32] + "#" + hex.EncodeToString(sum[:])
}

// TokenKey is a progress token or cursor in its plainest form, as the key of a
// map.
func TokenKey(raw []byte) string { return ShortKey(PlainToken(raw)) }
