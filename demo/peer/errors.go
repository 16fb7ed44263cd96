package peer

import (
	"fmt"

	"mcptea/client/jsonrpc"
)

// Error is a failure that crosses the wire as a JSON-RPC error. Any other error
// of a handler becomes -32603.
type Error struct {
	Code    int64
	Message string
	Data    any // left out when nil
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

func invalidParams(format string, args ...any) *Error {
	return &Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func invalidRequest(format string, args ...any) *Error {
	return &Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
}
