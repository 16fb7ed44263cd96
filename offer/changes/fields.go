package changes

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/offer/diff"
)

// A Group holds the changes of one member of an entry.
type Group struct {
	Member                         string // such as inputSchema
	Breaking, LessRisk, Compatible int    // changes by their effect
	// Renamed is the number of properties that have another name now, so that values under the old name are accepted
	// and ignored. They are not among the compatible changes.
	Renamed int
	Fields  []Field
}

// Field is a place in an entry that differs.
type Field struct {
	Kind diff.Kind
	// Path is the place in the member of the group, for reading: properties.limit.type;
	// empty for the member itself. From the peer.
	Path     string
	Effect   diff.Effect
	Reason   string // one or more sentences
	Old, New []byte // raw values at the place, or nil if they cannot be found
	// Renamed is the name of the property that replaces this one or is replaced by it, or "" if that is
	// uncertain.
	Renamed string
	Ignored bool // clients that send this property, which was renamed, succeed, but the server no longer reads it
}

// ServerGroups groups the changes in the server's description of itself.
func (s *Snapshot) ServerGroups() []Group {
	var all []Group
	for i := range s.Server {
		c := &s.Server[i]
		all = addTo(all, c.Section, c, c.Path)
	}
	return all
}

func groups(all []diff.Change, renamed map[string]string) []Group {
	var out []Group
	for i := range all {
		c := &all[i]
		name, rest, _ := strings.Cut(strings.TrimPrefix(c.Path, "/"), "/")
		if rest != "" {
			rest = "/" + rest
		}
		out = addTo(out, jsonrpc.UnescapePointer(name), c, rest)
	}
	for i := range out {
		if out[i].Member == "inputSchema" {
			out[i].rename(renamed, slices.ContainsFunc(all, func(c diff.Change) bool { return c.RequiresMore("/inputSchema") }))
		}
		slices.SortStableFunc(out[i].Fields, func(a, b Field) int { return rank(&a) - rank(&b) })
	}
	slices.SortStableFunc(out, func(a, b Group) int { return min(b.Breaking, 1) - min(a.Breaking, 1) })
	return out
}

// addTo adds a change to the group of a member.
func addTo(groups []Group, member string, c *diff.Change, at string) []Group {
	n := slices.IndexFunc(groups, func(g Group) bool { return g.Member == member })
	if n < 0 {
		n = len(groups)
		groups = append(groups, Group{Member: member})
	}
	groups[n].add(c, at)
	return groups
}

// rank orders fields: breaking changes first, a renamed property next to its replacement.
func rank(f *Field) int {
	switch {
	case f.Renamed != "" && f.Kind == diff.Removed:
		return 0
	case f.Renamed != "":
		return 1
	case f.Effect != diff.Compatible:
		return 2
	}
	return 3
}

// add adds a change at a JSON Pointer in the member. Two changes of one place become
// one field.
func (g *Group) add(c *diff.Change, at string) {
	f := Field{Path: readable(at), Effect: c.Effect(), Reason: c.Reason}
	switch f.Effect {
	case diff.Breaking:
		g.Breaking++
	case diff.LessRisk:
		g.LessRisk++
	default:
		g.Compatible++
	}
	f.Kind, f.Old, f.New = c.At()
	for i := range g.Fields {
		if g.Fields[i].Path == f.Path && g.Fields[i].Kind == f.Kind {
			g.Fields[i].Effect = max(g.Fields[i].Effect, f.Effect)
			if !strings.Contains(g.Fields[i].Reason, f.Reason) {
				g.Fields[i].Reason += "; " + f.Reason
			}
			return
		}
	}
	g.Fields = append(g.Fields, f)
}

// rename notes which properties replace others. If clients that send the old name still succeed, the removal and the
// addition are one renamed property instead of two compatible changes. fails reports whether these clients fail.
func (g *Group) rename(renamed map[string]string, fails bool) {
	for i := range g.Fields {
		f := &g.Fields[i]
		name, ok := strings.CutPrefix(f.Path, "properties.")
		if !ok {
			continue
		}
		for old, now := range renamed {
			switch {
			case f.Kind == diff.Removed && name == old:
				f.Renamed = now
			case f.Kind == diff.Added && name == now:
				f.Renamed = old
			}
		}
		if f.Renamed == "" || f.Effect != diff.Compatible || fails {
			continue
		}
		g.Compatible--
		if f.Kind == diff.Removed {
			f.Ignored = true
			g.Renamed++
		}
	}
}

// readable returns a JSON Pointer as a path with dots.
func readable(pointer string) string { return strings.Join(jsonrpc.SplitPointer(pointer), ".") }

// unchanged returns the members that are equal in both versions of an entry, except for the member that
// identifies it.
func unchanged(list string, old, now []byte) []string {
	var names []string
	l, _ := revision.ListNamed(list)
	members := jsonrpc.MemberIndex(now)
	for name, v := range jsonrpc.Members(old) {
		if w, ok := members[string(name)]; ok && jsonrpc.Equal(v, w) && string(name) != l.Key {
			names = append(names, string(name))
		}
	}
	return names
}
