package jsonrpc

import "strings"

var (
	pointerEscapes   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapePointer returns the name of a member as a part of a JSON Pointer (RFC 6901
// §3).
func EscapePointer(name string) string { return pointerEscapes.Replace(name) }

// UnescapePointer returns the name of a member from a part of a JSON Pointer.
func UnescapePointer(part string) string { return pointerUnescapes.Replace(part) }
