package content

import (
	"bufio"
	"encoding/json"
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
	deepest, size := plan(raw)
	if size == 0 {
		return "", false
	}
	var out strings.Builder
	out.Grow(size)
	writeIndented(&out, raw, deepest)
	return out.String(), true
}

// WriteIndented writes what [Indented] returns, without having it in memory: a result may be large.
func WriteIndented(w io.Writer, raw []byte) error {
	b := bufio.NewWriterSize(w, 1<<16)
	if deepest, size := plan(raw); size > 0 {
		writeIndented(b, raw, deepest)
	} else {
		_, _ = b.Write(raw) // Flush returns its error
	}
	return b.Flush()
}

// plan is the depth up to which the lines of a value are indented, and the size of the result; 0
// for what is not JSON.
func plan(raw []byte) (deepest, size int) {
	if !json.Valid(raw) {
		return 0, 0
	}
	var lines []int // by depth
	layOut(raw, func(token []byte) { size += len(token) }, func(depth int) {
		for len(lines) <= depth {
			lines = append(lines, 0)
		}
		lines[depth]++
		size++
	})
	deepest, blanks := deepestIndent(lines, maxBlanks*len(raw)+moreBlanks)
	return deepest, size + blanks
}

// writer is what a value is laid out to. Its errors are seen at its end.
type writer interface {
	io.Writer
	io.ByteWriter
	io.StringWriter
}

func writeIndented(out writer, raw []byte, deepest int) {
	layOut(raw, func(token []byte) { _, _ = out.Write(token) }, func(depth int) {
		_ = out.WriteByte('\n')
		for range min(depth, deepest) {
			_, _ = out.WriteString("  ")
		}
	})
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

// layOut goes through valid JSON: its tokens with what is written between them
// on a line, and the ends of lines with the depth of the next one.
func layOut(raw []byte, write func(token []byte), line func(depth int)) {
	depth := 0
	isEmpty := false // the last token opened a container
	tokens := jsonrpc.NewTokens(raw)
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		isClosing := token[0] == '}' || token[0] == ']'
		switch {
		case isEmpty && !isClosing:
			depth++
			line(depth)
		case isClosing && !isEmpty:
			depth--
			line(depth)
		}
		write(token)
		switch token[0] {
		case ',':
			line(depth)
		case ':':
			write([]byte(" "))
		}
		isEmpty = token[0] == '{' || token[0] == '['
	}
}
