// Package apps checks MCP Apps (extension io.modelcontextprotocol/ui, 2026-01-26): what a server declares (tools with a UI,
// their resources, and what the markup of the documents loads), and the messages that a running app sends. Scripts are not
// analysed: the browser reports what its policy blocked.
//
// It also parses the start tags of an HTML document: enough to see what it loads, without a tree and without
// the cost of a complete parser.
//
// Tags, attributes, comments and the text of scripts and styles are delimited as in HTML tokenization (WHATWG,
// section 13.2.5). Missing tags are not added, and the first end tag of a script ends it. Parsing never fails
// and takes linear time.
package apps

import (
	"bytes"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
	"mcptea/offer/declared"
)

var (
	lists = []string{"resources/list"}
	reads = []string{"resources/read"}
	both  = []string{"resources/list", "resources/read"}
)

// Rules check apps.
var Rules = slices.Concat([]lint.Rule{
	{ID: "U001", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.Each(toolsOf, toolMeta)},
	{ID: "U002", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.Each(toolsOf, spellings)},
	{ID: "U003", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.Each(toolsOf, flatOnly)},
	{ID: "U004", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.Each(toolsOf, resourceMembers)},
	{ID: "U005", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.Each(toolsOf, visibility)},
	{ID: "U006", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.Each(toolsOf, emptyVisibility)},
	{Methods: lint.ToolLists, When: lint.Result, After: watchTools},
	{ID: "U007", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, When: lint.Result, After: appOnlyWithoutApp},
	{ID: "U008", Limit: lint.OncePerConnection, Methods: lint.ToolLists, Message: lint.Each(toolsOf, noResources)},

	{ID: "U010", Methods: reads, When: lint.ErrorResponse | lint.Matched, Message: unreadable},
	{ID: "U011", Methods: reads, When: lint.Complete, Message: itemCount},
	{ID: "U012", Methods: reads, When: lint.Complete, Message: itemMIME},
	{ID: "U013", Limit: lint.PerMessage(lint.SomeEntries), Methods: lists, When: lint.Complete, Message: listMIME},
	{ID: "U014", Limit: lint.PerMessage(lint.SomeMembers), Methods: both, When: lint.Complete, Message: lint.Each(declarations, cspFaults)},
	{ID: "U015", Limit: lint.PerMessage(lint.SomeMembers), Methods: both, When: lint.Complete, Message: lint.Each(declarations, cspDoubts)},
	{ID: "U016", Limit: lint.PerMessage(lint.SomeMembers), Methods: both, When: lint.Complete, Message: lint.Each(declarations, unknownMembers)},
	{ID: "U017", Methods: both, When: lint.Complete, Message: lint.Each(declarations, domain)},
	{ID: "U019", Methods: both, When: lint.Complete, Message: lint.Each(declarations, domainOfHost)},
	{ID: "U018", Methods: reads, When: lint.Complete, Message: metaDiffers},

	{ID: "U020", Methods: reads, When: lint.Complete, Message: onPage(notDocument)},
	{ID: "U021", Methods: reads, When: lint.Complete, Message: onPage(noDoctype)},
	{ID: "U022", Methods: reads, When: lint.Complete, Message: onPage(large)},
	{ID: "U023", Methods: reads, When: lint.Complete, Message: onPage(undeclaredLoads)},
	{ID: "U026", Methods: reads, When: lint.Complete, Message: onPage(relative)},
	{Methods: append(both, "tools/list"), After: forget},
	{Methods: lint.ToolCalls, When: lint.ToolResult | lint.Matched, After: watchCalled},
	{Methods: []string{"resources/read"}, When: lint.Request | lint.FromClient, After: watchRead},
	{ID: "U035", Last: neverRead},
	{ID: "U034", Methods: lint.ToolCalls, When: lint.ToolResult | lint.Matched, Message: noText},
}, messageRules)

// memory is the state kept for a connection.
type memory struct {
	uris  map[string]bool  // URIs of the tools' apps in the newest listing
	pages map[uint64]*page // pages by hash of the document
	shown showing

	// Of the message that is checked: its tools, or its document.
	tools    []*tool
	document *document
	looked   bool
}

// The bounds of the memory.
const (
	maxApps  = 1000
	maxPages = 8
)

// tool is an entry of the message that declares something of the extension.
type tool struct {
	declared.Tool
	entry lint.Tool
}

// report reports a finding about a member of _meta of the tool.
func (t *tool) report(c *lint.Context, at []any, values ...any) {
	c.Report(t.entry.At(append([]any{"_meta"}, at...)...), append(values, "tool", t.entry.Name())...)
}

var (
	nestedAt     = []any{"ui", "resourceUri"}
	flatAt       = []any{declared.FlatKey}
	visibilityAt = []any{"ui", "visibility"}
)

// toolsOf returns the tools with a UI in the message. It skips a list that does not contain the letters "ui".
func toolsOf(c *lint.Context) []*tool {
	m := lint.Own[memory](c.St)
	if m.looked || !c.M.IsResult() || !c.M.Envelope.Special && !bytes.Contains(c.M.Result, []byte(`"ui`)) {
		return m.tools
	}
	m.looked = true
	for _, t := range c.Tools() {
		if d, ok := declared.OfTool(t.Raw); ok {
			m.tools = append(m.tools, &tool{d, t})
		}
	}
	return m.tools
}

// forget drops the data about the previous message.
func forget(c *lint.Context) {
	m := lint.Own[memory](c.St)
	m.tools, m.document, m.looked = nil, nil, false
}

// watchTools keeps which apps the tools have. A page without cursor begins a listing.
func watchTools(c *lint.Context) {
	m := lint.Own[memory](c.St)
	if r := c.M.Request; r != nil && jsonrpc.Text(r.Params, "cursor") == "" {
		m.uris = nil
	}
	for _, t := range toolsOf(c) {
		if t.URI != "" && len(t.URI) <= lint.MaxKeptBytes {
			lint.Keep(&m.uris, maxApps, t.URI, true)
		}
	}
}

func toolMeta(c *lint.Context, t *tool) {
	report := func(value []byte, member, expected string, at []any) {
		t.report(c, at, "got", lint.ShownValue(value), "member", member, "expected", expected)
	}
	if t.UI != nil && jsonrpc.TypeOf(t.UI) != "object" {
		report(t.UI, "_meta.ui", "an object", nestedAt[:1])
	}
	if t.Nested != nil && !isAppURI(t.Nested) {
		report(t.Nested, "_meta.ui.resourceUri", "a string that begins with ui://", nestedAt)
	}
	if t.Flat != nil && !isAppURI(t.Flat) {
		report(t.Flat, `_meta["ui/resourceUri"]`, "a string that begins with ui://", flatAt)
	}
}

func isAppURI(raw []byte) bool {
	text, ok := jsonrpc.Unquote(raw)
	return ok && strings.HasPrefix(text, declared.Scheme)
}

func spellings(c *lint.Context, t *tool) {
	nested, ok := jsonrpc.Unquote(t.Nested)
	flat, flatOK := jsonrpc.Unquote(t.Flat)
	if ok && flatOK && nested != flat {
		t.report(c, flatAt, "flat", lint.QuotedURI(flat), "nested", lint.QuotedURI(nested))
	}
}

func flatOnly(c *lint.Context, t *tool) {
	if t.Flat != nil && t.Nested == nil {
		t.report(c, flatAt)
	}
}

func resourceMembers(c *lint.Context, t *tool) {
	for name := range jsonrpc.Members(t.UI) {
		if member := string(name); slices.Contains(members, member) {
			t.report(c, []any{"ui", member}, "member", member)
		}
	}
}

func visibility(c *lint.Context, t *tool) {
	if t.Visibility != nil && jsonrpc.TypeOf(t.Visibility) != "array" {
		t.report(c, visibilityAt, "problem", "is "+lint.KindOf(t.Visibility)+", not an array")
	}
	for i, party := range lint.Indexed(t.Visibility) {
		if text, _ := jsonrpc.Unquote(party); text != "model" && text != "app" {
			t.report(c, append(slices.Clone(visibilityAt), i), "problem", "has the entry "+lint.ShownValue(party))
		}
	}
}

func emptyVisibility(c *lint.Context, t *tool) {
	if jsonrpc.TypeOf(t.Visibility) == "array" && jsonrpc.Count(t.Visibility) == 0 {
		t.report(c, visibilityAt)
	}
}

// appOnlyWithoutApp checks the complete list when its last page arrives: the app may belong to a tool on
// another page.
func appOnlyWithoutApp(c *lint.Context) {
	if !c.St.Tools().Known() || len(lint.Own[memory](c.St).uris) > 0 {
		return
	}
	for _, t := range toolsOf(c) {
		if t.AppOnly() {
			t.report(c, visibilityAt)
		}
	}
}

func noResources(c *lint.Context, t *tool) {
	if t.URI != "" && c.St.ServerCaps != nil && !c.St.ServerOffers("resources") {
		t.report(c, nestedAt[:1])
	}
}

// noText checks calls of tools with an app. Errors have a text of their own.
func noText(c *lint.Context) {
	if len(lint.Own[memory](c.St).uris) == 0 || c.M.IsToolError() {
		return
	}
	if t, _ := declared.OfTool(c.St.Tools().Named(c.M.Request.Name)); t.URI == "" {
		return
	}
	for text := range c.M.TextBlocks() {
		if strings.TrimSpace(text) != "" {
			return
		}
	}
	c.Report(lint.At("result", "content"), "tool", lint.Escaped(c.M.Request.Name))
}
