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

// SplitPointer returns the names in a JSON Pointer, in the form that [Get] takes.
func SplitPointer(pointer string) []string {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range parts {
		parts[i] = UnescapePointer(parts[i])
	}
	return parts
}

// JoinPointer returns the JSON Pointer of the names of its parts.
func JoinPointer(parts []string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(EscapePointer(part))
	}
	return b.String()
}
