package result

import (
	"math"

	"mcptea/ui/paint"
)

// rendered is the window on the rendered form of a response.
type rendered struct {
	blocks   []block
	x        int  // first visible column of wide rows
	cut      bool // text is not wrapped
	search   search
	sections sections

	at     position
	height int
	paper  paper
}

// position is a row of the text: a block, a line of it, and a row of that line.
type position struct{ block, line, row int }

// sideStep is the number of columns that the window moves sideways at a time.
const sideStep = 8

// toggleWrap cuts long lines instead of wrapping them, or wraps them again. It reports whether they are wrapped
// now.
func (t *rendered) toggleWrap() bool {
	t.cut, t.x = !t.cut, 0
	t.at.row = 0
	return !t.cut
}

// scrollSide moves the window over wide content.
func (t *rendered) scrollSide(step int) {
	t.x = max(0, min(t.x+step*sideStep, t.paper.most-t.paper.w/2))
}

// Move scrolls by rows: not before the first painting, since rows depend on the width.
func (t *rendered) Move(n int) {
	switch {
	case t.paper.pal == nil:
	case n < 0:
		t.back(-n)
	default:
		t.forth(n)
	}
}

// Scroll scrolls by rows, like Move: there is no cursor.
func (t *rendered) Scroll(n int) { t.Move(n) }

// Screen returns the number of visible rows.
func (t *rendered) Screen() int { return t.height }

// Home moves to the first row.
func (t *rendered) Home() { t.at = position{} }

// End moves to the last row.
func (t *rendered) End() {
	last := len(t.blocks) - 1
	t.at = position{block: last, line: t.blocks[last].lines() - 1, row: math.MaxInt32}
	t.settle()
}

// mark shows in the corners that there is more.
func (t *rendered) mark(pal *paint.Palette, rows []string, end bool, w int) {
	if w < 4 {
		return
	}
	set := func(i int, glyph string) {
		rows[i] = paint.Slice(rows[i], 0, w-1) + pal.Sign(pal.Muted, glyph)
	}
	if t.at != (position{}) {
		set(0, pal.Up)
	}
	if !end {
		set(len(rows)-1, pal.Down)
	}
}

// settle brings the place to a row that is there.
func (t *rendered) settle() {
	t.at.block = min(t.at.block, len(t.blocks)-1)
	if t.paper.pal != nil {
		t.at.row = min(t.at.row, len(t.paper.rows(t.blocks, t.at))-1)
	}
}

// collect returns the rows, starting with the current place, and whether the last one is the end of
// everything.
func (t *rendered) collect(h int) (rows []string, end bool) {
	at := t.at
	for {
		all := t.paper.rows(t.blocks, at)
		all = all[min(at.row, len(all)):]
		room := h - len(rows)
		if len(all) > room {
			return append(rows, all[:room]...), false
		}
		rows = append(rows, all...)
		next, ok := t.next(at)
		if !ok {
			return rows, true
		}
		if len(rows) == h {
			return rows, false
		}
		at = next
	}
}

// below returns the line shown a number of rows below the first visible one. on is false after the last line.
func (t *rendered) below(rows int) (at position, on bool) {
	if t.paper.pal == nil {
		return at, false
	}
	at = t.at
	for rows += at.row; ; {
		all := len(t.paper.rows(t.blocks, at))
		if rows < all {
			return at, true
		}
		rows -= all
		if at, on = t.next(at); !on {
			return at, false
		}
	}
}

// next returns the line after a position.
func (t *rendered) next(at position) (position, bool) {
	if at.line+1 < t.blocks[at.block].lines() {
		return position{at.block, at.line + 1, 0}, true
	}
	if at.block+1 < len(t.blocks) {
		return position{at.block + 1, 0, 0}, true
	}
	return at, false
}

// back moves up by n rows, if there are that many, and returns how many it moved.
func (t *rendered) back(n int) (done int) {
	for done < n {
		step := min(t.at.row, n-done)
		t.at.row -= step
		done += step
		if done == n {
			break
		}
		switch {
		case t.at.line > 0:
			t.at.line--
		case t.at.block > 0:
			t.at.block--
			t.at.line = t.blocks[t.at.block].lines() - 1
		default:
			return done
		}
		t.at.row = len(t.paper.rows(t.blocks, t.at)) - 1
		done++
	}
	return done
}

// forth moves n rows down. rows moves back if it went too far.
func (t *rendered) forth(n int) {
	for n > 0 {
		left := len(t.paper.rows(t.blocks, t.at)) - 1 - t.at.row
		if n <= left {
			t.at.row += n
			return
		}
		next, ok := t.next(t.at)
		if !ok {
			t.at.row += left
			return
		}
		n -= left + 1
		t.at = next
	}
}

// rows paints the window: exactly h rows of w cells.
func (t *rendered) rows(pal *paint.Palette, js paint.JSONStyles, w, h int) []string {
	t.showSource(pal.Source)
	t.paper.use(pal, js, w, h, t.x, t.cut)
	t.settle()
	rows, end := t.collect(h)
	if len(rows) < h && t.back(h-len(rows)) > 0 {
		rows, end = t.collect(h) // the window does not go past the end
	}
	r := pal.Row()
	for len(rows) < h {
		r.Start(w, paint.Style{})
		rows = append(rows, r.String())
	}
	if query := t.search.line.Value(); query != "" {
		for i := range rows {
			rows[i] = highlight(pal, rows[i], query, w)
		}
	}
	t.mark(pal, rows, end, w)
	return rows
}
