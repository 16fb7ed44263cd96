package revision

import "slices"

// Member is a member of params or of a result.
type Member struct {
	Name     string
	Required bool

	span
	shape Shape // of its value, or of the elements of an array; empty if no table has it
}

func need(name string) Member { return Member{Name: name, Required: true} }
func may(name string) Member  { return Member{Name: name} }

// only and since restrict a member to some revisions.
func (m Member) only(r Revision) Member  { m.span = only(r); return m }
func (m Member) since(r Revision) Member { m.span = since(r); return m }

// shaped sets the shape of a member.
func (m Member) shaped(s Shape) Member { m.shape = s; return m }

// ParamMembers returns the params of the method in a revision, with _meta only if it
// is required (2026-07-28, basic, "_meta").
func (m Method) ParamMembers(r Revision) []Member {
	return m.members(r, func(r Revision) []Member {
		found := in(r, params[m.Name])
		if r == newest && !m.IsNotification() && !m.Embedded(r) {
			found = append(found, need("_meta"))
		}
		return found
	})
}

// ResultMembers returns the members of a complete result of the method; a result that
// requests input, or of a created task, has others. It has _meta only if that is
// required. A notification has none.
func (m Method) ResultMembers(r Revision) []Member {
	if m.IsNotification() {
		return nil
	}
	return m.members(r, func(r Revision) []Member {
		found := in(r, results[m.Name])
		if r == newest && !m.Embedded(r) {
			found = append(found, need("resultType"))
		}
		return found
	})
}

func in(r Revision, table []Member) []Member {
	var found []Member
	for _, m := range table {
		if m.has(r) {
			found = append(found, m)
		}
	}
	return found
}

// members returns the members of a revision. An unknown one has the members of all
// revisions with the method, and requires what all of them require.
func (m Method) members(r Revision, of func(Revision) []Member) []Member {
	if r.Known() {
		return of(r)
	}
	var all []Member
	required := map[string]int{}
	having := 0
	for _, r := range released {
		if !m.In(r) && !m.Embedded(r) {
			continue
		}
		having++
		for _, one := range of(r) {
			if one.Required {
				required[one.Name]++
			}
			if !slices.ContainsFunc(all, func(a Member) bool { return a.Name == one.Name }) {
				all = append(all, one)
			}
		}
	}
	for i := range all {
		all[i].Required = required[all[i].Name] == having
	}
	return all
}
