package edit

import "mcptea/ui/paint"

// wholeLine is the length in bytes up to which a line that is scrolled
// sideways is painted as a whole, so that its colours are right.
const wholeLine = 16 << 10

// Painter writes one line of text into a row. The text is not trusted.
type Painter func(r *paint.Row, line string)

// Plain paints text in one style.
func Plain(st paint.Style) Painter {
	return func(r *paint.Row, line string) { r.Foreign(st, line) }
}

// Rows paints h lines of w cells on ground, scrolled so that the cursor shows.
func (b *Buffer) Rows(p *paint.Palette, ground paint.Style, w, h int, write Painter) []string {
	if w <= 0 || h <= 0 {
		return nil
	}
	b.scroll(w, h)
	out := make([]string, 0, h)
	r := p.Row()
	for i := range h {
		out = append(out, b.row1(r, ground, w, b.Line(b.top+i), write))
	}
	return out
}

func (b *Buffer) row1(r *paint.Row, ground paint.Style, w int, line string, write Painter) string {
	switch {
	case b.left == 0:
		r.Start(w, ground)
		write(r, line)
	case len(line) <= wholeLine:
		wide := max(paint.Width(shown(line)), b.left) + w
		r.Start(wide, ground)
		write(r, line)
		return paint.Slice(r.String(), b.left, w)
	default:
		r.Start(w, ground)
		rest, gap := paint.SkipCells(shown(line), b.left)
		r.Gap(gap)
		write(r, rest)
	}
	return r.String()
}

// scroll moves the window as little as it takes. One cell stays free after the
// text for the cursor.
func (b *Buffer) scroll(w, h int) {
	if b.row < b.top {
		b.top = b.row
	}
	if b.row >= b.top+h {
		b.top = b.row - h + 1
	}
	b.top = max(min(b.top, b.LineCount()-h), 0)
	at := b.column()
	switch {
	case at < w:
		b.left = 0 // the start of the line is worth more than a still window
	case at < b.left:
		b.left = max(at-w/4, 0)
	}
	if at >= b.left+w {
		b.left = at - w + 1
	}
}

// Cursor is the cell of the cursor within the rows last painted.
func (b *Buffer) Cursor() (x, y int) { return b.column() - b.left, b.row - b.top }

// Click puts the cursor on a cell of the rows last painted.
func (b *Buffer) Click(x, y int) {
	b.row = min(max(b.top+y, 0), b.LineCount()-1)
	line, at, cells := b.line(), 0, 0
	for at < len(line) {
		n := paint.NextCluster(line[at:])
		w := paint.Width(shown(line[at : at+n]))
		if cells+w > x+b.left {
			break
		}
		at += n
		cells += w
	}
	b.col = at
	b.keepGoal()
}
