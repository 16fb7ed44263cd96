package revision

// TasksExtension is the official extension that replaced the tasks of 2025-11-25
// (2026-07-28, extensions / tasks).
const TasksExtension = "io.modelcontextprotocol/tasks"

// AppsExtension is MCP Apps, and AppsMIMEType the type of the document of an app, exact
// (io.modelcontextprotocol/ui, 2026-01-26). Its members are not in the schemas.
const (
	AppsExtension = "io.modelcontextprotocol/ui"
	AppsMIMEType  = "text/html;profile=mcp-app"
)

// SkillsExtension is the extension for servers that offer skills (SEP-2640). A skill consists of
// files of instructions for a model. The files are resources.
const SkillsExtension = "io.modelcontextprotocol/skills"

const (
	newest        = R20260728
	lastHandshake = NewestHandshake
)

// path returns the path of a capability.
func path(names ...string) []string { return names }

// always and handshakeOnly return the ways of methods of all revisions, and of methods that were removed with
// the handshake.
func always(s Sender, needs ...string) []way { return []way{{sender: s, needs: needs}} }

func handshakeOnly(s Sender, needs ...string) []way {
	return []way{{span: until(lastHandshake), sender: s, needs: needs}}
}

// serverRequest returns the ways of a request of the server, which is embedded in a result
// since 2026-07-28.
func serverRequest(first Revision, needs string) []way {
	return []way{
		{span: span{first, lastHandshake}, sender: Server, needs: path(needs)},
		{span: only(newest), sender: Server, needs: path(needs), embedded: true},
	}
}

// tasks returns the way of the requests for tasks of the other side (2025-11-25).
func tasks(needs ...string) way { return way{span: only(lastHandshake), sender: Both, needs: needs} }

// taskExtension returns the way of the requests of the tasks extension.
func taskExtension(s Sender) way {
	return way{span: only(newest), sender: s, needs: path("extensions", TasksExtension)}
}

// skills returns the way of the requests of the skills extension, in each revision whose
// servers can declare it.
func skills(more ...string) []way {
	return []way{{span: since(R20250618), sender: Client, needs: append(path("extensions", SkillsExtension), more...)}}
}

var methods = []Method{
	{
		Name: "initialize", ways: handshakeOnly(Client), notCancellable: true,
		Params: `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"","version":""}}`,
	},
	{Name: "server/discover", ways: []way{{span: only(newest), sender: Client}}, Params: `{}`},
	{Name: "ping", ways: handshakeOnly(Both), notCancellable: true},
	{Name: "tools/list", ways: always(Client, "tools")},
	{Name: "tools/call", ways: always(Client, "tools"), progress: true, Params: `{"name":"","arguments":{}}`},
	{Name: "resources/list", ways: always(Client, "resources")},
	{Name: "resources/templates/list", ways: always(Client, "resources")},
	{Name: "resources/read", ways: always(Client, "resources"), progress: true, Params: `{"uri":""}`},
	{Name: "resources/subscribe", ways: handshakeOnly(Client, "resources", "subscribe"), Params: `{"uri":""}`},
	{Name: "resources/unsubscribe", ways: handshakeOnly(Client, "resources", "subscribe"), Params: `{"uri":""}`},
	// Each kind of subscription requires a different capability.
	{
		Name: "subscriptions/listen", ways: []way{{span: only(newest), sender: Client}}, lasts: true,
		Params: `{"notifications":{"toolsListChanged":true}}`,
	},
	{Name: "prompts/list", ways: always(Client, "prompts")},
	{Name: "prompts/get", ways: always(Client, "prompts"), progress: true, Params: `{"name":"","arguments":{}}`},
	// 2024-11-05 has the method without a capability.
	{
		Name:   "completion/complete",
		ways:   []way{{span: only(R20241105), sender: Client}, {span: since(R20250326), sender: Client, needs: path("completions")}},
		Params: `{"ref":{"type":"ref/prompt","name":""},"argument":{"name":"","value":""}}`,
	},
	{Name: "logging/setLevel", ways: handshakeOnly(Client, "logging"), Params: `{"level":"debug"}`},
	{Name: "tasks/get", ways: []way{tasks("tasks"), taskExtension(Client)}, Params: `{"taskId":""}`},
	{Name: "tasks/result", ways: []way{tasks("tasks")}, Params: `{"taskId":""}`},
	{Name: "tasks/list", ways: []way{tasks("tasks", "list")}},
	{Name: "tasks/cancel", ways: []way{tasks("tasks", "cancel"), taskExtension(Client)}, notCancellable: true, Params: `{"taskId":""}`},
	{Name: "tasks/update", ways: []way{taskExtension(Client)}, notCancellable: true, Params: `{"taskId":"","inputResponses":{}}`},
	{Name: "skills/list", ways: skills()},
	{Name: "skills/get", ways: skills(), Params: `{"uri":""}`},
	{Name: "resources/directory/read", ways: skills("directoryRead"), Params: `{"uri":""}`},
	{Name: EventsList, ways: eventRequest()},
	{Name: EventsPoll, ways: eventRequest(), Params: `{"name":"","arguments":{},"cursor":null}`},
	{Name: EventsStream, ways: eventRequest(), lasts: true, Params: `{"name":"","arguments":{},"cursor":null}`},
	{
		Name: EventsSubscribe, ways: eventRequest(),
		Params: `{"name":"","arguments":{},"delivery":{"mode":"webhook","url":"","secret":""},"cursor":null}`,
	},
	{Name: EventsUnsubscribe, ways: eventRequest(), Params: `{"name":"","arguments":{},"delivery":{"url":""}}`},
	{Name: "sampling/createMessage", ways: serverRequest("", "sampling"), progress: true},
	{Name: "roots/list", ways: serverRequest("", "roots")},
	{Name: "elicitation/create", ways: serverRequest(R20250618, "elicitation"), progress: true},

	{Name: "notifications/initialized", ways: handshakeOnly(Client)},
	{Name: "notifications/cancelled", ways: always(Both), Params: `{"requestId":1,"reason":""}`},
	{
		Name: "notifications/progress", ways: []way{{sender: Server}, {span: until(lastHandshake), sender: Client}},
		Params: `{"progressToken":1,"progress":1,"total":2}`,
	},
	{Name: "notifications/roots/list_changed", ways: handshakeOnly(Client, "roots", "listChanged")},
	{Name: "notifications/message", ways: always(Server, "logging")},
	{Name: "notifications/tools/list_changed", ways: always(Server, "tools", "listChanged")},
	{Name: "notifications/prompts/list_changed", ways: always(Server, "prompts", "listChanged")},
	{Name: "notifications/resources/list_changed", ways: always(Server, "resources", "listChanged")},
	{Name: "notifications/resources/updated", ways: always(Server, "resources", "subscribe")},
	{Name: "notifications/elicitation/complete", ways: []way{{span: only(lastHandshake), sender: Server}}},
	{
		Name: "notifications/tasks/status", ways: []way{tasks("tasks")},
		Params: `{"taskId":"","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}`,
	},
	{Name: "notifications/tasks", ways: []way{taskExtension(Server)}},
	{Name: EventsActive, ways: eventNotification()},
	{Name: EventsEvent, ways: eventNotification()},
	{Name: EventsHeartbeat, ways: eventNotification()},
	{Name: EventsError, ways: eventNotification()},
	{Name: EventsTerminated, ways: eventNotification()},
	{Name: EventsListChanged, ways: eventNotification("listChanged")},
	{Name: "notifications/subscriptions/acknowledged", ways: []way{{span: only(newest), sender: Server}}},
}
