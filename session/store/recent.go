package store

// maxRecent is how many entries a generation of a recentRows holds.
const maxRecent = 128 << 10

// recentRows remembers the rows of keys, at least those of the newest maxRecent
// and at most twice as many: older keys are forgotten together. Keys are hashes,
// so an entry has a fixed size whatever the peer sends.
type recentRows struct {
	max      int // entries of a generation; 0 is maxRecent
	now, old map[uint64]int32
}

func (r *recentRows) get(key uint64) (row int32, ok bool) {
	if row, ok = r.now[key]; !ok {
		row, ok = r.old[key]
	}
	return row, ok
}

func (r *recentRows) put(key uint64, row int32) {
	limit := r.max
	if limit == 0 {
		limit = maxRecent
	}
	if r.now == nil {
		r.now = map[uint64]int32{}
	}
	if len(r.now) >= limit {
		r.old, r.now = r.now, make(map[uint64]int32)
	}
	r.now[key] = row
}
