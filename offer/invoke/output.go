package invoke

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/check"
)

// Output compares the results of a tool with its outputSchema. A nil Output has no schema.
type Output struct{ schema *check.Schema }

// OutputOf reads an outputSchema. It returns nil if there is none.
func OutputOf(declared []byte) *Output {
	if declared == nil {
		return nil
	}
	return &Output{check.Compile(declared, check.Options{Dialectless: true})}
}

// Problems returns the differences between a result and the schema, up to a bound of package check.
// Each is a clause without a period, and may contain text of the server. An error needs no
// structured content. If it has some, that must match the schema, too: clients that check it refuse
// the result and hide its message.
func (o *Output) Problems(result []byte, isError bool) (found []string) {
	structured, has := jsonrpc.Member(result, "structuredContent")
	switch {
	case o == nil, !has && isError:
		return nil
	case !has:
		return []string{"the tool has an outputSchema, but the result has no structuredContent"}
	}
	what := "structuredContent"
	if isError {
		what += " of this error"
	}
	for _, wrong := range o.schema.Each(structured) {
		found = append(found, what+" does not follow the outputSchema: "+strings.TrimSpace(wrong.About+" "+wrong.Reason))
	}
	return found
}
