package app

// Rect is a rectangle of the screen, in cells.
type Rect struct{ X, Y, W, H int }

// Has reports whether a cell is in it.
func (r *Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Block returns the rectangle in which the mouse selects text, starting from a cell: the innermost
// box or column there, or else the row. The screen has w by h cells.
func (s *Screen) Block(x, y, w, h int) Rect {
	for i := len(s.blocks) - 1; i >= 0; i-- {
		if b := s.blocks[i]; b.Has(x, y) {
			left, top := max(b.X, 0), max(b.Y, 0)
			return Rect{left, top, min(b.X+b.W, w) - left, min(b.Y+b.H, h) - top}
		}
	}
	return Rect{0, y, w, 1}
}

// Clicks reports whether a click on a cell has an effect besides focusing it.
func (s *Screen) Clicks(x, y int) bool {
	a := s.topmost(x, y, func(a *area) bool { return a.click != nil })
	return a != nil && !a.text
}

// ClickText is like [Canvas.Click], but for a text: two clicks select a word and three a line.
func (c *Canvas) ClickText(x, y, w, h int, do func(x, y int)) {
	c.Click(x, y, w, h, do)
	c.areas[len(c.areas)-1].text = true
}

// block makes the text of the canvas selectable separately.
func (c *Canvas) block() { c.blocks = append(c.blocks, Rect{c.x, c.y, c.W, c.H}) }
