package intercept

import (
	"bytes"
	"encoding/json"

	"mcptea/client/jsonrpc"
)

// maxIndented is the size of a frame up to which it is indented to be edited, in bytes.
const maxIndented = maxShown

// indented is JSON with a line for each member and element, as it is edited. Numbers,
// escapes, and the order of members stay. It reports false for what is not JSON, or large:
// that is edited as it is.
func indented(b []byte) ([]byte, bool) {
	var text bytes.Buffer
	if len(b) > maxIndented || json.Indent(&text, bytes.TrimSpace(b), "", "  ") != nil {
		return b, false
	}
	return text.Bytes(), true
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
