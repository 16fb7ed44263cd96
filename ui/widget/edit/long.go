package edit

import (
	"sort"
	"unicode/utf8"

	"mcptea/ui/paint"
)

// longLine is the length in bytes from which a line is measured by marks: a
// minified document is one line of many megabytes, and no key may take longer
// there than in a short one.
const longLine = 16 << 10

// stride is how many bytes there are between two marks.
const stride = 4 << 10

// mark is a place between two clusters of a line, and the cells before it.
type mark struct{ at, cells int }

// ruler holds the marks of a line from its start on, as far as it was measured.
type ruler []mark

// stepAt gives the cluster at a place: its bytes and its cells.
func stepAt(line string, at int) (size, cells int) {
	if c := line[at]; c >= 0x20 && c < 0x7f && (at+1 == len(line) || line[at+1] < utf8.RuneSelf) {
		return 1, 1
	}
	size = paint.NextCluster(line[at:])
	return size, paint.Width(shown(line[at : at+size]))
}

// walk goes on from a mark while the place after the next cluster is wanted.
func walk(line string, from mark, wanted func(next mark) bool) mark {
	for from.at < len(line) {
		size, cells := stepAt(line, from.at)
		next := mark{from.at + size, from.cells + cells}
		if !wanted(next) {
			break
		}
		from = next
	}
	return from
}

// find gives the last place of a line up to which all places are wanted. What is
// wanted is a start of the line: places up to a byte or up to a cell.
func (b *Buffer) find(row int, wanted func(m mark) bool) mark {
	line := b.Line(row)
	if len(line) <= longLine {
		return walk(line, mark{}, wanted)
	}
	if b.rulers == nil {
		b.rulers = map[int]ruler{}
	}
	r := b.rulers[row]
	if len(r) == 0 {
		r = ruler{{}}
	}
	for last := r[len(r)-1]; wanted(last) && last.at < len(line); last = r[len(r)-1] {
		end := last.at + stride
		next := walk(line, last, func(m mark) bool { return m.at <= end })
		if next == last {
			size, cells := stepAt(line, last.at) // a cluster longer than a stride
			next = mark{last.at + size, last.cells + cells}
		}
		r = append(r, next)
	}
	b.rulers[row] = r
	n := sort.Search(len(r), func(i int) bool { return !wanted(r[i]) })
	return walk(line, r[max(n-1, 0)], wanted)
}

// cellsBefore is the number of cells before a place in a line.
func (b *Buffer) cellsBefore(row, col int) int {
	return b.find(row, func(m mark) bool { return m.at <= col }).cells
}

// colAt is the place in a line with at most so many cells before it.
func (b *Buffer) colAt(row, cells int) int {
	return b.find(row, func(m mark) bool { return m.cells <= cells }).at
}

// clusterStart is the start of the cluster that ends at a place.
func (b *Buffer) clusterStart(row, col int) int {
	return b.find(row, func(m mark) bool { return m.at < col }).at
}

// touched forgets what was measured of a line from a place on, or of all lines
// when their number changes.
func (b *Buffer) touched(row, col int, number bool) {
	if number {
		clear(b.rulers)
		return
	}
	if r, ok := b.rulers[row]; ok {
		n := sort.Search(len(r), func(i int) bool { return r[i].at >= col })
		b.rulers[row] = r[:n]
	}
}

// from gives the part of a long line that a window scrolled by so many cells
// shows, and how many cells stay empty before it.
func (b *Buffer) from(row, left, w int) (part string, gap int) {
	line := b.Line(row)
	m := b.find(row, func(m mark) bool { return m.cells <= left })
	if m.cells < left && m.at < len(line) {
		size, cells := stepAt(line, m.at) // a wide character that is cut at the left
		m = mark{m.at + size, m.cells + cells}
		gap = m.cells - left
	}
	return head(line[m.at:], w), gap
}

// head is the start of a line that is more than w cells can show.
func head(line string, w int) string {
	n := w*16 + 64
	if n >= len(line) {
		return line
	}
	for n > 0 && !utf8.RuneStart(line[n]) {
		n--
	}
	return line[:n]
}
