package shape

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Problem is what is wrong with a value.
type Problem uint8

// The problems.
const (
	WrongType  Problem = iota
	Missing            // a required member
	WrongValue         // none of those that are defined
)

// Fault is a place that differs from its definition.
type Fault struct {
	Problem  Problem
	Path     string // JSON pointer, below the value that is checked
	Member   string // the name of the member, or that of the array
	Element  bool   // the place is an element of Member
	Expected string // in words
	Value    []byte // raw; nil if missing
	Of       revision.Shape
}

// maxDepth bounds how deep values are checked.
const maxDepth = 24

type step struct {
	name  []byte // nil for an element
	index int
}

// Checker checks values. It is used again for the next one.
type Checker struct {
	b      []byte
	i      int
	depth  int
	path   [maxDepth]step
	quiet  bool
	faults int // weighted, while quiet
	known  int // members that were found, while quiet
	of     *Object
	report func(Fault)
}

// Check reports where an object differs from a definition. value is valid JSON.
func (c *Checker) Check(o *Object, value []byte, report func(Fault)) {
	if o == nil || len(value) == 0 || value[0] != '{' {
		return
	}
	c.b, c.i, c.depth, c.faults, c.report = value, 0, 0, 0, report
	c.object(o)
	c.b, c.report = nil, nil
}

func (c *Checker) value(k *kind) {
	if k == nil || c.i >= len(c.b) {
		c.skip()
		return
	}
	start := c.i
	switch c.b[c.i] {
	case '{':
		switch {
		case k.is&object == 0:
		case len(k.objects) == 1:
			c.object(k.objects[0])
			return
		case len(k.objects) > 1:
			c.union(k)
			return
		case k.each != nil && c.depth < maxDepth:
			c.i++
			for c.next('}') {
				name := c.name()
				c.path[c.depth] = step{name: name}
				c.depth++
				c.value(k.each)
				c.depth--
			}
			return
		}
	case '[':
		if k.is&array != 0 && k.element != nil && c.depth < maxDepth {
			c.i++
			for n := 0; c.next(']'); n++ {
				c.path[c.depth] = step{index: n}
				c.depth++
				c.value(k.element)
				c.depth--
			}
			return
		}
	}
	c.skip()
	raw := c.b[start:c.i]
	switch is := kindOf(raw); {
	case k.is&is == 0:
		c.fault(Fault{Problem: WrongType, Value: raw}, k)
	case is == text && k.values != nil && !has(k.values, raw):
		c.fault(Fault{Problem: WrongValue, Value: raw}, k)
	}
}

func has(values []string, raw []byte) bool {
	for _, v := range values {
		if string(raw) == v {
			return true
		}
	}
	if bytes.IndexByte(raw, '\\') >= 0 {
		s, _ := jsonrpc.Unquote(raw)
		return has(values, []byte(strconv.Quote(s)))
	}
	return false
}

func kindOf(raw []byte) kinds {
	switch raw[0] {
	case '{':
		return object
	case '[':
		return array
	case '"':
		return text
	case 't', 'f':
		return boolean
	case 'n':
		return null
	}
	if bytes.ContainsAny(raw, ".eE") {
		if f, err := strconv.ParseFloat(string(raw), 64); err != nil || f != math.Trunc(f) {
			return fraction // 1.0 and 1e3 are integers
		}
	}
	return integer
}

// object checks the object at the cursor.
func (c *Checker) object(o *Object) {
	if c.depth >= maxDepth {
		c.skip()
		return
	}
	outer := c.of
	c.of = o
	var seen uint64
	c.i++
	for c.next('}') {
		name := c.name()
		at := -1
		for i := range o.members {
			if o.members[i].name == string(name) {
				at = i
				break
			}
		}
		if at < 0 {
			c.skip()
			continue
		}
		seen |= 1 << at
		c.known++
		c.path[c.depth] = step{name: name}
		c.depth++
		c.value(o.members[at].kind)
		c.depth--
	}
	for missing := o.required &^ seen; missing != 0; missing &= missing - 1 {
		m := &o.members[bits.TrailingZeros64(missing)]
		c.path[c.depth] = step{name: []byte(m.name)}
		c.depth++
		c.fault(Fault{Problem: Missing}, m.kind)
		c.depth--
	}
	c.of = outer
}

// union checks the object at the cursor against the definition that it resembles most: that
// with its tag, or with the fewest faults.
func (c *Checker) union(k *kind) {
	start := c.i
	tagName := k.tag
	var tag []byte
	if tagName != "" {
		tag = c.lookup(tagName)
	}
	var best *Object
	fewest, most, outer, count, known := math.MaxInt, 0, c.quiet, c.faults, c.known
	matches := 0
	var only *Object
	for _, o := range k.objects {
		if tag != nil && has(o.members[o.tag].kind.values, tag) {
			matches++
			only = o
		}
	}
	switch {
	case matches == 1:
		c.object(only)
		return
	case tagName != "" && matches == 0:
		all := &kind{is: text}
		for _, o := range k.objects {
			all.values = append(all.values, o.members[o.tag].kind.values...)
		}
		outerOf := c.of
		if c.depth < maxDepth {
			c.path[c.depth] = step{name: []byte(tagName)}
			c.depth++
			switch {
			case tag == nil:
				c.fault(Fault{Problem: Missing}, all)
			case tag[0] != '"':
				c.fault(Fault{Problem: WrongType, Value: tag}, all)
			default:
				c.fault(Fault{Problem: WrongValue, Value: tag}, all)
			}
			c.depth--
		}
		c.of = outerOf
		c.skip()
		return
	}
	c.quiet = true
	for _, o := range k.objects {
		if matches > 0 && !has(o.members[o.tag].kind.values, tag) {
			continue
		}
		c.i, c.faults, c.known = start, 0, 0
		c.object(o)
		if c.faults < fewest || c.faults == fewest && c.known > most {
			fewest, most, best = c.faults, c.known, o
		}
		if fewest == 0 {
			break
		}
	}
	c.quiet, c.faults, c.known = outer, count, known
	if fewest > 0 {
		c.i = start
		c.object(best)
	}
}

// lookup is the value of a member of the object at the cursor, which stays.
func (c *Checker) lookup(name string) (found []byte) {
	start := c.i
	c.i++
	for c.next('}') {
		n := c.name()
		at := c.i
		c.skip()
		if string(n) == name {
			found = c.b[at:c.i]
			break // of duplicates J019 speaks
		}
	}
	c.i = start
	return found
}

// next goes to the next member or element, or behind the closing bracket.
func (c *Checker) next(end byte) bool {
	for c.i < len(c.b) {
		switch ch := c.b[c.i]; ch {
		case ' ', '\t', '\n', '\r', ',':
			c.i++
		case end:
			c.i++
			c.space()
			return false
		default:
			return true
		}
	}
	return false
}

func (c *Checker) space() {
	for c.i < len(c.b) && c.b[c.i] <= ' ' {
		c.i++
	}
}

// name is the name of the member at the cursor, which goes to its value.
func (c *Checker) name() []byte {
	start, b := c.i, c.b
	i := start + 1
	for i < len(b) && b[i] != '"' && b[i] != '\\' {
		i++
	}
	if i >= len(b) || b[i] == '\\' {
		c.str()
		i = c.i - 1
	}
	raw := b[start : i+1]
	for i++; i < len(b) && (b[i] <= ' ' || b[i] == ':'); {
		i++
	}
	c.i = i
	if bytes.IndexByte(raw, '\\') >= 0 {
		s, _ := jsonrpc.Unquote(raw)
		return []byte(s)
	}
	return raw[1 : len(raw)-1]
}

// shortString is how many bytes of a string are looked at one by one.
const shortString = 24

// str goes behind the string at the cursor.
func (c *Checker) str() {
	b, i := c.b, c.i+1
	for end := min(i+shortString, len(b)); i < end; i++ {
		switch b[i] {
		case '"':
			c.i = i + 1
			return
		case '\\':
			i++
		}
	}
	for i < len(b) {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		slash := bytes.IndexByte(b[i:i+n], '\\')
		if slash < 0 {
			c.i = i + n + 1
			return
		}
		i += slash + 2
	}
	c.i = len(b)
}

// skip goes behind the value at the cursor.
func (c *Checker) skip() {
	depth := 0
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case '"':
			c.str()
		case '{', '[':
			depth++
			c.i++
			continue
		case '}', ']':
			depth--
			c.i++
		case ' ', '\t', '\n', '\r', ',', ':':
			c.i++
			continue
		default:
			for c.i < len(c.b) && !isEnd(c.b[c.i]) {
				c.i++
			}
		}
		if depth <= 0 {
			return
		}
	}
}

func isEnd(ch byte) bool { return ch <= ' ' || ch == ',' || ch == '}' || ch == ']' || ch == ':' }

func (c *Checker) fault(f Fault, k *kind) {
	if c.faults += 2; f.Problem == Missing {
		c.faults++ // another one of a union rather lacks nothing
	}
	if c.quiet {
		return
	}
	var path strings.Builder
	for _, s := range c.path[:c.depth] {
		path.WriteByte('/')
		if s.name == nil {
			path.WriteString(strconv.Itoa(s.index))
			f.Element = true
			continue
		}
		f.Element = false
		f.Member = string(s.name)
		path.WriteString(jsonrpc.EscapePointer(f.Member))
	}
	f.Path = path.String()
	f.Expected = k.words()
	if c.of != nil {
		f.Of = c.of.Name
	}
	c.report(f)
}

// words are the values that are defined, such as "a string or an integer".
func (k *kind) words() string {
	if k == nil {
		return "any value"
	}
	var all []string
	for _, v := range k.values {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	for _, one := range []struct {
		is   kinds
		text string
	}{{fraction, "a number"}, {integer, "an integer"}, {boolean, "true or false"}, {object, "an object"}, {array, "an array"}, {null, "null"}} {
		if k.is&one.is != 0 && !(one.is == integer && k.is&fraction != 0) {
			all = append(all, one.text)
		}
	}
	if k.is&text != 0 && k.values == nil {
		all = append([]string{"a string"}, all...)
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}
