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

// All is the name of the shape that has parts of all others.
const All = "all"

// Shapes are the shapes that a server may choose.
var Shapes = ShapesTo(jsonrpc.MaxDepth)

// ShapesTo returns the shapes for a reader that refuses values with more levels. All but "opaque" have fewer.
func ShapesTo(maxDepth int) []Shape {
	parts := partsTo(maxDepth)
	return append([]Shape{
		{Name: All, Usual: true, Of: func(n int) string { return all(arrays(levelsOf(n, maxDepth), n/2), parts, n) }},
		{Name: "opaque", Usual: true, Of: func(n int) string { return arrays(max(2*maxDepth, n/8), n) }},
	}, parts...)
}

// partsTo returns the shapes that are read.
func partsTo(maxDepth int) []Shape {
	deep := func(n int) string { return arrays(levelsOf(n, maxDepth), n) }
	deepObjects := func(n int) string {
		levels := levelsOf(n, maxDepth)
		return strings.Repeat(`{"a":`, levels) + "[" + list(max(0, n-6*levels), `"b"`) + "]" + strings.Repeat("}", levels)
	}
	return []Shape{
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
		{Name: "placeholders", Of: placeholders},
		{Name: "open placeholders", Of: func(n int) string { return `"` + strings.Repeat("${{$A", n/6) + `"` }},
		{Name: "JSON in a string", Of: func(n int) string { return jsonrpc.Quote(deep(n * 9 / 10)) }},
		{Name: "long numbers", Of: func(n int) string { return "[" + list(n, strings.Repeat("9", 10_000)) + "]" }},
	}
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

// levelsOf returns a depth that grows with the size, up to the maximum that is parsed. So work that is repeated
// at each level grows with the square of the size.
func levelsOf(n, maxDepth int) int { return max(1, min(n*maxDepth/(2*Size), maxDepth-above)) }

func manyKeys(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	return "{" + b.String() + `"last":1}`
}

// placeholders returns texts with references to variables: few in many texts, many in a text, inside each other, to
// different variables and inputs, and without ends.
func placeholders(n int) string {
	var different, inputs strings.Builder
	for i := 0; different.Len() < n/8; i++ {
		fmt.Fprintf(&different, "${V%d}", i)
		fmt.Fprintf(&inputs, "${input:i%d}", i)
	}
	return "[" + list(n/8, `"${A} $B %C%"`) + `,"` + strings.Join([]string{
		strings.Repeat("${A}", n/32), strings.Repeat("${A:-", n/48) + strings.Repeat("}", n/48), different.String(), inputs.String(),
		strings.Repeat("${input:", n/64), strings.Repeat("$(", n/16) + strings.Repeat("{env:", n/40),
	}, `","`) + `"]`
}

// all returns an object with a value, a value of each shape, and many keys.
func all(first string, parts []Shape, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"first":%s,`, first)
	for _, s := range parts {
		fmt.Fprintf(&b, `%q:%s,`, s.Name, s.Of(n/(2*len(parts))))
	}
	return b.String() + strings.TrimPrefix(manyKeys(n/8), "{")
}
