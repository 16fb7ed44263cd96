package revision

// Shape is a kind of object that servers describe themselves with: an entry of
// a list, or what a side calls itself. Its value is the name that the
// specification gives it.
type Shape string

// The shapes (specification, server features; basic / lifecycle).
const (
	ShapeTool           Shape = "Tool"
	ShapeResource       Shape = "Resource"
	ShapeTemplate       Shape = "ResourceTemplate"
	ShapePrompt         Shape = "Prompt"
	ShapeImplementation Shape = "Implementation"
)

// Members are those that a revision gives the shape; of an unknown revision all
// that there are.
func (s Shape) Members(r Revision) []Member { return in(r, shapes[s]) }

// Defines reports whether the shape has a member in a revision.
func (s Shape) Defines(r Revision, member string) bool {
	for _, m := range shapes[s] {
		if m.Name == member && m.has(r) {
			return true
		}
	}
	return false
}

// described is what came to most shapes over time.
var described = []Member{
	may("description"), may("title").since(R20250618), may("icons").since(R20251125), may("_meta").since(R20250618),
}

var shapes = map[Shape][]Member{
	ShapeTool: join([]Member{
		need("name"), need("inputSchema"), may("annotations").since(R20250326), may("outputSchema").since(R20250618),
		may("execution").only(R20251125),
	}, described),
	ShapeResource: join([]Member{
		need("uri"), need("name"), may("mimeType"), may("size"), may("annotations"),
	}, described),
	ShapeTemplate: join([]Member{
		need("uriTemplate"), need("name"), may("mimeType"), may("annotations"),
	}, described),
	ShapePrompt: join([]Member{need("name"), may("arguments")}, described),
	ShapeImplementation: {
		need("name"), need("version"), may("title").since(R20250618), may("description").since(R20251125),
		may("icons").since(R20251125), may("websiteUrl").since(R20251125),
	},
}
