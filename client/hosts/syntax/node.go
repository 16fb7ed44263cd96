package syntax

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format is the format of a file.
type Format string

// The formats.
const (
	JSON         Format = "json"          // strict RFC 8259
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
	// Start and End are the byte range of the value. Values of YAML and tables of TOML have no end. A table of
	// TOML has the start of its first key.
	Start, End int
	Text       string  // meaning of a scalar, without quotes and escapes
	Members    []*Node // members of an Object, in the order of the file, with duplicates
	Items      []*Node // items of a List
	Flow       bool    // a List or Object written in brackets; always false for TOML tables and YAML

	Key    string // key of a member, index of an item, or "" for the root
	At     int    // place to report: byte offset of the key as written, or Start if there is no key
	parent *Node
	last   map[string]*Node // last member of each key, or nil if there are few members
}

// maxSearched is the maximum number of members that are searched one by one.
const maxSearched = 16

// add adds a member of an Object.
func (n *Node) add(m *Node) {
	n.Members = append(n.Members, m)
	switch {
	case n.last != nil:
		n.last[m.Key] = m
	case len(n.Members) > maxSearched:
		n.last = make(map[string]*Node, 2*len(n.Members))
		for _, m := range n.Members {
			n.last[m.Key] = m
		}
	}
}

// member returns the last member of a key, or nil.
func (n *Node) member(key string) *Node {
	if n.last != nil {
		return n.last[key]
	}
	for _, m := range slices.Backward(n.Members) {
		if m.Key == key {
			return m
		}
	}
	return nil
}

// Get returns the value at a path of keys, or nil if it does not exist or n is nil. It returns the last value
// of a key that occurs twice.
func (n *Node) Get(path ...string) *Node {
	for _, key := range path {
		if n == nil || n.Kind != Object {
			return nil
		}
		n = n.member(key)
	}
	return n
}

// TextOf returns the text of a scalar; empty for nil and of another value.
func TextOf(n *Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// ItemsOf returns the items of a list, or none for nil and other values.
func ItemsOf(n *Node) []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// TextsOf returns the texts of the items of a list.
func TextsOf(n *Node) (texts []string) {
	for _, item := range ItemsOf(n) {
		texts = append(texts, item.Text)
	}
	return texts
}

// Path returns the keys that lead to the value; list items by index.
func (n *Node) Path() []string {
	if n.parent == nil {
		return nil
	}
	return append(n.parent.Path(), n.Key)
}

// pointerEscapes escapes a token of a JSON Pointer (RFC 6901).
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Pointer returns [Node.Path] as a JSON Pointer (RFC 6901).
func (n *Node) Pointer() string {
	if n.parent == nil {
		return ""
	}
	return n.parent.Pointer() + "/" + pointerEscapes.Replace(n.Key)
}

// place completes a tree that has no parents yet, and adds a number to its offsets.
func (n *Node) place(by int) {
	n.Start, n.End, n.At = n.Start+by, n.End+by, n.At+by
	for _, m := range n.Members {
		m.parent = n
		m.place(by)
	}
	for i, item := range n.Items {
		item.Key, item.At, item.parent = strconv.Itoa(i), item.Start, n
		item.place(by)
	}
}

// Equal reports whether two trees mean the same, except for members with some keys of one
// object.
func (n *Node) Equal(other, object *Node, keys []string) bool {
	inner, others := n.Members, other.Members
	if n == object {
		named := func(m *Node) bool { return slices.Contains(keys, m.Key) }
		inner, others = slices.DeleteFunc(slices.Clone(inner), named), slices.DeleteFunc(slices.Clone(others), named)
	}
	equal := func(a, b *Node) bool { return a.Key == b.Key && a.Equal(b, object, keys) }
	return n.Kind == other.Kind && n.Text == other.Text && slices.EqualFunc(inner, others, equal) && slices.EqualFunc(n.Items, other.Items, equal)
}

// Position returns the line and the column of a byte offset, both from 1. The
// column counts characters.
func Position(data []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(data))
	before := data[:offset]
	line = bytes.Count(before, []byte("\n")) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}
