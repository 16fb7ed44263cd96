package variables

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Literal returns the text of a field that stands literally for text: nothing in it is a variable or the name
// of a file.
func Literal(text string) string { return Field(strings.ReplaceAll(text, "{{", `\{{`)) }

// LiteralJSON returns JSON that stands for raw literally: nothing in it is a variable. It returns raw itself if
// there is nothing to escape.
func LiteralJSON(raw []byte) []byte {
	return replaceStrings(raw, hasBraces, func(token []byte, text string) []byte {
		text = strings.ReplaceAll(text, "{{", `\{{`)
		if kept := bytes.ReplaceAll(token, []byte("{{"), []byte(`\\{{`)); same(kept, text) {
			return kept
		}
		return quote(text)
	})
}

// errUnresolved is the error for each variable in [Plain].
var errUnresolved = errors.New("variables are not replaced")

// Plain returns what [LiteralJSON] was made from. Strings with a variable stay unchanged.
func Plain(raw []byte) []byte {
	out, _ := ExpandJSON(raw, func(string) (json.RawMessage, error) { return nil, errUnresolved })
	return out
}

// PlainText returns the text of a field without its escapes. Variables and the name of a file
// stay unchanged.
func PlainText(text string) string {
	text, _ = Expand(text, func(string) (json.RawMessage, error) { return nil, errUnresolved })
	return Unfield(text)
}

// File returns the path if the text of a field stands for the content of a file: @PATH, on one line.
func File(text string) (path string, ok bool) {
	path, ok = strings.CutPrefix(text, "@")
	return path, ok && path != "" && path[0] != '@' && !strings.Contains(path, "\n")
}

// Field returns the text of a field for a string of JSON, where @ has no meaning.
func Field(text string) string {
	if strings.HasPrefix(text, "@") {
		return "@" + text
	}
	return text
}

// FieldJSON returns JSON with [Field] of each string.
func FieldJSON(raw []byte) []byte {
	return replaceStrings(raw, func(text []byte) bool { return bytes.HasPrefix(text, []byte("@")) }, func(_ []byte, text string) []byte {
		return quote(Field(text))
	})
}

// UnfieldJSON returns JSON with [Unfield] of each string.
func UnfieldJSON(raw []byte) []byte {
	return replaceStrings(raw, func(text []byte) bool { return bytes.HasPrefix(text, []byte("@@")) }, func(_ []byte, text string) []byte {
		return quote(Unfield(text))
	})
}

// Unfield returns the inverse of [Field]. The name of a file stays unchanged.
func Unfield(text string) string {
	if strings.HasPrefix(text, "@@") {
		return text[1:]
	}
	return text
}
