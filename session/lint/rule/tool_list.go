package rule

import (
	"iter"
)

// The methods of rules about calls and lists of tools.
var (
	ToolCalls = []string{"tools/call"}
	ToolLists = []string{"tools/list"}
)

// ListedTools walks over the tools of a page.
func ListedTools(c *Context) iter.Seq2[int, []byte] {
	if !c.M.IsResult() {
		return Indexed(nil)
	}
	return Indexed(Member(c.M.Result, "tools"))
}

// ToolObjects walks over those that are objects.
func ToolObjects(c *Context) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i, tool := range ListedTools(c) {
			if Kind(tool) == "object" && !yield(i, tool) {
				return
			}
		}
	}
}

// AtTool is a place in a tool of a page.
func AtTool(i int, more ...any) Place { return At(append([]any{"result", "tools", i}, more...)...) }

// ToolName is the name of a tool for a message.
func ToolName(tool []byte) string {
	if name := Text(tool, "name"); name != "" {
		return Escaped(name)
	}
	return "without a name"
}
