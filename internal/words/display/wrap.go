package display

import (
	"strings"
	"unicode/utf8"
)

const tabStop = 4

// Wrap breaks untrusted text into lines of at most w cells: at blanks if possible, and at blanks within a
// quoted word of a command line only as a last resort. Line ends and blanks at the start of lines are kept,
// tabs become blanks, everything else is sanitized.
func Wrap(s string, w int) []string { return WrapFirst(s, w, -1) }

// WrapWords is like Wrap, for text that can be pasted: a line may be longer, since no word is broken, including
// quoted words of a command line.
func WrapWords(s string, w int) (out []string) {
	for line := range strings.Lines(s) {
		out = wrapLine(out, Sanitize(ExpandTabs(strings.TrimRight(line, "\r\n"))), max(w, 1), true)
	}
	if len(out) == 0 {
		return []string{""}
	}
	return out
}

// WrapFirst is Wrap for the first n lines, without reading the rest of the text. n < 0 means all.
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
		out = wrapLine(out, line, w, false)
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

// WrapMost is like WrapFirst, and ends the last line with the mark of [Cut] if there are more lines.
func WrapMost(s string, w, n int) []string {
	lines := WrapFirst(s, w, n+1)
	if len(lines) > n {
		mark := Cut("..", 1)
		lines = lines[:n]
		lines[n-1] = strings.TrimSuffix(Cut(lines[n-1], w-1), mark) + mark
	}
	return lines
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

// wrapLine appends the pieces of one sanitized line; whole reports that words are not broken.
func wrapLine(out []string, line string, w int, whole bool) []string {
	start, used := 0, 0
	brk := -1  // end of the line after a whole word: the blank
	list := -1 // end of the line inside a word: after a separator or a quoted blank, in the second half of the row
	var words shellWords
	indent := true
	for i := 0; i < len(line); {
		n, cells := Step(line, i)
		quoted := words.inside(line, i)
		blank := line[i] == ' ' && !quoted
		if blank && !indent {
			brk = i
		}
		indent = indent && line[i] == ' '
		if used+cells > w && i > start {
			if list <= start {
				list = i
			}
			end, next := -1, 0
			switch {
			case blank:
				end, next = i, skipBlanks(line, i)
			case brk > start:
				end, next = brk, skipBlanks(line, brk)
			case !whole:
				end, next = list, list
			}
			if end >= 0 {
				out, i = append(out, line[start:end]), next
				start, used, brk, list = i, 0, -1, -1
				continue
			}
		}
		i += n
		used += cells
		if (strings.IndexByte(":;,", line[i-1]) >= 0 || quoted && line[i-1] == ' ') && 2*used > w {
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

// shellWords finds the words of command lines in a text that are quoted with blanks in them, such as
// 'a b', $'a b', --header "A: b" and --path='a b'.
type shellWords struct {
	end    int  // end of the newest word
	option bool // the word before begins with a dash
	broken bool // a quote does not end: the rest of the line is prose
}

// inside reports whether a place is inside such a word. Callers pass places in ascending order; all places
// before the end of the newest word are inside it.
func (q *shellWords) inside(line string, i int) bool {
	if i < q.end {
		return true
	}
	if q.broken || line[i] == ' ' || i > 0 && line[i-1] != ' ' {
		return false
	}
	option := q.option
	q.option = line[i] == '-'
	rest := line[i:]
	if !q.option && !strings.HasPrefix(rest, "'") && !strings.HasPrefix(rest, "$'") && (!option || rest[0] != '"') {
		return false
	}
	quote, escapes := byte(0), false
	for k := 0; k < len(rest); k++ {
		switch c := rest[k]; {
		case quote == 0 && c == ' ':
			q.end = i + k
			return true
		case quote == 0 && (c == '\'' || c == '"'):
			quote, escapes = c, c == '"' || k > 0 && rest[k-1] == '$'
		case c == '\\' && (quote == 0 || escapes):
			k++
		case c == quote:
			quote = 0
		}
	}
	if q.broken = quote != 0; q.broken {
		return false
	}
	q.end = len(line)
	return true
}
