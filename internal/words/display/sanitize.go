package display

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"mcptea/internal/words/phrase"
)

// maxMarks bounds the combining marks on one character. Living scripts need fewer; more of them only paint over
// the neighboring rows.
const maxMarks = 6

// Sanitize makes untrusted text safe for one row of a terminal: it shows characters that would control the
// terminal or be invisible. A line end becomes "⏎", a tab "⇥", other controls their pictures ("␛"), direction
// overrides, invisible characters and the like "‹U+202E›", a byte that is not UTF-8 "\xff". Clean text is
// returned unchanged, without a copy.
func Sanitize(s string) string {
	if isClean(s) {
		return s
	}
	return string(AppendSanitized(make([]byte, 0, len(s)+32), s))
}

// SanitizeLines is like Sanitize, for a text of several lines, which stay lines. Untrusted text is copied in
// this form.
func SanitizeLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Sanitize(line)
	}
	return strings.Join(lines, "\n")
}

// EscapeJSON writes each character of JSON that is not plain as the escape that means the
// same. Line ends and tabs between tokens stay.
func EscapeJSON(text string) string {
	plain := func(r rune) bool { return phrase.IsPlain(r) || r == '\n' || r == '\t' }
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch high, low := utf16.EncodeRune(r); {
		case plain(r):
			b.WriteRune(r)
		case high != unicode.ReplacementChar:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// AppendSanitized appends a text as [Sanitize] shows it.
func AppendSanitized[T Text](dst []byte, s T) []byte {
	marks := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < 0x7f {
			dst = append(dst, c)
			i++
			marks = 0
			continue
		}
		r, n := decode(s, i)
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, '\\', 'x', hex[s[i]>>4], hex[s[i]&15])
			i++
			marks = 0
			continue
		}
		if isMark(r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case phrase.IsHidden(r) && !joinsPictures(s, i, n) || marks > maxMarks:
			dst = appendShown(dst, r)
		default:
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// isClean reports whether s needs no change.
func isClean(s string) bool {
	marks := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < 0x7f {
			i++
			marks = 0
			continue
		}
		r, n := decode(s, i)
		if n <= 1 || phrase.IsHidden(r) && !joinsPictures(s, i, n) {
			return false
		}
		if isMark(r) {
			if marks++; marks > maxMarks {
				return false
			}
		} else {
			marks = 0
		}
		i += n
	}
	return true
}

// CleanASCII reports whether a text is printable ASCII, each byte a cell.
func CleanASCII[T Text](s T) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

func decode[T Text](s T, i int) (rune, int) {
	return utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
}

// IsHidden reports whether [Sanitize] shows a character by its code: a control
// character, or one that is invisible or changes the direction of text.
func IsHidden(r rune) bool { return phrase.IsHidden(r) }

// isMark reports whether a rune is painted over the previous one.
func isMark(r rune) bool {
	return r >= 0x300 && !phrase.IsCommon(r) && unicode.In(r, unicode.Mn, unicode.Me)
}

// joinsPictures reports whether the rune of n bytes at i is a zero-width joiner between two emoji, which
// makes them one picture. There it hides nothing.
func joinsPictures[T Text](s T, i, n int) bool {
	if r, _ := decode(s, i); r != 0x200d || i == 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(string(s[max(0, i-utf8.UTFMax):i]))
	after, _ := decode(s, i+n)
	return (isPicture(before) || before == 0xfe0f || before >= 0x1f3fb && before <= 0x1f3ff) && isPicture(after)
}

// isPicture reports whether a rune is an emoji, or may become one.
func isPicture(r rune) bool {
	return r >= 0x2190 && r < 0x2c00 && unicode.Is(unicode.So, r) || r >= 0x1f000 && r < 0x1fb00 && !(r >= 0x1f3fb && r <= 0x1f3ff)
}

const hex = "0123456789abcdef"

func appendShown(dst []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(dst, "⏎"...)
	case r == '\t':
		return append(dst, "⇥"...)
	case r < 0x20:
		return utf8.AppendRune(dst, 0x2400+r)
	case r == 0x7f:
		return append(dst, "␡"...)
	}
	return fmt.Appendf(dst, "‹%U›", r)
}
