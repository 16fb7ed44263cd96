package revision

import "slices"

// join puts members together that several methods share.
func join(parts ...[]Member) []Member { return slices.Concat(parts...) }

// limit gives members to some revisions only.
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

	// asTask asks for the answer as a task (2025-11-25, basic / utilities /
	// tasks).
	asTask = []Member{may("task").only(R20251125)}
	// retried is what comes with a request that is sent again with the input
	// it lacked (2026-07-28, basic / patterns / MRTR).
	retried = []Member{may("inputResponses").since(newest), may("requestState").since(newest)}
	// cacheable tells for how long a result holds, and for whom (2026-07-28,
	// server / utilities / caching).
	cacheable = []Member{need("ttlMs").since(newest), need("cacheScope").since(newest)}

	// taskState is a task as it stands, with times in milliseconds.
	taskState = limit(only(R20251125),
		need("taskId"), need("status"), may("statusMessage"), need("createdAt"), need("lastUpdatedAt"),
		need("ttl"), may("pollInterval"))
	// taskOutcome is the same in the extension that came after, where it has
	// its outcome in it (2026-07-28, extensions / tasks).
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
	// Since 2025-11-25 it is the mode that decides about the rest: a form
	// needs its schema, and a page its address.
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

// results by method; what is not here has an empty one.
var results = map[string][]Member{
	"initialize":               {need("protocolVersion"), need("capabilities"), need("serverInfo"), may("instructions")},
	"server/discover":          join([]Member{need("supportedVersions"), need("capabilities"), may("instructions")}, cacheable),
	"tools/list":               join([]Member{need("tools")}, page, cacheable),
	"tools/call":               {need("content"), may("isError"), may("structuredContent").since(R20250618)},
	"resources/list":           join([]Member{need("resources")}, page, cacheable),
	"resources/templates/list": join([]Member{need("resourceTemplates")}, page, cacheable),
	"resources/read":           join([]Member{need("contents")}, cacheable),
	"subscriptions/listen":     {need("_meta")}, // which names the subscription
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
