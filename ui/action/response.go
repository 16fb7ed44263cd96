package action

import (
	"mcptea/client/jsonrpc"
)

// Reply answers a request of the server.
type Reply struct {
	ID     jsonrpc.ID
	How    Response
	Result []byte // with RespondResult
	Code   int64  // with RespondError, and so is the message
	Text   string
}

// Response is a way to respond to a request of the server.
type Response uint8

// The ways.
const (
	RespondResult  Response = iota
	RespondDecline          // "no", as the kind of request says it
	RespondCancel           // cancel: the user made no choice
	RespondError
	CallAgain // send the call again whose error named a page
)

// DecideAgentCall decides about a call of an agent that shares the session.
type DecideAgentCall struct {
	ID     int
	Agreed bool
}

func (Reply) action()           {}
func (DecideAgentCall) action() {}
