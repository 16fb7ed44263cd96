package display

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/phrase"
)

// byRune reports that the terminal adds up the widths of characters instead of measuring clusters of them.
var byRune atomic.Bool

// UseGraphemes sets how the terminal measures clusters of several characters, such as flags: as one unit (true,
// the initial value), or each character by itself. Bubble Tea lays out cells one by one until the terminal
// reports mode 2027, and rows must be measured in the same way. It applies to the whole program, since there is
// one terminal; rows that were already painted must be painted again. It is safe for concurrent use.
func UseGraphemes(on bool) { byRune.Store(!on) }

func method() ansi.Method {
	if byRune.Load() {
		return ansi.WcWidth
	}
	return ansi.GraphemeWidth
}

// Text is a type that can be measured without a conversion.
type Text interface{ ~string | ~[]byte }

// Step measures the grapheme cluster at s[i]: n bytes, w cells. ASCII and the
// narrow signs that rows are made of do not go through segmentation.
func Step[T Text](s T, i int) (n, w int) {
	n = plainAt(s, i)
	if n > 0 && (i+n == len(s) || plainAt(s, i+n) > 0) {
		return n, 1
	}
	// Enough for any cluster that Sanitize accepts; longer ones are split, which is safe and bounds the cost.
	end := min(len(s), i+64)
	for end < len(s) && end > i+1 && !utf8.RuneStart(s[end]) {
		end--
	}
	cluster, w := ansi.FirstGraphemeCluster(string(s[i:end]), method())
	return max(1, len(cluster)), w
}

// plainAt returns the length of the character at s[i] if it is known to be one cell wide and never joins its
// neighbors, otherwise 0.
func plainAt[T Text](s T, i int) int {
	c := s[i]
	if c < utf8.RuneSelf {
		return 1
	}
	if c == 0xc2 && i+1 < len(s) && s[i+1] > 0xa0 && s[i+1] != 0xa9 && s[i+1] != 0xad && s[i+1] != 0xae || c >= 0xc3 && c <= 0xc5 && i+1 < len(s) {
		return 2 // letters up to U+017F, without characters that may be emojis
	}
	// All others are in U+2000–U+2FFF, which is E2 xx xx.
	if c != 0xe2 || i+2 >= len(s) {
		return 0
	}
	r := rune(c&0x0f)<<12 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f)
	if narrow(r) {
		return 3
	}
	return 0
}

// Plain reports whether all characters of s are one cell wide and by themselves in any
// terminal. Escape sequences are.
func Plain(s string) bool {
	for i := 0; i < len(s); {
		n := plainAt(s, i)
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// narrow lists signs that are one cell wide in every terminal: control
// pictures, box drawing, blocks, braille and a few single ones.
func narrow(r rune) bool {
	switch {
	case r >= 0x2500 && r <= 0x259f, r >= 0x2800 && r <= 0x28ff, r >= 0x2400 && r <= 0x2421:
		return true
	}
	switch r {
	case '…', '‹', '›', '→', '←', '↑', '↓', '⇄', '✗', '✓', '●', '○', '▾', '▸', '▼', '⏎', '⇥', '‖', '—', '–', '“', '”', '‘', '’', '•', '−', '‑', '↳', '◆', '▴', '≈':
		return true
	}
	return false
}

// Width returns the number of cells of s, escape sequences not counted.
func Width(s string) int {
	w := 0
	for i := 0; i < len(s); {
		if c := s[i]; c == 0x1b {
			i += Sequence(s[i:])
			continue
		} else if c < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
			i++
			w++
			continue
		}
		n, cells := Step(s, i)
		i += n
		w += cells
	}
	return w
}

// Sequence returns the length of the escape sequence at the start of s: CSI, a string such as
// OSC up to its end, or two bytes.
func Sequence(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(s); i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\':
				return i + 2
			}
		}
		return len(s)
	}
	return 2
}

// Fit returns how much of s fits into room cells: all of it (whole), or its first n bytes, of w cells, which
// leave room for a tail of tailw cells.
func Fit[T Text](s T, room, tailw int) (n, w int, whole bool) {
	used := 0
	for i := 0; i < len(s); {
		size, cells := 1, 1
		if s[i] >= utf8.RuneSelf || i+1 < len(s) && s[i+1] >= utf8.RuneSelf {
			size, cells = Step(s, i)
		}
		if used+cells > room {
			return n, w, false
		}
		i += size
		used += cells
		if used <= room-tailw {
			n, w = i, used
		}
	}
	return len(s), used, true
}

// Cut shortens plain text to w cells; "…" replaces the rest.
func Cut(s string, w int) string { return CutWith(s, w, phrase.Ellipsis()) }

// Phrase returns the start of a text that fits into w cells, up to the last end of a sentence or clause that is
// not part of an enumeration. If there is no such end, the text is cut like in [Cut].
func Phrase(s string, w int) string {
	if head, ok := WholePhrase(s, w); ok {
		return head
	}
	return Cut(s, w)
}

// WholePhrase is like [Phrase], for a text that need not be cut. It returns false if the text has no such
// start.
func WholePhrase(s string, w int) (head string, ok bool) {
	if Width(s) <= w {
		return s, true
	}
	n, _, _ := Fit(s, w, 0)
	for i := min(n, len(s)-2); i > 0; i-- {
		switch s[i] {
		case '.', '!', '?': // not the end of an abbreviation
			if i+2 < len(s) && s[i+1] == ' ' && unicode.IsUpper(rune(s[i+2])) {
				return s[:i], true
			}
		case ';', ':':
			if s[i+1] == ' ' {
				return s[:i], true
			}
		case ',':
			if word, _, more := strings.Cut(strings.TrimPrefix(s[i+1:], " "), " "); more && slices.Contains(clauses, word) && !strings.Contains(s[:i], ",") {
				return s[:i], true
			}
		case ' ':
			if rest := s[i+1:]; rest[0] == '(' || strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "– ") || strings.HasPrefix(rest, "— ") {
				return strings.TrimRight(s[:i], " ,"), true
			}
		}
	}
	return "", false
}

// clauses are the words with which a clause begins after a comma.
var clauses = []string{"and", "or", "but", "so", "if", "when", "unless", "which", "where", "while", "because"}

// CutWith is like [Cut], with another sign of one cell for the omitted text.
func CutWith(s string, w int, tail string) string {
	if w <= 0 {
		return ""
	}
	n, _, whole := Fit(s, w, 1)
	if whole {
		return s
	}
	return s[:n] + tail
}
