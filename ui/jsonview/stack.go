package jsonview

import (
	"iter"

	"mcptea/ui/paint"
)

// A Stack shows a document, and a related one below or above it, in one window with one cursor. The zero value
// shows nothing. It is not safe for concurrent use.
type Stack struct {
	views  []*View // views from top to bottom
	in     int     // index of the view with the cursor
	top    spot    // first row of the window
	placed bool    // the window has been positioned for its content
	height int
	idle   bool // the cursor is elsewhere, and does not show
}

// spot is a row of a stack: a line of a view, or after the last line of the upper one the row
// between the two.
type spot struct{ view, line int }

func (at spot) isAfter(other spot) bool {
	return at.view > other.view || at.view == other.view && at.line > other.line
}

// Show shows a document with the cursor in it, or none. other is the related document, or nil. It is shown
// below v, or above v if first is true.
func (s *Stack) Show(v, other *View, first bool) {
	*s = Stack{height: 1}
	switch {
	case v == nil:
	case other == nil:
		s.views = []*View{v}
	case first:
		s.views, s.in = []*View{other, v}, 1
	default:
		s.views = []*View{v, other}
	}
}

// View returns the document with the cursor, or nil.
func (s *Stack) View() *View {
	if len(s.views) == 0 {
		return nil
	}
	return s.views[s.in]
}

// Cross moves the cursor to the other document, if there is one.
func (s *Stack) Cross() bool {
	if len(s.views) < 2 {
		return false
	}
	s.in, s.placed = 1-s.in, false
	return true
}

func (s *Stack) cursor() spot { return spot{s.in, s.View().cursor} }

func (s *Stack) moveTo(at spot) { s.in, s.views[at.view].cursor = at.view, at.line }

// isBetween reports whether a row is the one between the documents, which has no line.
func (s *Stack) isBetween(at spot) bool {
	return at.line == s.views[at.view].doc.Len()
}

// next returns the row below a shown row. It returns false at the end.
func (s *Stack) next(at spot) (spot, bool) {
	v := s.views[at.view]
	if s.isBetween(at) {
		return spot{view: at.view + 1}, true
	}
	if l := v.next(at.line); l >= 0 {
		return spot{at.view, l}, true
	}
	return spot{at.view, v.doc.Len()}, at.view+1 < len(s.views)
}

// previous returns the row above a shown row. It returns false at the start.
func (s *Stack) previous(at spot) (spot, bool) {
	v := s.views[at.view]
	switch {
	case at.line == 0 && at.view == 0:
		return at, false
	case at.line == 0:
		return spot{at.view - 1, s.views[at.view-1].doc.Len()}, true
	case s.isBetween(at):
		return spot{at.view, v.end()}, true
	}
	return spot{at.view, v.prev(at.line)}, true
}

// walk returns the row n rows away, or the first or last one.
func (s *Stack) walk(at spot, n int) spot {
	step := s.next
	if n < 0 {
		n, step = -n, s.previous
	}
	for next, ok := step(at); ok && n > 0; next, ok = step(at) {
		at = next
		n--
	}
	return at
}

// from yields the rows starting at a row.
func (s *Stack) from(at spot) iter.Seq[spot] {
	return func(yield func(spot) bool) {
		for ok := len(s.views) > 0; ok && yield(at); {
			at, ok = s.next(at)
		}
	}
}

// Move moves the cursor by n visible lines.
func (s *Stack) Move(n int) {
	step := s.next
	if n < 0 {
		n, step = -n, s.previous
	}
	for ; n > 0; n-- {
		at, ok := step(s.cursor())
		if ok && s.isBetween(at) {
			at, ok = step(at)
		}
		if !ok {
			return
		}
		s.moveTo(at)
	}
}

// Turn moves the cursor and the window by n lines.
func (s *Stack) Turn(n int) {
	s.top = s.walk(s.top, n)
	s.Move(n)
}

// Screen returns the number of visible lines.
func (s *Stack) Screen() int { return s.height }

// Home moves to the first line.
func (s *Stack) Home() { s.moveTo(spot{}) }

// End moves to the last visible line.
func (s *Stack) End() {
	last := len(s.views) - 1
	s.moveTo(spot{last, s.views[last].end()})
}

// lowest returns the first row of the window when it shows the end.
func (s *Stack) lowest() spot {
	last := len(s.views) - 1
	return s.walk(spot{last, s.views[last].doc.Len()}, -s.height)
}

// Scroll moves the window by n lines and keeps the cursor inside.
func (s *Stack) Scroll(n int) {
	s.top = s.walk(s.top, n)
	if lowest := s.lowest(); s.top.isAfter(lowest) {
		s.top = lowest
	}
	at, last := s.cursor(), s.walk(s.top, s.height-1)
	switch {
	case s.top.isAfter(at):
		if at = s.top; s.isBetween(at) {
			at, _ = s.next(at)
		}
	case at.isAfter(last):
		if at = last; s.isBetween(at) {
			at, _ = s.previous(at)
		}
	}
	s.moveTo(at)
}

// Click moves the cursor to the line painted in a row, counted from 0; on a fold mark it
// folds or unfolds.
func (s *Stack) Click(x, row int) {
	for at := range s.from(s.top) {
		if row--; row >= 0 {
			continue
		}
		if !s.isBetween(at) {
			s.moveTo(at)
			s.View().clicked(x)
		}
		return
	}
}

// Rows paints the window: exactly h rows of w cells. between is the row between the
// documents. The window moves as little as it takes to show the cursor.
func (s *Stack) Rows(p *paint.Palette, js paint.JSONStyles, w, h int, focused bool, between string) []string {
	if h <= 0 {
		return nil
	}
	s.height = h
	s.fit()
	s.follow()
	out := make([]string, 0, h)
	r := p.Row()
	for at := range s.from(s.top) {
		if len(out) == h {
			return out
		}
		if s.isBetween(at) {
			out = append(out, between)
			continue
		}
		s.views[at.view].row(r, p, &js, w, at.line, focused, at == s.cursor() && !s.idle)
		out = append(out, r.String())
	}
	for len(out) < h {
		r.Start(w, paint.Style{})
		out = append(out, r.String())
	}
	return out
}

// Column paints one of the documents in its own window, for documents side by side.
func (s *Stack) Column(i int, p *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	v := s.views[i]
	v.window.idle = i != s.in
	rows := v.Rows(p, js, w, h, focused)
	v.window.idle = false
	return rows
}

// In returns the index of the document with the cursor.
func (s *Stack) In() int { return s.in }

// ClickColumn moves the cursor into one of the documents, to the line painted in a row.
func (s *Stack) ClickColumn(i, x, row int) {
	s.in = i
	s.views[i].Click(x, row)
}

// ScrollColumn moves the window of one of the documents.
func (s *Stack) ScrollColumn(i, n int) { s.views[i].Scroll(n) }

// fit unfolds parts that were folded only to save rows, from the top, while all lines fit into the window, and
// folds the rest.
func (s *Stack) fit() {
	each := func(do func(v *View, line int)) {
		for _, v := range s.views {
			for _, line := range v.spare {
				do(v, line)
			}
		}
	}
	each(func(v *View, line int) { v.fold(line, true) })
	each(func(v *View, line int) {
		if v.fold(line, false); s.Lines(s.height+1) > s.height {
			v.fold(line, true)
		}
	})
	for _, v := range s.views {
		v.settle()
	}
}

// follow scrolls the window so that the cursor is visible, and so that no rows at the end are
// empty.
func (s *Stack) follow() {
	v, at, lowest := s.View(), s.cursor(), s.lowest()
	if top := s.views[s.top.view]; s.top.line < top.doc.Len() {
		s.top.line = top.surface(s.top.line) // the line may have been folded
	}
	switch first := (spot{view: s.in}); {
	case v.centre:
		v.centre = false
		s.top = s.walk(at, -s.height/2)
	case s.placed:
	case lowest.isAfter(first) || s.in == 0:
		s.top = first
	default:
		s.top = lowest // show the container of the cursor completely
	}
	s.placed = true
	if !at.isAfter(s.top) {
		s.top = at
	} else if at.isAfter(s.walk(s.top, s.height-1)) {
		s.top = s.walk(at, 1-s.height)
	}
	if s.top.isAfter(lowest) {
		s.top = lowest
	}
}

// Lines returns the number of lines of all documents with the rows between them, at most most.
func (s *Stack) Lines(most int) (n int) {
	for range s.from(spot{}) {
		if n == most {
			break
		}
		n++
	}
	return n
}
