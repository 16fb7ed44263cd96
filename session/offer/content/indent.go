package content

import (
	"bufio"
	"io"
	"strings"

	"mcptea/client/jsonrpc"
)

// maxIndent is the depth from which indentation goes no further.
const maxIndent = 100

// Indentation may take so many times the room of the JSON itself, and a bit: a
// deep value of many members would be all blanks else.
const (
	maxBlanks  = 8
	moreBlanks = 1 << 20
)

// Indent lays JSON out over lines, each token as it was. It does what json.Indent
// does with two blanks a level, up to a depth that keeps the result in
// proportion. It reports false for what is not JSON.
func Indent(raw []byte) (string, bool) {
	l, ok := NewLayout(raw)
	if !ok {
		return "", false
	}
	var out strings.Builder
	out.Grow(l.size)
	l.write(&out)
	return out.String(), true
}

// WriteIndented writes what [Indented] returns, without having it in memory: a result may be large.
func WriteIndented(w io.Writer, raw []byte) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if l, ok := NewLayout(raw); ok {
		l.write(b)
	} else {
		_, _ = b.Write(raw) // Flush returns its error
	}
	return b.Flush()
}

// writer is what a value is laid out to. Its errors are seen at its end.
type writer interface {
	io.Writer
	io.ByteWriter
	io.StringWriter
}

// Indented is [Indent] for any text: what is not JSON is returned as it is.
func Indented(raw []byte) string {
	if laidOut, ok := Indent(raw); ok {
		return laidOut
	}
	return string(raw)
}

// deepestIndent is the depth up to which lines can be indented with at most so
// many blanks, and how many that takes.
func deepestIndent(lines []int, most int) (depth, blanks int) {
	below := 0 // lines at a depth or deeper
	for _, n := range lines {
		below += n
	}
	for depth < maxIndent && depth < len(lines) {
		below -= lines[depth]
		if blanks+2*below > most {
			break
		}
		depth++
		blanks += 2 * below
	}
	return depth, blanks
}

// layOut goes through valid JSON from the first token of a line on: its tokens with what is
// written between them on a line, and the ends of lines with the next one, until line reports
// false.
func layOut(raw []byte, from lineStart, write func(token []byte), line func(next lineStart) bool) {
	depth := int(from.depth)
	isEmpty, isFirst := false, true // isEmpty: the last token opened a container
	tokens := jsonrpc.NewTokens(raw[from.at:])
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
