package lint

import (
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// What an ordinary frame costs: a log message in a session that has begun.
func BenchmarkOrdinaryFrame(b *testing.B) {
	e := New(func(Finding) {})
	now := time.Unix(1_800_000_000, 0)
	feed := func(dir transport.Direction, text string) {
		e.Frame(Frame{Frame: transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: now, Dir: dir, Ending: "\n"}})
	}
	feed(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	feed(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	feed(transport.Out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	line := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"demo","data":{"n":12345,"text":"one line of a log"}}}`)
	env := jsonrpc.Scan(line)
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		e.Frame(Frame{Frame: transport.Frame{Bytes: line, Envelope: env, Time: now, Dir: transport.In, Ending: "\n"}})
	}
}
