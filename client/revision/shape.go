package revision

// Shape is a type of objects in lists and handshakes. Its value is its name in the
// schema of the specification.
type Shape string

// The shapes (specification, server features; basic / lifecycle).
const (
	ShapeTool           Shape = "Tool"
	ShapeResource       Shape = "Resource"
	ShapeTemplate       Shape = "ResourceTemplate"
	ShapePrompt         Shape = "Prompt"
	ShapeImplementation Shape = "Implementation"

	ShapeArgument        Shape = "PromptArgument"
	ShapeAnnotations     Shape = "Annotations"
	ShapeToolAnnotations Shape = "ToolAnnotations"
	ShapeIcon            Shape = "Icon"
)

// Members returns the members of the shape in a revision; all of them for an unknown
// revision.
func (s Shape) Members(r Revision) []Member { return in(r, shapes[s]) }

// Defines reports whether the shape has a member in a revision. Further names are
// those of nested objects, also in arrays. Everything below a member without a table
// is defined.
func (s Shape) Defines(r Revision, member string, more ...string) bool {
	for _, m := range shapes[s] {
		if m.Name != member || !m.has(r) {
			continue
		}
		return m.shape == "" || len(more) == 0 || m.shape.Defines(r, more[0], more[1:]...)
	}
	return false
}

// Describes reports whether a table has the members of a member, in any revision.
func (s Shape) Describes(member string, more ...string) bool {
	for _, m := range shapes[s] {
		if m.Name == member && m.shape != "" {
			return len(more) == 0 || m.shape.Describes(more[0], more[1:]...)
		}
	}
	return false
}

// described are the members of most shapes.
var described = []Member{
	may("description"), may("title").since(R20250618), may("icons").since(R20251125).shaped(ShapeIcon), may("_meta").since(R20250618),
}

var shapes = map[Shape][]Member{
	ShapeTool: join([]Member{
		need("name"), need("inputSchema"), may("annotations").since(R20250326).shaped(ShapeToolAnnotations), may("outputSchema").since(R20250618),
		may("execution").only(R20251125),
	}, described),
	ShapeResource: join([]Member{
		need("uri"), need("name"), may("mimeType"), may("size"), may("annotations").shaped(ShapeAnnotations),
	}, described),
	ShapeTemplate: join([]Member{
		need("uriTemplate"), need("name"), may("mimeType"), may("annotations").shaped(ShapeAnnotations),
	}, described),
	ShapePrompt: join([]Member{need("name"), may("arguments").shaped(ShapeArgument)}, described),
	ShapeImplementation: {
		need("name"), need("version"), may("title").since(R20250618), may("description").since(R20251125),
		may("icons").since(R20251125).shaped(ShapeIcon), may("websiteUrl").since(R20251125),
	},
	ShapeArgument:    {need("name"), may("description"), may("required"), may("title").since(R20250618)},
	ShapeAnnotations: {may("audience"), may("priority"), may("lastModified").since(R20250618)},
	ShapeToolAnnotations: limit(since(R20250326),
		may("title"), may("readOnlyHint"), may("destructiveHint"), may("idempotentHint"), may("openWorldHint")),
	ShapeIcon: limit(since(R20251125), need("src"), may("mimeType"), may("sizes"), may("theme")),
}
