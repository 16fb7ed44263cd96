package paint

import (
	"strings"
	"unicode/utf8"
)

const tabStop = 4

// Wrap breaks untrusted text into lines of at most w cells, at blanks
// where there are some. Its own line ends and the blanks at the start of its
// lines are kept, tabs become blanks, all else is sanitised.
func Wrap(s string, w int) []string { return WrapFirst(s, w, -1) }

// WrapFirst is Wrap for the first n lines; it does not look at the rest of the
// text. n < 0 means all.
func WrapFirst(s string, w, n int) []string {
	if w <= 0 {
		return nil
	}
	var out []string
	for n < 0 || len(out) < n {
		line, rest, more := strings.Cut(s, "\n")
		if n > 0 {
			line = head(line, (n-len(out))*(w*16+64))
		}
		line = Sanitize(expandTabs(strings.TrimSuffix(line, "\r")))
		out = wrapLine(out, line, w)
		if !more {
			break
		}
		s = rest
	}
	if n >= 0 && len(out) > n {
		out = out[:n]
	}
	return out
}

// WrapMost wraps text to at most n lines, as [WrapFirst] does, and ends the last one with an
// ellipsis if there are more. A word that has no room in it is begun: no cell beside it is empty.
func (p *Palette) WrapMost(text string, w, n int) []string {
	if n <= 0 {
		return nil
	}
	lines := WrapFirst(text, w, n+1)
	if len(lines) > n {
		last := lines[n-1]
		if word, _, _ := strings.Cut(lines[n], " "); Width(last)+1+Width(word) > w { // else the text ends the line
			last += " " + word
		}
		last = p.Cut(last, max(w-Width(p.Ellipsis), 1))
		lines = append(lines[:n-1], strings.TrimSuffix(last, p.Ellipsis)+p.Ellipsis)
	}
	return lines
}

// head cuts s after n bytes, between characters.
func head(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func expandTabs(s string) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	col := 0
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			n := tabStop - col%tabStop
			b.WriteString(blanks[:n])
			col += n
		}
		b.WriteString(part)
		col += Width(part)
	}
	return b.String()
}

// wrapLine appends the pieces of one sanitised line.
func wrapLine(out []string, line string, w int) []string {
	start, used := 0, 0
	brk := -1 // where the line may end: the blank after a word
	indent := true
	for i := 0; i < len(line); {
		n, cells := step(line, i)
		if line[i] == ' ' {
			if !indent {
				brk = i
			}
		} else {
			indent = false
		}
		if used+cells > w && i > start {
			switch {
			case line[i] == ' ':
				out = append(out, line[start:i])
				i = skipBlanks(line, i)
			case brk > start:
				out = append(out, line[start:brk])
				i = skipBlanks(line, brk)
			default:
				out = append(out, line[start:i])
			}
			start, used, brk = i, 0, -1
			continue
		}
		i += n
		used += cells
	}
	if start == len(line) && start > 0 {
		return out
	}
	return append(out, line[start:])
}

func skipBlanks(s string, i int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}
