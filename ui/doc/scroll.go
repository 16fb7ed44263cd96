package doc

import (
	"fmt"
	"slices"

	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// Scroll is the visible part of something with more rows than fit: a document, or painted rows. The zero Scroll
// is at the top.
type Scroll struct{ top, height, all int }

// Paint paints the document starting with the first visible row. No block shrinks. The wheel scrolls it.
func (s *Scroll) Paint(d *Doc) {
	s.window(d.Wants(), d.Left())
	d.Wheel(s.Move)
	d.Skip(s.top)
	d.paint()
}

// Rows adds the visible rows to a canvas. The wheel scrolls them.
func (s *Scroll) Rows(c *app.Canvas, rows []string) {
	c.Wheel(s.Move)
	c.Rows(s.Cut(rows, c.Left())...)
}

// Lines adds the visible ones of n lines to a canvas. The wheel scrolls them.
func (s *Scroll) Lines(c *app.Canvas, n int, write func(r *paint.Row, i int)) {
	c.Wheel(s.Move)
	s.window(n, c.Left())
	for i := s.top; i < min(s.top+s.height, s.all); i++ {
		c.Line(func(r *paint.Row) { write(r, i) })
	}
}

// Cut returns a copy of the rows that are visible in a window of n rows.
func (s *Scroll) Cut(rows []string, n int) []string {
	s.window(len(rows), n)
	return slices.Clone(rows[s.top:min(s.top+s.height, s.all)])
}

func (s *Scroll) window(all, height int) {
	s.all, s.height = all, max(height, 0)
	s.Move(0)
}

// Row shows a row at the top, if there are enough rows below it.
func (s *Scroll) Row(i int) { s.top = i }

// Top returns the first visible row.
func (s *Scroll) Top() int { return s.top }

// Height returns the number of rows that fit.
func (s *Scroll) Height() int { return s.height }

// Move implements [keys.Scroller].
func (s *Scroll) Move(n int) { s.top = max(0, min(s.top+n, s.all-s.height)) }

// Screen implements [keys.Scroller].
func (s *Scroll) Screen() int { return s.height }

// Home implements [keys.Scroller].
func (s *Scroll) Home() { s.top = 0 }

// End implements [keys.Scroller].
func (s *Scroll) End() { s.Move(s.all) }

// Hidden reports whether there are rows above and below the visible ones.
func (s *Scroll) Hidden() (above, below bool) { return s.top > 0, s.Below() > 0 }

// Below returns the number of rows below the visible ones.
func (s *Scroll) Below() int { return max(s.all-s.top-s.height, 0) }

// Thumb returns the part of a scroll bar that represents the visible rows, or 0, 0 if all are visible.
func (s *Scroll) Thumb() (from, to int) {
	if s.all <= s.height {
		return 0, 0
	}
	return s.top * s.height / s.all, (s.top + s.height) * s.height / s.all
}

// Position describes the visible rows, such as "1–20 of 50", or returns "" if all are visible.
func (s *Scroll) Position() string {
	if s.all <= s.height {
		return ""
	}
	return fmt.Sprintf("%s of %d", phrase.Range(s.top+1, min(s.top+s.height, s.all)), s.all)
}
