package store

// ring keeps the newest bytes of a stream.
type ring struct {
	buf   []byte
	start int64 // offset of the oldest byte that is kept
	end   int64 // offset after the newest byte
	first int64 // offset of the byte at index 0 when the ring was made
}

func newRing(size int, at int64) *ring {
	return &ring{buf: make([]byte, size), start: at, end: at, first: at}
}

func (r *ring) add(p []byte) {
	size := int64(len(r.buf))
	if over := int64(len(p)) - size; over > 0 {
		r.end += over
		p = p[over:]
	}
	for len(p) > 0 {
		n := copy(r.buf[(r.end-r.first)%size:], p)
		r.end += int64(n)
		p = p[n:]
	}
	r.start = max(r.start, r.end-size)
}

// read fills p from an offset, and returns false if some of the bytes are no longer kept.
func (r *ring) read(p []byte, off int64) bool {
	if off < r.start || off+int64(len(p)) > r.end {
		return false
	}
	for len(p) > 0 {
		n := copy(p, r.buf[(off-r.first)%int64(len(r.buf)):])
		off += int64(n)
		p = p[n:]
	}
	return true
}
