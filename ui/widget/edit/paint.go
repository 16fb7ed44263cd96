package edit

import "mcptea/ui/paint"

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
		out = append(out, b.row1(r, ground, w, b.top+i, write))
	}
	return out
}

// row1 paints a line. A line that is scrolled sideways is painted as a whole, so
// that its colors are right, unless it is long.
func (b *Buffer) row1(r *paint.Row, ground paint.Style, w, row int, write Painter) string {
	line := b.Line(row)
	switch {
	case b.left == 0:
		r.Start(w, ground)
		write(r, head(line, w))
	case len(line) <= longLine:
		wide := paint.Width(shown(line))
		if wide <= b.left {
			r.Start(w, ground) // all of it is scrolled off
			break
		}
		r.Start(wide+w, ground)
		write(r, line)
		return paint.Slice(r.String(), b.left, w)
	default:
		r.Start(w, ground)
		part, gap := b.from(row, b.left, w)
		r.Gap(gap)
		write(r, part)
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
	b.line()
	b.col = b.colAt(b.row, x+b.left)
	b.keepGoal()
}
