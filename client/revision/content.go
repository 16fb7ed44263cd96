package revision

// Place is where content blocks are used.
type Place uint8

// The places. The content of a tool_result in sampling is that of InToolResults.
const (
	InToolResults Place = 1 << iota
	InPrompts
	InSampling
)

// Content is a type of content blocks.
type Content struct {
	Type     string
	Required []string // its members besides type

	span
	places Place
}

// Contents returns the types of content blocks in a place (specification, server /
// tools and prompts, client / sampling).
func Contents(r Revision, in Place) []Content {
	var found []Content
	for _, c := range contents {
		if c.has(r) && c.places&in != 0 {
			found = append(found, c)
		}
	}
	return found
}

var contents = []Content{
	{Type: "text", Required: []string{"text"}, places: InToolResults | InPrompts | InSampling},
	{Type: "image", Required: []string{"data", "mimeType"}, places: InToolResults | InPrompts | InSampling},
	{Type: "audio", Required: []string{"data", "mimeType"}, places: InToolResults | InPrompts | InSampling, span: since(R20250326)},
	{Type: "resource", Required: []string{"resource"}, places: InToolResults | InPrompts},
	{Type: "resource_link", Required: []string{"uri", "name"}, places: InToolResults | InPrompts, span: since(R20250618)},
	{Type: "tool_use", Required: []string{"id", "name", "input"}, places: InSampling, span: since(R20251125)},
	{Type: "tool_result", Required: []string{"toolUseId", "content"}, places: InSampling, span: since(R20251125)},
}
