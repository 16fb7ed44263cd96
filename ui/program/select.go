package program

import (
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

const (
	// doubleClick is the maximum time between the clicks of a double click.
	doubleClick = 400 * time.Millisecond
	// scrollPause is the pause between scroll steps while the mouse is held beyond its part.
	scrollPause = 50 * time.Millisecond
	// maxSelected bounds the rows that a drag can select by scrolling.
	maxSelected = 10_000
)

// scrollOn continues a drag beyond the part of the screen in which it began.
type scrollOn struct{ of time.Time }

// hold starts dragging the part under the mouse, or selecting text. If neither happens, it is a click.
func (p *Program) hold(at tea.Mouse) {
	isOutside := at.X < 0 || at.Y < 0 || at.X >= p.W || at.Y >= p.H // a terminal, or a program that writes to it, may report any position
	if at.Button != tea.MouseLeft || p.tooSmall() || isOutside {
		return
	}
	if p.drag = p.Painted.Grip(at.X, at.Y); p.drag == nil {
		p.holdText(at, time.Now())
	}
}

// holdText begins a possible selection: a press of the left button.
func (p *Program) holdText(at tea.Mouse, now time.Time) {
	s := &p.selection
	p.dirty = p.dirty || s.on
	again := s.press.X == at.X && s.press.Y == at.Y && now.Sub(s.at) < doubleClick
	*s = selection{press: at, at: now, clicks: paint.If(again, s.clicks+1, 1), down: true}
	s.block = p.Painted.Block(at.X, at.Y, p.W, p.H)
	s.from, s.rows = cell{at.X, at.Y}, p.painted
}

// dragTo follows the mouse while its button is held.
func (p *Program) dragTo(x, y int) {
	s := &p.selection
	if !s.down || !s.held && s.from == (cell{x, y}) {
		return
	}
	if !s.held {
		p.paintCopy()
	}
	b := s.block
	s.on, s.held = true, true
	s.to = cell{min(max(x, b.X), b.X+b.W-1), min(max(y, b.Y), b.Y+b.H-1)}
	was := s.scrolls
	switch {
	case y < b.Y:
		s.scrolls = -1
	case y >= b.Y+b.H:
		s.scrolls = 1
	default:
		s.scrolls = 0
	}
	if was == 0 && s.scrolls != 0 {
		p.scrollSoon()
	}
}

// scrollSoon scrolls the text under the mouse after a pause.
func (p *Program) scrollSoon() {
	of, done := p.selection.at, p.Ctx.Done()
	p.Do(func() tea.Msg {
		select {
		case <-time.After(scrollPause):
			return scrollOn{of}
		case <-done:
			return nil
		}
	})
}

// scrollText scrolls the selected text by a row, and continues while there is more.
func (p *Program) scrollText(msg scrollOn) {
	s := &p.selection
	if !s.held || s.scrolls == 0 || msg.of != s.at {
		return
	}
	b := s.block
	p.Painted.Wheel(s.to.x, s.to.y, s.scrolls)
	rows := p.rows()
	first, end, n := moved(s.rows, rows, b, s.scrolls)
	if n == 0 { // at the end of the text, unless only the cursor of a list has moved
		if slices.Equal(s.rows, rows) {
			s.scrolls = 0
			return
		}
		s.rows, p.painted = rows, rows
		p.paintCopy()
		p.scrollSoon()
		return
	}
	if len(s.lines) > maxSelected {
		s.scrolls = 0
		return
	}
	s.keep(first, end)
	s.rows, p.painted = rows, rows
	s.scrolled += n * s.scrolls
	s.from.y -= n * s.scrolls
	p.paintCopy()
	s.keep(first, end)
	p.scrollSoon()
}

// letGo ends a drag: the selected text is copied. Without a drag it is a click; a second click on a text
// selects a word, a third one the line.
func (p *Program) letGo() {
	s := &p.selection
	if !s.down {
		return
	}
	s.down, s.scrolls = false, 0
	x, y := s.press.X, s.press.Y
	switch {
	case s.held:
		s.held, s.clicks = false, 0
	case s.clicks == 1 || p.Painted.Clicks(x, y) || !p.selectWord(x, y):
		p.click(s.press)
		return
	case s.clicks > 2:
		first, last := p.line(y)
		s.from, s.to = cell{s.block.X, first}, cell{s.block.X + s.block.W - 1, last}
	}
	p.dirty = true
	// Hidden parts of a line may be very long and may contain line ends, so that a shell would run its first
	// line.
	text, isCut := p.selectedText(s.clicks > 2)
	if s.clicks == 2 { // of cut text, only the word
		text = paint.FirstWord(text)
	}
	if !strings.ContainsFunc(text, isText) {
		s.on = false
		return
	}
	p.Copy(text, nil, paint.If(isCut, "the visible part of the line", "the selected text"))
}

// isText reports whether a character is more than a blank or a part of a border.
func isText(r rune) bool { return !unicode.IsSpace(r) && !paint.IsLine(r) }

// selectWord selects the word at a cell, together with its wrapped parts. It returns false for a sign or a
// blank.
func (p *Program) selectWord(x, y int) bool {
	s := &p.selection
	b := s.block
	from, to, ok := paint.Word(s.rows[y], x, b.X, b.X+b.W)
	if !ok {
		return false
	}
	p.paintCopy()
	s.on, s.from, s.to = true, cell{from, y}, cell{to - 1, y}
	broken := func(y int) bool { // between two rows
		_, joint, joined := s.copied.Text(s.copyOf(y), b.X, b.W)
		return joined && joint == ""
	}
	for s.from.y > b.Y && s.from.x == p.textBegin(s.from.y) && broken(s.from.y-1) {
		above := s.from.y - 1
		begin, _, ok := paint.Word(s.rows[above], p.textEnd(above)-1, b.X, b.X+b.W)
		if !ok {
			break
		}
		s.from = cell{begin, above}
	}
	for s.to.y+1 < b.Y+b.H && s.to.x+1 == p.textEnd(s.to.y) && broken(s.to.y) {
		below := s.to.y + 1
		_, end, ok := paint.Word(s.rows[below], p.textBegin(below), b.X, b.X+b.W)
		if !ok {
			break
		}
		s.to = cell{end - 1, below}
	}
	return true
}

// textBegin and textEnd return the columns between which a row of the block has text.
func (p *Program) textBegin(y int) int {
	b := p.selection.block
	text := paint.Cells(p.selection.rows[y], b.X, b.W)
	return b.X + len(text) - len(strings.TrimLeft(text, " "))
}

func (p *Program) textEnd(y int) int {
	b := p.selection.block
	return b.X + display.Width(strings.TrimRight(paint.Cells(p.selection.rows[y], b.X, b.W), " "))
}

// line returns the rows of the line of text at a row. A wrapped line has several. A line break in the text ends
// it, because a shell would run the part before it.
func (p *Program) line(y int) (first, last int) {
	s := &p.selection
	joined := func(y int) bool {
		_, joint, on := s.copied.Text(s.copyOf(y), s.block.X, s.block.W)
		return on && !strings.ContainsAny(joint, "\r\n")
	}
	for first = y; first > s.block.Y && joined(first-1); {
		first--
	}
	for last = y; last+1 < s.block.Y+s.block.H && joined(last); {
		last++
	}
	return first, last
}

// paintCopy paints the screen to be copied.
func (p *Program) paintCopy() {
	s := &p.selection
	if s.copying == nil {
		s.copying, s.copied = p.Pal.Copying()
	}
	pal := p.Pal
	p.Pal, p.Painted.Pal = s.copying, s.copying
	s.marked = p.rows()
	p.Pal, p.Painted.Pal = pal, pal
	p.rows() // the screen defines the effect of a click
}

// selectedText returns the selected text as it was before wrapping and cutting. Trailing blanks are
// left out, and so is the margin left of the start of the selection. If visible is true, only
// visible text is returned, and isCut reports whether there is more.
func (p *Program) selectedText(visible bool) (selected string, isCut bool) {
	s := &p.selection
	var b strings.Builder
	margin, first, joined, joint := 0, true, false, ""
	for y := min(s.from.y, s.to.y); y <= max(s.from.y, s.to.y); y++ {
		row, ok := s.lines[y+s.scrolled]
		if s.lines == nil {
			row, ok = s.copyOf(y), true
		}
		x, w := s.span(y)
		if !ok || w <= 0 {
			continue
		}
		text, next, on := s.copied.Text(row, x, w)
		if visible {
			var cut bool
			text, next, on, cut = s.copied.Visible(row, x, w)
			isCut = isCut || cut
		}
		indent := len(text) - len(strings.TrimLeft(text, " "))
		switch {
		case first:
			if text == "" {
				continue
			}
			margin = x - s.block.X + indent
			text = text[indent:]
		case joined:
			b.WriteString(joint)
			text = text[indent:]
		default:
			b.WriteString("\n")
			text = text[min(margin, indent):]
		}
		b.WriteString(text)
		first, joined, joint = false, on, next
	}
	return strings.TrimRight(b.String(), "\n"), isCut
}

// deselect ends a selection.
func (p *Program) deselect() {
	s := &p.selection
	if s.on || s.down {
		*s, p.dirty = selection{press: s.press, at: s.at, clicks: s.clicks}, true
	}
}
