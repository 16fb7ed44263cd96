package revision

import "slices"

// Place is a member with content blocks.
type Place struct {
	shape  Shape
	member string
}

// The places.
var (
	InToolResults = Place{"tools/call.result", "content"}
	InSampling    = Place{"SamplingMessage", "content"}
)

// ContentTypes returns the types of content blocks in a place (specification, server / tools,
// client / sampling).
func ContentTypes(r Revision, in Place) []string {
	var found []string
	for _, m := range slices.Backward(shapes()[in.shape]) { // an unknown revision has the order of the newest
		if m.Name != in.member || !m.has(r) {
			continue
		}
		for _, name := range m.types() {
			for _, member := range Shape(name).Members(r) {
				if text := member.Type[1 : len(member.Type)-1]; member.Name == "type" && !slices.Contains(found, text) { // a quoted value
					found = append(found, text)
				}
			}
		}
	}
	return found
}
