package form

import (
	"strings"

	"mcptea/client/jsonrpc"
)

// maxSchemaShown is the maximum size of a displayed schema, in bytes.
const maxSchemaShown = 64 << 10

// SchemaLines formats a JSON Schema for reading. It returns nil if there is no schema, or if the
// schema is large. The lines are untrusted.
func SchemaLines(raw []byte) []string {
	if len(raw) == 0 || len(raw) > maxSchemaShown {
		return nil
	}
	return strings.Split(jsonrpc.Indented(raw), "\n")
}
