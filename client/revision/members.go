package revision

import "slices"

// join concatenates members.
func join(parts ...[]Member) []Member { return slices.Concat(parts...) }

// limit restricts members to some revisions.
func limit(s span, members ...Member) []Member {
	for i := range members {
		members[i].span = s
	}
	return members
}

var (
	paged   = []Member{may("cursor")}
	page    = []Member{may("nextCursor")}
	subject = []Member{need("uri")}
	task    = []Member{need("taskId")}

	// asTask requests a task (2025-11-25, basic / utilities / tasks).
	asTask = []Member{may("task").only(R20251125)}
	// retried are the params of a request that is sent again with input
	// (2026-07-28, basic / patterns / MRTR).
	retried = []Member{may("inputResponses").since(newest), may("requestState").since(newest)}
	// cacheable are the members for caching (2026-07-28, server / utilities /
	// caching).
	cacheable = []Member{need("ttlMs").since(newest), need("cacheScope").since(newest)}

	// taskState is the status of a task of 2025-11-25; times are milliseconds.
	taskState = limit(only(R20251125),
		need("taskId"), need("status"), may("statusMessage"), need("createdAt"), need("lastUpdatedAt"),
		need("ttl"), may("pollInterval"))
	// taskOutcome is the status of a task of the extension, which contains the
	// outcome (2026-07-28, extensions / tasks).
	taskOutcome = limit(only(newest),
		need("taskId"), need("status"), may("statusMessage"), need("createdAt"), need("lastUpdatedAt"),
		need("ttlMs"), may("pollIntervalMs"), may("inputRequests"), may("result"), may("error"))
)

// params by method (specification, the page of each method).
var params = map[string][]Member{
	"initialize":               {need("protocolVersion"), need("capabilities"), need("clientInfo")},
	"tools/list":               paged,
	"tools/call":               join([]Member{need("name"), may("arguments")}, asTask, retried),
	"resources/list":           paged,
	"resources/templates/list": paged,
	"resources/read":           join(subject, retried),
	"resources/subscribe":      subject,
	"resources/unsubscribe":    subject,
	"subscriptions/listen":     {need("notifications")},
	"prompts/list":             paged,
	"prompts/get":              join([]Member{need("name"), may("arguments")}, retried),
	"completion/complete":      {need("ref"), need("argument"), may("context").since(R20250618)},
	"logging/setLevel":         {need("level")},
	"tasks/get":                task,
	"tasks/result":             task,
	"tasks/list":               paged,
	"tasks/cancel":             task,
	"tasks/update":             join(task, []Member{need("inputResponses")}),
	"sampling/createMessage": join([]Member{
		need("messages"), need("maxTokens"), may("modelPreferences"), may("systemPrompt"), may("includeContext"),
		may("temperature"), may("stopSequences"), may("metadata"),
		may("tools").since(R20251125), may("toolChoice").since(R20251125),
	}, asTask),
	// Since 2025-11-25 the mode decides: a form requires the schema, a URL the url.
	"elicitation/create": join([]Member{
		need("message"), need("requestedSchema").only(R20250618), may("requestedSchema").since(R20251125),
		may("mode").since(R20251125), may("url").since(R20251125), may("elicitationId").only(R20251125),
	}, asTask),

	"notifications/cancelled": {need("requestId"), may("reason")},
	"notifications/progress": {
		need("progressToken"), need("progress"), may("total"), may("message").since(R20250326),
	},
	"notifications/message":                    {need("level"), may("logger"), need("data")},
	"notifications/resources/updated":          subject,
	"notifications/elicitation/complete":       {need("elicitationId")},
	"notifications/tasks/status":               taskState,
	"notifications/tasks":                      taskOutcome,
	"notifications/subscriptions/acknowledged": {need("notifications")},
}

// results by method; those of other methods are empty.
var results = map[string][]Member{
	"initialize":               {need("protocolVersion"), need("capabilities"), need("serverInfo"), may("instructions")},
	"server/discover":          join([]Member{need("supportedVersions"), need("capabilities"), may("instructions")}, cacheable),
	"tools/list":               join([]Member{need("tools")}, page, cacheable),
	"tools/call":               {need("content"), may("isError"), may("structuredContent").since(R20250618)},
	"resources/list":           join([]Member{need("resources")}, page, cacheable),
	"resources/templates/list": join([]Member{need("resourceTemplates")}, page, cacheable),
	"resources/read":           join([]Member{need("contents")}, cacheable),
	"subscriptions/listen":     {need("_meta")}, // with the subscription id
	"prompts/list":             join([]Member{need("prompts")}, page, cacheable),
	"prompts/get":              {may("description"), need("messages")},
	"completion/complete":      {need("completion")},
	"tasks/get":                join(taskState, taskOutcome),
	"tasks/list":               join([]Member{need("tasks")}, page),
	"tasks/cancel":             taskState,
	"sampling/createMessage":   {need("role"), need("content"), need("model"), may("stopReason")},
	"roots/list":               {need("roots")},
	"elicitation/create":       {need("action"), may("content")},
}

// levels are those of RFC 5424 in all revisions.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Levels returns the log levels, least severe first (specification, server /
// utilities / logging).
func Levels() []string { return slices.Clone(levels) }

// The members of _meta that replace the handshake: of the client in each request, of
// the server in each result (2026-07-28, basic, "_meta").
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
)

// Other members of _meta that MCP defines.
const (
	// MetaLogLevel requests the log messages of one request (2026-07-28).
	MetaLogLevel = "io.modelcontextprotocol/logLevel"
	// MetaSubscriptionID is the subscription of a message (2026-07-28).
	MetaSubscriptionID = "io.modelcontextprotocol/subscriptionId"
	// MetaRelatedTask is the task of a message (2025-11-25).
	MetaRelatedTask = "io.modelcontextprotocol/related-task"
)
