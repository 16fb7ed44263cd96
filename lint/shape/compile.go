// Package shape checks raw JSON values against the definitions of the official schemas, as
// client/revision has them, without decoding and, as long as nothing is wrong, without
// allocating.
package shape

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcptea/client/revision"
)

// kinds is a set of the types that a JSON value may have, as bits.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	integer
	fraction // a number that is not an integer
	text
	array
	object

	number = integer | fraction
)

// A kind describes the permitted values.
type kind struct {
	is      kinds
	values  []string // the only texts that it may be, with quotation marks; nil for any
	within  *limits  // range of a number, or nil
	objects []*Object
	element *kind  // elements of an array, or nil for any
	each    *kind  // members of an object, or nil for any
	tag     string // member that distinguishes the objects, or ""
}

// limits holds the smallest and the largest permitted number.
type limits struct{ least, most float64 }

// limitsOf parses "0..1". Either number may be missing.
func limitsOf(text string) *limits {
	first, last, _ := strings.Cut(text, "..")
	l := limits{math.Inf(-1), math.Inf(1)}
	if n, err := strconv.ParseFloat(first, 64); err == nil {
		l.least = n
	}
	if n, err := strconv.ParseFloat(last, 64); err == nil {
		l.most = n
	}
	return &l
}

// has reports whether a number is within the limits.
func (l *limits) has(token []byte) bool {
	n, _ := strconv.ParseFloat(string(token), 64) // infinite if the number has too many digits
	return l.least <= n && n <= l.most
}

// words follow the type, such as " from 0 to 1".
func (l *limits) words() string {
	switch {
	case l == nil:
		return ""
	case math.IsInf(l.most, 1):
		return fmt.Sprint(" of at least ", l.least)
	}
	return fmt.Sprint(" from ", l.least, " to ", l.most)
}

// Object is the definition of an object. It is never changed after [Of] has returned it.
type Object struct {
	name     revision.Shape
	members  []member
	required uint64 // bits of members
	tag      int    // index of the member with a fixed value, or -1
}

type member struct {
	name string
	kind *kind // kind of the values, or nil for any value
}

// Definitions holds the definitions of one protocol version.
type Definitions struct {
	objects map[revision.Shape]*Object
	params  map[string]sent // sent params by method
	results map[string]*Object
}

// sent is the definition of params, with the sides that may send them.
type sent struct {
	object *Object
	by     revision.Sender
}

// extra lists definitions that belong to no method but may be a result.
var extra = []revision.Shape{"InputRequiredResult", "CreateTaskResult"}

// unknown is an unknown protocol version.
const unknown revision.Revision = ""

var ofRevision = func() map[revision.Revision]func() *Definitions {
	all := map[revision.Revision]func() *Definitions{}
	for _, r := range append(revision.All(), unknown) {
		all[r] = sync.OnceValue(func() *Definitions { return compile(r) })
	}
	return all
}()

// Of returns the definitions of a protocol version. For "" it returns what all versions have in common, and for
// an unknown version nil. They are compiled at the first use. Of is safe for concurrent use.
func Of(r revision.Revision) *Definitions {
	if of := ofRevision[r]; of != nil {
		return of()
	}
	return nil
}

// Params returns the definition of the params of a method, or nil if it has none, or if the sender does not
// send the method.
func (d *Definitions) Params(method string, from revision.Sender) *Object {
	if p := d.params[method]; p.by&from != 0 {
		return p.object
	}
	return nil
}

// Result returns the definition of the result of a method, or nil if it has none.
func (d *Definitions) Result(method string) *Object { return d.results[method] }

// MemberNames returns the names of the members of all definitions, in no order.
func (d *Definitions) MemberNames() (names []string) {
	for _, o := range d.objects {
		for i := range o.members {
			names = append(names, o.members[i].name)
		}
	}
	return names
}

// Named returns a definition by its name in the schema, or nil.
func (d *Definitions) Named(name revision.Shape) *Object { return d.objects[name] }

// compiler collects the definitions of a revision.
type compiler struct {
	revision revision.Revision
	objects  map[revision.Shape]*Object
	unions   []*kind
}

func compile(r revision.Revision) *Definitions {
	c := &compiler{revision: r, objects: map[revision.Shape]*Object{}}
	d := &Definitions{objects: c.objects, params: map[string]sent{}, results: map[string]*Object{}}
	for _, m := range revision.Methods(r, revision.Both) {
		d.params[m.Name] = sent{c.object(revision.Shape(m.Name + ".params")), m.Sender(r)}
		d.results[m.Name] = c.object(revision.Shape(m.Name + ".result"))
	}
	for _, name := range extra {
		c.object(name)
	}
	for _, k := range c.unions {
		k.setTag()
	}
	return d
}

// setTag finds the member that distinguishes the objects of a union.
func (k *kind) setTag() {
	for i, o := range k.objects {
		if o.tag < 0 || i > 0 && o.members[o.tag].name != k.tag {
			k.tag = ""
			return
		}
		k.tag = o.members[o.tag].name
	}
}

func (c *compiler) object(name revision.Shape) *Object {
	if o, known := c.objects[name]; known {
		return o
	}
	members := c.members(name)
	if len(members) == 0 {
		return nil
	}
	o := &Object{name: name, tag: -1}
	c.objects[name] = o // before its members, which may refer to it
	for i, m := range members {
		if m.Required {
			o.required |= 1 << i
		}
		k := c.kind(m.Type)
		if m.Required && k != nil && k.is == text && k.values != nil {
			o.tag = i
		}
		o.members = append(o.members, member{m.Name, k})
	}
	return o
}

// members returns the members of a definition. For the unknown protocol version, a member may be what any
// version permits, and is required if all versions require it.
func (c *compiler) members(name revision.Shape) []revision.Member {
	if c.revision != unknown {
		return name.Members(c.revision)
	}
	all := name.Members(unknown)
	for i := range all {
		var types []string
		for _, r := range revision.All() {
			in := name.Members(r)
			at := slices.IndexFunc(in, func(m revision.Member) bool { return m.Name == all[i].Name })
			switch {
			case at >= 0:
				types = append(types, in[at].Type)
			case len(in) > 0:
				types = append(types, "any") // that protocol version does not define the member
			}
		}
		slices.Sort(types)
		types = slices.Compact(types)
		all[i].Type = strings.Join(types, "|")
	}
	return all
}

var kindsByName = map[string]kinds{
	"null": null, "boolean": boolean, "integer": integer, "number": number, "string": text, "array": array, "object": object,
}

// kind reads a type as in [revision.Member]; nil for any value.
func (c *compiler) kind(expr string) *kind {
	k := &kind{}
	parts := split(expr)
	var elements, each []string
	for _, part := range parts {
		name, within, bounded := strings.Cut(part, ":")
		switch is, known := kindsByName[name]; {
		case part == "any":
			return nil
		case known:
			k.is |= is
			if bounded {
				k.within = limitsOf(within)
			}
		case part[0] == '"':
			k.is |= text
			k.values = append(k.values, part)
		case part[0] == '[':
			k.is |= array
			elements = append(elements, part[1:len(part)-1])
		case part[0] == '{':
			k.is |= object
			each = append(each, part[1:len(part)-1])
		default:
			k.is |= object
			if o := c.object(revision.Shape(part)); o != nil {
				k.objects = append(k.objects, o)
			}
		}
	}
	if slices.Contains(parts, "string") {
		k.values = nil
	}
	if len(elements) > 0 && !slices.Contains(parts, "array") {
		k.element = c.kind(strings.Join(elements, "|"))
	}
	switch {
	case slices.Contains(parts, "object"):
		k.objects = nil
	case len(each) > 0:
		k.each = c.kind(strings.Join(each, "|"))
	}
	if len(k.objects) > 1 {
		c.unions = append(c.unions, k)
	}
	return k
}

// split divides a type at each | that is not within brackets.
func split(expr string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(expr) {
		switch expr[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '|':
			if depth == 0 {
				parts = append(parts, expr[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, expr[start:])
}
