package intercept

import (
	"bytes"
	"encoding/json"

	"mcptea/client/jsonrpc"
	"mcptea/ui/textfield"
)

// problemOf returns where bytes stop being JSON, or "" if they are JSON.
func problemOf(b []byte) string {
	if len(bytes.TrimSpace(b)) == 0 {
		return "The text is empty"
	}
	e := textfield.NewEditor("")
	e.SetBytes(b, true)
	e.Verify()
	return e.Sentence()
}

// maxIndented is the size of a frame up to which it is indented to be edited, in bytes.
const maxIndented = maxShown

// indented is JSON with a line for each member and element, as it is edited. Numbers,
// escapes, and the order of members stay. It reports false for what is not JSON, or large:
// that is edited as it is.
func indented(b []byte) ([]byte, bool) {
	if len(b) > maxIndented {
		return b, false
	}
	text, ok := jsonrpc.Indent(bytes.TrimSpace(b))
	if !ok {
		return b, false
	}
	return []byte(text), true
}

// spaced is compact JSON with a blank behind each colon and comma between its tokens, as Python's json.dumps
// writes it.
func spaced(compact []byte) []byte {
	b, quoted := make([]byte, 0, len(compact)+len(compact)/8), false
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		b = append(b, c)
		switch {
		case quoted && c == '\\' && i+1 < len(compact):
			i++
			b = append(b, compact[i])
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ':' || c == ','):
			b = append(b, ' ')
		}
	}
	return b
}

// like writes JSON that was edited with the white space between tokens that the frame had before the edit: none, or a
// blank behind each colon and comma. It reports false for a frame that has other white space, which is lost.
func like(before, compact []byte) (b []byte, kept bool) {
	was := bytes.TrimSpace(before)
	switch plain := jsonrpc.Compact(was); {
	case bytes.Equal(was, plain):
		return compact, true
	case bytes.Equal(was, spaced(plain)):
		return spaced(compact), true
	}
	return compact, false
}

// joined is an indented text as it is sent, in one line, since a line break ends a frame on
// stdio. JSON loses the white space between its tokens and nothing else. A text that is not
// JSON any more keeps all but what indenting has put there.
func joined(text []byte) (b []byte, valid bool) {
	if json.Valid(text) {
		return jsonrpc.Compact(text), true
	}
	b = make([]byte, 0, len(text))
	for i, quoted := 0, false; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n', c == '\r':
			quoted = false // a quote that is not closed is one of its line
			for i+1 < len(text) && text[i+1] == ' ' {
				i++
			}
			continue
		case quoted && c == '\\' && i+1 < len(text) && text[i+1] != '\n' && text[i+1] != '\r':
			b = append(b, c)
			i++
			c = text[i]
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ':' && i+1 < len(text) && text[i+1] == ' ':
			i++
		}
		b = append(b, c)
	}
	return b, false
}
