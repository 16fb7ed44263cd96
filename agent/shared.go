package agent

import (
	"cmp"
	"errors"

	"mcptea/client"
	"mcptea/session/session"
)

// sharedName is the connection of an inspector.
const sharedName = "inspector"

// errShared is returned by the tools that open and close connections.
var errShared = errors.New("this is the session of an inspector, whose connection the user controls; mcptea mcp without --attach opens connections of its own")

// confirm asks the user to consent to a tool's action in the session of an inspector, which the user shares.
// The agent's own connections need no consent.
func (t turn) confirm(tool, arguments string) error {
	if t.shared == nil {
		return nil
	}
	return t.shared.Confirm(t, cmp.Or(clip(t.client.ClientName(), 60), "agent"), tool, arguments)
}

// sent records a call in the session of an inspector.
func (c *connection) sent(call *session.Call) {
	if c.shared != nil {
		c.shared.Sent(call)
	}
}

// isReadOnly reports whether the tools of the server with this name are annotated as read-only.
func (c *connection) isReadOnly(tool string) bool {
	return c.s.State().Lists[client.Tools.Name].IsReadOnly(tool)
}
