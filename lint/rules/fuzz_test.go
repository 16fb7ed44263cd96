package rules

import (
	"bytes"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// FuzzEngine feeds any lines, those of odd numbers from the server, and lets
// time pass after each.
func FuzzEngine(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"x":1}}}}}
{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s","ttlMs":1}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w","inputResponses":{"b":1},"requestState":"s","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"t","status":"failed","result":{},"ttl":1}}
{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{"taskIds":["t"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t","status":"working","_meta":{"io.modelcontextprotocol/subscriptionId":3}}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"tools/list"},[],7]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e := New(func(finding lint.Finding) {
			if finding.Message == "" || finding.Rule == nil {
				t.Errorf("%+v", finding)
			}
		})
		now := time.Unix(1_800_000_000, 0)
		for i, line := range bytes.Split(text, []byte("\n")) {
			now = now.Add(time.Second)
			e.Frame(lint.Frame{Row: int32(i), Frame: transport.Frame{
				Bytes: line, Envelope: jsonrpc.Scan(line), Time: now, Dir: transport.Direction(i % 2), Ending: "\n",
			}})
			e.Tick(now)
		}
		e.End(now, lint.Ending{Exited: true})
	})
}
