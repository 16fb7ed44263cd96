package widget

import (
	"fmt"
	"unicode/utf8"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// HexMode is the notation of the bytes.
type HexMode uint8

// Modes of a hex view.
const (
	Hex  HexMode = iota // offset, hex, text
	Text                // text; unprintable bytes as escapes in another color
)

// HexView is a window on bytes. It keeps them without a copy; they must not
// change. It is not safe for concurrent use.
type HexView struct {
	data       []byte
	mode       HexMode
	top        int // first visible byte; always at the start of a line
	per        int // bytes a line at the last painting
	height     int
	start, end int // the marked range
	reveal     bool

	textRoom, textPer int // number of bytes in a line of text, for a width
}

// NewHex makes a window on data in hex.
func NewHex(data []byte) *HexView { return &HexView{data: data, per: 16, height: 1} }

// SetMode changes how the bytes are written; the first byte on screen stays
// there as nearly as lines allow.
func (v *HexView) SetMode(m HexMode) { v.mode = m }

// Mark marks the bytes from start to end and brings them into the window at
// the next painting.
func (v *HexView) Mark(start, end int) {
	v.start = min(max(start, 0), len(v.data))
	v.end = min(max(end, v.start), len(v.data))
	v.reveal = true
}

// Marked returns the marked range.
func (v *HexView) Marked() (start, end int) { return v.start, v.end }

// Move scrolls by n lines.
func (v *HexView) Move(n int) { v.top = v.clamp(v.top + n*v.per) }

// Screen returns the number of visible lines.
func (v *HexView) Screen() int { return v.height }

// Home scrolls to the first byte.
func (v *HexView) Home() { v.top = 0 }

// End scrolls to the last byte.
func (v *HexView) End() { v.top = v.clamp(len(v.data)) }

func (v *HexView) clamp(top int) int {
	lines := (len(v.data) + v.per - 1) / v.per
	last := max(lines-v.height, 0) * v.per
	return min(max(top/v.per*v.per, 0), last)
}

// Rows paints the window: exactly h rows of w cells.
func (v *HexView) Rows(p *paint.Palette, w, h int) []string {
	if h <= 0 {
		return nil
	}
	v.height = h
	v.per = v.perLine(w, offsetDigits(len(v.data)))
	v.top = v.clamp(v.top)
	if v.reveal {
		v.reveal = false
		v.show()
	}
	out := make([]string, 0, h)
	r := p.Row()
	for i := range h {
		r.Start(w, paint.Style{})
		if at := v.top + i*v.per; at < len(v.data) {
			v.row(r, p, at)
		}
		out = append(out, r.String())
	}
	return out
}

// show scrolls as little as it takes to see the start of the marked range.
func (v *HexView) show() {
	switch {
	case v.start < v.top:
		v.top = v.clamp(v.start)
	case v.start >= v.top+v.per*v.height:
		v.top = v.clamp(v.start/v.per*v.per - (v.height-1)*v.per)
	}
}

func (v *HexView) row(r *paint.Row, p *paint.Palette, at int) {
	digits := offsetDigits(len(v.data))
	r.Put(p.Muted, fmt.Sprintf("%0*x", digits, at))
	r.Gap(2)
	line := v.data[at:min(at+v.per, len(v.data))]
	if v.mode == Text {
		for i := range line {
			r.Put(v.style(p, at+i, line[i]), escaped(v.data, at+i))
		}
		return
	}
	for i, c := range line {
		if i > 0 {
			v.gap(r, p, at+i, i == 8)
		}
		r.Put(v.style(p, at+i, c), fmt.Sprintf("%02x", c))
	}
	r.To(textAt(digits, v.per))
	for i, c := range line {
		s := "."
		if c >= 0x20 && c < 0x7f {
			s = string(rune(c))
		}
		r.Put(v.style(p, at+i, c), s)
	}
}

// gap separates bytes. Between two marked ones it is marked, too, so that the range is one block.
func (v *HexView) gap(r *paint.Row, p *paint.Palette, at int, wide bool) {
	st := paint.Style{}
	if v.inside(at) && v.inside(at-1) {
		st = p.Text.On(p.Selected)
	}
	r.Put(st, " ")
	if wide {
		r.Put(st, " ")
	}
}

func (v *HexView) inside(at int) bool { return at >= v.start && at < v.end }

func (v *HexView) style(p *paint.Palette, at int, c byte) paint.Style {
	st := p.Text
	switch {
	case c == '\n' || c == '\r' || c == '\t':
		st = p.Value
	case c < 0x20 || c == 0x7f:
		st = p.Warn
	case c >= 0x80:
		st = p.Asked
	}
	if v.inside(at) {
		st = st.On(p.Selected)
	}
	return st
}

// perLine returns the number of bytes on a line of w cells.
func (v *HexView) perLine(w, digits int) int {
	room := w - digits - 2
	if v.mode == Text {
		if room != v.textRoom {
			v.textRoom, v.textPer = room, textPer(v.data, room)
		}
		return v.textPer
	}
	for _, n := range []int{32, 16, 12, 8} {
		if textAt(digits, n)+n <= w {
			return n
		}
	}
	return 4
}

// textPer returns the number of bytes of text that always fit on a line: as many as there are cells if few
// bytes must be escaped, fewer if many must, because an escape takes four cells. It does not examine large
// data.
func textPer(data []byte, room int) int {
	const most = 4 << 20
	for _, cells := range []int{1, 2, 3} {
		per := max(room/cells/8*8, 8)
		if len(data) <= most && fits(data, per, room) {
			return per
		}
	}
	return max(room/4/8*8, 8)
}

func fits(data []byte, per, room int) bool {
	used := 0
	for i, c := range data {
		if i%per == 0 {
			used = 0
		}
		if c >= 0x20 && c < 0x7f {
			used++
		} else {
			used += display.Width(escaped(data, i))
		}
		if used > room {
			return false
		}
	}
	return true
}

// textAt returns the column of the text next to the hex.
func textAt(digits, per int) int {
	at := digits + 2 + per*3 + 1
	if per > 8 {
		at++
	}
	return at
}

func offsetDigits(n int) int {
	d := 4
	for n > 1<<(4*d) {
		d++
	}
	return d
}

var escapes = func() (t [256]string) {
	for c := range t {
		t[c] = fmt.Sprintf(`\x%02x`, c)
		if c >= 0x20 && c < 0x7f {
			t[c] = string(rune(c))
		}
	}
	t['\n'], t['\r'], t['\t'] = `\n`, `\r`, `\t`
	return t
}()

// escaped returns the form of the byte at offset in text. A multi-byte character is shown at its first byte,
// unless part of it is hidden.
func escaped(data []byte, at int) string {
	c := data[at]
	if c < utf8.RuneSelf {
		return escapes[c]
	}
	head := at
	for head > 0 && at-head < utf8.UTFMax-1 && !utf8.RuneStart(data[head]) {
		head--
	}
	r, n := utf8.DecodeRune(data[head:])
	if r == utf8.RuneError || head+n <= at {
		return escapes[c]
	}
	s := string(data[head : head+n])
	if display.Sanitize(s) != s || display.Width(s) == 0 {
		return escapes[c]
	}
	if at > head {
		return ""
	}
	return s
}
