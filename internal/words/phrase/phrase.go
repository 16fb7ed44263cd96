// Package phrase formats the small texts that all of the program shares, such as counts and durations.
//
// It also measures how similar two words are, for suggestions after a typing mistake, and defines the
// duration in JSON documents.
package phrase

import (
	"strconv"
	"strings"
	"sync/atomic"
)

// onlyASCII is set if the program's own signs on the terminal must be ASCII.
var onlyASCII atomic.Bool

// UseASCII sets whether signs for terminals must be ASCII: the [Ellipsis], the dash of [Range] and the micro
// sign of [Took]. It applies to the whole program. It is safe for concurrent use.
func UseASCII(on bool) { onlyASCII.Store(on) }

// Ellipsis returns the mark for omitted text on a terminal.
func Ellipsis() string {
	if onlyASCII.Load() {
		return "~"
	}
	return "…"
}

// Range formats two numbers with a dash between them: "1–26".
func Range(from, to int) string {
	dash := "–"
	if onlyASCII.Load() {
		dash = "-"
	}
	return strconv.Itoa(from) + dash + strconv.Itoa(to)
}

// Clip cuts a text at a number of bytes, between characters, and marks that with "…".
func Clip[T ~string | ~[]byte](s T, most int) string {
	if len(s) <= most {
		return string(s)
	}
	return strings.ToValidUTF8(string(s[:most]), "") + "…"
}

// Quote returns a text in quotation marks, cut by Clip to a number of bytes. The mark of Clip follows the
// quotation marks.
func Quote(s string, most int) string {
	clipped := Clip(s, most)
	if len(s) <= most {
		return QuoteAll(clipped)
	}
	return QuoteAll(strings.TrimSuffix(clipped, "…")) + "…"
}

// Capital begins a sentence. A name at its beginning keeps its spelling: a method, a member, the
// prefix of another's message such as x509:, a file.
func Capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' || beginsWithName(s) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// beginsWithName reports a text whose first word is not a word of a language, or one that is
// written in lower case everywhere.
func beginsWithName(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	switch strings.TrimRight(word, ",;") {
	case "mcptea", "initialize", "ping":
		return true
	}
	return strings.ToLower(word) != word || strings.ContainsAny(strings.TrimRight(word, "."), "/_.{\"\\$=:")
}

// asciiSigns are the signs that the program writes in its own texts, in ASCII.
var asciiSigns = strings.NewReplacer("…", "~", "·", "-", "→", ">", "←", "<", "↑", "^", "↓", "v", "“", `"`, "”", `"`, "×", "x", "⏎", "$", "•", "*", "–", "-", "✗", "x", "│", "|")

// Signs returns a text of the program in a form that the terminal can display: its signs may have
// to be ASCII. It is not for untrusted text.
func Signs(text string) string {
	if onlyASCII.Load() {
		return asciiSigns.Replace(text)
	}
	return text
}
