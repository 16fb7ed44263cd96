package rule

import "mcptea/client/jsonrpc"

// When is the conditions that a message must meet for a rule, all of them.
type When uint16

// The conditions.
const (
	Request When = 1 << iota
	Notification
	Response // a result or an error
	Result
	ErrorResponse
	FromClient
	FromServer
	Stateless  // the message belongs to a stateless revision
	Matched    // a response whose request is known
	Complete   // see [Message.IsCompleteObject]
	ToolResult // see [Message.IsToolResult]
)

var kindConditions = [jsonrpc.Batch + 1]When{
	jsonrpc.Request: Request, jsonrpc.Notification: Notification,
	jsonrpc.Response: Response | Result, jsonrpc.ErrorResponse: Response | ErrorResponse,
}

// setConditions sets the conditions that the message meets, but for those that require a
// look at the result.
func (m *Message) setConditions() {
	m.is = kindConditions[m.Envelope.Kind] | FromClient<<(m.Sender()-Client)
	if m.stateless {
		m.is |= Stateless
	}
	if m.Request != nil {
		m.is |= Matched
	}
}

// meets reports whether the message meets all conditions.
func (m *Message) meets(w When) bool {
	const ofResult = Complete | ToolResult
	return w&^m.is&^ofResult == 0 && (w&Complete == 0 || m.IsCompleteObject()) && (w&ToolResult == 0 || m.IsToolResult())
}
