package inspector

import (
	"strings"
	"testing"
	"time"

	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
)

// scriptedReactions is a server with one tool that writes what react returns for all
// other frames.
func scriptedReactions(react func(method, id string) string) sessiontest.Serve {
	return sessiontest.Scripted(func(method, id string) string {
		switch method {
		case "initialize":
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`
		case "tools/list":
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[{"name":"weather","inputSchema":{"type":"object"}}]}}`
		case "notifications/initialized":
			return ""
		}
		return react(method, id)
	})
}

// What the composer says of what came back, in each situation.
func TestComposer_Reaction(t *testing.T) {
	raced.Never(t, "repeats one drawing over responses")
	const readsNothing = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: unexpected end"}}`
	for _, c := range []struct {
		name    string
		frame   string
		react   func(method, id string) string
		at      time.Duration // after the frame
		sees    []string
		lacks   string
		history string
	}{
		{
			name: "malformed, with an error without id", frame: `{"jsonrpc":"2.0","id":9,"method":"tools/call"`,
			react: func(string, string) string { return readsNothing },
			sees:  []string{"← error -32700, no id, ", " later: most likely the response", "✗ error -32700", `"Parse error: unexpected end"`}, history: "✗ -32700",
		},
		{
			name: "malformed, with a response to an id that was not sent", frame: `{"jsonrpc":"2.0","id":{"a":1},"method":"tools/call"}`,
			react: func(string, string) string {
				return `{"jsonrpc":"2.0","id":"other","error":{"code":-32600,"message":"id"}}`
			},
			sees: []string{"error -32600, unmatched id", "most likely the response"}, history: "✗ -32600",
		},
		{
			name: "a request that the server cannot read", frame: `{"jsonrpc":"1.0","id":9,"method":"ping"}`,
			react: func(string, string) string { return readsNothing },
			sees:  []string{"error -32700, no id", "most likely the response"}, history: "✗ -32700",
		},
		{
			name: "a batch with an error", frame: `[{"jsonrpc":"2.0","id":9,"method":"ping"}]`,
			react: func(string, string) string {
				return `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`
			},
			sees: []string{"error -32600, no id", "no batches"}, history: "✗ -32600",
		},
		{
			name: "a batch with a response", frame: `[{"jsonrpc":"2.0","id":"b1","method":"ping"}]`,
			react: func(string, string) string { return `[{"jsonrpc":"2.0","id":"b1","result":{}}]` },
			sees:  []string{"← batch", "most likely the response", `"result": {}`}, history: "batch",
		},
		{
			name: "malformed, without a reaction", frame: `{"jsonrpc":`, react: func(string, string) string { return "" },
			sees: []string{"Sent. Waiting for frames.", "waiting for frames"}, at: time.Second, lacks: "A notification has no response",
		},
		{
			name: "malformed, without a reaction in 2 s", frame: `{"jsonrpc":`, react: func(string, string) string { return "" },
			sees: []string{"Sent. No frame came within 2 s.", "none in 2 s"}, at: 3 * time.Second, history: "none in 2 s",
		},
		{
			name: "malformed, with a notification", frame: `{"jsonrpc":`,
			react: func(string, string) string {
				return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"x"}}`
			},
			sees: []string{"← notifications/message, ", "Sent. No response came within 2 s."}, at: 3 * time.Second, lacks: "most likely",
		},
		{
			name: "a notification", frame: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, react: func(string, string) string { return "" },
			sees: []string{"Sent. A notification has no response."}, history: "sent",
		},
		{
			name: "a notification with a response", frame: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			react: func(string, string) string { return `{"id":null,"result":{}}` },
			sees:  []string{"← result, no id", "most likely the response"}, lacks: "has no response",
		},
		{
			name: "an error that names a path, and a name that is not there", frame: `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"wether","arguments":{}}}`,
			react: func(_, id string) string {
				return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"_meta[\"io.modelcontextprotocol/clientCapabilities\"] must be an object"}}`
			},
			sees: []string{`_meta["io.modelcontextprotocol/clientCapabilities"] must be an object`, `also: no tool has the name "wether".`, "→ Did you mean weather?"}, history: "✗ -32602",
		},
	} {
		driveServer(t, 120, 40, scriptedReactions(c.react), func(d *driver) {
			d.press("1c")
			d.within(func() { d.model.ComposeFrame([]byte(c.frame)) })
			if d.model.Painted.Field() == nil {
				t.Fatal("the composer is not open")
			}
			d.within(func() { d.model.Run("send") }) // the first time it warns
			before := d.model.session.Store().Snapshot().Rows
			d.program.Send(pressKey("ctrl+s"))
			d.sleep(max(c.at, 500*time.Millisecond))
			if d.model.session.Store().Snapshot().Rows == before {
				d.program.Send(pressKey("ctrl+s"))
				d.sleep(max(c.at, 500*time.Millisecond))
			}
			t.Run(c.name, func(t *testing.T) {
				d.t = t
				d.sees(c.sees...)
				if c.lacks != "" {
					d.lacks(c.lacks)
				}
				history := d.term.screen()
				history = history[strings.Index(history, "History"):]
				if c.history != "" && !strings.Contains(history, c.history) {
					t.Errorf("the history lacks %q:\n%s", c.history, d.term.screen())
				}
			})
			d.t = t
		})
	}
}
