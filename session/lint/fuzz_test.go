package lint

import (
	"bytes"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// FuzzEngine feeds any lines, those of odd numbers from the server, and lets
// time pass after each.
func FuzzEngine(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"tools/list"},[],7]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e := New(func(finding Finding) {
			if finding.Message == "" || finding.Rule == nil {
				t.Errorf("%+v", finding)
			}
		})
		now := time.Unix(1_800_000_000, 0)
		for i, line := range bytes.Split(text, []byte("\n")) {
			now = now.Add(time.Second)
			e.Frame(Frame{Row: int32(i), Frame: transport.Frame{
				Bytes: line, Envelope: jsonrpc.Scan(line), Time: now, Dir: transport.Direction(i % 2), Ending: "\n",
			}})
			e.Tick(now)
		}
		e.End(now, Ending{Exited: true})
	})
}
