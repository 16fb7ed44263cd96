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
	if jsonrpc.Valid(b) {
		return "" // an editor is made only for the place of a mistake: frames may be large
	}
	e := textfield.NewEditor("")
	e.SetBytes(b, true)
	e.Verify()
	return e.Sentence()
}

// maxIndented is the size of a frame up to which it is indented to be edited, in bytes.
const maxIndented = maxShown

// indented returns JSON with a line for each member and element, for editing. Numbers, escapes, and the order
// of members stay unchanged. It returns false for invalid or large JSON, which is edited unchanged.
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

// spaced returns compact JSON with a blank after each colon and comma between its tokens, in the style of
// Python's json.dumps.
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

// like returns edited JSON with the white space that the frame had before: none, or a blank after each colon
// and comma. kept is false for a frame with other white space, which is lost.
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

// joined returns an indented text in the form for sending: on one line, because a line break ends a
// frame on stdio. JSON loses only the white space between its tokens. A text that is no longer JSON
// loses only the white space that indenting has added.
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
