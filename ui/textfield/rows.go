package textfield

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"mcptea/internal/words/display"
)

// A row is the part of a piece that is painted in one row.
type row struct {
	pieceRef
	from, to int  // offsets in the piece
	first    bool // first row of a line
	last     bool // a line feed follows
	final    bool // the text ends here
}

// step measures the cluster at a place of a piece: its bytes and its cells.
func (b *Buffer) step(s string, i int) (size, cells int) {
	c := s[i]
	switch {
	case b.Secret:
		_, size = utf8.DecodeRuneInString(s[i:])
		return size, 1
	case c >= 0x20 && c < 0x7f && c != '\\' && (i+1 == len(s) || s[i+1] < utf8.RuneSelf):
		return 1, 1
	case c == '\n' && b.text.lines:
		return 1, 0
	case b.Raw:
		n, shown := escapeStep(s, i)
		return n, display.Width(cmp.Or(shown, s[i:i+n]))
	case c == '\\':
		return 1, 1
	}
	size, _ = display.Step(s, i)
	return size, display.Width(display.Sanitize(s[i : i+size]))
}

// unlimited is more cells than any text has.
const unlimited = 1 << 30

// limit returns the number of cells of text in a row. One cell after the text stays free for the cursor.
func (b *Buffer) limit() int {
	if b.w <= 0 || !b.Multi {
		return unlimited
	}
	return max(b.w-1, 1)
}

// rowsOf lists the rows of a piece.
func (b *Buffer) rowsOf(dst []row, p pieceRef) []row {
	s := b.text.at(p)
	body := s
	r := row{pieceRef: p}
	if b.text.lines {
		body = strings.TrimSuffix(s, "\n")
		r.first = p.start == 0 || b.byteAt(p.start-1) == '\n'
	}
	limit := b.limit()
	cells := 0
	for i := 0; i < len(body); {
		n, c := b.step(s, i)
		if cells+c > limit && cells > 0 {
			r.to = i
			dst = append(dst, r)
			r = row{pieceRef: p, from: i}
			cells = 0
		}
		i += n
		cells += c
	}
	r.to, r.last = len(body), len(body) < len(s)
	_, more := b.text.next(p)
	r.final = !more
	return append(dst, r)
}

// rowAt returns the row of an offset, and the rows of its piece.
func (b *Buffer) rowAt(at int) (rows []row, i int) {
	p := b.text.locate(at)
	rows = b.rowsOf(nil, p)
	for i = len(rows) - 1; i > 0 && p.start+rows[i].from > at; {
		i--
	}
	return rows, i
}

// rowsAway returns the row n rows after or before the row of an offset, limited to the first and the last
// row.
func (b *Buffer) rowsAway(at, n int) (found row, moved int) {
	rows, i := b.rowAt(at)
	for {
		switch {
		case i+n >= 0 && i+n < len(rows):
			return rows[i+n], moved + n
		case n < 0:
			p, ok := b.text.previous(rows[0].pieceRef)
			if !ok {
				return rows[0], moved - i
			}
			n += i + 1
			moved -= i + 1
			rows = b.rowsOf(rows[:0], p)
			i = len(rows) - 1
		default:
			p, ok := b.text.next(rows[0].pieceRef)
			if !ok {
				return rows[len(rows)-1], moved + len(rows) - 1 - i
			}
			n -= len(rows) - i
			moved += len(rows) - i
			rows = b.rowsOf(rows[:0], p)
			i = 0
		}
	}
}

// cellsTo returns the number of cells between the start of a row and an offset.
func (b *Buffer) cellsTo(r row, at int) int {
	s, cells := b.text.at(r.pieceRef), 0
	for i := r.from; i < min(at-r.start, r.to); {
		n, c := b.step(s, i)
		i += n
		cells += c
	}
	return cells
}

// inRow returns the last offset in a row that is at most cells cells after its start.
func (b *Buffer) inRow(r row, cells int) int {
	s, i := b.text.at(r.pieceRef), r.from
	for i < r.to {
		n, c := b.step(s, i)
		if cells -= c; cells < 0 || i+n >= r.to && !r.last && !r.final {
			break // after the last one, the next row starts
		}
		i += n
	}
	return r.start + i
}

func (b *Buffer) keepGoal() {
	if !b.Multi {
		return
	}
	rows, i := b.rowAt(b.at)
	b.goal = b.cellsTo(rows[i], b.at)
}

// vertical moves by n rows, towards the column that was kept.
func (b *Buffer) vertical(n int) bool {
	b.ready()
	if !b.Multi {
		return false
	}
	r, moved := b.rowsAway(b.at, n)
	if moved == 0 {
		return false
	}
	b.at = b.inRow(r, b.goal)
	return true
}

// visible lists the h rows to paint, so that the cursor is among them.
func (b *Buffer) visible(h int) []row {
	b.top = min(b.top, b.text.size)
	rows, i := b.rowAt(b.top)
	cursor, j := b.rowAt(b.at)
	if at := cursor[j].start + cursor[j].from; at < rows[i].start+rows[i].from {
		rows, i = cursor, j
	}
	list := b.fill(rows[i:], h)
	if last := list[len(list)-1]; b.after(cursor[j], last) {
		first, _ := b.rowsAway(b.at, 1-h)
		list = b.from(first, h)
	} else if len(list) < h && last.final {
		first, _ := b.rowsAway(b.text.size, 1-h)
		list = b.from(first, h)
	}
	b.top = list[0].start + list[0].from
	return list
}

func (b *Buffer) after(r, other row) bool {
	return r.start+r.from > other.start+other.from
}

func (b *Buffer) from(first row, h int) []row {
	rows, i := b.rowAt(first.start + first.from)
	return b.fill(rows[i:], h)
}

// fill appends the rows that follow until there are h.
func (b *Buffer) fill(rows []row, h int) []row {
	for len(rows) < h {
		p, ok := b.text.next(rows[len(rows)-1].pieceRef)
		if !ok {
			return rows
		}
		rows = b.rowsOf(rows, p)
	}
	return rows[:h]
}

// scrollLine moves the window over the only line as little as it takes, and returns
// the cells between its left edge and the cursor.
func (b *Buffer) scrollLine(w int) int {
	if cells := b.cellsBetween(0, b.at, w); cells < w {
		b.top = 0 // show the start of the line rather than keep the window still
		return cells
	}
	if b.at < b.top {
		b.top = b.back(b.at, w/4)
	}
	cells := b.cellsBetween(b.top, b.at, w)
	if cells >= w {
		b.top = b.back(b.at, w-1)
		cells = b.cellsBetween(b.top, b.at, w)
	}
	return cells
}

// cellsBetween counts the cells between two offsets, up to a number.
func (b *Buffer) cellsBetween(from, to, most int) int {
	cells := 0
	for p, ok := b.text.locate(from), true; ok && p.start < to; p, ok = b.text.next(p) {
		s := b.text.at(p)
		for i := max(from-p.start, 0); i < min(len(s), to-p.start); {
			n, c := b.step(s, i)
			i += n
			if cells += c; cells >= most {
				return cells
			}
		}
	}
	return cells
}

// back returns the offset of the first cluster that is at most cells cells before an offset.
func (b *Buffer) back(at, cells int) int {
	type cluster struct{ at, cells int }
	var list []cluster
	for p, ok := b.text.locate(at), true; ok; p, ok = b.text.previous(p) {
		s := b.text.at(p)
		list = list[:0]
		for i := 0; i < min(len(s), at-p.start); {
			n, c := b.step(s, i)
			list = append(list, cluster{p.start + i, c})
			i += n
		}
		for i := len(list) - 1; i >= 0; i-- {
			if cells -= list[i].cells; cells < 0 {
				return at
			}
			at = list[i].at
		}
	}
	return at
}
