package facts

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// deepPlace matches the place of a value, below a first name, before the words of a validator.
var deepPlace = lazyregexp.New(`(?i)(?:^|[\s:,;('"])([a-z_]\w*)((?:\.\w+|\[\d+\])+)['"]?: ?(?:expected|required|invalid|must|should|input)`)

// foreignIn returns the place of a value that a failure rejects, if its first name was neither sent nor is a property of the
// inputSchema, or "". Such a value is the server's own.
func foreignIn(failure string, arguments, properties []byte) string {
	m := deepPlace().FindStringSubmatch(failure)
	if m == nil || strings.HasSuffix(m[2], "Error") || strings.HasSuffix(m[2], "Exception") {
		return "" // the class of an exception is not a place
	}
	for _, object := range [...][]byte{arguments, properties} {
		if _, ok := jsonrpc.Member(object, m[1]); ok {
			return ""
		}
	}
	if slices.Contains(requestRoots[:], m[1]) {
		return ""
	}
	return m[1] + m[2]
}

// requestRoots are names of the request itself, before the name of an argument.
var requestRoots = [...]string{"params", "arguments", "args", "input", "body", "query", "request", "root", "data"}
