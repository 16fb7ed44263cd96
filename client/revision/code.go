package revision

import "mcptea/client/jsonrpc"

// Code is an error code of the specification.
type Code struct {
	Code int
	Name string

	span
}

// Codes that MCP adds to the codes of JSON-RPC.
const (
	CodeResourceNotFound       = -32002 // used until 2025-11-25
	CodeURLElicitationRequired = -32042 // 2025-11-25
	// Since 2026-07-28 (basic, "Error Codes").
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

// Codes returns the error codes of a revision, JSON-RPC codes first (specification, basic, "Responses", and the
// pages of the methods). All other codes are private to their sender.
func Codes(r Revision) []Code {
	var found []Code
	for _, c := range codes {
		if c.has(r) {
			found = append(found, c)
		}
	}
	return found
}

var codes = []Code{
	{Code: jsonrpc.CodeParseError, Name: "Parse error"},
	{Code: jsonrpc.CodeInvalidRequest, Name: "Invalid request"},
	{Code: jsonrpc.CodeMethodNotFound, Name: "Method not found"},
	{Code: jsonrpc.CodeInvalidParams, Name: "Invalid params"},
	{Code: jsonrpc.CodeInternalError, Name: "Internal error"},
	{-1, "User rejected sampling", until(R20251125)}, // only in examples
	{CodeResourceNotFound, "Resource not found", until(R20251125)},
	{CodeURLElicitationRequired, "URL elicitation required", only(R20251125)},
	{CodeHeaderMismatch, "Header mismatch", since(R20260728)},
	{CodeMissingCapability, "Missing required client capability", since(R20260728)},
	{CodeUnsupportedVersion, "Unsupported protocol version", since(R20260728)},
}
