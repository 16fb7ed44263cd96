package lint

import (
	"iter"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema/check"
)

// The methods of rules about calls and lists of tools.
var (
	ToolCalls = []string{"tools/call"}
	ToolLists = []string{"tools/list"}
)

// A Tool is an object in a page of tools.
type Tool struct {
	Raw   []byte
	index int
}

// Tools returns the tools in the message.
func (c *Context) Tools() []Tool {
	if !c.M.toolsKnown && c.M.IsResult() {
		for i, tool := range Indexed(c.M.Get(c.M.Result, "tools")) {
			if tool[0] == '{' {
				c.M.tools = append(c.M.tools, Tool{tool, i})
			}
		}
	}
	c.M.toolsKnown = true
	return c.M.tools
}

// EachTool returns a rule function that checks each tool in the message.
func EachTool(check func(*Context, Tool)) func(*Context) { return Each((*Context).Tools, check) }

// At returns the place of a member of the tool.
func (t Tool) At(more ...any) Place { return At(append([]any{"result", "tools", t.index}, more...)...) }

// Number returns the 1-based number of the tool in the page.
func (t Tool) Number() int { return t.index + 1 }

// Name returns the name of the tool for display in a message.
func (t Tool) Name() string {
	if name := jsonrpc.Text(t.Raw, "name"); name != "" {
		return Escaped(name)
	}
	return "without a name"
}

// FoldedName returns a name without case, separators and compatibility forms of letters. Names that
// a model may confuse have the same folded name.
func FoldedName(name string) string {
	return nameSeparators.Replace(strings.ToLower(norm.NFKC.String(name)))
}

var nameSeparators = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// ListedTool returns a tool by its name. known is false while the list is incomplete or may have
// changed.
func (c *Context) ListedTool(name string) (tool []byte, known bool) {
	list := c.St.Tools()
	if !list.Known() {
		return nil, false
	}
	return list.Named(name), true
}

// Listed returns an entry of a list by its name. The rule judges the use of the entry. If a change
// was announced and the list was not requested again, the entry may have changed. Then a finding of
// the rule becomes an info with that reason.
func (c *Context) Listed(l *List, name string) []byte {
	if l == nil || !l.Complete {
		return nil
	}
	if l.stale {
		c.doubted = l
	}
	return l.Named(name)
}

// Schema compiles a schema in the dialect of the protocol version. Equal bytes are compiled once.
func (c *Context) Schema(raw []byte, formats bool) *check.Schema {
	o := check.Options{Dialectless: c.Revision().Before(revision.R20251125), Formats: formats}
	return Own[check.Cache](c.St).Compile(raw, o)
}

// IsToolResult reports whether the message is the complete result of a tool and not a task. In
// 2025-11-25, results have no resultType.
func (m *Message) IsToolResult() bool {
	if !m.toolResultKnown {
		m.toolResultKnown = true
		m.toolResult = m.IsResult() && m.IsComplete() && jsonrpc.TypeOf(m.Result) == "object" && jsonrpc.TypeOf(m.Get(m.Result, "task")) != "object"
	}
	return m.toolResult
}

// IsToolError reports whether the message is a result with isError.
func (m *Message) IsToolError() bool { return string(m.Get(m.Result, "isError")) == "true" }

// TextBlocks yields the text blocks of a result.
func (m *Message) TextBlocks() iter.Seq[string] {
	return func(yield func(string) bool) {
		for b := range jsonrpc.Elements(m.Get(m.Result, "content")) {
			if text, ok := jsonrpc.Unquote(jsonrpc.Get(b, "text")); ok && jsonrpc.Text(b, "type") == "text" && !yield(text) {
				return
			}
		}
	}
}

// MaxStart bounds the beginning of a text that is searched for phrases, in bytes.
const MaxStart = 300

// LowerStart returns the start of a text, up to [MaxStart] bytes, in lower case.
func LowerStart(text string) string { return strings.ToLower(text[:min(len(text), MaxStart)]) }

// DeniesTool reports whether a text says that a tool does not exist.
func DeniesTool(text, name string) bool {
	s := LowerStart(text)
	for _, phrase := range []string{"unknown tool", "no such tool", "no tool named", "tool not found"} {
		if strings.Contains(s, phrase) {
			return true
		}
	}
	const around = " \"'`:"
	_, after, _ := strings.Cut(s, "tool")
	after, ok := strings.CutPrefix(strings.TrimLeft(after, around), strings.ToLower(name))
	if !ok || name == "" {
		return false
	}
	after = strings.TrimLeft(after, around)
	for _, phrase := range []string{"not found", "was not found", "is not ", "does not exist", "doesn't exist"} {
		if strings.HasPrefix(after, phrase) {
			return true
		}
	}
	return false
}

// CallsUnknownTool reports whether the message responds to a call of an unknown tool. If the list
// is complete, it decides; otherwise the text of the response decides.
func CallsUnknownTool(c *Context, text string) bool {
	r := c.M.Request
	if r == nil || r.Name == "" {
		return false
	}
	if tool, known := c.ListedTool(r.Name); known {
		return tool == nil
	}
	return DeniesTool(text, r.Name)
}

// IsUnknownToolError is like [CallsUnknownTool], but for an error response.
func IsUnknownToolError(c *Context) bool {
	return CallsUnknownTool(c, c.M.Text(c.M.Error, "message"))
}
