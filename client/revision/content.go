package revision

import "slices"

// Place is a member with content blocks.
type Place struct {
	shape  Shape
	member string
}

// The places. The content of a tool_result in sampling is that of InToolResults.
var (
	InToolResults = Place{"tools/call.result", "content"}
	InPrompts     = Place{"PromptMessage", "content"}
	InSampling    = Place{"SamplingMessage", "content"}
)

// Content is a type of content blocks.
type Content struct {
	Type     string
	Required []Member // besides type
}

// Contents returns the types of content blocks in a place (specification, server /
// tools and prompts, client / sampling).
func Contents(r Revision, in Place) []Content {
	var found []Content
	var shapesOf []string
	for _, m := range slices.Backward(shapes()[in.shape]) { // an unknown revision has the order of the newest
		if m.Name == in.member && m.has(r) {
			shapesOf = append(shapesOf, m.types()...)
		}
	}
	for i, name := range shapesOf {
		if slices.Contains(shapesOf[:i], name) {
			continue
		}
		c := Content{}
		for _, m := range Shape(name).Members(r) {
			switch {
			case m.Name == "type":
				c.Type = m.Type[1 : len(m.Type)-1] // a quoted value
			case m.Required:
				c.Required = append(c.Required, m)
			}
		}
		found = append(found, c)
	}
	return found
}
