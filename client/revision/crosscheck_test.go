package revision_test

import (
	"slices"
	"testing"

	"mcptea/client/revision"
)

// isExtension reports whether a revision has a method as part of an extension,
// of which the schemas say nothing.
func isExtension(m revision.Method, r revision.Revision) bool {
	needs := m.Needs(r, revision.Both)
	return len(needs) > 0 && needs[0] == "extensions"
}

func TestSchema_Methods(t *testing.T) {
	eachSchema(t, func(t *testing.T, r revision.Revision, s schema) {
		for _, side := range []struct {
			name                   string
			sender                 revision.Sender
			requests, notification string
		}{
			{"client", revision.Client, "ClientRequest", "ClientNotification"},
			{"server", revision.Server, "ServerRequest", "ServerNotification"},
		} {
			var got []string
			for _, m := range revision.Methods(r, side.sender) {
				if !isExtension(m, r) {
					got = append(got, m.Name)
				}
			}
			same(t, side.name, got, append(s.methodsOf(side.requests), s.methodsOf(side.notification)...))
		}
		var embedded []string
		for name := range s.definitions() {
			m, ok := revision.Lookup(name)
			if !ok {
				t.Errorf("%s is not in the table", name)
			}
			if m.Embedded(r) {
				embedded = append(embedded, name)
			}
		}
		same(t, "embedded", embedded, s.methodsOf("InputRequest"))
	})
}

func TestSchema_Capabilities(t *testing.T) {
	eachSchema(t, func(t *testing.T, r revision.Revision, s schema) {
		for def, side := range map[string]revision.Sender{"ClientCapabilities": revision.Client, "ServerCapabilities": revision.Server} {
			var got, want []string
			for _, c := range revision.Capabilities(side) {
				if !c.In(r) || c.Name == "extensions" && r.HasHandshake() {
					// protocol.md §20, number 20: in use before the schemas
					// had it.
					continue
				}
				got = append(got, c.Name)
				for _, f := range c.Flags(r) {
					got = append(got, c.Name+"."+f)
				}
			}
			for name, n := range s.defs[def].Properties {
				want = append(append(want, name), s.leaves(name, n)...)
			}
			same(t, def, got, want)
		}
	})
}

// leaves are the members at the ends of an object, as paths with dots.
func (s schema) leaves(path string, n node) []string {
	var found []string
	for name, member := range s.resolve(n).Properties {
		below := s.leaves(path+"."+name, member)
		if len(below) == 0 {
			below = []string{path + "." + name}
		}
		found = append(found, below...)
	}
	return found
}

func TestSchema_Codes(t *testing.T) {
	eachSchema(t, func(t *testing.T, r revision.Revision, s schema) {
		var got, want []int
		for _, c := range revision.Codes(r) {
			got = append(got, c.Code)
		}
		for _, n := range s.defs {
			want = append(want, s.codes(n)...)
		}
		for _, code := range want {
			if !slices.Contains(got, code) {
				t.Errorf("%d is in the schema and not in the table", code)
			}
		}
		for _, code := range got {
			if r == revision.R20260728 && !slices.Contains(want, code) {
				t.Errorf("%d is in the table and not in the schema", code)
			}
		}
		// Older schemas have no types of errors: their codes are in the text.
	})
}

// codes are the constants of members that are called code, at any depth.
func (s schema) codes(n node) []int {
	var found []int
	for name, member := range n.Properties {
		if c, ok := member.Const.(float64); ok && name == "code" {
			found = append(found, int(c))
		}
		found = append(found, s.codes(member)...)
	}
	for _, part := range n.AllOf {
		found = append(found, s.codes(part)...)
	}
	return found
}
