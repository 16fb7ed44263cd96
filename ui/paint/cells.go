package paint

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// text is what can be measured without a conversion.
type text interface{ ~string | ~[]byte }

// step measures the grapheme cluster at s[i]: n bytes, w cells. ASCII and the
// narrow signs that rows are made of do not go through segmentation.
func step[T text](s T, i int) (n, w int) {
	n = plainAt(s, i)
	if n > 0 && (i+n == len(s) || plainAt(s, i+n) > 0) {
		return n, 1
	}
	// Enough for any cluster that the sanitiser lets through; longer ones are
	// split, which is safe and keeps the cost bounded.
	end := min(len(s), i+64)
	for end < len(s) && end > i+1 && !utf8.RuneStart(s[end]) {
		end--
	}
	cluster, w := ansi.FirstGraphemeCluster(string(s[i:end]), ansi.GraphemeWidth)
	if len(cluster) == 0 {
		return 1, 0
	}
	return len(cluster), w
}

// plainAt gives the length of the character at s[i] when it is known to be one
// cell wide and never joins its neighbours, else 0.
func plainAt[T text](s T, i int) int {
	c := s[i]
	if c < utf8.RuneSelf {
		return 1
	}
	// All of them are in U+2000–U+2FFF, which is E2 xx xx.
	if c != 0xe2 || i+2 >= len(s) {
		return 0
	}
	r := rune(c&0x0f)<<12 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f)
	if narrow(r) {
		return 3
	}
	return 0
}

// narrow lists signs that are one cell wide in every terminal: control
// pictures, box drawing, blocks, braille and a few single ones.
func narrow(r rune) bool {
	switch {
	case r >= 0x2500 && r <= 0x259f, r >= 0x2800 && r <= 0x28ff, r >= 0x2400 && r <= 0x2421:
		return true
	}
	switch r {
	case '…', '‹', '›', '→', '←', '↑', '↓', '⇄', '✗', '✓', '●', '○', '▾', '▸', '▼', '⏎', '⇥', '‖', '—', '–', '“', '”', '‘', '’', '•':
		return true
	}
	return false
}

// Width is the number of cells of s, escape sequences not counted.
func Width(s string) int {
	w := 0
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			n := sequence(s[i:])
			if n == 0 {
				return w + ansi.StringWidth(s[i:])
			}
			i += n
			continue
		}
		n, cells := step(s, i)
		i += n
		w += cells
	}
	return w
}

// sequence is the length of the SGR sequence at the start of s, else 0.
func sequence(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c >= '0' && c <= '9', c == ';', c == ':':
		default:
			return 0
		}
	}
	return 0
}

// fit finds how much of s goes into room cells: all of it (whole), or the
// first n bytes of w cells which leave place for a tail of tailw cells.
func fit[T text](s T, room, tailw int) (n, w int, whole bool) {
	used := 0
	for i := 0; i < len(s); {
		size, cells := step(s, i)
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

// Cut shortens plain text to w cells; what is left out shows as "…".
func Cut(s string, w int) string { return cut(s, w, "…") }

func cut(s string, w int, tail string) string {
	if w <= 0 {
		return ""
	}
	n, _, whole := fit(s, w, 1)
	if whole {
		return s
	}
	return s[:n] + tail
}
