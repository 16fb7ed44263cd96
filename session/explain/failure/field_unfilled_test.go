//go:build unix

package failure_test

import (
	"net/http"
	"testing"

	"mcptea/client"
)

// with returns a target of a server over HTTP, with a header.
func with(name, value string, serve http.HandlerFunc) func(t *testing.T) client.Target {
	return func(t *testing.T) client.Target {
		target := serves(serve)(t)
		target.Header = http.Header{name: {value}}
		return target
	}
}

// unfilled are failures of a value that nothing has replaced.
var unfilled = register([]broken{
	{
		name: "a variable in a header", target: with("Authorization", "Bearer ${TEA_TOKEN}", replies(401, "application/json", `{"error":"Invalid token"}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "Invalid token".`,
		cause:    "Nothing has replaced ${TEA_TOKEN} in the header Authorization with the value of a variable: it was sent as text.", try: "let the shell fill it in",
	},
	{
		name: "a placeholder in a header", target: with("X-Api-Key", "YOUR_API_KEY", replies(403, "text/plain", "Forbidden")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden.`,
		cause:    "A placeholder is in the header X-Api-Key instead of a value.", try: "Write the value itself there.",
	},
})
