package form

import (
	"strings"

	"mcptea/client/jsonrpc"
)

// maxSchemaShown is how large a schema may be that is shown, in bytes.
const maxSchemaShown = 64 << 10

// SchemaLines lays a JSON Schema out to be read; none without one, or when it is large. They are
// untrusted text.
func SchemaLines(raw []byte) []string {
	if len(raw) == 0 || len(raw) > maxSchemaShown {
		return nil
	}
	return strings.Split(jsonrpc.Indented(raw), "\n")
}
