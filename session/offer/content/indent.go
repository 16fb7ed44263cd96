package content

import (
	"encoding/json"
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
	if !json.Valid(raw) {
		return "", false
	}
	var lines []int // by depth
	size := 0
	layOut(raw, func(token []byte) { size += len(token) }, func(depth int) {
		for len(lines) <= depth {
			lines = append(lines, 0)
		}
		lines[depth]++
		size++
	})
	deepest, blanks := deepestIndent(lines, maxBlanks*len(raw)+moreBlanks)
	var out strings.Builder
	out.Grow(size + blanks)
	layOut(raw, func(token []byte) { out.Write(token) }, func(depth int) {
		out.WriteByte('\n')
		for range min(depth, deepest) {
			out.WriteString("  ")
		}
	})
	return out.String(), true
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
