package textfield

import (
	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

// token is a part of a text with one style. It ends before byte End.
type token struct {
	End   int
	Style paint.Style
}

// A Painter divides a piece of a line into tokens; the last one ends at the end of the piece. The text is
// untrusted. A long line has several pieces: open is the result for the previous piece, or false at the start
// of a line. The tokens are used before the next call.
type Painter func(piece string, open bool) (tokens []token, stillOpen bool)

// Plain paints text in one style.
func Plain(st paint.Style) Painter {
	one := []token{{Style: st}}
	return func(piece string, _ bool) ([]token, bool) {
		one[0].End = len(piece)
		return one, false
	}
}

// Rows paints h rows of w cells on ground, scrolled so that the cursor is visible.
func (b *Buffer) Rows(p *paint.Palette, ground paint.Style, w, h int, write Painter) []string {
	if w <= 0 || h <= 0 {
		return nil
	}
	b.ready()
	if b.w != w {
		b.w = w
		b.keepGoal()
	}
	b.h = h
	out := make([]string, 0, h)
	r := p.Row()
	if !b.Multi {
		out = append(out, b.paintLine(r, p, ground, w, write))
	} else {
		b.painted = b.visible(h)
		out = b.paintRows(out, r, p, ground, write)
	}
	for len(out) < h {
		r.Start(w, ground)
		out = append(out, r.String())
	}
	return out
}

// paintLine paints the visible part of the only line.
func (b *Buffer) paintLine(r *paint.Row, p *paint.Palette, ground paint.Style, w int, write Painter) string {
	b.scrollLine(w)
	size := w*16 + 64
	if p.IsCopying() {
		size = maxCopied
	}
	s := b.text.slice(b.top, min(b.text.size, b.top+size))
	r.Start(w, ground)
	tokens, _ := write(s, false)
	b.paintPart(r, p, s, 0, len(s), tokens)
	return r.String()
}

// maxCopied is the number of bytes of a line that are painted for copying.
const maxCopied = 1 << 20

// maxContext is the number of bytes before the window that are read to determine whether the window starts
// inside a string.
const maxContext = 64 << 10

func (b *Buffer) paintRows(out []string, r *paint.Row, p *paint.Palette, ground paint.Style, write Painter) []string {
	open := b.openAt(b.painted[0].pieceRef, write)
	var tokens []token
	for i, at := range b.painted {
		s := b.text.at(at.pieceRef)
		if i == 0 || b.painted[i-1].pieceRef != at.pieceRef {
			if at.first {
				open = false
			}
			tokens, open = write(s, open)
		}
		r.Start(b.w, ground)
		b.paintPart(r, p, s, at.from, at.to, tokens)
		switch {
		case !at.last && !at.final:
			r.Joint("")
		case b.Raw:
			r.Sign(p.Muted, phrase.Signs("⏎"))
		}
		out = append(out, r.String())
	}
	return out
}

// openAt reports whether a piece of a line begins inside of a token.
func (b *Buffer) openAt(p pieceRef, write Painter) (open bool) {
	var before []pieceRef
	for at, size := p, 0; size < maxContext; {
		previous, ok := b.text.previous(at)
		if !ok || isEnd(b.text.at(previous)) {
			break
		}
		before = append(before, previous)
		at = previous
		size += len(b.text.at(at))
	}
	for i := len(before) - 1; i >= 0; i-- {
		_, open = write(b.text.at(before[i]), open)
	}
	return open
}

// paintPart writes the bytes of a piece between two places.
func (b *Buffer) paintPart(r *paint.Row, p *paint.Palette, s string, from, to int, tokens []token) {
	start := 0
	for _, t := range tokens {
		if first, end := max(start, from), min(t.End, to); first < end {
			b.write(r, p, t.Style, s[first:end], s[first:])
		}
		if start = t.End; start >= to {
			return
		}
	}
}

// write writes a part of a text. rest starts with it and contains what follows, because that determines whether
// a backslash must be escaped.
func (b *Buffer) write(r *paint.Row, p *paint.Palette, st paint.Style, part, rest string) {
	if r.Left() <= 0 {
		r.More(part)
		return
	}
	if !b.Raw {
		r.Put(st, part)
		return
	}
	plain := 0
	for i := 0; i < len(part); {
		n, shown := escapeStep(rest, i)
		if shown != "" {
			r.Put(st, part[plain:i])
			r.Put(p.Warn, shown)
			plain = i + n
		}
		i += n
	}
	r.Put(st, part[min(plain, len(part)):])
}

// RowLine returns the 1-based number of the line that starts in a row painted last, or 0.
func (b *Buffer) RowLine(y int) int {
	if y < 0 || y >= len(b.painted) || !b.painted[y].first {
		return 0
	}
	line := b.text.lineOf(b.painted[0].start + b.painted[0].from)
	for _, r := range b.painted[1 : max(y, 0)+1] {
		if r.first {
			line++
		}
	}
	return line + 1
}

// Cursor returns the cell of the cursor in the rows painted last.
func (b *Buffer) Cursor() (x, y int) {
	b.ready()
	if !b.Multi {
		return b.scrollLine(max(b.w, 1)), 0
	}
	rows, i := b.rowAt(b.at)
	for y, r := range b.painted {
		if r.start == rows[i].start && r.from == rows[i].from {
			return b.cellsTo(rows[i], b.at), y
		}
	}
	return 0, 0
}

// Scroll moves the window by n rows, and moves the cursor only to keep it in the window.
func (b *Buffer) Scroll(n int) {
	if !b.Multi || len(b.painted) == 0 {
		return
	}
	b.ready()
	first, _ := b.rowsAway(b.top, n)
	if end, _ := b.rowsAway(b.text.size, 1-b.h); b.after(first, end) {
		first = end
	}
	b.top = first.start + first.from
	last, _ := b.rowsAway(b.top, b.h-1)
	rows, i := b.rowAt(b.at)
	switch {
	case b.after(first, rows[i]):
		b.at = b.inRow(first, b.goal)
	case b.after(rows[i], last):
		b.at = b.inRow(last, b.goal)
	}
}

// Click puts the cursor on a cell of the rows last painted.
func (b *Buffer) Click(x, y int) {
	b.ready()
	if !b.Multi {
		rest := row{pieceRef: b.text.locate(b.top)}
		rest.from, rest.to, rest.final = b.top-rest.start, len(b.text.at(rest.pieceRef)), true
		b.at = b.inRow(rest, x)
		return
	}
	if len(b.painted) == 0 {
		return
	}
	b.at = b.inRow(b.painted[min(max(y, 0), len(b.painted)-1)], x)
	b.keepGoal()
}
