package paint

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcptea/internal/words/display"
)

// A Copy holds text that rows do not show: the parts that were cut off, and the text between
// wrapped lines. Rows that are painted with the palette of [Palette.Copying] contain marks for it.
// Marks are zero-width sequences that never reach a terminal. The nil Copy is empty. A Copy must be
// used by one goroutine.
type Copy struct {
	texts []string          // texts, by the number in a mark
	cut   map[string]string // rest that [Palette.Cut] has cut off, by the text that stayed
	rest  map[string]string // rest that [Palette.Phrase] has left out, by the text before it
}

// maxRest bounds the stored rest of a text, in bytes.
const maxRest = 1 << 20

// The kinds of marks: the text that an ellipsis stands for, a text that had no room, the text at
// the joint of a line that continues in the next row, and a sign in the next cell that does not
// belong to the text.
const (
	markStart = "\x1b_mcptea;"
	markEnd   = "\x1b\\"
	cutMark   = 'c'
	moreMark  = 'm'
	jointMark = 'j'
	signMark  = 's'
)

// Copying returns a palette for rows that will be copied, and the Copy that they fill.
func (p *Palette) Copying() (*Palette, *Copy) {
	c := &Copy{cut: map[string]string{}, rest: map[string]string{}}
	marking, dim := *p, *p.Dim
	dim.copy, marking.copy = c, c
	marking.Dim = &dim
	return &marking, c
}

// IsCopying reports whether rows are painted for copying. They do not reach a terminal.
func (p *Palette) IsCopying() bool { return p.copy != nil }

// mark appends a mark with a text.
func (c *Copy) mark(dst []byte, kind byte, text string) []byte {
	dst = append(append(dst, markStart...), kind)
	dst = strconv.AppendInt(dst, int64(len(c.texts)), 10)
	c.texts = append(c.texts, text)
	return append(dst, markEnd...)
}

// read parses a mark.
func (c *Copy) read(sequence string) (kind byte, text string) {
	rest, ok := strings.CutPrefix(sequence, markStart)
	if !ok || c == nil || rest == "" {
		return 0, ""
	}
	n, err := strconv.Atoi(strings.TrimSuffix(rest[1:], markEnd))
	if err != nil || n < 0 || n >= len(c.texts) {
		return 0, ""
	}
	return rest[0], c.texts[n]
}

// Joint records that the line continues in the next row. text is the blanks that wrapping has removed there.
func (r *Row) Joint(text string) {
	if r.copy != nil {
		r.buf = r.copy.mark(r.buf, jointMark, text)
	}
}

// CutOff records the text that the previous ellipsis stands for.
func (r *Row) CutOff(rest string) {
	if r.copy != nil {
		r.buf = r.copy.mark(r.buf, cutMark, rest)
	}
}

// Sign returns a sign of one cell that is not part of a painted row's text.
func (p *Palette) Sign(st Style, glyph string) string {
	if p.copy == nil {
		return st.Render(glyph)
	}
	return string(p.copy.mark(nil, signMark, "")) + st.Render(glyph)
}

// CutOff returns a mark with the text that an ellipsis stands for. The caller writes it after the
// ellipsis, so that a copy contains the text.
func (p *Palette) CutOff(rest string) string {
	if p.copy == nil {
		return ""
	}
	return string(p.copy.mark(nil, cutMark, rest))
}

// More records a text for which the row had no room.
func (r *Row) More(text string) {
	if r.copy != nil {
		r.buf = r.copy.mark(r.buf, moreMark, display.Sanitize(display.Head(text, maxRest)))
	}
}

// Sign is like Put, but for a sign of one cell that is not part of the row's text.
func (r *Row) Sign(st Style, glyph string) {
	if r.copy != nil && r.Left() > 0 {
		r.buf = r.copy.mark(r.buf, signMark, "")
	}
	r.Put(st, glyph)
}

// PutBehind is like Spans, but the first cells are signs that do not belong to the row's text.
func (r *Row) PutBehind(cells int, spans ...Span) {
	for _, s := range spans {
		for text := s.Text; r.Used() < cells && text != ""; {
			n, w := display.Step(text, 0)
			if r.Sign(s.Style, text[:n]); w == 0 {
				cells--
			}
			text, s.Text = text[n:], text[n:]
		}
		r.Spans(s)
	}
}

// lost records the rest of a text of which n sanitized bytes were written. If n is -1, all were
// written, but the text may have been cut before.
func (r *Row) lost(text string, n int) {
	if n < 0 {
		if rest, ok := r.copy.cut[strings.TrimRight(text, " ")]; ok {
			r.buf = r.copy.mark(r.buf, cutMark, rest)
		} else if rest, ok := r.copy.rest[text]; ok {
			r.buf = r.copy.mark(r.buf, moreMark, rest)
		}
		return
	}
	if all := display.Sanitize(display.Head(text, maxRest)); n <= len(all) {
		rest := all[n:]
		if kept := strings.TrimRight(text, " "); r.copy.cut[kept] != "" && strings.HasSuffix(rest, r.tail) {
			rest = strings.TrimSuffix(rest, r.tail) + r.copy.cut[kept]
		}
		r.buf = r.copy.mark(r.buf, cutMark, rest)
	}
}

// cutTo records the rest after [Palette.Cut] has cut a text to kept.
func (p *Palette) cutTo(text, kept string) string {
	if n := len(kept) - len(p.Ellipsis); p.copy != nil && kept != text && n >= 0 && n <= len(text) {
		p.copy.cut[kept] = text[n:]
	}
	return kept
}

// Text returns the text in columns x to x+w of a painted row, for copying. It includes text that
// was cut off, and has no trailing blanks. joined reports whether the line continues in the next
// row. joint is the text between the two.
func (c *Copy) Text(row string, x, w int) (text, joint string, joined bool) {
	text, joint, joined, _ = c.text(row, x, w, true)
	return text, joint, joined
}

// Visible is like [Copy.Text], but leaves out text that was cut off. isCut reports whether there is
// such text.
func (c *Copy) Visible(row string, x, w int) (text, joint string, joined, isCut bool) {
	return c.text(row, x, w, false)
}

func (c *Copy) text(row string, x, w int, whole bool) (text, joint string, joined, isCut bool) {
	var b []byte
	sign := false
	for i, at := 0, 0; i < len(row); {
		if row[i] == 0x1b {
			n := display.Sequence(row[i:])
			kind, note := c.read(row[i : i+n])
			switch i += n; {
			case kind == signMark:
				sign = true
			case at <= x || at > x+w: // the mark is for another cell
			case kind == jointMark:
				return strings.TrimRight(string(b), " "), note, true, isCut
			case kind == cutMark:
				b, isCut = beforeTail(b), true
				if whole {
					b = append(b, note...)
				}
			case kind == moreMark:
				isCut = true
				if whole {
					b = append(b, note...)
				}
			}
			continue
		}
		n, cells := display.Step(row, i)
		if at+cells > x && at < x+w {
			if sign {
				b = append(b, blanks[:cells]...)
			} else {
				b = append(b, row[i:i+n]...)
			}
		}
		sign = false
		i, at = i+n, at+cells
	}
	return strings.TrimRight(string(b), " "), "", false, isCut
}

// beforeTail returns a text without an ellipsis and blanks at its end.
func beforeTail(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	_, n := utf8.DecodeLastRune(b)
	return b[:len(b)-n]
}

// Cells returns the visible text in columns x to x+w of a painted row. It includes a wide character
// that is only partly in these columns.
func Cells(row string, x, w int) string {
	text, from, to, at := stripped(row), -1, 0, 0
	for i := 0; i < len(text); {
		n, cells := display.Step(text, i)
		if at+cells > x && at < x+w {
			if from < 0 {
				from = i
			}
			to = i + n
		}
		at += cells
		i += n
	}
	if from < 0 {
		return ""
	}
	return text[from:to]
}

// stripped returns a painted row without its escape sequences.
func stripped(row string) string {
	if strings.IndexByte(row, 0x1b) < 0 {
		return row
	}
	b := make([]byte, 0, len(row))
	for i := 0; i < len(row); {
		if row[i] == 0x1b {
			i += display.Sequence(row[i:])
			continue
		}
		b = append(b, row[i])
		i++
	}
	return string(b)
}

// SameText reports whether two painted rows show the same characters.
func SameText(a, b string) bool { return a == b || stripped(a) == stripped(b) }

// Marked returns a painted row with columns x to x+w selected: they are in reverse video. Wide
// characters at the edges are selected completely.
func Marked(row string, x, w int) string {
	x, w = whole(row, x, w)
	if w <= 0 {
		return row
	}
	return splice(row, "\x1b[0;7m"+Pad(Cells(row, x, w), w)+reset, x)
}

// whole limits columns x to x+w to a painted row, and extends them to complete wide characters.
func whole(row string, x, w int) (from, cells int) {
	from, end, at := -1, 0, 0
	for i := 0; i < len(row); {
		if row[i] == 0x1b {
			i += display.Sequence(row[i:])
			continue
		}
		n, c := display.Step(row, i)
		if at+c > x && at < x+w {
			if from < 0 {
				from = at
			}
			end = at + c
		}
		at, i = at+c, i+n
	}
	return from, end - from
}

// Word returns the columns of the word at a column of a painted row, limited to from and to. ok is false for a
// sign or a blank.
func Word(row string, x, from, to int) (begin, end int, ok bool) {
	text := Cells(row, x, 1)
	if !inWord(text) {
		return x, x + 1, false
	}
	begin, end = x, x+1
	for begin > from && inWord(Cells(row, begin-1, 1)) {
		begin--
	}
	for end < to && inWord(Cells(row, end, 1)) {
		end++
	}
	for end > begin+1 && strings.ContainsAny(Cells(row, end-1, 1), ".:!?") { // drop the punctuation at the end of a sentence
		end--
	}
	return begin, end, strings.ContainsFunc(Cells(row, begin, end-begin), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// FirstWord returns the first word of a text.
func FirstWord(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return !inWord(string(r)) }); i > 0 {
		return text[:i]
	}
	return text
}

// inWord reports whether a character can be part of a word. URLs and paths count as words.
func inWord(text string) bool {
	return text != "" && !strings.ContainsAny(text, " \t\"'`()[]{}<>,;|") && !strings.ContainsFunc(text, IsLine)
}

// IsLine reports whether a character is part of a border.
func IsLine(r rune) bool { return r >= 0x2500 && r <= 0x257f }
