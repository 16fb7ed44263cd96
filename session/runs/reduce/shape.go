package reduce

import (
	"strings"
	"unicode"
)

// shape returns an invented text of the same form: it has letters, digits and other characters at the same places. n
// chooses the letter and the digit, so that different texts stay different.
func shape(text string, n int) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80 && unicode.IsUpper(r):
			return 'A' + rune(n%26)
		case r < 0x80 && unicode.IsLower(r):
			return 'a' + rune(n%26)
		case r < 0x80 && unicode.IsDigit(r):
			return '1' + rune(n%9)
		case r < 0x80:
			return r
		case r > 0xffff:
			return '😀'
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return '文'
		case unicode.IsUpper(r):
			return 'É'
		case unicode.IsLetter(r):
			return 'é'
		}
		return r
	}, text)
}
