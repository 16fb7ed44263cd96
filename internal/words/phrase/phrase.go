// Package phrase has the small forms of texts that all of the program shares.
package phrase

import (
	"strconv"
	"strings"
)

// Clip cuts a text at a number of bytes, between characters, and marks that with "…".
func Clip[T ~string | ~[]byte](s T, most int) string {
	if len(s) <= most {
		return string(s)
	}
	return strings.ToValidUTF8(string(s[:most]), "") + "…"
}

// Quote is a text in quotation marks, of which Clip has cut more than a number of bytes. The
// mark of that is behind them.
func Quote(s string, most int) string {
	clipped := Clip(s, most)
	if len(s) <= most {
		return strconv.Quote(clipped)
	}
	return strconv.Quote(strings.TrimSuffix(clipped, "…")) + "…"
}

// Count is a number of things: "1 tool", "2 tools". The noun takes an s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Digits is a number with commas between thousands.
func Digits[T ~int | ~int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Capital begins a sentence.
func Capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
