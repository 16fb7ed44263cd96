package store

import (
	"encoding/binary"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/record"
)

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits // rows are kept in chunks, so growing copies nothing
	// residentChunks is how many chunks stay in memory: the newest. Those before
	// them are in a file without a name.
	residentChunks = 16
	// blockRows is how many older rows are read at a time, and cachedBlocks how
	// many such blocks stay in memory.
	blockRows    = 512
	cachedBlocks = 8
)

// index is a list of rows, or of other entries of a fixed size, that only grows. The lock
// of the store guards it; readers that hold that lock for reading may run beside each other.
type index[T any] struct {
	n      int
	chunks []*[chunkSize]T // of the newest rows
	first  int             // number of the chunk that chunks begins with
	spare  *[chunkSize]T   // free to be used again
	file   *spill          // the rows of the chunks before, size bytes each
	buf    []byte

	empty  T   // in place of a row whose file was taken away
	size   int // of a row in the file, in bytes
	encode func(*T, []byte)
	decode func(*T, []byte)

	cache struct {
		sync.Mutex
		blocks [cachedBlocks]block
		next   int // the block that makes way
	}
}

// block is a piece of the file.
type block struct {
	number int // plus 1; 0 is no block
	bytes  []byte
}

func newIndex[T any](empty T, size int, encode, decode func(*T, []byte)) index[T] {
	return index[T]{file: newSpill(0), empty: empty, size: size, encode: encode, decode: decode}
}

// resident reports whether a row is in memory.
func (x *index[T]) resident(i int32) bool { return int(i)>>chunkBits >= x.first }

func (x *index[T]) row(i int32) *T {
	return &x.chunks[int(i)>>chunkBits-x.first][i&(chunkSize-1)]
}

// add appends a row.
func (x *index[T]) add(r T) int32 {
	if x.n>>chunkBits == x.first+len(x.chunks) {
		x.grow()
	}
	i := int32(x.n)
	x.n++
	*x.row(i) = r
	return i
}

// grow adds a chunk, and moves the oldest to the file when there are enough.
func (x *index[T]) grow() {
	if len(x.chunks) >= residentChunks && x.moveOldest() {
		x.spare = x.chunks[0]
		x.chunks = append(x.chunks[:0], x.chunks[1:]...)
		x.first++
	}
	chunk := x.spare
	if chunk == nil {
		chunk = new([chunkSize]T)
	}
	x.spare = nil
	x.chunks = append(x.chunks, chunk)
}

func (x *index[T]) moveOldest() bool {
	if x.buf == nil {
		x.buf = make([]byte, chunkSize*x.size)
	}
	for i := range x.chunks[0] {
		x.encode(&x.chunks[0][i], x.buf[i*x.size:])
	}
	_, err := x.file.add(x.buf)
	return err == nil // else it stays in memory
}

// at returns a copy of a row.
func (x *index[T]) at(i int32) T {
	if x.resident(i) {
		return *x.row(i)
	}
	x.cache.Lock()
	defer x.cache.Unlock()
	return x.cached(i)
}

// copy appends n rows from the given one on.
func (x *index[T]) copy(dst []T, from int32, n int) []T {
	x.cache.Lock()
	defer x.cache.Unlock()
	for i := from; n > 0 && int(i) < x.n; i++ {
		if x.resident(i) {
			dst = append(dst, *x.row(i))
		} else {
			dst = append(dst, x.cached(i))
		}
		n--
	}
	return dst
}

// cached reads a row of the file. The caller holds the lock of the cache.
func (x *index[T]) cached(i int32) (r T) {
	r = x.empty
	if b := x.block(int(i) / blockRows); b != nil {
		x.decode(&r, b[int(i)%blockRows*x.size:])
	}
	return r
}

func (x *index[T]) block(number int) []byte {
	for k := range x.cache.blocks {
		if b := &x.cache.blocks[k]; b.number == number+1 {
			return b.bytes
		}
	}
	b := &x.cache.blocks[x.cache.next]
	x.cache.next = (x.cache.next + 1) % cachedBlocks
	if b.bytes == nil {
		b.bytes = make([]byte, blockRows*x.size)
	}
	b.number = 0
	if _, err := x.file.ReadAt(b.bytes, int64(number)*blockRows*int64(x.size)); err != nil {
		return nil // the file was taken away: the row is empty
	}
	b.number = number + 1
	return b.bytes
}

// change lets do change a row. The caller holds the store's lock for writing.
func (x *index[T]) change(i int32, do func(*T)) {
	if x.resident(i) {
		do(x.row(i))
		return
	}
	x.cache.Lock()
	defer x.cache.Unlock()
	r := x.cached(i)
	do(&r)
	b := x.block(int(i) / blockRows)
	if b == nil {
		return
	}
	encoded := b[int(i)%blockRows*x.size:][:x.size]
	x.encode(&r, encoded)
	// What cannot be written is right until the block makes way.
	_ = x.file.writeAt(encoded, int64(i)*int64(x.size))
}

// rowSize is the length of a row in the file.
const rowSize = 60

func (r *Row) encode(b []byte) {
	le := binary.LittleEndian
	_ = b[rowSize-1]
	le.PutUint64(b, uint64(r.Time))
	le.PutUint64(b[8:], uint64(r.Code))
	le.PutUint64(b[16:], uint64(r.off))
	le.PutUint32(b[24:], r.Size)
	le.PutUint32(b[28:], uint32(r.Pair))
	le.PutUint32(b[32:], uint32(r.Cause))
	le.PutUint32(b[36:], r.id.start)
	le.PutUint32(b[40:], r.Exchange)
	le.PutUint16(b[44:], r.id.size)
	le.PutUint16(b[46:], r.Method)
	le.PutUint16(b[48:], r.Conn)
	le.PutUint16(b[50:], uint16(r.Flags))
	le.PutUint16(b[52:], uint16(r.Flaws))
	b[54], b[55], b[56], b[57] = byte(r.Kind), byte(r.IDType), byte(r.Fault), byte(r.Dir)
	b[58], b[59] = 0, byte(r.Changed)
	if r.base64 {
		b[58] = 1
	}
}

func (r *Row) decode(b []byte) {
	le := binary.LittleEndian
	_ = b[rowSize-1]
	r.Time, r.Code, r.off = int64(le.Uint64(b)), int64(le.Uint64(b[8:])), int64(le.Uint64(b[16:]))
	r.Size, r.Pair, r.Cause = le.Uint32(b[24:]), int32(le.Uint32(b[28:])), int32(le.Uint32(b[32:]))
	r.id.start, r.Exchange = le.Uint32(b[36:]), le.Uint32(b[40:])
	r.id.size, r.Method, r.Conn = le.Uint16(b[44:]), le.Uint16(b[46:]), le.Uint16(b[48:])
	r.Flags, r.Flaws = Flags(le.Uint16(b[50:])), jsonrpc.Flaws(le.Uint16(b[52:]))
	r.Kind, r.IDType, r.Fault = jsonrpc.Kind(b[54]), jsonrpc.IDType(b[55]), jsonrpc.Fault(b[56])
	r.Dir, r.base64, r.Changed = transport.Direction(b[57]), b[58] == 1, record.Changed(b[59])
}
