//go:build !bareserver

package peer

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/check"
)

// checkArguments compares the arguments of a call with the tool's schema.
func (e *Entry) checkArguments(args json.RawMessage) error {
	if e.Unchecked {
		return nil
	}
	if wrong, ok := check.Compile(jsonrpc.Get(e.Wire, "inputSchema"), check.Options{}).Check(args); ok && wrong != nil {
		return fmt.Errorf("%s %s", strings.TrimPrefix(wrong.About, "/"), wrong.Reason)
	}
	return nil
}
