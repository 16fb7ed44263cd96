package display

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
			line = Head(line, (n-len(out))*(w*16+64))
		}
		line = Sanitize(ExpandTabs(strings.TrimSuffix(line, "\r")))
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

// Head cuts s after n bytes, between characters.
func Head(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// ExpandTabs writes tabs as blanks up to the next tab stop.
func ExpandTabs(s string) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	col := 0
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			n := tabStop - col%tabStop
			b.WriteString("    "[:n])
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
	brk := -1  // where the line may end: the blank after a word
	list := -1 // where a word may: after a separator, in the second half of the row
	indent := true
	for i := 0; i < len(line); {
		n, cells := Step(line, i)
		if line[i] == ' ' {
			if !indent {
				brk = i
			}
		} else {
			indent = false
		}
		if used+cells > w && i > start {
			if list <= start {
				list = i
			}
			switch {
			case line[i] == ' ':
				out = append(out, line[start:i])
				i = skipBlanks(line, i)
			case brk > start:
				out = append(out, line[start:brk])
				i = skipBlanks(line, brk)
			default:
				out = append(out, line[start:list])
				i = list
			}
			start, used, brk, list = i, 0, -1, -1
			continue
		}
		i += n
		used += cells
		if strings.IndexByte(":;,", line[i-1]) >= 0 && 2*used > w {
			list = i
		}
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
