package store

import (
	"sync"
	"unsafe"
)

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits // rows are kept in chunks, so that growing copies nothing
	// residentChunks is the number of chunks that stay in memory, the newest ones. Older chunks are in an
	// unnamed file.
	residentChunks = 16
	// blockRows is the number of older rows that are read at a time. cachedBlocks is the number of
	// such blocks that stay in memory.
	blockRows    = 512
	cachedBlocks = 8
)

// An index is a list of rows that only grows. The lock of the store guards it; readers that hold the lock for
// reading may run concurrently.
type index struct {
	n      int
	chunks []*[chunkSize]Row // chunks of the newest rows
	first  int               // number of the first chunk in chunks
	spare  *[chunkSize]Row   // chunk for reuse, or nil
	file   *spill            // rows before those in chunks
	places []place           // place of each block of blockRows rows

	cache struct {
		sync.Mutex
		blocks [cachedBlocks]block
		next   int // index of the block to be replaced next
	}
}

// block is a part of the file with older rows.
type block struct {
	number int // number of the block plus 1, or 0 for none
	rows   []Row
}

func newIndex() index { return index{file: newSpill(0)} }

// rowSize is the length of a row in the file. The file has the layout of the memory, since no
// other process reads it.
const rowSize = int64(unsafe.Sizeof(Row{}))

// bytesOf returns the bytes of rows. A row has no pointers.
func bytesOf(rows []Row) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&rows[0])), len(rows)*int(rowSize)) //nolint:gosec // see rowSize
}

// resident reports whether a row is in memory.
func (x *index) resident(i int32) bool { return int(i)>>chunkBits >= x.first }

func (x *index) row(i int32) *Row {
	return &x.chunks[int(i)>>chunkBits-x.first][i&(chunkSize-1)]
}

// add appends a row.
func (x *index) add(r Row) int32 {
	if x.n>>chunkBits == x.first+len(x.chunks) {
		x.grow()
	}
	if x.n%blockRows == 0 {
		x.places = append(x.places, place{start: r.off})
	}
	i := int32(x.n)
	x.n++
	x.note(i, &r)
	*x.row(i) = r
	return i
}

// A place is the position of the bytes of some rows in the record.
type place struct {
	start int64 // offset of the first row
	aside bool  // at least one row is not [Row.IsPlain]
}

// note records a row that is new or was changed.
func (x *index) note(i int32, r *Row) {
	if !r.IsPlain() {
		x.places[i/blockRows].aside = true
	}
}

// grow adds a chunk. If there are enough chunks, it moves the oldest to the file.
func (x *index) grow() {
	if len(x.chunks) >= residentChunks && x.moveOldest() {
		x.spare = x.chunks[0]
		x.chunks = append(x.chunks[:0], x.chunks[1:]...)
		x.first++
	}
	chunk := x.spare
	if chunk == nil {
		chunk = new([chunkSize]Row)
	}
	x.spare = nil
	x.chunks = append(x.chunks, chunk)
}

func (x *index) moveOldest() bool {
	_, err := x.file.add(bytesOf(x.chunks[0][:]))
	return err == nil // after an error, the chunk stays in memory
}

// at returns a copy of a row.
func (x *index) at(i int32) Row {
	if x.resident(i) {
		return *x.row(i)
	}
	x.cache.Lock()
	defer x.cache.Unlock()
	return x.cached(i)
}

// copy appends n rows, starting with the row from.
func (x *index) copy(dst []Row, from int32, n int) []Row {
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

// cached reads a row of the file. The row is empty if the file was removed. The caller holds
// the lock of the cache.
func (x *index) cached(i int32) Row {
	if rows := x.block(int(i) / blockRows); rows != nil {
		return rows[i%blockRows]
	}
	return Row{Pair: None}
}

func (x *index) block(number int) []Row {
	for k := range x.cache.blocks {
		if b := &x.cache.blocks[k]; b.number == number+1 {
			return b.rows
		}
	}
	b := &x.cache.blocks[x.cache.next]
	x.cache.next = (x.cache.next + 1) % cachedBlocks
	if b.rows == nil {
		b.rows = make([]Row, blockRows)
	}
	b.number = 0
	if _, err := x.file.ReadAt(bytesOf(b.rows), int64(number)*blockRows*rowSize); err != nil {
		return nil
	}
	b.number = number + 1
	return b.rows
}

// change changes a row with do. The caller holds the store's lock for writing.
func (x *index) change(i int32, do func(*Row)) {
	if x.resident(i) {
		do(x.row(i))
		x.note(i, x.row(i))
		return
	}
	x.cache.Lock()
	defer x.cache.Unlock()
	rows := x.block(int(i) / blockRows)
	if rows == nil {
		return
	}
	changed := rows[i%blockRows:][:1]
	do(&changed[0])
	x.note(i, &changed[0])
	// Unwritten changes are visible until the block is replaced.
	_ = x.file.writeAt(bytesOf(changed), int64(i)*rowSize)
}
