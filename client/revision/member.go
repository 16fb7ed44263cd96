package revision

import (
	"slices"
	"strings"
)

// ParamMembers returns the params of the method in a revision, with _meta only if it
// is required (2026-07-28, basic, "_meta").
func (m Method) ParamMembers(r Revision) []Member { return membersOf(Shape(m.Name+".params"), r) }

// ResultMembers returns the members of a complete result of the method; a result that
// requests input, or of a created task, has others. It has _meta only if that is
// required. A notification has none.
func (m Method) ResultMembers(r Revision) []Member { return membersOf(Shape(m.Name+".result"), r) }

func membersOf(s Shape, r Revision) []Member {
	members := s.Members(r)
	if slices.ContainsFunc(shapes()[s], func(m Member) bool { return m.Name == "_meta" && m.Required && m.has(r) }) {
		return members
	}
	return slices.DeleteFunc(members, func(m Member) bool { return m.Name == "_meta" })
}

// Levels returns the log levels, least severe first (specification, server /
// utilities / logging).
func Levels() []string {
	var levels []string
	for _, m := range shapes()["notifications/message.params"] {
		if m.Name == "level" {
			for _, value := range m.types() {
				levels = append(levels, strings.Trim(value, `"`))
			}
		}
	}
	return levels
}

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
