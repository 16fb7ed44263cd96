package jsonview

import "sort"

const (
	// chunkSize is the number of entries per chunk of memory, so that a list grows without copying.
	chunkSize = 1 << 8
	// blockSize is the number of lines whose offsets are relative to the first of them.
	blockSize = 64
	// isFar is the distance of a line that has its offset in the map.
	isFar = 1<<16 - 1
)

// list is a slice that grows in chunks.
type list[T any] struct {
	chunks [][]T
	n      int
}

func (l *list[T]) add(v T) {
	last := l.n / chunkSize
	switch {
	case last < len(l.chunks):
	case last == 0: // most documents are small
		l.chunks = append(l.chunks, nil)
	default:
		l.chunks = append(l.chunks, make([]T, 0, chunkSize))
	}
	l.chunks[last] = append(l.chunks[last], v)
	l.n++
}

func (l *list[T]) at(i int) *T { return &l.chunks[i/chunkSize][i%chunkSize] }

// offsets holds the offsets of the lines, in about two bytes each. It can grow.
type offsets struct {
	blocks list[offsetBlock]
	far    map[int]int // offsets of lines that are far from the first line of their block: at most one per KB of text
	n      int
}

type offsetBlock struct {
	first    int32
	distance [blockSize]uint16
}

func (o *offsets) add(off int) {
	if o.n%blockSize == 0 {
		o.blocks.add(offsetBlock{first: int32(off)})
	}
	b := o.blocks.at(o.n / blockSize)
	distance := off - int(b.first)
	if distance >= isFar {
		if o.far == nil {
			o.far = map[int]int{}
		}
		o.far[o.n], distance = off, isFar
	}
	b.distance[o.n%blockSize] = uint16(distance)
	o.n++
}

func (o *offsets) at(line int) int {
	b := o.blocks.at(line / blockSize)
	if d := b.distance[line%blockSize]; d != isFar {
		return int(b.first) + int(d)
	}
	return o.far[line]
}

// container is an object or array with values.
type container struct {
	open, last int32 // its first line, and the line with the closing bracket or, if it is not closed, the invalid rest
	parent     int32 // container around it, or -1
	place      int32 // twice the number of values before it in its parent, plus 1 for an object
}

func (c *container) index() int     { return int(c.place >> 1) }
func (c *container) isObject() bool { return c.place&1 == 1 }

// off returns the start of line l in bytes: its key, its value, or its closing bracket.
func (d *Doc) off(l int) int { return d.offsets.at(l) }

// around returns the innermost container that line l is in, or is the first or last line of, or -1. before is
// the newest container inside it that ends before the line, or -1.
func (d *Doc) around(l int) (in, before int) {
	in = sort.Search(d.containers.n, func(i int) bool { return int(d.containers.at(i).open) > l }) - 1
	before = -1
	for in >= 0 && int(d.containers.at(in).last) < l {
		in, before = int(d.containers.at(in).parent), in
	}
	return in, before
}

// A place describes the position of a line in the document.
type place struct {
	bordering int // container that begins or ends with the line, or -1
	parent    int // container around it, or -1
	before    int // newest container in the parent that ends before the line; -1 if there is no such container or own is set
	open      bool
}

func (d *Doc) place(l int) place {
	in, before := d.around(l)
	if in < 0 {
		return place{bordering: -1, parent: -1, before: before}
	}
	switch c := d.containers.at(in); {
	case int(c.open) == l:
		return place{bordering: in, parent: int(c.parent), before: -1, open: true}
	case int(c.last) == l && !d.isBroken(l):
		return place{bordering: in, parent: int(c.parent), before: -1}
	}
	return place{bordering: -1, parent: in, before: before}
}

// countUpTo returns the number of values before line l in a container, if the line is a value in it. before is
// the newest container inside it that ends before the line, or -1.
func (d *Doc) countUpTo(l, in, before int) int {
	if before < 0 {
		return l - int(d.containers.at(in).open) - 1
	}
	c := d.containers.at(before)
	return c.index() + l - int(c.last)
}

// index returns the number of values before the value of line l in the container around it.
func (d *Doc) index(l int) int {
	switch at := d.place(l); {
	case at.bordering >= 0:
		return d.containers.at(at.bordering).index()
	case at.parent >= 0:
		return d.countUpTo(l, at.parent, at.before)
	}
	return 0
}

// parents yields the containers around line l, from the inside out, without the one whose first or last line it
// is.
func (d *Doc) parents(l int) func(yield func(c *container) bool) {
	return func(yield func(c *container) bool) {
		for i := d.place(l).parent; i >= 0; {
			c := d.containers.at(i)
			if !yield(c) {
				return
			}
			i = int(c.parent)
		}
	}
}

// nested yields all containers, with the number of containers around each.
func (d *Doc) nested(yield func(c *container, depth int) bool) {
	var ends []int32
	for i := range d.containers.n {
		c := d.containers.at(i)
		for len(ends) > 0 && ends[len(ends)-1] < c.open {
			ends = ends[:len(ends)-1]
		}
		if !yield(c, len(ends)) {
			return
		}
		ends = append(ends, c.last)
	}
}

// values yields the lines of the values in the container with opening line l. A broken value is skipped.
func (d *Doc) values(l int) func(yield func(line int) bool) {
	return func(yield func(line int) bool) {
		at := d.place(l)
		if !at.open {
			return
		}
		last, next := int(d.containers.at(at.bordering).last), at.bordering+1
		for line := l + 1; line < last; {
			if !yield(line) {
				return
			}
			if next == d.containers.n || int(d.containers.at(next).open) != line {
				line++
				continue
			}
			line = int(d.containers.at(next).last) + 1
			next = d.firstFrom(next+1, line)
		}
	}
}

// firstFrom returns the first container, at or after from, that starts at line l or later. It is fast if that
// is near from.
func (d *Doc) firstFrom(from, l int) int {
	most := 1
	for from+most < d.containers.n && int(d.containers.at(from+most).open) < l {
		most *= 2
	}
	return from + sort.Search(min(most, d.containers.n-from), func(i int) bool { return int(d.containers.at(from+i).open) >= l })
}
