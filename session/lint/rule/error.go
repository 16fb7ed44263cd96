package rule

import (
	"strings"

	"mcptea/client/jsonrpc"
)

// LSPCodes are those of the Language Server Protocol.
var LSPCodes = map[int64]string{
	-32800: "RequestCancelled", -32801: "ContentModified", -32802: "ServerCancelled", -32803: "RequestFailed",
}

// ErrorCode is the code of an error, where that is a whole number.
func ErrorCode(m *Message) (int64, bool) {
	if !m.IsError() {
		return 0, false
	}
	return jsonrpc.Integer(Member(m.Error, "code"))
}

// DescribesMissing reports whether the text of an error, in lower case, says that
// something with one of the names does not exist.
func DescribesMissing(text string, names ...string) bool {
	if ContainsAny(text, "method", "session") {
		return false
	}
	for _, name := range names {
		if strings.Contains(text, "unknown "+name) {
			return true
		}
	}
	return ContainsAny(text, "not found", "does not exist", "doesn't exist", "no such")
}
