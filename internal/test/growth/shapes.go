package growth

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
)

// A Shape is a form of JSON values.
type Shape struct {
	Name string
	// Of returns a value of about n bytes.
	Of func(n int) string
	// Usual marks the shapes that each test tries. The others are parts of "all".
	Usual bool
}

// Shapes are the shapes that a server may choose.
var Shapes = append([]Shape{
	{Name: "all", Usual: true, Of: all},
	{Name: "opaque", Usual: true, Of: func(n int) string { return arrays(max(2*jsonrpc.MaxDepth, n/8), n) }},
}, parts...)

// parts are the shapes that mcptea reads.
var parts = []Shape{
	{Name: "deep", Usual: true, Of: deep},
	{Name: "deep objects", Of: deepObjects},
	{Name: "wide", Of: func(n int) string { return "[" + list(n, "0") + "]" }},
	{Name: "small objects", Of: func(n int) string { return "[" + list(n, `{"a":{}}`) + "]" }},
	{Name: "many keys", Of: manyKeys},
	{Name: "same key", Of: func(n int) string { return "{" + list(n, `"a":1`) + "}" }},
	{Name: "long name", Of: func(n int) string { return `{"` + strings.Repeat("n", n) + `":1}` }},
	{Name: "long string", Of: func(n int) string { return `"` + strings.Repeat("x", n) + `"` }},
	{Name: "words", Of: func(n int) string { return `"` + strings.Repeat("word ", n/5) + `"` }},
	{Name: "lines", Of: func(n int) string { return `"` + strings.Repeat(`a\n`, n/3) + `"` }},
	{Name: "escapes", Of: func(n int) string { return `"` + strings.Repeat(`\u001b[2J`, n/9) + `"` }},
	{Name: "JSON in a string", Of: func(n int) string { return jsonrpc.Quote(deep(n * 9 / 10)) }},
	{Name: "long numbers", Of: func(n int) string { return "[" + list(n, strings.Repeat("9", 10_000)) + "]" }},
}

// list repeats a value, with commas, up to about n bytes.
func list(n int, value string) string {
	return strings.Repeat(value+",", n/(len(value)+1)) + value
}

// arrays returns arrays around each other, with elements in the innermost one.
func arrays(levels, n int) string {
	return strings.Repeat("[", levels) + list(max(0, n-2*levels), "0") + strings.Repeat("]", levels)
}

// above is more levels than there are around any value of a conversation.
const above = 20

// levelsOf returns a depth that grows with the size up to the one that mcptea reads. So work that
// begins again at each level grows with the square of the size.
func levelsOf(n int) int { return min(n/(2*Size/jsonrpc.MaxDepth), jsonrpc.MaxDepth-above) }

func deep(n int) string { return arrays(levelsOf(n), n) }

func deepObjects(n int) string {
	levels := levelsOf(n)
	return strings.Repeat(`{"a":`, levels) + "[" + list(max(0, n-6*levels), `"b"`) + "]" + strings.Repeat("}", levels)
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	return "{" + b.String() + `"last":1}`
}

// all returns an object with a value of each other shape that mcptea reads. Half of the bytes are
// deep arrays.
func all(n int) string {
	var b strings.Builder
	for _, s := range parts {
		value := s.Of(n / (2 * (len(parts) - 1)))
		if s.Name == "deep" {
			value = arrays(levelsOf(n), n/2)
		}
		fmt.Fprintf(&b, `%q:%s,`, s.Name, value)
	}
	return "{" + b.String() + `"last":1}`
}
