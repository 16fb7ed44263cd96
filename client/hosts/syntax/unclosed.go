package syntax

import (
	"bytes"
	"strings"
)

// Unclosed reports whether a string of JSON probably lacks its closing quote: a parser continues to the next
// quotation mark, which should start a string, and fails after it. name is the text before the colon if the
// string is a name, or "" for a value, which may be a secret.
func Unclosed(data []byte, e *Error) (name string, ok bool) {
	end := e.Offset
	if end < 2 || data[end-1] != '"' {
		return "", false // no string ends right before the error
	}
	start := bytes.LastIndexByte(data[:end-1], '"')
	if start < 0 {
		return "", false
	}
	text := string(data[start+1 : end-1])
	before := bytes.TrimRight(data[:start], " \t\r\n")
	isValue := bytes.HasSuffix(before, []byte(":")) || bytes.HasSuffix(before, []byte("["))
	if isValue {
		return "", strings.ContainsAny(text, ",}]:")
	}
	name, _, ok = strings.Cut(text, ":")
	return name, ok
}
