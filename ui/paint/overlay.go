package paint

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"mcptea/internal/words/display"
)

// Overlay puts the rows of top over base. The upper left corner of top is at column x of row y. The
// result is new. Parts of top outside of base are left out. The styles of base continue to the
// right of top.
func Overlay(base, top []string, x, y int) []string {
	out := make([]string, len(base))
	copy(out, base)
	for i, row := range top {
		if at := y + i; at >= 0 && at < len(out) {
			out[at] = splice(out[at], row, x)
		}
	}
	return out
}

// Dimmed returns a painted row in one color, for display behind a window. A row with cells of a
// picture stays unchanged, because its colors identify the picture.
func (p *Palette) Dimmed(row string) string {
	if strings.ContainsRune(row, kitty.Placeholder) {
		return row
	}
	r := p.Row()
	r.Start(display.Width(row), Style{})
	r.Put(p.Faint, ansi.Strip(row))
	return r.String()
}

func splice(base, top string, x int) string {
	basew, topw := display.Width(base), display.Width(top)
	if x < 0 {
		topw = max(topw+x, 0)
		top = tailOf(top, -x, topw)
		x = 0
	}
	if over := x + topw - basew; over > 0 {
		topw = max(topw-over, 0)
		top = Pad(top, topw)
	}
	if topw == 0 {
		return base
	}
	var b strings.Builder
	left := clip(base, x)
	b.WriteString(left)
	b.WriteString(reset)
	// A wide character that would be partly under the edge is left out completely.
	b.WriteString(strings.Repeat(" ", max(x-display.Width(left), 0)))
	b.WriteString(top)
	b.WriteString(reset)
	if rest := basew - x - topw; rest > 0 {
		b.WriteString(tailOf(base, x+topw, rest))
		b.WriteString(reset)
	}
	return b.String()
}

// clip returns the first w cells of a painted row. At the end, its styles are still open, but links
// are closed.
func clip(row string, w int) string {
	link := ""
	for i := 0; i < len(row); {
		if row[i] == 0x1b {
			n := display.Sequence(row[i:])
			if target, ok := linkOf(row[i : i+n]); ok {
				link = target
			}
			i += n
			continue
		}
		n, cells := display.Step(row, i)
		if cells > w {
			if link != "" {
				return row[:i] + linkEnd
			}
			return row[:i]
		}
		w -= cells
		i += n
	}
	return row
}

// tailOf returns the last rest cells of a painted row, starting at column x. It starts with the
// styles and the link that are current there. If a wide character crosses the edge, blanks replace
// its remainder.
func tailOf(row string, x, rest int) string {
	var styles strings.Builder
	i, link := 0, ""
	for i < len(row) && x > 0 {
		if row[i] == 0x1b {
			n := display.Sequence(row[i:])
			seq := row[i : i+n]
			i += n
			if target, ok := linkOf(seq); ok {
				if link = ""; target != "" {
					link = seq
				}
				continue
			}
			if strings.HasPrefix(seq, markStart) {
				continue
			}
			if seq == reset || strings.HasPrefix(seq, "\x1b[0") {
				styles.Reset() // earlier styles no longer apply
			}
			styles.WriteString(seq)
			continue
		}
		n, cells := display.Step(row, i)
		x -= cells
		i += n
	}
	for x <= 0 && strings.HasPrefix(row[i:], markStart) && !strings.HasPrefix(row[i+len(markStart):], string(signMark)) { // marks that belong to the previous cell
		i += display.Sequence(row[i:])
	}
	return styles.String() + strings.Repeat(" ", min(max(-x, 0), max(rest, 0))) + link + row[i:]
}

// Slice returns columns x to x+w of a painted row, as exactly w cells with their styles.
func Slice(row string, x, w int) string {
	if x > 0 {
		row = tailOf(row, x, max(display.Width(row)-x, 0))
	}
	return Pad(row, w)
}

// SkipCells returns plain text without its first w cells. If a wide character crosses that
// position, cells is the number of its remaining cells.
func SkipCells(s string, w int) (rest string, cells int) {
	for i := 0; i < len(s); {
		if w <= 0 {
			return s[i:], -w
		}
		n, c := display.Step(s, i)
		i += n
		w -= c
	}
	return "", 0
}
