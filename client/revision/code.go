package revision

// Code is an error code of the specification.
type Code struct {
	Code int
	Name string

	span
}

// The codes of stateless revisions (2026-07-28, basic, "Error Codes").
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

// Codes returns the error codes of a revision, those of JSON-RPC first (specification,
// basic, "Responses", and the pages of the methods). All others are private to their
// sender.
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
	{Code: -32700, Name: "Parse error"},
	{Code: -32600, Name: "Invalid request"},
	{Code: -32601, Name: "Method not found"},
	{Code: -32602, Name: "Invalid params"},
	{Code: -32603, Name: "Internal error"},
	{-1, "User rejected sampling", until(R20251125)}, // only in examples
	{-32002, "Resource not found", until(R20251125)},
	{-32042, "URL elicitation required", only(R20251125)},
	{CodeHeaderMismatch, "Header mismatch", since(R20260728)},
	{CodeMissingCapability, "Missing required client capability", since(R20260728)},
	{CodeUnsupportedVersion, "Unsupported protocol version", since(R20260728)},
}
