package peer

import (
	"fmt"

	"mcptea/client/jsonrpc"
)

// The error codes of MCP.
const (
	// codeResourceNotFound is what resources/read answers for an unknown uri in
	// the revisions with a handshake.
	codeResourceNotFound = -32002
	// CodeURLRequired says that a page has to be opened first (2025-11-25).
	CodeURLRequired = -32042

	// The codes that came with 2026-07-28.
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
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
