// Package jsontree changes JSON values at a given place. A tree consists of map[string]any, []any, string,
// [json.Number], bool and nil; numbers keep their digits. The functions change the caller's tree, and are not
// safe for concurrent use of one tree.
package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/internal/lazyregexp"
)

// maxDepth is the maximum number of arrays and objects around a value. A deeper value has no tree.
const maxDepth = 1000

// maxSize is the maximum size of a value, in bytes: its tree takes many times as much.
const maxSize = 4 << 20

// Decode returns the tree of a JSON value. ok is false if the value is invalid, larger than 4 MiB, or nested
// more than 1,000 levels deep.
func Decode(raw []byte) (v any, ok bool) {
	if len(raw) > maxSize || isDeep(raw) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	return v, true
}

func isDeep(raw []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// Text returns a JSON string, number, boolean or null in JSON.
func Text(leaf any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(leaf) // a leaf has a text
	return strings.TrimSuffix(b.String(), "\n")
}

// Encode returns the text of a tree on one line, with members in the order of their names. leaf returns the
// text of a leaf, of a value of another type, and of a member's name; nil stands for [Text].
func Encode(v any, leaf func(v any) string) string {
	if leaf == nil {
		leaf = Text
	}
	var b strings.Builder
	encode(&b, v, leaf)
	return b.String()
}

func encode(b *strings.Builder, v any, leaf func(v any) string) {
	switch x := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, name := range Names(x) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(leaf(name))
			b.WriteByte(':')
			encode(b, x[name], leaf)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range x {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, e, leaf)
		}
		b.WriteByte(']')
	default:
		b.WriteString(leaf(v))
	}
}

// Names returns the names of the members of an object, sorted.
func Names(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Clone returns a copy of a tree, which shares nothing that a function of this package changes.
func Clone(v any) any {
	switch x := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(x))
		for name, e := range x {
			m[name] = Clone(e)
		}
		return m
	case []any:
		a := make([]any, len(x))
		for i, e := range x {
			a[i] = Clone(e)
		}
		return a
	}
	return v
}

// Place leads to a value of a tree: the name of a member, a string, or the index of an element, an int, for each level.
type Place []any

// Pointer returns the place as a JSON Pointer (RFC 6901).
func (p Place) Pointer() string {
	var b strings.Builder
	for _, step := range p {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(step)))
	}
	return b.String()
}

var identifier = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// JQ returns the place as an expression of jq.
func (p Place) JQ() string {
	var b strings.Builder
	for i, step := range p {
		name, isName := step.(string)
		switch {
		case isName && identifier().MatchString(name):
			b.WriteString("." + name)
		case isName && i == 0:
			b.WriteString(".[" + Text(name) + "]")
		case isName:
			b.WriteString("[" + Text(name) + "]")
		case i == 0:
			b.WriteString(".[" + strconv.Itoa(step.(int)) + "]")
		default:
			b.WriteString("[" + strconv.Itoa(step.(int)) + "]")
		}
	}
	if len(p) == 0 {
		return "."
	}
	return b.String()
}

// Below returns the place of a member or element of the value at p. It shares nothing with p.
func (p Place) Below(step any) Place { return append(p[:len(p):len(p)], step) }

// Walk calls visit with each value of a tree, parents first and members in the order of their names. The
// place is valid during the call. visit reports whether the walk continues below the value.
func Walk(v any, visit func(at Place, v any) bool) {
	at := Place{}
	walk(v, &at, visit)
}

func walk(v any, at *Place, visit func(Place, any) bool) {
	if !visit(*at, v) {
		return
	}
	below := func(step, v any) {
		*at = append(*at, step)
		walk(v, at, visit)
		*at = (*at)[:len(*at)-1]
	}
	switch x := v.(type) {
	case map[string]any:
		for _, name := range Names(x) {
			below(name, x[name])
		}
	case []any:
		for i, e := range x {
			below(i, e)
		}
	}
}

// IsLeaf reports whether a value has no members and elements by its type.
func IsLeaf(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// Leaf is a value without members and elements, and its place.
type Leaf struct {
	At    Place
	Value any
}

// Leaves returns the leaves of a tree, in the order of [Walk].
func Leaves(v any) (all []Leaf) {
	Walk(v, func(at Place, v any) bool {
		if IsLeaf(v) {
			all = append(all, Leaf{slices.Clone(at), v})
		}
		return true
	})
	return all
}

// Get returns the value at a place.
func Get(v any, at ...any) (any, bool) {
	for _, step := range at {
		switch x := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			var ok bool
			if v, ok = m[x]; !ok {
				return nil, false
			}
		case int:
			a, _ := v.([]any)
			if x >= len(a) {
				return nil, false
			}
			v = a[x]
		}
	}
	return v, true
}

// Set puts a value at a place that the tree has, and returns the tree.
func Set(v any, at Place, now any) any {
	if len(at) == 0 {
		return now
	}
	switch step := at[0].(type) {
	case string:
		if m, ok := v.(map[string]any); ok {
			m[step] = Set(m[step], at[1:], now)
		}
	case int:
		if a, ok := v.([]any); ok && step < len(a) {
			a[step] = Set(a[step], at[1:], now)
		}
	}
	return v
}

// Size returns the number of members or elements of a value.
func Size(v any) int {
	switch x := v.(type) {
	case map[string]any:
		return len(x)
	case []any:
		return len(x)
	}
	return 0
}

// Keep returns an object or array with some of its members, by their number in [Names], or elements.
func Keep(v any, numbers []int) any {
	switch x := v.(type) {
	case map[string]any:
		names, m := Names(x), make(map[string]any, len(numbers))
		for _, n := range numbers {
			m[names[n]] = x[names[n]]
		}
		return m
	case []any:
		a := make([]any, 0, len(numbers))
		for _, n := range numbers {
			a = append(a, x[n])
		}
		return a
	}
	return v
}

// Rename returns the tree with another text wherever it is a value or the name of a member.
func Rename(v any, from, to string) any {
	switch x := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(x))
		for name, e := range x {
			if name == from {
				name = to
			}
			m[name] = Rename(e, from, to)
		}
		return m
	case []any:
		for i := range x {
			x[i] = Rename(x[i], from, to)
		}
	case string:
		if x == from {
			return to
		}
	}
	return v
}
