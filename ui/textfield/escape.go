package textfield

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcptea/internal/words/display"
)

// Escape writes bytes so that each is visible: \x1b for a byte that is a control character or not UTF-8,
// \u{202e} for a character that is invisible or changes the direction of the text. JSON uses neither form, so
// that its own escapes, such as \n and \u202e, remain distinct sequences of several bytes. A backslash that
// could be mistaken for the start of an escape becomes \x5c. A line feed stays.
//
// [Unescape] returns the same bytes.
func Escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n, shown := escapeStep(s, i)
		if shown == "" || s[i] == '\n' {
			shown = s[i : i+n]
		}
		b.WriteString(shown)
		i += n
	}
	return b.String()
}

// Unescape reads text with escapes as [Escape] writes them.
func Unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if bytes, n := readEscape(s[i:]); n > 0 {
			b.WriteString(bytes)
			i += n
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// maxEscape is the length of the longest escape.
const maxEscape = len(`\u{10ffff}`)

// readEscape reads the escape that a text starts with: its bytes and its length, 0
// when it starts with something else.
func readEscape(s string) (bytes string, n int) {
	switch {
	case len(s) >= 4 && s[:2] == `\x`:
		if v, err := strconv.ParseUint(s[2:4], 16, 8); err == nil {
			return string([]byte{byte(v)}), 4
		}
	case len(s) >= 5 && s[:3] == `\u{`:
		digits, _, closed := strings.Cut(s[3:min(len(s), maxEscape)], "}")
		if !closed || digits == "" {
			return "", 0
		}
		if v, err := strconv.ParseUint(digits, 16, 32); err == nil && utf8.ValidRune(rune(v)) {
			return string(rune(v)), len(`\u{}`) + len(digits)
		}
	}
	return "", 0
}

// escapeStep returns the length of the unit at a position of a text and its escaped form, or "" if it is not
// escaped.
func escapeStep(s string, i int) (n int, shown string) {
	c := s[i]
	switch {
	case c == '\\':
		if i+1 == len(s) {
			return 1, `\x5c` // the next piece could complete an escape
		}
		if _, n := readEscape(s[i:min(len(s), i+maxEscape)]); n > 0 {
			return 1, `\x5c`
		}
	case c < 0x20 || c == 0x7f:
		return 1, fmt.Sprintf(`\x%02x`, c)
	}
	if c < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
		return 1, ""
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	switch {
	case r == utf8.RuneError && n == 1:
		return 1, fmt.Sprintf(`\x%02x`, c)
	case display.IsHidden(r), unicode.In(r, unicode.Mn, unicode.Me):
		return n, fmt.Sprintf(`\u{%x}`, r)
	}
	cluster, _ := display.Step(s, i)
	if display.Sanitize(s[i:i+cluster]) != s[i:i+cluster] {
		return n, "" // characters of the cluster are invisible: each for itself
	}
	return cluster, ""
}

// readTyped replaces the escape that ends at the cursor with its bytes. It is a separate change: undo restores
// the characters.
func (b *Buffer) readTyped() {
	if b.at == 0 || !strings.ContainsAny(string(b.byteAt(b.at-1)), "}0123456789abcdefABCDEF") {
		return
	}
	from := max(b.at-maxEscape, 0)
	typed := b.text.slice(from, b.at)
	start := strings.LastIndexByte(typed, '\\')
	if start < 0 {
		return
	}
	if bytes, n := readEscape(typed[start:]); n > 0 && n == len(typed)-start {
		b.Replace(from+start, b.at, bytes)
	}
}
