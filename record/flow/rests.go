package flow

// newestIDs holds the remaining data of the newest max requests of a side, by the hashes of their
// ids. Each new request searches for its id, so there are no pointers for the garbage collector to
// follow.
type newestIDs struct {
	max  int
	list []entry // ring buffer; when it has max entries, the oldest is at next
	next int     // index of the entry to be replaced next
	// index finds entries by the lowest bits of their keys. A value consists of the upper bits of
	// the key, and 1 + a place in list. The entry in that place may have been replaced. 0 is free.
	index []uint32
	used  int // entries of the index in use
}

type entry struct {
	key uint64
	rest
}

const (
	// placeBits is the number of bits of a place in the index; max is smaller.
	placeBits = 18
	places    = 1<<placeBits - 1
	// minIndex is the length of the smallest index.
	minIndex = 64
)

// find returns the place of a key in the index, or the place where it belongs.
func (r *newestIDs) find(key uint64) (at uint64, e *entry) {
	mask := uint64(len(r.index) - 1)
	for at = key & mask; ; at = (at + 1) & mask {
		v := r.index[at]
		if v == 0 {
			return at, nil
		}
		if v>>placeBits != uint32(key>>(32+placeBits)) {
			continue
		}
		if e = &r.list[v&places-1]; e.key == key {
			return at, e
		}
	}
}

func (r *newestIDs) get(key uint64) (v rest, ok bool) {
	if r.used == 0 {
		return v, false
	}
	_, e := r.find(key)
	if e == nil {
		return v, false
	}
	return e.rest, true
}

func (r *newestIDs) put(key uint64, v rest) {
	if 2*r.used >= len(r.index) {
		r.reindex()
	}
	_, e := r.find(key)
	if e != nil && e.Ref == v.Ref {
		e.rest = v
		return
	}
	place := r.next
	if len(r.list) < r.max {
		place = len(r.list)
		r.list = append(r.list, entry{key, v})
	} else {
		r.next = (place + 1) % r.max
		r.list[place] = entry{key, v}
	}
	r.point(place)
}

// point makes the index refer to an entry instead of an older entry with the same key.
func (r *newestIDs) point(place int) {
	key := r.list[place].key
	at, _ := r.find(key)
	if r.index[at] == 0 {
		r.used++
	}
	r.index[at] = uint32(key>>(32+placeBits))<<placeBits | uint32(place+1)
}

// reindex makes a new index that is at most a quarter full.
func (r *newestIDs) reindex() {
	size := max(minIndex, len(r.index))
	for size < 4*len(r.list) {
		size *= 2
	}
	if size > len(r.index) {
		r.index = make([]uint32, size)
		r.list = append(make([]entry, 0, min(size/2, r.max)), r.list...)
	}
	clear(r.index)
	r.used = 0
	for i := range r.list {
		r.point((r.next + i) % len(r.list))
	}
}
