package diff

import (
	"slices"

	"mcptea/client/jsonrpc"
)

// match is a member of two objects, or an element of two lists, that has the same name
// in both. The value that is missing on a side is nil.
type match struct {
	name     string
	old, now []byte
}

func (m match) kind() Kind { return kindOf(m.old, m.now) }

func kindOf(old, now []byte) Kind {
	switch {
	case old == nil:
		return Added
	case now == nil:
		return Removed
	}
	return Changed
}

// named is a value with its name.
type named struct {
	name  string
	value []byte
}

// membersOf matches the members of two objects. It returns the members of the old object in order,
// followed by the members that only the new object has.
func membersOf(old, now []byte) []match { return matched(keywordsOf(old), keywordsOf(now)) }

// entriesOf matches the elements of two lists by the member that identifies them.
func entriesOf(old, now [][]byte, key string) []match {
	name := func(list [][]byte) []named {
		out := make([]named, len(list))
		for i, e := range list {
			out[i] = named{jsonrpc.Text(e, key), e}
		}
		return out
	}
	return matched(name(old), name(now))
}

// matched matches values by name; of several with one name, the first with the first, and so on. It also
// returns the values without a partner.
func matched(old, now []named) []match {
	after := map[string][]int{} // indexes in now of values without a partner yet
	for i, b := range now {
		after[b.name] = append(after[b.name], i)
	}
	paired := make([]bool, len(now))
	var all []match
	for _, a := range old {
		m := match{name: a.name, old: a.value}
		if free := after[a.name]; len(free) > 0 {
			after[a.name], paired[free[0]] = free[1:], true
			m.now = now[free[0]].value
		}
		all = append(all, m)
	}
	for i, b := range now {
		if !paired[i] {
			all = append(all, match{b.name, nil, b.value})
		}
	}
	return all
}

// RenamedProperties maps the old names of renamed properties of an object's schema to the new names. It reports
// only certain ones: between the same common properties, exactly one property of a type was removed, and
// exactly one of that type was added.
func RenamedProperties(old, now []byte) map[string]string {
	a, b := gaps(old, now), gaps(now, old)
	renamed := make(map[string]string)
	for at, removed := range a {
		added := b[at]
		for i := range removed[:min(len(removed), maxRenamed)] {
			fits := func(p property) bool { return slices.Equal(p.types, removed[i].types) }
			if count(removed, fits) != 1 || count(added, fits) != 1 || removed[i].types == nil {
				continue
			}
			renamed[removed[i].name] = added[slices.IndexFunc(added, fits)].name
		}
	}
	return renamed
}

// maxRenamed bounds the properties that are examined in one place.
const maxRenamed = 100

// property is one that only one of two schemas has.
type property struct {
	name  string
	types []string // types that its schema allows; nil for any
}

// gaps returns the properties of a schema that the other one lacks, by the number of common properties before
// them.
func gaps(schema, other []byte) map[int][]property {
	properties, others := jsonrpc.Get(schema, "properties"), jsonrpc.Get(other, "properties")
	found, at, common := make(map[int][]property), 0, make(map[string]bool)
	for name := range jsonrpc.Members(others) {
		common[string(name)] = true
	}
	for name, p := range jsonrpc.Members(properties) {
		if common[string(name)] {
			at++
			continue
		}
		found[at] = append(found[at], property{string(name), typesOf(p)})
	}
	return found
}

func count(list []property, fits func(property) bool) (n int) {
	for _, p := range list {
		if fits(p) {
			n++
		}
	}
	return n
}
