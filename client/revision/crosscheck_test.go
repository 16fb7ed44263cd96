package revision_test

import (
	"slices"
	"strings"
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

func TestSchema_Members(t *testing.T) {
	eachSchema(t, func(t *testing.T, r revision.Revision, s schema) {
		for method, def := range s.definitions() {
			m, _ := revision.Lookup(method)
			want := s.members(s.defs[def].Properties["params"])
			if _, ok := want["cursor"]; ok != m.Paged {
				t.Errorf("%s is paged: %v", method, m.Paged)
			}
			if method == "notifications/cancelled" && r == revision.R20251125 {
				// protocol.md §20, number 4: the text requires it, and the
				// schema does not.
				if want["requestId"] {
					t.Error("the schema requires requestId by now: the exception can go")
				}
				want["requestId"] = true
			}
			compare(t, method+" params", m.ParamMembers(r), want)
			if m.IsNotification() {
				continue
			}
			result := strings.TrimSuffix(def, "Request") + "Result"
			if _, ok := s.defs[result]; !ok {
				result = "EmptyResult"
			}
			compare(t, method+" result", m.ResultMembers(r), s.members(s.defs[result]))
		}
	})
}

// compare compares members; a _meta that may be absent counts for nothing.
func compare(t *testing.T, what string, got []revision.Member, want map[string]bool) {
	t.Helper()
	if required, ok := want["_meta"]; ok && !required {
		delete(want, "_meta")
	}
	seen := map[string]bool{}
	for _, m := range got {
		required, ok := want[m.Name]
		switch {
		case seen[m.Name]:
			t.Errorf("%s: %s twice", what, m.Name)
		case !ok:
			t.Errorf("%s: the schema has no %s", what, m.Name)
		case required != m.Required:
			t.Errorf("%s: the schema requires %s: %v", what, m.Name, required)
		}
		seen[m.Name] = true
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("%s: the schema has %s as well", what, name)
		}
	}
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

func TestSchema_Contents(t *testing.T) {
	eachSchema(t, func(t *testing.T, r revision.Revision, s schema) {
		places := map[string]struct {
			place revision.Place
			in    node
		}{
			"tool results":    {revision.InToolResults, *s.defs["CallToolResult"].Properties["content"].Items},
			"prompts":         {revision.InPrompts, s.defs["PromptMessage"].Properties["content"]},
			"sampling":        {revision.InSampling, s.defs["SamplingMessage"].Properties["content"]},
			"sampling result": {revision.InSampling, s.defs["CreateMessageResult"].Properties["content"]},
		}
		for what, p := range places {
			blocks := s.blocks(p.in)
			var got, want []string
			for _, c := range revision.Contents(r, p.place) {
				got = append(got, c.Type)
				same(t, what+" "+c.Type, c.Required, blocks[c.Type])
			}
			for name := range blocks {
				want = append(want, name)
			}
			same(t, what, got, want)
		}
		if result, ok := s.defs["ToolResultContent"]; ok { // blocks in a block of sampling
			nested := s.blocks(*result.Properties["content"].Items)
			if len(nested) != len(revision.Contents(r, revision.InToolResults)) {
				t.Errorf("a tool_result holds %v", nested)
			}
		}
	})
}

// blocks are the types of content of a union, or of a list of one, with what
// each requires besides its type.
func (s schema) blocks(n node) map[string][]string {
	found := map[string][]string{}
	n = s.resolve(n)
	if n.Items != nil {
		return s.blocks(*n.Items)
	}
	if name, ok := s.resolve(n.Properties["type"]).Const.(string); ok {
		found[name] = slices.DeleteFunc(slices.Clone(n.Required), func(m string) bool { return m == "type" })
	}
	for _, branch := range n.AnyOf {
		for name, required := range s.blocks(branch) {
			found[name] = required
		}
	}
	return found
}

func TestSchema_Levels(t *testing.T) {
	eachSchema(t, func(t *testing.T, _ revision.Revision, s schema) {
		same(t, "levels", revision.Levels(), s.defs["LoggingLevel"].Enum) // which has them in another order
	})
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
