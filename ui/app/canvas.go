package app

import (
	"slices"

	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Screen holds the newest painting: its areas receive the mouse, its field the keys.
type Screen struct {
	Pal   *paint.Palette
	JS    paint.JSONStyles
	Names keys.Names
	// ListShare is the fraction of the width for a list next to its detail on all pages, as set by the user, or
	// 0.
	ListShare float64

	row    *paint.Row
	rowOf  *paint.Palette // palette that row was made by
	areas  []area
	blocks []Rect
	field  Field
	cx, cy int
}

type area struct {
	x, y, w, h int
	click      func(x, y int)
	press      func() // called before click
	wheel      func(n int)
	drag       func(x, y int) // while the button is held
	text       bool           // see [Canvas.ClickText]
	button     bool           // it is in a border, which cannot be dragged there
}

// Paint paints a pane: exactly h rows of w cells.
func (s *Screen) Paint(p Pane, w, h int, focused bool) []string {
	return s.Begin(w, h).Show(p, 0, 0, w, h, focused)
}

// Begin begins a painting of the whole screen, w by h cells, one rectangle after the other.
func (s *Screen) Begin(w, h int) *Canvas {
	s.Cover()
	if s.row == nil || s.rowOf != s.Pal {
		s.row, s.rowOf = s.Pal.Row(), s.Pal
	}
	return &Canvas{Screen: s, W: max(w, 0), H: max(h, 0), Names: s.Names}
}

// Cover disables mouse and keys for everything painted so far, because a window covers it.
func (s *Screen) Cover() {
	clear(s.areas)
	s.areas, s.blocks, s.field = s.areas[:0], s.blocks[:0], nil
}

// topmost returns the topmost area at a cell for which takes returns true, or nil.
func (s *Screen) topmost(x, y int, takes func(a *area) bool) *area {
	for i := len(s.areas) - 1; i >= 0; i-- {
		if a := &s.areas[i]; takes(a) && a.has(x, y) {
			return a
		}
	}
	return nil
}

// Click calls the click function of the topmost area at a cell.
func (s *Screen) Click(x, y int) {
	if a := s.topmost(x, y, func(a *area) bool { return a.press != nil }); a != nil {
		a.press()
	}
	if a := s.topmost(x, y, func(a *area) bool { return a.click != nil }); a != nil {
		a.click(x-a.x, y-a.y)
	}
}

// Grip returns what follows the mouse from a cell while its button is held, called with cells of the screen, or
// nil.
func (s *Screen) Grip(x, y int) func(x, y int) {
	a := s.topmost(x, y, func(*area) bool { return true })
	if a == nil || a.drag == nil || s.topmost(x, y, func(a *area) bool { return a.button }) != nil {
		return nil
	}
	at := *a
	return func(x, y int) { at.drag(x-at.x, y-at.y) }
}

// Wheel turns the wheel by n lines over a cell; up when n is negative.
func (s *Screen) Wheel(x, y, n int) {
	if a := s.topmost(x, y, func(a *area) bool { return a.wheel != nil }); a != nil {
		a.wheel(n)
	}
}

// Field returns the text field with the focus, or nil.
func (s *Screen) Field() Field { return s.field }

// Cursor returns the cell of the text cursor. ok reports whether a field has one.
func (s *Screen) Cursor() (x, y int, ok bool) { return s.cx, s.cy, s.field != nil && s.cx >= 0 }

func (a *area) has(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

// A Canvas is a rectangle of the screen during painting. Rows are added from top to bottom; rows that do not
// fit are left out. Alternatively, it is divided with Box, Beside or Over, and then contains no other rows.
// Painting also registers the actions of the mouse and the keys of a text field, so that panes store no
// coordinates.
type Canvas struct {
	*Screen
	W, H  int
	Names keys.Names // key names of the pane that paints first
	Alone bool       // only the focused part is shown

	x, y  int  // position on the screen
	idle  bool // without the focus: its fields receive no keys
	skip  int  // number of the next rows that are above it
	rows  []string
	subs  []*Canvas
	above []*Canvas
	side  bool // the two are side by side
	joint bool // they share a line
	frame *frame
	box   *Canvas // canvas whose border is around it, or nil
}

type frame struct {
	focused     bool
	title, note []paint.Span
	foot        []paint.Span // text in the lower border
}

// Box draws a border with a title and a note, and returns the inside.
func (c *Canvas) Box(title, note []paint.Span, focused bool) *Canvas {
	c.frame = &frame{focused: focused, title: title, note: note}
	in := c.sub(1, 1, c.W-2, c.H-2)
	in.box = c
	in.block()
	return in
}

// Note replaces the note in the border of Box, for notes that are known only after painting the inside.
func (c *Canvas) Note(note []paint.Span) { c.frame.note = note }

// Foot sets the text in the lower border of Box, such as the number of rows below the visible ones.
func (c *Canvas) Foot(foot []paint.Span) { c.frame.foot = foot }

// Hides shows how many items of a list in the Box around the canvas are above and below the visible ones, in
// the lower border unless that contains a text.
func (c *Canvas) Hides(above, below int) {
	if c.box != nil && len(c.box.frame.foot) == 0 {
		c.box.Foot(c.Pal.MoreItems(above, below))
	}
}

// Beside divides the canvas into n columns and the rest.
func (c *Canvas) Beside(n int) (left, right *Canvas) {
	c.side = true
	left, right = c.sub(0, 0, n, c.H), c.sub(n, 0, c.W-n, c.H)
	left.block()
	right.block()
	return left, right
}

// Neighbors divides the canvas into n columns and the rest, for boxes that share a line.
func (c *Canvas) Neighbors(n int) (left, right *Canvas) {
	c.side, c.joint = true, true
	return c.sub(0, 0, n, c.H), c.sub(n-1, 0, c.W-n+1, c.H)
}

// hasFocus reports whether a box of the canvas has the focus.
func (c *Canvas) hasFocus() bool {
	return c.frame != nil && c.frame.focused || slices.ContainsFunc(c.subs, (*Canvas).hasFocus)
}

// Over divides it into n rows and the rest.
func (c *Canvas) Over(n int) (top, bottom *Canvas) {
	return c.sub(0, 0, c.W, n), c.sub(0, n, c.W, c.H-n)
}

// Show paints a pane on a rectangle of the canvas: exactly h rows of w cells.
func (c *Canvas) Show(p Pane, x, y, w, h int, focused bool) []string {
	sub := &Canvas{Screen: c.Screen, W: max(w, 0), H: max(h, 0), Names: c.Names, x: c.x + x, y: c.y + y, idle: !focused, Alone: c.Alone}
	sub.Lend(p, focused)
	return sub.painted()
}

// Lend paints a pane on the canvas. Key names refer to its own commands first.
func (c *Canvas) Lend(p Pane, focused bool) {
	if c.Names != nil {
		c.Names = c.Names.In(func() [][]keys.Command { return commandsOf(p) }, focused)
	}
	p.Paint(c, focused)
}

// commandsOf returns the commands of a pane, the commands of the focused place first.
func commandsOf(p Pane) [][]keys.Command {
	lists := [][]keys.Command{p.Commands()}
	if part, ok := p.(Part); ok {
		for _, s := range part.Sections() {
			lists = append(lists, s.Commands)
		}
	}
	return lists
}

// Below returns the canvas below the added rows.
func (c *Canvas) Below() *Canvas { return c.sub(0, len(c.rows), c.W, c.H-len(c.rows)) }

// sub returns a rectangle of the canvas.
func (c *Canvas) sub(x, y, w, h int) *Canvas {
	p := &Canvas{Screen: c.Screen, W: max(w, 0), H: max(h, 0), Names: c.Names, x: c.x + x, y: c.y + y, idle: c.idle, skip: c.skip, box: c.box}
	c.subs = append(c.subs, p)
	return p
}

// Above returns a rectangle that is painted over the others and receives the mouse there.
func (c *Canvas) Above(x, y, w, h int) *Canvas {
	x, y = max(min(x, c.W-w), 0), max(min(y, c.H-h), 0)
	p := &Canvas{Screen: c.Screen, W: min(w, c.W), H: min(h, c.H), Names: c.Names, x: c.x + x, y: c.y + y}
	c.above = append(c.above, p)
	p.block()
	p.Click(0, 0, p.W, p.H, func(int, int) {})
	p.Wheel(func(int) {})
	return p
}

// Skip moves the next n rows above the canvas. They are not painted.
func (c *Canvas) Skip(n int) { c.skip += n }

// Left returns the number of rows that still fit.
func (c *Canvas) Left() int { return c.H - c.Next() }

// Next returns the position of the next row, which is negative above the canvas.
func (c *Canvas) Next() int { return len(c.rows) - c.skip }

// Rows adds painted rows.
func (c *Canvas) Rows(rows ...string) {
	above := min(c.skip, len(rows))
	rows, c.skip = rows[above:], c.skip-above
	c.rows = append(c.rows, rows[:min(len(rows), max(c.Left(), 0))]...)
}

// Line adds a row; cells that write does not fill stay blank.
func (c *Canvas) Line(write func(r *paint.Row)) {
	switch {
	case c.Left() <= 0:
		return
	case c.skip > 0:
		c.skip--
		return
	}
	c.row.Start(c.W, paint.Style{})
	write(c.row)
	c.rows = append(c.rows, c.row.String())
}

// Say adds a row of text after n blanks.
func (c *Canvas) Say(n int, st paint.Style, text string) {
	c.Line(func(r *paint.Row) {
		r.Gap(n)
		r.Put(st, text)
	})
}

// Button sets the function of a click on a part of a border. The border cannot be dragged there.
func (c *Canvas) Button(x, y, w, h int, do func()) {
	c.Click(x, y, w, h, func(int, int) { do() })
	c.areas[len(c.areas)-1].button = true
}

// Click sets the function of a click on a rectangle of the canvas. do is called with a position in that
// rectangle.
func (c *Canvas) Click(x, y, w, h int, do func(x, y int)) {
	above := max(-y, 0)
	c.areas = append(c.areas, area{x: c.x + x, y: c.y + y + above, w: w, h: min(h, c.H-y) - above, click: do})
}

// Press sets what any click on the canvas does first, such as focusing a part.
func (c *Canvas) Press(do func()) {
	c.areas = append(c.areas, area{x: c.x, y: c.y, w: c.W, h: c.H, press: do})
}

// Wheel sets the function of the mouse wheel over the whole canvas.
func (c *Canvas) Wheel(do func(n int)) {
	c.areas = append(c.areas, area{x: c.x, y: c.y, w: c.W, h: c.H, wheel: do})
}

// Drag sets the function that follows the mouse from a rectangle while its button is held. do is called with a
// position relative to the rectangle, possibly outside of it.
func (c *Canvas) Drag(x, y, w, h int, do func(x, y int)) {
	c.areas = append(c.areas, area{x: c.x + x, y: c.y + y, w: w, h: h, drag: do})
}

// Field sends keys and pasted text to a field, whose cursor is at a cell, if the pane has the focus.
func (c *Canvas) Field(f Field, x, y int) {
	if !c.idle {
		c.field, c.cx, c.cy = f, c.x+x, c.y+y
	}
}

// Keys sends keys and pasted text to a field that shows no cursor.
func (c *Canvas) Keys(f Field) { c.Field(f, -1-c.x, 0) }

// painted returns exactly H rows of W cells.
func (c *Canvas) painted() []string {
	rows := c.below()
	for _, p := range c.above {
		rows = paint.Overlay(rows, p.painted(), p.x-c.x, p.y-c.y)
	}
	return rows
}

// below returns the rows under the canvases that cover it.
func (c *Canvas) below() []string {
	switch {
	case c.frame != nil:
		rows := paint.Box(c.Pal, c.W, c.H, c.frame.focused, c.frame.title, c.frame.note, c.subs[0].rowsOf())
		if len(c.frame.foot) > 0 && c.W >= 2 && c.H >= 2 {
			rows[c.H-1] = paint.BoxFoot(c.Pal, c.W, c.frame.focused, c.frame.foot)
		}
		return rows
	case c.joint:
		return paint.JoinBoxes(c.subs[0].painted(), c.subs[1].painted(), c.subs[0].hasFocus())
	case c.side:
		return paint.JoinSide(c.subs[0].painted(), c.subs[1].painted())
	}
	rows := c.rowsOf()
	for i := range rows {
		rows[i] = paint.Pad(rows[i], c.W)
	}
	for len(rows) < c.H {
		rows = append(rows, paint.Pad("", c.W))
	}
	return rows
}

// rowsOf returns the added rows, or the rows of the parts of the canvas.
func (c *Canvas) rowsOf() []string {
	if c.frame != nil || c.side {
		return c.painted()
	}
	rows := c.rows
	for _, p := range c.subs {
		rows = append(rows, p.painted()...)
	}
	return rows
}
