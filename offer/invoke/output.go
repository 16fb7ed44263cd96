package invoke

import (
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
)

// OutputProblems returns the differences between the result of a tool and its outputSchema.
func OutputProblems(output schema.Form, result []byte) (found []string) {
	structured, ok := jsonrpc.Member(result, "structuredContent")
	if !ok {
		return []string{"the tool has an outputSchema, but the result has no structuredContent"}
	}
	for _, w := range output.Check(structured) {
		found = append(found, "structuredContent does not follow the outputSchema: "+w.Error())
	}
	return found
}
