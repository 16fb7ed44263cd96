package revision

// Capability is a capability of a client or a server (specification, basic /
// lifecycle, "Capability Negotiation"; 2026-07-28, server / discover).
type Capability struct {
	Name    string
	Summary string // in a few words
	// Open reports that the specification does not define its members.
	Open bool

	span
	flags []flag
}

// flag is a member of a capability, as a path with dots.
type flag struct {
	path string
	span
}

// In reports whether a revision defines the capability.
func (c Capability) In(r Revision) bool { return c.has(r) }

// Flags returns the members of the capability in a revision, as paths with dots.
func (c Capability) Flags(r Revision) []string {
	var found []string
	for _, f := range c.flags {
		if f.has(r) {
			found = append(found, f.path)
		}
	}
	return found
}

// Capabilities returns the capabilities of a client or a server in all revisions.
func Capabilities(s Sender) []Capability {
	if s == Server {
		return serverCapabilities
	}
	return clientCapabilities
}

// extensions is defined by 2026-07-28 and used since 2025-06-18.
var extensions = Capability{Name: "extensions", Summary: "official additions", Open: true, span: since(R20250618)}

var experimental = Capability{Name: "experimental", Summary: "outside of MCP", Open: true}

var serverCapabilities = []Capability{
	{Name: "tools", Summary: "functions to call", flags: []flag{{path: "listChanged"}}},
	{Name: "resources", Summary: "things to read", flags: []flag{{path: "subscribe"}, {path: "listChanged"}}},
	{Name: "prompts", Summary: "templates for messages", flags: []flag{{path: "listChanged"}}},
	{Name: "logging", Summary: "sends log messages"},
	{Name: "completions", Summary: "completes arguments", span: since(R20250326)},
	{
		Name: "tasks", Summary: "work that takes long", span: only(R20251125),
		flags: []flag{{path: "list"}, {path: "cancel"}, {path: "requests.tools.call"}},
	},
	extensions, experimental,
}

var clientCapabilities = []Capability{
	{Name: "roots", Summary: "lists its directories", flags: []flag{{"listChanged", until(lastHandshake)}}},
	{
		Name: "sampling", Summary: "can run a model",
		flags: []flag{{"tools", since(R20251125)}, {"context", since(R20251125)}},
	},
	{
		Name: "elicitation", Summary: "can ask the user", span: since(R20250618),
		flags: []flag{{"form", since(R20251125)}, {"url", since(R20251125)}},
	},
	{
		Name: "tasks", Summary: "tasks of its own", span: only(R20251125),
		flags: []flag{{path: "list"}, {path: "cancel"}, {path: "requests.sampling.createMessage"}, {path: "requests.elicitation.create"}},
	},
	extensions, experimental,
}
