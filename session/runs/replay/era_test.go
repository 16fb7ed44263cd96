package replay_test

import (
	"strings"
	"testing"

	"mcptea/session/runs/replay"
)

const withHandshake = `
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"tea","version":"2"},"instructions":"Ask."}}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{ "tools":[{"name":"brew"}] }}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"brew"}}
< {"jsonrpc":"2.0","id":"s1","method":"roots/list"}
> {"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[],"_meta":{"a":1}}}`

const stateless = `
> {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"x/y":{}}},"ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"tea","version":"2"}}}}
> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":"brew"}],"ttlMs":60000,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"tea","version":"2"}}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"brew","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"x","inputRequests":{}}}`

// A recording with a handshake serves a client of 2026-07-28: what each result has there is added, and what a server
// cannot request there is left out and reported.
func TestMock_StatelessClientOfARecordingWithHandshake(t *testing.T) {
	var reported []string
	p := connect(t, withHandshake, replay.MockOptions{Stateless: true, Report: func(text string) { reported = append(reported, text) }})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	const info = `"io.modelcontextprotocol/serverInfo":{"name":"tea","version":"2"}`
	p.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},"instructions":"Ask.","supportedVersions":["2026-07-28","2025-06-18"],"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + info + `}}}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta + `}}`)
	p.want(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"brew"}],"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + info + `}}}`)
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"brew",` + meta + `}}`)
	p.want(`{"jsonrpc":"2.0","id":3,"result":{"content":[],"resultType":"complete","_meta":{"a":1,` + info + `}}}`)
	p.close()
	if text := strings.Join(reported, "\n"); !strings.Contains(text, "the recording has no server/discover") || !strings.Contains(text, "frame 6, roots/list, is left out") {
		t.Errorf("reported %q", reported)
	}
}

// A stateless recording serves a client with a handshake: what only 2026-07-28 has is left out, and a result that cannot
// be told is an error that says so.
func TestMock_HandshakeClientOfAStatelessRecording(t *testing.T) {
	p := connect(t, stateless, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},"protocolVersion":"2025-06-18","serverInfo":{"name":"tea","version":"2"}}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	p.want(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"brew"}]}}`)
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"brew"}}`)
	p.want(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"the recorded result of tools/call is \"input_required\", which is possible only in 2026-07-28"}}`)
	p.close()
}

// A recorded refusal of the other handshake is replayed unchanged: the client falls back as in the
// recording.
func TestMock_RecordedRefusalOfTheOtherHandshake(t *testing.T) {
	p := connect(t, `
> {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{}}
< {"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}`+withHandshake, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	p.want(`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}`)
	p.close()
}
