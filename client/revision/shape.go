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

	ShapeArgument        Shape = "PromptArgument"
	ShapeAnnotations     Shape = "Annotations"
	ShapeToolAnnotations Shape = "ToolAnnotations"
	ShapeIcon            Shape = "Icon"
)

// Members are those that a revision gives the shape; of an unknown revision all
// that there are.
func (s Shape) Members(r Revision) []Member { return in(r, shapes[s]) }

// Defines reports whether the shape has a member in a revision; more names go
// down into it, past arrays. What lies below a member that no table describes
// counts as defined when that member is.
func (s Shape) Defines(r Revision, member string, more ...string) bool {
	for _, m := range shapes[s] {
		if m.Name != member || !m.has(r) {
			continue
		}
		return m.shape == "" || len(more) == 0 || m.shape.Defines(r, more[0], more[1:]...)
	}
	return false
}

// Describes reports whether a table has the members of what stands at a member,
// in some revision.
func (s Shape) Describes(member string, more ...string) bool {
	for _, m := range shapes[s] {
		if m.Name == member && m.shape != "" {
			return len(more) == 0 || m.shape.Describes(more[0], more[1:]...)
		}
	}
	return false
}

// described is what came to most shapes over time.
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
