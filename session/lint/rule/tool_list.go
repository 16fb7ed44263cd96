package rule

import (
	"iter"

	"mcptea/client/revision"
	"mcptea/session/schema/check"
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

// ListedTool finds a tool; known is false while the list is incomplete or may
// have changed.
func (c *Context) ListedTool(name string) (tool []byte, known bool) {
	list := c.St.Tools()
	if !list.Known() {
		return nil, false
	}
	return list.Named(name), true
}

// Schema compiles a schema in the dialect of the revision, once for the same
// bytes.
func (c *Context) Schema(raw []byte, formats bool) *check.Schema {
	o := check.Options{Dialectless: c.Revision().Before(revision.R20251125), Formats: formats}
	return Own[check.Cache](c.St).Compile(raw, o)
}
