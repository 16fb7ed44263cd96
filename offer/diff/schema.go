package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// A schemaUse is the purpose of a schema. It determines which changes are breaking.
type schemaUse uint8

// The uses. Clients send the input: they break when the server accepts less (a narrower schema). Clients read
// the output: they break when the server may return more (a wider schema).
const (
	inputSchema schemaUse = iota
	outputSchema
)

// schemaChanges compares two JSON Schemas by the values that they accept. References within
// a schema are followed. Of what cannot be decided the change is breaking.
func schemaChanges(old, now []byte, use schemaUse) []Change {
	c := &schemaComparison{
		old: newSchemaDocument(old), now: newSchemaDocument(now), use: use,
		same: jsonrpc.Equal(old, now), seen: map[[2]*byte]bool{}, maxPairs: maxSchemaPairs,
	}
	c.schema("", old, now)
	return c.changes
}

// An effect is the effect of a change on the values that a schema accepts.
type effect uint8

const (
	neutral  effect = 0
	narrower effect = 1
	wider    effect = 2
	either   effect = narrower | wider // some values are no longer accepted, and others are now accepted
)

type schemaComparison struct {
	old, now *schemaDocument
	same     bool // the documents are equal
	use      schemaUse
	seen     map[[2]*byte]bool // pairs of schemas that are compared already, by their first bytes
	maxPairs int
	tooMany  bool // maxPairs was reached, and that is among the changes
	changes  []Change
}

// The bounds of a comparison. Schemas that refer to each other in circles have few places
// and many paths.
const (
	maxSchemaPath    = 2000 // length of a place, in bytes
	maxSchemaPairs   = 100_000
	maxSchemaChanges = 1000
)

func (c *schemaComparison) add(path string, e effect, format string, args ...any) {
	if len(c.changes) >= maxSchemaChanges {
		return
	}
	breaking := e&narrower != 0 && c.use == inputSchema || e&wider != 0 && c.use == outputSchema
	c.changes = append(c.changes, Change{Path: path, Breaking: breaking, Reason: fmt.Sprintf(format, args...)})
}

// schema compares two schemas; nil is one that is absent, which accepts everything.
func (c *schemaComparison) schema(path string, old, now []byte) {
	if len(path) > maxSchemaPath {
		if !jsonrpc.Equal(old, now) {
			c.add(path, either, "the schema is nested too deeply to compare")
		}
		return
	}
	old, ok := c.old.resolve(old)
	now, both := c.now.resolve(now)
	if !ok || !both {
		if !jsonrpc.Equal(old, now) {
			c.add(path, either, "the reference changed and cannot be followed")
		}
		return
	}
	if c.same && jsonrpc.Equal(old, now) {
		return
	}
	key := [2]*byte{first(old), first(now)}
	if c.seen[key] {
		return
	}
	if len(c.seen) >= c.maxPairs {
		if !c.tooMany {
			c.tooMany = true
			c.add(path, either, "the schemas have more than %d places to compare; the others were not compared", c.maxPairs)
		}
		return
	}
	c.seen[key] = true
	switch {
	case isFalse(old) && isFalse(now):
	case isFalse(old):
		c.add(path, wider, "values are accepted now")
	case isFalse(now):
		c.add(path, narrower, "no value is accepted now")
	default:
		c.keywords(path, old, now)
	}
}

// first returns the address of a value. Equal parts of one text share it.
func first(b []byte) *byte {
	if len(b) == 0 {
		return nil
	}
	return &b[0]
}

func isFalse(schema []byte) bool { return string(schema) == "false" }

func (c *schemaComparison) keywords(path string, old, now []byte) {
	c.types(path, old, now)
	c.values(path, old, now)
	c.required(path, old, now)
	c.properties(path, old, now)
	c.arrays(path, old, now)
	c.limits(path, old, now)
	c.alternatives(path, old, now)
	c.rest(path, old, now)
}

// typesOf returns the sorted types that a schema allows, or nil if it has no type keyword and allows all.
func typesOf(schema []byte) []string {
	v := jsonrpc.Get(schema, "type")
	if v == nil {
		return nil
	}
	if one, ok := jsonrpc.Unquote(v); ok {
		return []string{one}
	}
	return slices.Compact(slices.Sorted(slices.Values(jsonrpc.Strings(v))))
}

// allows reports whether a sorted list of types accepts the values of a type: the list has the type, or has number and
// the type is integer. A nil list accepts all.
func allows(types []string, one string) bool {
	has := func(one string) bool { _, ok := slices.BinarySearch(types, one); return ok }
	return types == nil || has(one) || one == "integer" && has("number")
}

func (c *schemaComparison) types(path string, old, now []byte) {
	a, b := typesOf(old), typesOf(now)
	covers := func(big, small []string) bool {
		if big == nil {
			return true
		}
		return small != nil && !slices.ContainsFunc(small, func(t string) bool { return !allows(big, t) })
	}
	e := neutral
	if !covers(b, a) {
		e |= narrower
	}
	if !covers(a, b) {
		e |= wider
	}
	if e != neutral {
		c.add(path+"/type", e, "the type was %s and is %s", typeText(a), typeText(b))
	}
}

func typeText(types []string) string {
	if types == nil {
		return "any"
	}
	return strings.Join(types, " or ")
}

// values compares enum and const.
func (c *schemaComparison) values(path string, old, now []byte) {
	a, b := allowedValues(old), allowedValues(now)
	name := "/enum"
	if jsonrpc.Get(now, "enum") == nil && jsonrpc.Get(old, "enum") == nil {
		name = "/const"
	}
	switch {
	case a == nil && b == nil:
	case a == nil:
		c.add(path+name, narrower, "only certain values are accepted now")
	case b == nil:
		c.add(path+name, wider, "any value is accepted now")
	default:
		for _, v := range missing(a, b) {
			c.add(path+name, narrower, "the value %s was removed", shortValue(v))
		}
		for _, v := range missing(b, a) {
			c.add(path+name, wider, "the value %s was added", shortValue(v))
		}
	}
}

func allowedValues(schema []byte) [][]byte {
	if v := jsonrpc.Get(schema, "enum"); v != nil {
		all := [][]byte{}
		for e := range jsonrpc.Elements(v) {
			all = append(all, e)
		}
		return all
	}
	if v := jsonrpc.Get(schema, "const"); v != nil {
		return [][]byte{v}
	}
	return nil
}

func shortValue(value []byte) string { return phrase.Clip(string(value), 80) }

func (c *schemaComparison) required(path string, old, now []byte) {
	a, b := jsonrpc.Strings(jsonrpc.Get(old, "required")), jsonrpc.Strings(jsonrpc.Get(now, "required"))
	before, after := setOf(a), setOf(b)
	for _, name := range b {
		if !before[name] {
			c.add(path+"/required", narrower, "%q is required now", name)
		}
	}
	for _, name := range a {
		if !after[name] {
			c.add(path+"/required", wider, "%q is no longer required", name)
		}
	}
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func (c *schemaComparison) properties(path string, old, now []byte) {
	a, b := jsonrpc.Get(old, "properties"), jsonrpc.Get(now, "properties")
	moreOld, moreNew := jsonrpc.Get(old, "additionalProperties"), jsonrpc.Get(now, "additionalProperties")
	for _, m := range membersOf(b, a) { // in the order of the new schema
		m.old, m.now = m.now, m.old
		at := path + "/properties/" + jsonrpc.EscapePointer(m.name)
		switch {
		case m.old != nil && m.now != nil:
			c.schema(at, m.old, m.now)
		case m.old == nil && isFalse(moreOld):
			c.add(at, wider, "the property %q was added", m.name)
		case m.old == nil:
			c.add(at, neutral, "the property %q was added", m.name)
		case isFalse(moreNew):
			c.add(at, narrower, "the property %q was removed, and other properties are not accepted", m.name)
		case c.use == outputSchema:
			c.add(at, wider, "the property %q was removed: it no longer has a schema", m.name)
		default:
			c.add(at, neutral, "the property %q was removed; it is accepted, but no longer has a meaning", m.name)
		}
	}
	c.restriction(path, "additionalProperties", moreOld, moreNew)
}

// restriction compares a keyword whose value is a schema, and that accepts everything
// if it is absent.
func (c *schemaComparison) restriction(path, name string, old, now []byte) {
	isAny := func(v []byte) bool { return v == nil || string(v) == "true" || jsonrpc.Equal(v, []byte("{}")) }
	at := path + "/" + name
	switch {
	case isAny(old) && isAny(now), jsonrpc.Equal(old, now) && bytes.IndexByte(old, '$') < 0:
	case isAny(old):
		c.add(at, narrower, "%s restricts the values now", name)
	case isAny(now):
		c.add(at, wider, "%s no longer restricts the values", name)
	default:
		c.schema(at, old, now)
	}
}

func (c *schemaComparison) arrays(path string, old, now []byte) {
	a, b := jsonrpc.Get(old, "items"), jsonrpc.Get(now, "items")
	if len(a) > 0 && a[0] == '[' || len(b) > 0 && b[0] == '[' {
		c.opaque(path, "items", a, b)
	} else {
		c.restriction(path, "items", a, b)
	}
	before, after := elementsOf(jsonrpc.Get(old, "prefixItems")), elementsOf(jsonrpc.Get(now, "prefixItems"))
	for i := range min(len(before), len(after)) {
		c.schema(fmt.Sprintf("%s/prefixItems/%d", path, i), before[i], after[i])
	}
	if len(before) != len(after) {
		c.add(path+"/prefixItems", either, "prefixItems had %d schemas and has %d", len(before), len(after))
	}
	if x, y := string(jsonrpc.Get(old, "uniqueItems")) == "true", string(jsonrpc.Get(now, "uniqueItems")) == "true"; x != y {
		if y {
			c.add(path+"/uniqueItems", narrower, "elements must be unique now")
		} else {
			c.add(path+"/uniqueItems", wider, "elements no longer need to be unique")
		}
	}
}

func elementsOf(array []byte) [][]byte { return slices.Collect(jsonrpc.Elements(array)) }
