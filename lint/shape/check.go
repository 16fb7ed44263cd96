package shape

import (
	"bytes"
	"math"
	"math/bits"

	"mcptea/client/jsonrpc"
)

// maxDepth bounds the depth up to which values are checked.
const maxDepth = 24

// step is a part of the path to a value.
type step struct {
	member *member // definition of the member, or nil
	name   []byte  // raw or decoded name of an undefined member; nil for an element
	index  int
}

// A Checker checks objects one after another. It keeps none of their data, except in faults.
type Checker struct {
	tokens jsonrpc.Tokens
	report func(*Fault)
	path   [maxDepth]step
	depth  int
	within [maxDepth]*Object // the definition at each depth of path
	root   *Object           // definition of the whole object
	of     *Object           // definition of the object around the value
	tagOf  string            // names of the definitions, none of which has the tag
	seen   uint64            // the members of the object that Open has begun

	faults int  // faults of the object so far
	trial  bool // the value is tried against one of several definitions: nothing is reported
	weight int  // weight of the faults in the trial
	known  int  // defined members in the trial
}

// MaxFaults bounds the faults of an object that are reported: more than the findings of all rules
// in a frame are worth.
const MaxFaults = 1000

// Check reports each difference between an object and a definition, at any depth, up to [MaxFaults]. An object
// with invalid JSON is checked up to the error. A fault is valid during the call of report.
func (c *Checker) Check(o *Object, object []byte, report func(*Fault)) {
	c.Open(o, report)
	for name, value := range jsonrpc.Members(object) {
		c.Member(name, value)
	}
	c.Close()
}

// Open starts an object whose members are already known. Calls of [Checker.Member] and [Checker.Close] must
// follow.
func (c *Checker) Open(o *Object, report func(*Fault)) {
	c.root, c.of, c.report, c.seen, c.depth, c.trial, c.faults = o, o, report, 0, 0, false, 0
}

// Member checks the next member: its decoded name, its raw value.
func (c *Checker) Member(name, value []byte) {
	for i := range c.of.members {
		m := &c.of.members[i]
		if m.name != string(name) {
			continue
		}
		c.seen |= 1 << i
		token := value
		switch {
		case m.kind == nil || len(value) == 0:
			return
		case value[0] == '{' || value[0] == '[':
			c.tokens = jsonrpc.NewTokens(value)
			token = c.tokens.Next()
		}
		c.member(m, token)
		return
	}
}

// Close ends the object: members may be missing.
func (c *Checker) Close() {
	c.missing(c.seen)
	c.tokens, c.report = jsonrpc.Tokens{}, nil
}

// member checks the value of a member that is defined, whose first token is given.
func (c *Checker) member(m *member, token []byte) {
	if m.kind == nil {
		c.skip(token)
		return
	}
	if c.push(step{member: m}, token) {
		c.value(m.kind, token)
		c.depth--
	}
}

// push moves one level down. If that is too deep, it skips the value and returns false.
func (c *Checker) push(s step, token []byte) bool {
	if c.depth == maxDepth {
		c.skip(token)
		return false
	}
	c.path[c.depth], c.within[c.depth] = s, c.of
	c.depth++
	return true
}

// missing reports the required members that were not seen.
func (c *Checker) missing(seen uint64) {
	for left := c.of.required &^ seen; left != 0; left &= left - 1 {
		m := &c.of.members[bits.TrailingZeros64(left)]
		if c.push(step{member: m}, nil) {
			c.fault(Missing, m.kind, nil)
			c.depth--
		}
	}
}

// value checks a value whose first token is given.
func (c *Checker) value(k *kind, token []byte) {
	is := kindOf(token, k)
	switch {
	case is == 0: // the value is not valid JSON
	case k.is&is == 0:
		c.fault(WrongType, k, token)
	case is == text && k.values != nil && !has(k.values, token), is&number != 0 && k.within != nil && !k.within.has(token):
		c.fault(WrongValue, k, token)
	case is == array && k.element != nil:
		c.elements(k.element)
		return
	case is == object && len(k.objects) == 1:
		c.object(k.objects[0])
		return
	case is == object && k.objects != nil:
		c.union(k)
		return
	case is == object && k.each != nil:
		c.each(k.each)
		return
	}
	c.skip(token)
}

// kindOf returns the type of the value that starts with a token, or 0 if it is invalid. If k permits fractions,
// all numbers have that type.
func kindOf(token []byte, k *kind) kinds {
	if len(token) == 0 {
		return 0
	}
	switch ch := token[0]; {
	case ch == '{':
		return object
	case ch == '[':
		return array
	case ch == '"':
		return text
	case ch == 't' || ch == 'f':
		return boolean
	case ch == 'n':
		return null
	case ch != '-' && (ch < '0' || ch > '9'):
		return 0
	case k.is&fraction == 0 && jsonrpc.TypeOfID(token) == jsonrpc.IDInteger:
		return integer // 1.0 and 1e3 are
	}
	return fraction
}

// has reports whether a string is one of the values, which have quotation marks.
func has(values []string, token []byte) bool {
	escaped := bytes.IndexByte(token, '\\') >= 0
	for _, v := range values {
		if string(token) == v || escaped && jsonrpc.IsText(token, v[1:len(v)-1]) {
			return true
		}
	}
	return false
}

// next returns the first token of the next element, or the name of the next member; nil at
// the end.
func (c *Checker) next() []byte {
	token := c.tokens.Next()
	if len(token) > 0 && token[0] == ',' {
		token = c.tokens.Next()
	}
	if len(token) > 0 && (token[0] == '}' || token[0] == ']') {
		return nil
	}
	return token
}

// nextMember returns the raw name of the next member and the first token of its value; nil at
// the end.
func (c *Checker) nextMember() (name, token []byte) {
	if name = c.next(); name != nil {
		c.tokens.Next() // the colon
		token = c.tokens.Next()
	}
	return name, token
}

// elements checks the elements of the current array.
func (c *Checker) elements(k *kind) {
	for i := 0; ; i++ {
		token := c.next()
		if token == nil {
			return
		}
		if c.push(step{index: i}, token) {
			c.value(k, token)
			c.depth--
		}
	}
}

// each checks the members of the object that has begun, whose names are free.
func (c *Checker) each(k *kind) {
	for {
		name, token := c.nextMember()
		if token == nil {
			return
		}
		if c.push(step{name: name}, token) {
			c.value(k, token)
			c.depth--
			c.path[c.depth].name = nil // the checker does not own the bytes
		}
	}
}

// object checks the object that has begun.
func (c *Checker) object(o *Object) {
	outer := c.of
	c.of = o
	var seen uint64
	for {
		name, token := c.nextMember()
		if token == nil {
			break
		}
		if at := o.find(name); at >= 0 {
			seen |= 1 << at
			c.known++
			c.member(&o.members[at], token)
		} else {
			c.skip(token)
		}
	}
	c.missing(seen)
	c.of = outer
}

// find returns the index of the member with a raw name, or -1.
func (o *Object) find(name []byte) int {
	inner := name[1:max(1, len(name)-1)]
	escaped := bytes.IndexByte(inner, '\\') >= 0
	for i := range o.members {
		if m := &o.members[i]; m.name == string(inner) || escaped && jsonrpc.IsText(name, m.name) {
			return i
		}
	}
	return -1
}

// union checks the current object against the most similar definition: the definition with its tag, or the one
// with the fewest faults. Definitions without a tag do not refer to each other, so the time stays linear.
func (c *Checker) union(k *kind) {
	start := c.tokens
	var tag []byte
	if k.tag != "" {
		tag = c.lookup(k.tag)
		c.tokens = start
	}
	var only *Object
	matches := 0
	for _, o := range k.objects {
		if tag != nil && has(o.members[o.tag].kind.values, tag) {
			only = o
			matches++
		}
	}
	switch {
	case matches == 1:
		c.object(only)
	case matches == 0 && k.tag != "":
		c.wrongTag(k, tag)
	default:
		best, faults := c.best(k, tag, start)
		if faults > 0 {
			c.tokens = start
			c.object(best)
		}
	}
}

// best tries the definitions that have the tag, and returns that with the fewest faults and,
// among these, the most members that are there.
func (c *Checker) best(k *kind, tag []byte, start jsonrpc.Tokens) (best *Object, fewest int) {
	trial, weight, known := c.trial, c.weight, c.known
	c.trial = true
	fewest, most := math.MaxInt, 0
	for _, o := range k.objects {
		if tag != nil && !has(o.members[o.tag].kind.values, tag) {
			continue
		}
		c.tokens, c.weight, c.known = start, 0, 0
		c.object(o)
		if c.weight < fewest || c.weight == fewest && c.known > most {
			fewest, most, best = c.weight, c.known, o
		}
		if fewest == 0 {
			break
		}
	}
	c.trial, c.weight, c.known = trial, weight, known
	return best, fewest
}

// wrongTag reports that no definition has the tag of an object.
func (c *Checker) wrongTag(k *kind, tag []byte) {
	all := kind{is: text}
	c.tagOf = ""
	for i, o := range k.objects {
		if c.tagOf += string(o.name); i < len(k.objects)-1 {
			c.tagOf += "|"
		}
		all.values = append(all.values, o.members[o.tag].kind.values...)
	}
	outer := c.of
	c.of = nil // none of the definitions applies
	if c.push(step{member: &member{k.tag, &all}}, nil) {
		switch {
		case tag == nil:
			c.fault(Missing, &all, nil)
		case tag[0] != '"':
			c.fault(WrongType, &all, tag)
		default:
			c.fault(WrongValue, &all, tag)
		}
		c.depth--
	}
	c.of = outer
	c.skipRest()
}

// lookup returns the first token of a member of the current object, or nil. Of duplicates, it uses the first.
func (c *Checker) lookup(name string) []byte {
	for {
		n, token := c.nextMember()
		if token == nil || jsonrpc.IsText(n, name) {
			return token
		}
		c.skip(token)
	}
}

// skip moves past the value that starts with a token.
func (c *Checker) skip(token []byte) {
	if len(token) > 0 && (token[0] == '{' || token[0] == '[') {
		c.skipRest()
	}
}

// skipRest moves past the current object or array.
func (c *Checker) skipRest() {
	for depth := 1; depth > 0; {
		token := c.tokens.Next()
		if token == nil {
			return
		}
		switch token[0] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
}
