package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// IsCommon reports whether a rune is of the blocks without marks and hidden characters
// that are the most frequent outside of Latin: arrows, boxes and symbols, CJK, Hangul.
func IsCommon(r rune) bool {
	return r >= 0x2190 && r < 0x2c00 || r >= 0x3400 && r < 0xa66f || r >= 0xac00 && r <= 0xd7ff
}

// IsHidden reports whether a terminal interprets a character, or the character is invisible.
func IsHidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r < 0xad:
		return false
	case IsCommon(r):
		return false
	}
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, 0x2028, 0x2029:
		return true // joiners and fillers without a shape, line separators
	case 0xfe0e, 0xfe0f:
		return false // text or emoji form: in honest use everywhere
	}
	switch {
	case r >= 0xfe00 && r <= 0xfe0d, r >= 0x180b && r <= 0x180f:
		return true // the other variation selectors can smuggle bytes
	case r >= 0xe0000 && r <= 0xe0fff:
		return true // tags, selectors and reserved invisibles
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Noncharacter_Code_Point, r)
}

// IsPlain reports whether a character is printable and visible. It rejects hidden characters that Go calls
// printable, such as variation selectors and fillers.
func IsPlain(r rune) bool { return unicode.IsPrint(r) && !IsHidden(r) }

// QuoteAll is like [strconv.Quote], but also escapes hidden characters.
func QuoteAll(text string) string {
	quoted := strconv.Quote(text)
	if strings.IndexFunc(quoted, IsHidden) < 0 {
		return quoted
	}
	var b strings.Builder
	for _, r := range quoted {
		if IsHidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// EscapeJSON returns JSON with escapes for the hidden characters of its strings. The values stay the same, and an editor
// shows them as they are.
func EscapeJSON(text string) string {
	return escapeHidden(text, func(b *strings.Builder, r rune) {
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
		} else {
			fmt.Fprintf(b, `\u%04x`, r)
		}
	})
}

// EscapeYAML returns YAML with escapes for the hidden characters of its scalars in double quotes.
func EscapeYAML(text string) string {
	return escapeHidden(text, func(b *strings.Builder, r rune) {
		if r > 0xffff {
			fmt.Fprintf(b, `\U%08x`, r)
		} else {
			fmt.Fprintf(b, `\u%04x`, r)
		}
	})
}

// IsHiddenInText is like [IsHidden], but accepts the white space of a text of several lines.
func IsHiddenInText(r rune) bool { return IsHidden(r) && r != '\n' && r != '\t' && r != '\r' }

// escapeHidden returns a text with escapes instead of the hidden characters; escape writes them.
// Bytes that are not UTF-8 stay.
func escapeHidden(text string, escape func(b *strings.Builder, r rune)) string {
	if strings.IndexFunc(text, IsHiddenInText) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if IsHiddenInText(r) {
			escape(&b, r)
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}
