// Package shape checks raw JSON values against the definitions of the official schemas, as
// client/revision has them. It allocates only to describe a fault.
package shape

import (
	"sync"

	"mcptea/client/revision"
)

// kinds are the types that a JSON value may have, as bits.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	integer
	fraction // a number that is no integer
	text
	array
	object
)

// kind is a type of one value. A value in a definition is one of several.
type kind struct {
	is      kinds
	values  []string // the strings that it may be, with quotes; nil for all
	objects []*Object
	element *kind  // of an array, nil for any
	each    *kind  // of the members of an object, nil for any
	tag     string // the member that tells the objects apart; empty without one
}

// Object is a definition of objects.
type Object struct {
	Name     revision.Shape
	members  []member
	required uint64 // bits of members
	tag      int    // the member that tells it from others of a union, -1 without one
}

type member struct {
	name string
	kind *kind // nil for any
}

// definitions are those of a revision.
type definitions struct {
	mu       sync.Mutex
	revision revision.Revision
	objects  map[revision.Shape]*Object
	unions   []*kind // that are new
}

// ofRevision are the definitions of each revision, compiled at the first use.
var ofRevision = func() map[revision.Revision]func() *definitions {
	all := map[revision.Revision]func() *definitions{}
	for _, r := range revision.All() {
		all[r] = sync.OnceValue(func() *definitions { return &definitions{revision: r, objects: map[revision.Shape]*Object{}} })
	}
	return all
}()

// Of returns the definition with a name in a revision; nil if there is none.
func Of(r revision.Revision, name revision.Shape) *Object {
	of := ofRevision[r]
	if of == nil {
		return nil
	}
	d := of()
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.object(name)
	for _, k := range d.unions {
		k.setTag()
	}
	d.unions = nil
	return o
}

// setTag finds the member that tells the objects of a union apart.
func (k *kind) setTag() {
	for i, o := range k.objects {
		if o.tag < 0 || i > 0 && o.members[o.tag].name != k.tag {
			k.tag = ""
			return
		}
		k.tag = o.members[o.tag].name
	}
}

func (d *definitions) object(name revision.Shape) *Object {
	if o, known := d.objects[name]; known {
		return o
	}
	members := name.Members(d.revision)
	if len(members) == 0 {
		return nil // not kept: a peer may choose the name
	}
	o := &Object{Name: name, tag: -1}
	d.objects[name] = o // before its members, which may refer to it
	for i, m := range members {
		if m.Required {
			o.required |= 1 << i
		}
		k := d.kind(m.Type)
		if m.Required && k != nil && k.is == text && k.values != nil {
			o.tag = i
		}
		o.members = append(o.members, member{m.Name, k})
	}
	return o
}

// kind reads a type as in [revision.Member].
func (d *definitions) kind(expr string) *kind {
	k := &kind{}
	strings_ := false
	for _, part := range split(expr) {
		switch part[0] {
		case '"':
			k.is |= text
			k.values = append(k.values, part)
			continue
		case '[':
			k.is |= array
			k.element = d.kind(part[1 : len(part)-1])
			continue
		case '{':
			k.is |= object
			k.each = d.kind(part[1 : len(part)-1])
			continue
		}
		switch part {
		case "any":
			return nil
		case "null":
			k.is |= null
		case "boolean":
			k.is |= boolean
		case "integer":
			k.is |= integer
		case "number":
			k.is |= integer | fraction
		case "string":
			k.is |= text
			strings_ = true
		case "array":
			k.is |= array
		case "object":
			k.is |= object
		default:
			k.is |= object
			if o := d.object(revision.Shape(part)); o != nil {
				k.objects = append(k.objects, o)
			}
		}
	}
	if strings_ {
		k.values = nil
	}
	if len(k.objects) > 1 {
		d.unions = append(d.unions, k)
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
