package revision

import "slices"

// header is one that MCP makes a client send over HTTP.
type header struct {
	name  string
	verbs []string
	span

	handshake bool // goes with initialize as well
	named     bool // goes only with methods that name their subject
}

// Headers are the names of the headers that MCP wants on an HTTP request of a
// client (specification, basic / transports, HTTP). The verb is GET, POST or
// DELETE, the method that of the message in a POST, or empty for an answer.
// Mcp-Session-Id is there for servers that gave a session, Last-Event-ID for
// streams that go on.
func Headers(r Revision, verb, method string) []string {
	var found []string
	_, named := NameParam(method)
	for _, h := range headers {
		if h.has(r) && slices.Contains(h.verbs, verb) && (h.handshake || method != "initialize") && (named || !h.named) {
			found = append(found, h.name)
		}
	}
	return found
}

// NameParam is the param that goes into Mcp-Name as well, of methods that have
// one (2026-07-28, basic / transports, "Standard Headers").
func NameParam(method string) (string, bool) {
	switch method {
	case "tools/call", "prompts/get":
		return "name", true
	case "resources/read":
		return "uri", true
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId", true
	}
	return "", false
}

var (
	posts = []string{"POST"}
	gets  = []string{"GET"}
	every = []string{"POST", "GET", "DELETE"}
)

// The first revision has another transport, with two addresses: what is sent
// is posted, and what comes back comes on the GET. The newest has only POST.
var headers = []header{
	{name: "Content-Type", verbs: posts, handshake: true},
	{name: "Accept", verbs: gets, span: until(lastHandshake)},
	{name: "Accept", verbs: posts, handshake: true, span: since(R20250326)},
	{name: "Mcp-Session-Id", verbs: every, span: span{R20250326, lastHandshake}},
	{name: "Last-Event-ID", verbs: gets, span: span{R20250326, lastHandshake}},
	{name: "MCP-Protocol-Version", verbs: every, span: span{R20250618, lastHandshake}},
	{name: "MCP-Protocol-Version", verbs: posts, span: since(newest)},
	{name: "Mcp-Method", verbs: posts, span: since(newest)},
	{name: "Mcp-Name", verbs: posts, span: since(newest), named: true},
}
