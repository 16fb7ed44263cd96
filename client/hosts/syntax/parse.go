package syntax

import (
	"bytes"
	"fmt"

	"mcptea/internal/words/phrase"
)

// Limits of a file. Deeper or larger trees are not configurations.
const (
	maxDepth = 200
	maxNodes = 400_000
)

// manyValues is the message about more values than maxNodes.
var manyValues = fmt.Sprintf("there are more than %s values", phrase.Digits(maxNodes))

// Error is a file that does not parse.
type Error struct {
	Message      string // message of the parser, without the position
	Line, Column int    // numbers from 1, in characters; Column is 0 if the parser reports none
	Offset       int    // offset in JSON, in bytes
	Large        bool   // mcptea does not read this many values; other programs may
}

func (e *Error) Error() string { return e.Message }

// Deviation is a comment or a comma that a stricter format does not allow.
type Deviation struct {
	Comment bool  // a comment, or else a trailing comma
	Offset  int   // byte offset of the comment or the comma
	Around  *Node // the value around a comma
}

// Tree is a parsed file.
type Tree struct {
	Root *Node
	// Deviations lists the deviations from strict JSON, in the order of the file.
	Deviations []Deviation
}

// BOM is the byte order mark of UTF-8.
var BOM = []byte("\xef\xbb\xbf")

// Parse parses a file. A byte order mark at its start is skipped; offsets still count from the start of the
// file. The error is an [*Error].
func Parse(format Format, data []byte) (*Tree, error) {
	text := bytes.TrimPrefix(data, BOM)
	var t *Tree
	var err *Error
	switch format {
	case TOML:
		t, err = parseTOML(text)
	case YAML:
		t, err = parseYAML(text)
	case JSON, JSONComments, JSONC:
		t, err = parseJSON(text)
	default:
		err = &Error{Message: fmt.Sprintf("%s is not a format of data", format), Line: 1}
	}
	if err != nil {
		return nil, err
	}
	t.Root.At = t.Root.Start
	t.Root.place(len(data) - len(text))
	for i := range t.Deviations {
		t.Deviations[i].Offset += len(data) - len(text)
	}
	return t, nil
}

// tooLarge returns an error for brackets nested deeper than maxDepth, because the parsers would recurse, and
// for more values than maxNodes, because each takes some hundred bytes. quotes are the characters that enclose
// strings.
func tooLarge(data []byte, quotes string) *Error {
	depth, quote, values := 0, byte(0), 0
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case values > maxNodes:
			return &Error{Message: manyValues, Offset: i, Line: 1, Large: true}
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote || c == '\n' {
				quote = 0
			}
		case bytes.IndexByte([]byte(quotes), c) >= 0:
			quote = c
		case c == ',' || c == '=': // a value follows
			values++
		case c == '[' || c == '{':
			values++
			if depth++; depth > maxDepth {
				line, column := Position(data, i)
				return &Error{Message: fmt.Sprintf("values are nested deeper than %d levels", maxDepth), Line: line, Column: column}
			}
		case c == ']' || c == '}':
			depth = max(0, depth-1)
		}
	}
	return nil
}
