package jsonview

import "mcptea/ui/paint"

// Stack shows a document and, under it, another one that belongs to it, in one window with
// one cursor. Its zero value shows nothing. It is not safe for concurrent use.
type Stack struct {
	upper, lower *View
	below        bool // the cursor is in the lower one
	off          bool // the upper one is scrolled off
	placed       bool // the window was placed for what is shown
	height       int
	row          int // of the line between them in the last painting; -1 out of sight
}

// Show shows a document with the cursor in it, or none. other belongs under it, or over it
// if it is said to come first; it is nil without one.
func (s *Stack) Show(v, other *View, first bool) {
	*s = Stack{upper: v, lower: other, height: 1, row: -1}
	if first && other != nil {
		s.upper, s.lower, s.below = other, v, true
	}
}

// View is the document with the cursor.
func (s *Stack) View() *View {
	if s.below {
		return s.lower
	}
	return s.upper
}

// Below reports whether the cursor is in the lower document.
func (s *Stack) Below() bool { return s.below }

// Cross moves the cursor to the other document, if there is one.
func (s *Stack) Cross() bool {
	if s.lower == nil {
		return false
	}
	s.below, s.placed = !s.below, false
	return true
}

// Move moves the cursor by n visible lines.
func (s *Stack) Move(n int) {
	v := s.View()
	if s.lower == nil {
		v.Move(n)
		return
	}
	for ; n > 0; n-- {
		switch next := v.next(v.cursor); {
		case v.doc.Len() > 0 && next >= 0:
			v.cursor = next
		case !s.below:
			s.below, v = true, s.lower
			v.Home()
		default:
			return
		}
	}
	for ; n < 0; n++ {
		switch {
		case v.cursor > 0:
			v.cursor = v.prev(v.cursor)
		case s.below:
			s.below, v = false, s.upper
			if v.End(); s.off {
				v.top = v.cursor // the window goes on from there
			}
		default:
			return
		}
	}
}

// Page moves the cursor by n screens.
func (s *Stack) Page(n int) {
	if s.lower == nil {
		s.upper.Page(n)
		return
	}
	s.Move(n * max(s.height-1, 1))
}

// HalfPage moves the cursor by n half screens.
func (s *Stack) HalfPage(n int) { s.Move(n * max(s.height/2, 1)) }

// Home moves to the first line.
func (s *Stack) Home() {
	s.below = false
	s.upper.Home()
}

// End moves to the last visible line.
func (s *Stack) End() {
	s.below = s.lower != nil
	s.View().End()
}

// Scroll moves the window by n lines and keeps the cursor inside.
func (s *Stack) Scroll(n int) {
	if s.lower == nil {
		s.upper.Scroll(n)
		return
	}
	for ; n > 0; n-- {
		s.scrollDown()
	}
	for ; n < 0; n++ {
		s.scrollUp()
	}
	a, b := s.upper, s.lower
	left := s.height // rows of the lower one
	if s.off {
		s.below = true
		b.cursor = max(b.cursor, b.top)
	} else {
		left -= a.lines(s.height) + 1
		if a.cursor = max(a.cursor, a.top); !s.below || left <= 0 {
			s.below = false
			a.cursor = min(a.cursor, a.walk(a.top, s.height-1))
		}
	}
	if s.below {
		b.cursor = min(b.cursor, b.walk(b.top, left-1))
	}
}

func (s *Stack) scrollDown() {
	a, b := s.upper, s.lower
	switch {
	case s.off:
		if b.lines(s.height+1) > s.height {
			b.top = b.walk(b.top, 1)
		}
	case a.lines(s.height)+1+b.lines(s.height) <= s.height:
	case a.next(a.top) < 0:
		s.off = true
	default:
		a.top = a.walk(a.top, 1)
	}
}

func (s *Stack) scrollUp() {
	a, b := s.upper, s.lower
	switch {
	case s.off && b.top > 0:
		b.top = b.walk(b.top, -1)
	case s.off:
		s.off = false
		a.top = a.surface(a.doc.Len() - 1)
	default:
		a.top = a.walk(a.top, -1)
	}
}

// Click moves the cursor to the line painted in a row, counted from 0; on a fold mark it
// folds or unfolds.
func (s *Stack) Click(x, row int) {
	switch {
	case s.row < 0 || row < s.row:
		// Of one that fills the window, the row is its own.
		if s.row < 0 && s.off {
			s.below = s.lower.Click(x, row) || s.below
		} else if s.upper.Click(x, row) {
			s.below = false
		}
	case row > s.row:
		s.below = s.lower.Click(x, row-s.row-1) || s.below
	}
}

// Rows paints the window: exactly h rows of w cells. between is the row between the
// documents. The window moves as little as it takes to show the cursor.
func (s *Stack) Rows(p *paint.Palette, js paint.JSONStyles, w, h int, focused bool, between string) []string {
	if s.lower == nil {
		return s.upper.Rows(p, js, w, h, focused)
	}
	s.height, s.row = h, -1
	upper := s.arrange(h)
	switch {
	case h <= 0:
		return nil
	case s.off:
		return s.lower.Rows(p, js, w, h, focused)
	case upper >= h:
		return s.upper.Rows(p, js, w, h, focused)
	}
	s.row = upper
	rows := s.upper.paint(p, js, w, upper, focused && !s.below, !s.below)
	return append(append(rows, between), s.lower.paint(p, js, w, h-upper-1, focused && s.below, s.below)...)
}

// arrange moves the window, and returns how many lines of the upper document are in sight.
func (s *Stack) arrange(h int) (upper int) {
	a, b := s.upper, s.lower
	if !s.placed {
		s.placed = true
		a.top, b.top, s.off = 0, 0, false
		if room := h - 1 - b.lines(h); s.below && a.lines(h) > room {
			// What the cursor is in is seen whole, if that is possible.
			s.off = room <= 0
			a.top = a.walk(a.surface(a.doc.Len()-1), 1-max(room, 1))
		}
	}
	if !s.below {
		a.height = h
		a.follow(false)
		s.off = false
		b.top = 0
		upper = a.lines(h)
		if empty := h - upper - 1 - b.lines(h); empty > 0 && upper < h {
			a.top = a.walk(a.top, -empty)
			upper = a.lines(h)
		}
		return upper
	}
	if s.off && h-1-b.lines(h) <= 0 || s.off && b.top > 0 {
		return 0
	}
	if s.off { // there is room for more since
		s.off = false
		a.top = a.surface(a.doc.Len() - 1)
	}
	b.top = 0
	down := 1 // lines of the lower document down to the cursor
	for l := b.cursor; l > 0 && down < h; l = b.prev(l) {
		down++
	}
	room := h - 1 - down // for the upper document
	switch upper = a.lines(h); {
	case room <= 0:
		s.off = true
		return 0
	case upper > room:
		a.top = a.walk(a.surface(a.doc.Len()-1), 1-room)
	case h-upper-1 > b.lines(h):
		a.top = a.walk(a.top, -(h - upper - 1 - b.lines(h)))
	}
	return a.lines(h)
}

// lines is how many lines are shown from the top of the window on, at most so many.
func (v *View) lines(most int) int { return v.linesFrom(v.top, most) }

// Lines is how many lines there are with what is folded now, at most so many.
func (v *View) Lines(most int) int { return v.linesFrom(0, most) }

func (v *View) linesFrom(l, most int) (n int) {
	if v.doc.Len() == 0 {
		return 0
	}
	for ; l >= 0 && n < most; l = v.next(l) {
		n++
	}
	return n
}

// Lines is how many lines both documents have with the one between them, at most so many.
func (s *Stack) Lines(most int) int {
	n := s.upper.Lines(most)
	if s.lower != nil {
		n += 1 + s.lower.Lines(most)
	}
	return min(n, most)
}
