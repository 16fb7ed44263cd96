package syntax

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format is the format of a file.
type Format string

// The formats.
const (
	JSON         Format = "json"          // RFC 8259, nothing else
	JSONComments Format = "json-comments" // JSON with comments, but without trailing commas
	JSONC        Format = "jsonc"         // JSON with comments and trailing commas
	TOML         Format = "toml"
	YAML         Format = "yaml"
	Shell        Format = "sh" // a program; it is not parsed
)

// Kind is the type of a value.
type Kind uint8

// The kinds of values. A date of TOML is a String.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// String returns the kind with its article, for messages.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// Node is a value in a file.
type Node struct {
	Kind Kind
	// Start and End are the byte range of the value. Values of YAML and tables of TOML
	// have no end, and a table of TOML has the start of its first key.
	Start, End int
	Text       string   // of a scalar: what it means, without quotes and escapes
	Members    []Member // of an Object, in the order of the file, with duplicates
	Items      []*Node  // of a List
	Flow       bool     // a List or Object in brackets; false for a table of TOML, and in YAML
}

// Member is a member of an object.
type Member struct {
	Key      string
	KeyStart int // byte offset of the key as written
	Value    *Node
}

// Get returns the member of an object; the last one, if the key occurs twice. It
// returns nil if it does not exist, or if n is nil or not an object.
func (n *Node) Get(key string) *Member {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return &n.Members[i]
		}
	}
	return nil
}

// Value returns the value at a path of keys, or nil.
func (n *Node) Value(path ...string) *Node {
	for _, key := range path {
		m := n.Get(key)
		if m == nil {
			return nil
		}
		n = m.Value
	}
	return n
}

// Equal reports whether two trees mean the same.
func (n *Node) Equal(other *Node) bool {
	if n == nil || other == nil {
		return n == other
	}
	if n.Kind != other.Kind || n.Text != other.Text || len(n.Members) != len(other.Members) || len(n.Items) != len(other.Items) {
		return false
	}
	for i, m := range n.Members {
		if m.Key != other.Members[i].Key || !m.Value.Equal(other.Members[i].Value) {
			return false
		}
	}
	for i, item := range n.Items {
		if !item.Equal(other.Items[i]) {
			return false
		}
	}
	return true
}

// Pointer appends keys to a JSON Pointer (RFC 6901).
func Pointer(base string, keys ...string) string {
	for _, key := range keys {
		base += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
	}
	return base
}

// Index appends the index of an item to a JSON Pointer.
func Index(base string, i int) string { return base + "/" + strconv.Itoa(i) }

// Position returns the line and the column of a byte offset, both from 1. The
// column counts characters.
func Position(data []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(data))
	before := data[:offset]
	line = bytes.Count(before, []byte("\n")) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}
