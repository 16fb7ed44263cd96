package revision

import (
	"slices"
	"strings"
)

// A Use is a member of a shape.
type Use struct {
	Shape  Shape
	Member Member
	// Versions are the protocol versions in which the shape has the member.
	Versions []Revision
}

// UsesOf returns the shapes that have a member with a name, ordered by the name of the shape.
func UsesOf(member string) []Use {
	return uses(func(m Member) bool { return m.Name == member })
}

// UsesOfValue returns the members of shapes that permit a string as one of several values.
func UsesOfValue(value string) []Use {
	quoted := `"` + value + `"`
	return uses(func(m Member) bool { return slices.Contains(m.types(), quoted) })
}

// UsesOfType returns the members whose type is a shape, alone, in an array or in an object.
func UsesOfType(s Shape) []Use {
	return uses(func(m Member) bool {
		return slices.ContainsFunc(m.types(), func(t string) bool { return strings.Trim(t, "[]{}") == string(s) })
	})
}

func uses(fits func(Member) bool) (found []Use) {
	for s, members := range shapes() {
		for _, m := range members {
			if !fits(m) {
				continue
			}
			in := slices.DeleteFunc(All(), func(r Revision) bool { return !m.has(r) })
			found = append(found, Use{s, m, in})
		}
	}
	slices.SortFunc(found, func(a, b Use) int {
		if c := strings.Compare(string(a.Shape), string(b.Shape)); c != 0 {
			return c
		}
		return strings.Compare(a.Member.Type, b.Member.Type)
	})
	return found
}

// AllMembers returns the names of the members of all shapes, sorted.
func AllMembers() (names []string) {
	for _, members := range shapes() {
		for _, m := range members {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// AllShapes returns the shapes, sorted.
func AllShapes() (all []Shape) {
	for s := range shapes() {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}
