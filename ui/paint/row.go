package paint

import (
	"strings"
	"unicode/utf8"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
)

// Span is a piece of text with its style.
type Span struct {
	Style Style
	Text  string
}

// Spans is a sequence of styled texts.
type Spans []Span

// If adds a text if on is true.
func (s *Spans) If(on bool, st Style, text string) {
	if on {
		*s = append(*s, Span{Style: st, Text: text})
	}
}

// A Row builds one screen row. Reuse it for each row, so that painting allocates only the final
// strings. The zero Row is ready for Start.
// Text that is too long is cut at the right edge, with an ellipsis. A wide character never crosses
// the edge. All text is sanitized, including the program's own. So text of a server cannot affect
// the terminal even if it was mistaken for text of the program.
type Row struct {
	buf     []byte
	scratch []byte
	right   []Span
	rightw  int
	tail    string
	width   int
	edge    int // column at which the next text must end
	used    int
	base    Style
	cur     Style
	open    bool // the style cur is open
	words   []string
	match   Style // background of matched words
	copy    *Copy // nil unless the row is for copying
}

// Start empties the row. base is the background of all segments and of the cells that stay empty.
func (r *Row) Start(width int, base Style) {
	r.buf = r.buf[:0]
	r.right = r.right[:0]
	r.rightw, r.used = 0, 0
	r.width, r.edge = max(width, 0), max(width, 0)
	r.base = base
	r.open = false
	r.words = nil
	if r.tail == "" {
		r.tail = phrase.Ellipsis()
	}
}

// StartItem starts a row of a list. The selected row has a mark if the list has the focus.
func (r *Row) StartItem(pal *Palette, width int, selected, focused bool) {
	base, st, mark := Style{}, pal.Accent, " "
	if selected {
		base = pal.ground(focused)
	}
	if selected && (focused || base == Style{}) {
		st, mark = If(focused, pal.Accent, pal.Muted), pal.Bar
	}
	r.Start(width, base)
	r.Sign(st, mark)
}

// ground returns the background of the selected row. In a theme without colors, it is inverse and used only
// with the focus.
func (p *Palette) ground(focused bool) Style {
	if !focused && p.Theme.Error.Color == "" {
		return Style{}
	}
	return p.Selected
}

// StartSelected starts a row of a list in which the selected row has a mark even without the focus.
func (r *Row) StartSelected(pal *Palette, width int, selected, focused bool) {
	if !selected {
		r.Start(width, Style{})
		r.Gap(1)
		return
	}
	r.Start(width, pal.ground(focused))
	r.Sign(If(focused, pal.Accent, pal.Muted), pal.Bar)
}

// Find marks words in the text that is written until the next Start. Words without capitals match
// in any case. Text with its own background is not marked.
func (r *Row) Find(words []string) { r.words = words }

// Put writes sanitized text. Line breaks are visible. It reads only the part of the text that has
// room.
func (r *Row) Put(st Style, s string) { putSanitized(r, st, s) }

// PutIn is like Put, but writes at most w cells.
func (r *Row) PutIn(w int, st Style, s string) {
	if min(w, r.Left()) <= 0 {
		r.More(s)
		return
	}
	edge := r.edge
	r.edge = min(edge, r.used+w)
	r.Put(st, s)
	r.edge = edge
}

// Spans writes several pieces of text.
func (r *Row) Spans(spans ...Span) {
	for _, s := range spans {
		if r.copy != nil && r.Left() <= 0 {
			r.More(s.Text)
		}
		r.Put(s.Style, s.Text)
	}
}

// PutBytes is like Put, but for bytes, which need not be valid UTF-8. It does not keep them.
func (r *Row) PutBytes(st Style, b []byte) { putSanitized(r, st, b) }

func putSanitized[T display.Text](r *Row, st Style, s T) {
	room := r.edge - r.used
	if room <= 0 || len(s) == 0 {
		return
	}
	r.style(st)
	// If the text begins clean and is longer than the room, no copy is needed.
	head := s[:min(len(s), room+1)]
	if display.CleanASCII(head) {
		n := put(r, head, room, len(head) < len(s))
		if r.copy != nil {
			r.lost(string(s), n)
		}
		return
	}
	end := min(len(s), room*16+64)
	for end < len(s) && end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	r.scratch = display.AppendSanitized(r.scratch[:0], s[:end])
	n := put(r, r.scratch, room, end < len(s))
	if r.copy != nil {
		r.lost(string(s), n)
	}
}

// put appends the part of s that has room. It returns the number of bytes of that part, or -1 for
// all. more reports whether s is only the start of a text.
func put[T display.Text](r *Row, s T, room int, more bool) int {
	// The common case: each byte is one cell, so nothing is measured.
	if len(s) <= room && !more && display.CleanASCII(s) {
		write(r, s, len(s))
		return -1
	}
	n, w, whole := display.Fit(s, room, 1)
	if whole && more {
		n, w, _ = display.Fit(s, room-1, 0)
		whole = false
	}
	write(r, s[:n], w)
	if whole {
		return -1
	}
	r.buf = append(r.buf, r.tail...)
	r.used++
	// A wide character that was left out leaves a free cell.
	r.blank(r.edge - r.used)
	return n
}

// write appends s, which is w cells wide.
func write[T display.Text](r *Row, s T, w int) {
	if r.used += w; len(r.words) > 0 && r.match != (Style{}) && r.cur.under == r.base.under {
		r.marked(string(s))
		return
	}
	r.buf = append(r.buf, s...)
}

// marked appends text in which the words of Find have a different background.
func (r *Row) marked(s string) {
	for {
		from, to := r.found(s)
		r.buf = append(r.buf, s[:from]...)
		if from == to {
			return
		}
		st := r.cur.On(r.match)
		r.buf = append(st.appendTo(r.buf), s[from:to]...)
		r.buf = r.cur.appendTo(r.buf)
		s = s[to:]
	}
}

// found returns the range of the first word of Find in a text. If there is none, both are the end
// of the text.
func (r *Row) found(s string) (from, to int) {
	from, to = len(s), len(s)
	for _, word := range r.words {
		exact := word != strings.ToLower(word)
		for i := 0; i+len(word) <= len(s) && i < from; i++ {
			if part := s[i : i+len(word)]; part == word || !exact && strings.EqualFold(part, word) {
				from, to = i, i+len(word)
			}
		}
	}
	return from, to
}

// Gap leaves n cells empty.
func (r *Row) Gap(n int) {
	n = min(n, r.edge-r.used)
	if n <= 0 {
		return
	}
	// Blanks look the same in all styles with the same background.
	if !r.open || r.cur.under != r.base.under || r.cur.ink().lined {
		r.style(Style{})
	}
	r.blank(n)
}

// To leaves cells empty up to column col. It does nothing if the row is already longer.
func (r *Row) To(col int) { r.Gap(col - r.used) }

// Fill repeats a glyph of one cell n times.
func (r *Row) Fill(st Style, glyph string, n int) {
	n = min(n, r.edge-r.used)
	if n <= 0 {
		return
	}
	r.style(st)
	for range n {
		r.buf = append(r.buf, glyph...)
	}
	r.used += n
}

// GapOn leaves n cells empty on a background, with the underline of the background if it has one.
func (r *Row) GapOn(ground Style, n int) {
	n = min(n, r.edge-r.used)
	if n <= 0 {
		return
	}
	st := Style{under: ground.under}
	if ground.ink().lined {
		st.pen = ground.pen
	}
	if st == (Style{}) {
		r.Gap(n)
		return
	}
	r.style(st)
	r.blank(n)
}

// Cell writes text into exactly w cells, flush left. Empty cells have the background of the style.
func (r *Row) Cell(st Style, s string, w int) {
	r.within(st, w, func() { r.Put(st, s) })
}

// CellRight writes text into exactly w cells, flush right.
func (r *Row) CellRight(st Style, s string, w int) {
	r.within(st, w, func() {
		s = display.Sanitize(s)
		r.GapOn(st, w-display.Width(s))
		r.Put(st, s)
	})
}

func (r *Row) within(st Style, w int, write func()) {
	if w <= 0 {
		return
	}
	edge := r.edge
	r.edge = min(edge, r.used+w)
	write()
	r.GapOn(st, w)
	r.edge = edge
}

// Painted appends a string that is already styled and takes cells cells. If there is no room, it
// appends nothing.
func (r *Row) Painted(s string, cells int) {
	if cells > r.edge-r.used {
		return
	}
	r.buf = append(r.buf, s...)
	r.used += cells
	r.open = false
}

// Right sets spans flush right. If the text on the left follows later, the place of the spans stays
// free, with a blank before it. If the text on the left was written before, the spans get the
// remaining cells.
func (r *Row) Right(spans ...Span) {
	r.right = append(r.right[:0], spans...)
	r.rightw = 0
	for i := range r.right {
		r.right[i].Text = display.Sanitize(r.right[i].Text)
		r.rightw += display.Width(r.right[i].Text)
	}
	if r.rightw > 0 {
		r.edge = max(r.used, r.width-r.rightw-1)
	}
}

// Left returns the number of free cells.
func (r *Row) Left() int { return r.edge - r.used }

// Used returns the column where the next segment starts.
func (r *Row) Used() int { return r.used }

// String closes the row and returns it. It has exactly the width that was given to Start, and ends
// with a reset of all styles.
func (r *Row) String() string {
	r.edge = r.width
	if len(r.right) > 0 {
		r.Gap(r.width - r.rightw - r.used)
		r.Spans(r.right...)
		r.right = r.right[:0]
	}
	r.Gap(r.width - r.used)
	r.buf = append(r.buf, reset...)
	r.open = false
	return string(r.buf)
}

// style makes st the current style, over the base.
func (r *Row) style(st Style) {
	if st.pen == basePen {
		st.pen = r.base.pen
	}
	if st.under == baseUnder {
		st.under = r.base.under
	}
	if r.open && st == r.cur {
		return
	}
	r.buf = st.appendTo(r.buf)
	r.cur, r.open = st, true
}

const blanks = "                                                                "

func (r *Row) blank(n int) {
	if n <= 0 {
		return
	}
	r.used += n
	for ; n > len(blanks); n -= len(blanks) {
		r.buf = append(r.buf, blanks...)
	}
	r.buf = append(r.buf, blanks[:n]...)
}
