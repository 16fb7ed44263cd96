package masterdetail

import "mcptea/ui/paint"

// Part is a part of the view.
type Part uint8

// The parts.
const (
	InList Part = iota
	InDetail
)

// Rect is a part of the screen, in cells of the view.
type Rect struct{ X, Y, W, H int }

// Has reports whether a cell is in the rectangle.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Layout says how list and detail share the width of the view.
type Layout struct {
	// Beside is the width from which the detail is beside the list.
	Beside int
	// Alone is the width below which the detail has the view alone while it has the
	// focus.
	Alone int
	// The list takes Percent of the width, but at least Min and at most Max cells.
	Percent, Min, Max int
	// Height is the share of the height, in percent, that the list takes at most above
	// the detail; 0 is a third.
	Height int
}

// View is a list and the detail of its selected item.
type View[K comparable] struct {
	List   List[K]
	Layout Layout
	Focus  Part

	list, detail Rect // the insides of their boxes at the last painting
}

// Box is the content of a box with a border.
type Box struct {
	Title, Note []paint.Span
	Rows        []string
}

// Content is what a view shows beside its items.
type Content struct {
	Title, Note []paint.Span // of the list; the style of a Title without one depends on the focus
	// Above and Below are rows over and under the items, w cells wide. Those below
	// are left out where they would take the room of items.
	Above, Below func(w int) []string
	// Empty are the rows in place of items, at most w cells wide.
	Empty func(w, h int) []string
	// Detail paints the detail of the selected item into the inside of a box.
	Detail func(at Rect, focused bool) Box
}

// Detail is the inside of the box of the detail at the last painting; it is empty
// when that was not painted.
func (v *View[K]) Detail() Rect { return v.detail }

// Paint paints the view: exactly h rows of w cells.
func (v *View[K]) Paint(pal *paint.Palette, w, h int, focused bool, c Content) []string {
	v.list, v.detail = Rect{}, Rect{}
	switch l := v.Layout; {
	case v.List.Len() == 0:
		v.Focus = InList
		return v.listBox(pal, w, h, focused, c)
	case w < l.Alone && v.Focus == InDetail:
		return v.detailBox(pal, Rect{0, 0, w, h}, focused, c)
	case w < l.Beside:
		above := 0
		if c.Above != nil {
			above = len(c.Above(max(w-2, 0)))
		}
		most := h / 3
		if l.Height > 0 {
			most = h * l.Height / 100
		}
		n := min(v.List.rows(h)+above+2, max(most, 4), h)
		return append(v.listBox(pal, w, n, focused, c), v.detailBox(pal, Rect{0, n, w, h - n}, false, c)...)
	default:
		n := min(max(w*l.Percent/100, l.Min), l.Max)
		left := v.listBox(pal, n, h, focused && v.Focus == InList, c)
		return paint.JoinSide(left, v.detailBox(pal, Rect{n, 0, w - n, h}, focused && v.Focus == InDetail, c))
	}
}

func (v *View[K]) listBox(pal *paint.Palette, w, h int, focused bool, c Content) []string {
	inner, room := max(w-2, 0), max(h-2, 0)
	var rows, below []string
	if c.Above != nil {
		rows = c.Above(inner)
	}
	if c.Below != nil {
		below = c.Below(inner)
	}
	v.list = Rect{1, 1 + len(rows), inner, max(room-len(rows), 0)}
	need := v.List.rows(6)
	var empty []string
	if v.List.Len() == 0 {
		empty = c.Empty(inner, v.list.H)
		need = len(empty) + 1
	}
	if v.list.H-len(below) < need {
		below = nil
	}
	v.list.H -= len(below)
	if v.List.Len() == 0 {
		rows = append(rows, empty...)
	} else {
		rows = append(rows, v.List.Paint(pal, inner, v.list.H, focused)...)
	}
	for len(below) > 0 && len(rows) < room-len(below) {
		rows = append(rows, "")
	}
	title := pal.Text
	if focused {
		title = pal.TextBold
	}
	spans := make([]paint.Span, 0, len(c.Title))
	for _, s := range c.Title {
		if s.Style == (paint.Style{}) {
			s.Style = title
		}
		spans = append(spans, s)
	}
	return paint.Box(pal, w, h, focused, spans, c.Note, append(rows, below...))
}

func (v *View[K]) detailBox(pal *paint.Palette, at Rect, focused bool, c Content) []string {
	v.detail = Rect{at.X + 1, at.Y + 1, max(at.W-2, 0), max(at.H-2, 0)}
	b := c.Detail(v.detail, focused)
	return paint.Box(pal, at.W, at.H, focused, b.Title, b.Note, b.Rows)
}

// Hit is what a click was on.
type Hit uint8

// What a click can be on.
const (
	Nothing  Hit = iota
	Selected     // an item, which is selected now
	Again        // the item that was selected before
	OnDetail
)

// Click moves the focus into the list and selects the item under a cell. The
// focus goes into the detail only when the caller moves it there.
func (v *View[K]) Click(x, y int) Hit {
	switch {
	case v.list.Has(x, y):
		v.Focus = InList
		switch hit, again := v.List.Click(y - v.list.Y); {
		case again:
			return Again
		case hit:
			return Selected
		}
	case v.detail.Has(x, y):
		return OnDetail
	}
	return Nothing
}

// Scroll moves the cursor of the list by n items when the wheel was turned over it, up
// when n is negative. It reports false when the wheel was elsewhere.
func (v *View[K]) Scroll(x, y, n int) bool {
	if !v.list.Has(x, y) {
		return false
	}
	v.List.Move(n)
	return true
}
