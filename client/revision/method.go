package revision

import "strings"

// Sender is who may send a method.
type Sender uint8

// The senders; Both is their union.
const (
	Client Sender = 1 << iota
	Server
	Both = Client | Server
)

// Method is a request or notification of MCP.
type Method struct {
	Name   string
	Sender Sender
	// Params is a template of params for somebody who composes the frame by
	// hand, in the newest form; empty when the method takes none.
	Params string

	since, until Revision // first and last revision that has it
}

// IsNotification reports whether the method gets no answer.
func (m Method) IsNotification() bool { return strings.HasPrefix(m.Name, "notifications/") }

// Progresses reports whether a client may well ask for progress: work that can
// take a while.
func (m Method) Progresses() bool {
	switch m.Name {
	case "tools/call", "resources/read", "prompts/get":
		return true
	}
	return false
}

// In reports whether a revision has the method. An unknown revision is taken
// for one that has everything, since nothing is known against it.
func (m Method) In(r Revision) bool {
	i := r.index()
	return i < 0 || m.since.index() <= i && i <= m.until.index()
}

// Lookup finds a method by its exact name.
func Lookup(name string) (Method, bool) {
	for _, m := range methods {
		if m.Name == name {
			return m, true
		}
	}
	return Method{}, false
}

// Methods lists what a sender may send in a revision, requests first.
func Methods(r Revision, s Sender) []Method {
	var found []Method
	for _, m := range methods {
		if m.Sender&s != 0 && m.In(r) {
			found = append(found, m)
		}
	}
	return found
}

const (
	first = R20241105
	last  = R20260728
	leg   = R20251125 // the last revision with sessions
)

var methods = []Method{
	{"initialize", Client, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"","version":""}}`, first, leg},
	{"server/discover", Client, `{}`, last, last},
	{"ping", Both, ``, first, leg},
	{"tools/list", Client, ``, first, last},
	{"tools/call", Client, `{"name":"","arguments":{}}`, first, last},
	{"resources/list", Client, ``, first, last},
	{"resources/templates/list", Client, ``, first, last},
	{"resources/read", Client, `{"uri":""}`, first, last},
	{"resources/subscribe", Client, `{"uri":""}`, first, leg},
	{"resources/unsubscribe", Client, `{"uri":""}`, first, leg},
	{"subscriptions/listen", Client, `{"notifications":{"toolsListChanged":true}}`, last, last},
	{"prompts/list", Client, ``, first, last},
	{"prompts/get", Client, `{"name":"","arguments":{}}`, first, last},
	{"completion/complete", Client, `{"ref":{"type":"ref/prompt","name":""},"argument":{"name":"","value":""}}`, first, last},
	{"logging/setLevel", Client, `{"level":"debug"}`, first, leg},
	{"tasks/get", Both, `{"taskId":""}`, R20251125, last},
	{"tasks/result", Both, `{"taskId":""}`, R20251125, leg},
	{"tasks/list", Both, ``, R20251125, leg},
	{"tasks/cancel", Both, `{"taskId":""}`, R20251125, last},
	{"tasks/update", Client, `{"taskId":"","inputResponses":{}}`, last, last},
	{"sampling/createMessage", Server, ``, first, leg},
	{"roots/list", Server, ``, first, leg},
	{"elicitation/create", Server, ``, R20250618, leg},
	{"notifications/initialized", Client, ``, first, leg},
	{"notifications/cancelled", Both, `{"requestId":1,"reason":""}`, first, last},
	{"notifications/progress", Both, `{"progressToken":1,"progress":1,"total":2}`, first, last},
	{"notifications/roots/list_changed", Client, ``, first, leg},
	{"notifications/message", Server, ``, first, last},
	{"notifications/tools/list_changed", Server, ``, first, last},
	{"notifications/prompts/list_changed", Server, ``, first, last},
	{"notifications/resources/list_changed", Server, ``, first, last},
	{"notifications/resources/updated", Server, ``, first, last},
	{"notifications/elicitation/complete", Server, ``, R20251125, leg},
	{"notifications/tasks/status", Both, ``, R20251125, leg},
	{"notifications/tasks", Server, ``, last, last},
	{"notifications/subscriptions/acknowledged", Server, ``, last, last},
}
