package rules

import (
	"slices"
	"strings"
	"testing"

	"mcptea/client/secret"
)

// A redacted header violates nothing that the header itself does not violate.
func TestTrace_RedactedHeaders(t *testing.T) {
	for _, tr := range append(traces(t, "silent"), traces(t, "fires")...) {
		as := ids(play(t, tr))
		redacted := tr
		redacted.context += " headers=redacted"
		for _, f := range play(t, redacted) {
			if !slices.Contains(as, f.Rule.ID) {
				t.Errorf("%s: %s %s: %s\n%s", tr.rule, f.Rule.ID, f.Path, f.Message, strings.Join(tr.lines, "\n"))
			}
		}
	}
}

// A session id of any length, as recordings have it, is judged as what it is.
func TestH014_H015_RedactedSessionID(t *testing.T) {
	const random = "f3d81c0a9b7e42d6a15c"
	for n := 1; n <= len(random); n++ {
		id := random[:n]
		shown := secret.ParseSessionID(id).String()
		found := play(t, trace{rule: "H015", context: "25c+http/new", lines: []string{
			`H> {"m":"POST","h":{"Accept":"application/json, text/event-stream","Content-Type":"application/json"},"b":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}}`,
			`H< {"s":200,"h":{"Content-Type":"application/json","Mcp-Session-Id":"` + shown + `"},"b":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}}`,
			`H> {"m":"POST","h":{"Accept":"application/json, text/event-stream","Content-Type":"application/json","MCP-Protocol-Version":"2025-11-25","Mcp-Session-Id":"` + id + `"},"b":{"jsonrpc":"2.0","method":"notifications/initialized"}}`,
			`H< {"s":202,"h":{}}`,
		}})
		var want []string
		if n < 16 {
			want = []string{"H015"}
		}
		if got := ids(found); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", shown, got, want)
		}
		for _, f := range found {
			if strings.Contains(f.Message, "…\"") != (n > 1) || strings.Contains(f.Message, `"`+id) {
				t.Errorf("%s: %s", shown, f.Message)
			}
		}
	}
}
