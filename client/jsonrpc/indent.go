package jsonrpc

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
)

// maxIndent is the maximum number of levels that are indented.
const maxIndent = 100

// step is the indentation of a level.
const step = "  "

// Indentation may take maxBlanks times the size of the JSON itself, plus moreBlanks bytes: a
// deep value of many members would otherwise be mostly blanks.
const (
	maxBlanks  = 8
	moreBlanks = 1 << 20
)

// Indent returns JSON with a line for each member and element, each token as written, and two
// spaces a level. Unlike json.Indent, it indents only as many levels as keep the result in
// proportion to raw: 9,000 levels around many elements would be gigabytes of spaces. ok is
// false if raw is not JSON.
func Indent(raw []byte) (text string, ok bool) { return indentBy(raw, step) }

func indentBy(raw []byte, step string) (string, bool) {
	l, ok := newLayout(raw, step)
	if !ok {
		return "", false
	}
	var out strings.Builder
	out.Grow(l.size)
	l.write(&out)
	return out.String(), true
}

// MarshalIndented returns the JSON of a value of Go, indented as [Indent] does with a step for each
// level. The value may contain JSON of others.
func MarshalIndented(v any, step string) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	laidOut, _ := indentBy(text, step) // the value is valid JSON
	return []byte(laidOut), nil
}

// WriteIndented writes the text that [Indented] returns, without having it in memory: a result may be large.
func WriteIndented(w io.Writer, raw []byte) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if l, ok := NewLayout(raw); ok {
		l.write(b)
	} else {
		_, _ = b.Write(raw) // Flush returns its error
	}
	return b.Flush()
}

// writer receives a formatted value. Its errors are reported at its end.
type writer interface {
	io.Writer
	io.ByteWriter
	io.StringWriter
}

// Indented is like [Indent], but returns invalid JSON unchanged.
func Indented(raw []byte) string {
	if laidOut, ok := Indent(raw); ok {
		return laidOut
	}
	return string(raw)
}

// deepestIndent returns the depth up to which lines can be indented with at most so many blanks in
// total, and the number of these blanks.
func deepestIndent(lines []int, step, most int) (depth, blanks int) {
	below := 0 // number of lines at least this deep
	for _, n := range lines {
		below += n
	}
	for depth < maxIndent && depth < len(lines) {
		below -= lines[depth]
		if blanks+step*below > most {
			break
		}
		depth++
		blanks += step * below
	}
	return depth, blanks
}

// layOut iterates over valid JSON from the first token of a line: it calls write for each token and for the
// text between tokens, and line at the end of each line with the start of the next one, until line returns
// false.
func layOut(raw []byte, from lineStart, write func(token []byte), line func(next lineStart) bool) {
	depth := int(from.depth)
	isEmpty, isFirst := false, true // isEmpty: the last token opened a container
	tokens := NewTokens(raw[from.at:])
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		start := cap(raw) - cap(token)
		isClosing := token[0] == '}' || token[0] == ']'
		switch {
		case isFirst:
		case isEmpty && !isClosing:
			depth++
			if !line(lineStart{int32(start), int32(depth)}) {
				return
			}
		case isClosing && !isEmpty:
			depth--
			if !line(lineStart{int32(start), int32(depth)}) {
				return
			}
		}
		write(token)
		switch token[0] {
		case ',':
			if !line(lineStart{int32(start + 1), int32(depth)}) {
				return
			}
		case ':':
			write([]byte(" "))
		}
		isEmpty, isFirst = token[0] == '{' || token[0] == '[', false
	}
}
