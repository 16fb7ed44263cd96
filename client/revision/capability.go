package revision

import "slices"

// Capability is a capability of a client or a server (specification, basic /
// lifecycle, "Capability Negotiation"; 2026-07-28, server / discover).
type Capability struct {
	Name    string
	Summary string // summary in a few words
	// Open reports that the specification does not define its members.
	Open bool

	declaredBy Sender
}

// lines returns the lines of the capability in the schemas.
func (c Capability) lines() []Member {
	return slices.DeleteFunc(slices.Clone(shapes()[capabilityShapes[c.declaredBy]]), func(m Member) bool { return m.Name != c.Name })
}

// In reports whether a revision defines the capability.
func (c Capability) In(r Revision) bool {
	return slices.ContainsFunc(c.lines(), func(m Member) bool { return m.has(r) })
}

// Since returns the first revision that defines the capability.
func (c Capability) Since() Revision { return released[slices.IndexFunc(released, c.In)] }

// Flags returns the members of the capability in a revision, as paths with dots. If the revision does not
// define the capability, it returns the members of the first revision that does.
func (c Capability) Flags(r Revision) []string {
	if !c.In(r) {
		r = c.Since()
	}
	var found []string
	for _, m := range c.lines() {
		found = append(found, leaves(m.shape(), r)...)
	}
	return found
}

// leaves returns the members at the ends of a shape, as paths with dots.
func leaves(s Shape, r Revision) []string {
	var found []string
	for _, m := range s.Members(r) {
		below := leaves(m.shape(), r)
		if len(below) == 0 {
			found = append(found, m.Name)
		}
		for _, path := range below {
			found = append(found, m.Name+"."+path)
		}
	}
	return found
}

// Capabilities returns the capabilities of a client or a server in all revisions.
func Capabilities(s Sender) []Capability {
	var found []Capability
	for _, c := range capabilities {
		if c.declaredBy&s != 0 {
			c.declaredBy = s
			found = append(found, c)
		}
	}
	return found
}

var capabilityShapes = map[Sender]Shape{Client: "ClientCapabilities", Server: "ServerCapabilities"}

var capabilities = []Capability{
	{Name: "tools", Summary: "functions to call", declaredBy: Server},
	{Name: "resources", Summary: "data to read", declaredBy: Server},
	{Name: "prompts", Summary: "templates for messages", declaredBy: Server},
	{Name: "logging", Summary: "sends log messages", declaredBy: Server},
	{Name: "completions", Summary: "completes arguments", declaredBy: Server},
	{Name: "roots", Summary: "lists its directories", declaredBy: Client},
	{Name: "sampling", Summary: "can run a model", declaredBy: Client},
	{Name: "elicitation", Summary: "can ask the user", declaredBy: Client},
	{Name: "tasks", Summary: "long-running requests", declaredBy: Server},
	{Name: "tasks", Summary: "tasks of its own", declaredBy: Client},
	{Name: "extensions", Summary: "additional protocols", Open: true, declaredBy: Both},
	{Name: "experimental", Summary: "outside of MCP", Open: true, declaredBy: Both},
}
