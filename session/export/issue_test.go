package export

import (
	"strings"
	"testing"
	"time"

	"mcptea/record"
)

// tapped is a session of a host that calls a tool which only an earlier list had, with a server
// that has a tool without a description.
func tapped(t *testing.T, closed bool) Source {
	t.Helper()
	r := newRecording("stdio", "node server.js")
	r.bytes = record.AppendHeader(nil, record.Header{Tool: "mcptea 1.2.3 tap cursor/tea", Transport: "stdio", Target: "node server.js", Time: time.Unix(1_800_000_000, 0).UnixNano()})
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: "stdio", Target: "node server.js"}})
	r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"Old | Host","version":"3.1"}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"tea","version":"1.0"}}}`)
	r.frame(out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionReady, Number: 1, Transport: "stdio", Revision: "2025-11-25", Server: "tea 1.0"}})
	r.frame(out, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	r.frame(in, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"brew","inputSchema":{"type":"object"}}]}}`)
	r.frame(out, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	r.frame(in, `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"pour","inputSchema":{"type":"object"}}]}}`)
	r.frame(out, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"brew","arguments":{"api_key":"plantedsecret-0123456789"}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Unknown tool: brew"}}`)
	if closed {
		r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionClosed, Number: 1}})
	}
	return r.source(t)
}

// TestIssue_AboutTheHost: what the tracker of a host asks for is in the report, and what is wrong
// with the server is not, unless it is asked for.
func TestIssue_AboutTheHost(t *testing.T) {
	got := export(t, "issue", tapped(t, true), Options{Redactor: NewRedactor()})
	for _, want := range []string{
		`# Old \| Host 3.1 as an MCP client`, "| Configured as | cursor/tea |", "| Requested protocol version | 2025-11-25 |", "| Server | tea 1.0 |",
		`{"name":"Old | Host","version":"3.1"}`, `{"sampling":{}}`, "| tools/list | 2 | 4 |", "| tools/call | 1 | 8 |",
		"### T007 stale-list-used (warning)", `was in an earlier one (request 2)`, "**5** ←", "**7** ←", "**8** →", "**9** ←", `"name": "brew"`,
		"<https://modelcontextprotocol.io/specification/2025-11-25/server/tools#list-changed-notification>", "can be wrong", "does not require",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, not := range []string{"T016", "about the server", "plantedsecret", "T005", "not complete"} {
		if strings.Contains(got, not) {
			t.Errorf("%q in\n%s", not, got)
		}
	}
	got = export(t, "issue", tapped(t, false), Options{Redactor: NewRedactor(), ServerFindings: true})
	for _, want := range []string{"## Findings about the server", "T016", "The recording is not complete"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestIssue_OfMcptea: the client is mcptea, so there is no host to report about.
func TestIssue_OfMcptea(t *testing.T) {
	var said []string
	got := export(t, "issue", session1().source(t), Options{Report: func(text string) { said = append(said, text) }})
	if want := export(t, "markdown", session1().source(t), Options{}); got != want || len(said) != 1 || !strings.Contains(said[0], "the client of the recording is mcptea") {
		t.Errorf("said %q, wrote\n%s\nwant\n%s", said, got, want)
	}
}
