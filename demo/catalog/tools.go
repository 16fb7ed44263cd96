package catalog

import (
	_ "embed" // the schemas
	"encoding/json"

	"mcptea/client/revision"
	"mcptea/demo/peer"
	"mcptea/internal/catalog"
)

var (
	readOnly = &peer.ToolHints{ReadOnlyHint: yes(), OpenWorldHint: no()}
	outside  = &peer.ToolHints{ReadOnlyHint: yes(), OpenWorldHint: yes()}
	changing = &peer.ToolHints{ReadOnlyHint: no(), DestructiveHint: no(), OpenWorldHint: no()}
	wrecking = &peer.ToolHints{
		Title: "Delete everything (not really)", ReadOnlyHint: no(), DestructiveHint: yes(),
		IdempotentHint: yes(), OpenWorldHint: no(),
	}
)

// What only newer revisions have.
var (
	since2025 = peer.Visible{From: revision.R20251125}
	since2026 = peer.Visible{From: revision.R20260728}
)

// tools is the table of tools, in the order in which they are listed: plain
// ones, ones with odd schemas, ones that take their time, ones that fail, ones
// with odd content, ones that ask back, ones that change something, and what
// takes several rounds or works as a task.
func tools(icon string) []peer.Tool {
	tea := []peer.Icon{{Src: icon, MIMEType: "image/png", Sizes: []string{"16x16"}}}
	all := []peer.Tool{
		{Name: "echo", Title: "Echo", Description: "Says back what you said", Annotations: readOnly, Icons: tea, Run: echo},
		{Name: "add", Title: "Add", Description: "Adds two numbers; the second is 1 if left out", Annotations: readOnly, Run: add},
		{Name: "greet", Title: "Greet", Description: "Greets a person in a language and a tone", Annotations: readOnly, Run: greet},
		{Name: "weather", Title: "Weather", Description: "Tells the weather of a city as structured content; it is made up, but always the same", Annotations: outside, Run: weather},
		{Name: "search", Title: "Search", Description: "Searches a small library; shows a nested object, an array and optional fields", Annotations: readOnly, Run: search},
		{Name: "make-report", Title: "Make a report", Description: "Makes a Markdown table out of an array of objects", Annotations: readOnly, Run: makeReport},
		{Name: "no-arguments", Title: "No arguments", Description: "Takes nothing and says so", Annotations: readOnly, Run: noArgumentsTool},
		{Name: "any-json", Title: "Any JSON", Description: "Takes any object and describes it", Annotations: readOnly, Run: anyJSON},
		{Name: "dates", Title: "Dates and formats", Description: "Strings with a format: date, date-time, email, uri, and a pattern", Annotations: readOnly, Run: dates},

		{Name: "long-work", Title: "Long work", Description: "Works for a while and reports progress with a total; can be cancelled", Annotations: readOnly, Waits: true, Run: longWork},
		{Name: "count-up", Title: "Count up", Description: "Reports progress without a total", Annotations: readOnly, Waits: true, Run: countUp},
		{Name: "flood", Title: "Flood", Description: "Sends notifications as fast as it can, or at a pace", Annotations: readOnly, Waits: true, Run: flood},
		{Name: "slow-answer", Title: "Slow answer", Description: "Answers after some seconds of silence", Annotations: readOnly, Waits: true, Task: peer.TaskForbidden, Run: slowAnswer},
		{Name: "never-answer", Title: "Never answer", Description: "Does not answer until it is cancelled, and then not either", Annotations: readOnly, Waits: true, Run: neverAnswer},

		{Name: "fail", Title: "Fail", Description: "Runs and fails: a result with isError", Annotations: readOnly, Run: fail},
		{Name: "fail-protocol", Title: "Fail in the protocol", Description: "Answers with a JSON-RPC error of your choice", Annotations: readOnly, Run: failProtocol},

		{Name: "big-answer", Title: "Big answer", Description: "Answers with a lot of text", Annotations: readOnly, Waits: true, Run: bigAnswer},
		{Name: "content", Title: "Every kind of content", Description: "Text, Markdown, a picture, sound, embedded resources and a link", Annotations: readOnly, Icons: tea, Run: content},
		{Name: "escape-art", Title: "Escape art", Description: "Text that would move the cursor, change colours and reorder letters if a terminal obeyed it", Annotations: readOnly, Run: escapeArt},

		{Name: "ask-user", Title: "Ask the user", Description: "Asks you to fill in a form or to open a page (elicitation)", Annotations: readOnly, Waits: true, Run: askUser},
		{Name: "ask-model", Title: "Ask the model", Description: "Asks your model a question (sampling)", Annotations: outside, Waits: true, Run: askModel},
		{Name: "list-roots", Title: "List roots", Description: "Asks which folders it may look at (roots)", Annotations: readOnly, Waits: true, Run: listRoots},
		{Name: "ping-client", Title: "Ping the client", Description: "Sends a ping and waits for the answer", Annotations: readOnly, Waits: true, Run: pingClient, Visible: peer.Visible{Until: revision.R20251125}},

		{Name: "log", Title: "Log", Description: "Sends one log message, if the level set lets it through", Annotations: readOnly, Run: logMessage},
		{Name: "change-tools", Title: "Change the tools", Description: "Adds the tool surprise, or takes it away, and says that the list changed", Annotations: changing, Run: changeTools},
		{Name: "touch-resource", Title: "Touch a resource", Description: "Sends notifications/resources/updated to the subscribers of a resource", Annotations: changing, Run: touchResource},
		{Name: "delete-everything", Title: "Delete everything", Description: "Claims to be destructive, and does nothing", Annotations: wrecking, Run: deleteEverything},

		{Name: "change-list", Title: "Change a list", Description: "Adds a surprise to the tools, the prompts or the resources, or takes it away", Annotations: changing, Run: changeList},
		{Name: "ask-twice", Title: "Ask twice", Description: "Asks for an order, and then whether it is right", Annotations: readOnly, Waits: true, Run: askTwice, Visible: peer.Visible{From: revision.R20250618}},
		{Name: "ask-all", Title: "Ask for everything", Description: "Asks for everything that the client declared: form, model, page", Annotations: readOnly, Waits: true, Run: askAll, Visible: peer.Visible{From: revision.R20250618}},
		{Name: "think-twice", Title: "Think twice", Description: "Asks nothing, but makes the client come back two times with the state of the call", Annotations: readOnly, Run: thinkTwice, Visible: since2026},
		{Name: "brew", Title: "Brew", Description: "Brews tea; can work as a task, ask on the way, and go wrong", Annotations: readOnly, Waits: true, Task: peer.TaskOptional, Run: brew, Visible: since2025},
		{Name: "brew-task", Title: "Brew as a task", Description: "Brews tea as a task and in no other way", Annotations: readOnly, Waits: true, Task: peer.TaskRequired, Run: brew, Visible: since2025},
		{Name: "send-order", Title: "Send an order", Description: "Its arguments are mirrored in HTTP headers, for intermediaries", Annotations: readOnly, Run: sendOrder, Visible: since2026},
		{Name: "end-subscriptions", Title: "End the subscriptions", Description: "Ends all subscriptions as a server does that shuts down", Annotations: changing, Run: endSubscriptions, Visible: since2026},
		{Name: "surprise", Title: "Surprise", Description: "Is only there after change-tools", Annotations: readOnly, Run: surprise, Visible: peer.Visible{Hidden: true}},
	}
	schemas := map[string]toolSchemas{}
	for _, row := range catalog.Read[toolSchemas](schemaTable) {
		schemas[row.Tool] = row
	}
	for i := range all {
		row := schemas[all[i].Name]
		all[i].Input, all[i].Output = row.Input, row.Output
	}
	return all
}

// toolSchemas are the schemas of a tool, as they cross the wire.
type toolSchemas struct {
	Tool          string
	Input, Output json.RawMessage
}

//go:embed schemas.jsonl
var schemaTable []byte
