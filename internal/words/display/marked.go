package display

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Part is a part of untrusted text. Characters that could be overlooked are marked in it.
type Part struct {
	Kind Mark
	Text string // sanitized; blanks for [Blank]
}

// Mark is the kind of mark of a part.
type Mark uint8

// The values of [Mark].
const (
	Unmarked Mark = iota
	Blank         // blanks that could be overlooked
	Hidden        // a character that a terminal obeys or does not show
)

// Marked splits a text into marked and plain parts. It marks blanks at the ends of the text and of quoted
// strings in it, and several blanks in a row; if blanks is true, it marks all.
func Marked(text string, blanks bool) []Part {
	var parts []Part
	add := func(kind Mark, text string) {
		if n := len(parts); n > 0 && parts[n-1].Kind == kind {
			parts[n-1].Text += text
			return
		}
		parts = append(parts, Part{kind, text})
	}
	indent := 0
	if !blanks {
		indent = len(text) - len(strings.TrimLeft(text, " ")) // indentation of JSON
		if indent == len(text) {
			indent = 0
		}
		add(Unmarked, text[:indent])
	}
	from := indent // start of the unmarked part
	flush := func(to int) {
		if from < to {
			add(Unmarked, Sanitize(text[from:to]))
		}
	}
	for i := indent; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == ' ' && (blanks || overlooked(text, i)):
			flush(i)
			add(Blank, " ")
			from = i + n
		case isUnclear(r):
			flush(i)
			add(Hidden, fmt.Sprintf("‹U+%04X›", r))
			from = i + n
		case r == utf8.RuneError && n == 1, IsHidden(r):
			flush(i)
			add(Hidden, Sanitize(text[i:i+n]))
			from = i + n
		}
		i += n
	}
	flush(len(text))
	return parts
}

// isUnclear reports whether a character passes [Sanitize] but is ambiguous: it is invisible or looks like a
// blank, strikes through the character before it, or has no shape common to all terminals. Characters that
// change an emoji are unclear, too: a question must show each character.
func isUnclear(r rune) bool {
	switch {
	case r < 0x7f, r == utf8.RuneError:
		return false
	case unicode.In(r, unicode.Zs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, looksLikeNothing):
		return true
	case r >= 0x0334 && r <= 0x0338, r >= 0x20d2 && r <= 0x20f0 && unicode.IsMark(r): // strokes and frames
		return true
	}
	return unicode.In(r, unicode.Co, unicode.Cn) // private, or not assigned
}

// looksLikeNothing are the characters without a shape that no property of Unicode names.
var looksLikeNothing = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // braille pattern blank
		{Lo: 0x2d7f, Hi: 0x2d7f, Stride: 1}, // Tifinagh consonant joiner
		{Lo: 0x303f, Hi: 0x303f, Stride: 1}, // ideographic half fill space
		{Lo: 0xfffc, Hi: 0xfffc, Stride: 1}, // object replacement character
	},
	R32: []unicode.Range32{
		{Lo: 0x1107f, Hi: 0x1107f, Stride: 1}, // Brahmi number joiner
		{Lo: 0x13441, Hi: 0x13446, Stride: 1}, // Egyptian blanks and lost signs
		{Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, // Khitan filler
		{Lo: 0x1bc9d, Hi: 0x1bc9e, Stride: 1}, // Duployan selectors
		{Lo: 0x1d159, Hi: 0x1d159, Stride: 1}, // musical symbol null notehead
	},
}

// overlooked reports whether the blank at an index is one of several, or at an end of the
// text or of a quoted string.
func overlooked(text string, i int) bool {
	if i == 0 || i == len(text)-1 {
		return true
	}
	before, after := text[i-1], text[i+1]
	return before <= ' ' || after <= ' ' || after == '"' && before != ':' && before != ',' ||
		before == '"' && after != ':' && after != '}' && after != ']'
}

// WrapParts cuts parts into rows of at most w cells; nothing is left out.
func WrapParts(parts []Part, w int) [][]Part {
	var rows [][]Part
	var row []Part
	used := 0
	word, wordCells := -1, 0 // bytes and cells of the last part after its last blank, or -1 if it has no blank
	put := func(kind Mark, text string, cells int) {
		if used > 0 && used+cells > w {
			// A word moves to the next row as a whole, unless that leaves half of this row empty.
			var rest []Part
			if last := len(row) - 1; kind == Unmarked && word > 0 && wordCells <= w/2 && row[last].Kind == kind {
				at := len(row[last].Text) - word
				rest = []Part{{kind, row[last].Text[at:]}}
				row[last].Text = row[last].Text[:at]
			}
			rows, row, used = append(rows, row), rest, 0
			if rest != nil {
				used = wordCells
			}
			word = -1
		}
		used += cells
		switch {
		case kind != Unmarked:
			word = -1
		case text == " ":
			word, wordCells = 0, 0
		case word >= 0:
			word, wordCells = word+len(text), wordCells+cells
		}
		if n := len(row); n > 0 && row[n-1].Kind == kind {
			row[n-1].Text += text
			return
		}
		row = append(row, Part{kind, text})
	}
	for _, part := range parts {
		for rest := part.Text; rest != ""; {
			n, _ := Step(rest, 0)
			if end := strings.Index(rest, "›") + len("›"); part.Kind == Hidden && strings.HasPrefix(rest, "‹") && Width(rest[:end]) <= w {
				n = end // an escape code is not split
			}
			put(part.Kind, rest[:n], Width(rest[:n]))
			rest = rest[n:]
		}
	}
	return append(rows, row)
}
