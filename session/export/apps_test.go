package export

import (
	"slices"
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/record"
)

// What an app and its host say is in reports and diagrams, and in nothing that is sent to a
// server or that stands for what one has sent.
func TestExport_MessagesOfApps(t *testing.T) {
	r := session1()
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 2, Transport: record.App, Target: "http://127.0.0.1:1 ui://a/app", Beside: true}})
	app := func(dir transport.Direction, text string) {
		r.event(record.Event{Kind: record.KindFrame, Conn: 2, Beside: true, Frame: transport.Frame{Bytes: []byte(text), Dir: dir}})
	}
	app(in, `{"jsonrpc":"2.0","id":1,"method":"ui/initialize","params":{}}`)
	app(out, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	app(out, `{"jsonrpc":"2.0","method":"ui/notifications/tool-input","params":{"arguments":{}}}`)
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionClosed, Number: 2, Reason: "mcptea has closed it", Beside: true}})
	src := r.source(t)
	for name, want := range map[string]string{
		"markdown": "app ← ui/initialize", "html": "app  ui/initialize", "mermaid": "A->>C: 6 ui/initialize", "jsonl": `"c":2,"id":1,"m":"ui/initialize"`,
		"har": "", "script": "", "command": "", "mock": "", "typescript": "", "raw": "",
	} {
		for _, dir := range []transport.Direction{in, out} {
			text := export(t, name, src, Options{Dir: dir})
			if has := strings.Contains(text, "ui/initialize") || strings.Contains(text, "ui/notifications"); has != (want != "") || !strings.Contains(text, want) {
				t.Errorf("%s: messages of apps %v\n%.1500s", name, has, text)
			}
		}
		if text := export(t, name, src, Options{}); strings.Contains(text, "ui://a/app") && name != "jsonl" || name == "markdown" && strings.Contains(text, "mcptea has closed it") {
			t.Errorf("%s takes the app for the server\n%.1500s", name, text)
		}
	}
}

// A request that an app or a command has caused says so in each format that has its frames.
func TestExport_CallsOfOthers(t *testing.T) {
	r := newRecording("stdio", "node server.js")
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 2, Transport: record.App, Beside: true}})
	call := func(id string) []byte {
		return []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"a"}}`)
	}
	r.event(record.Event{Kind: record.KindFrame, Frame: transport.Frame{Bytes: call("1"), Dir: out}})
	r.event(record.Event{Kind: record.KindFrame, Conn: 2, Beside: true, Frame: transport.Frame{Bytes: call("1"), Dir: in}})
	r.event(record.Event{Kind: record.KindFrame, Frame: transport.Frame{Bytes: call("2"), Dir: out, Note: transport.Note{Cause: transport.RefTo(1, 0)}}})
	r.event(record.Event{Kind: record.KindFrame, Frame: transport.Frame{Bytes: call("3"), Dir: out, Note: transport.Note{Side: transport.Attached}}})
	src := r.source(t)
	for _, c := range []struct {
		format string
		rows   []int32
		want   []string
	}{
		{"html", nil, []string{`tools/call a  [sent by an app]`, `tools/call a  [sent by a command over --attach]`}},
		{"markdown", nil, []string{`tools/call a, sent by an app`, `tools/call a, sent by a command over --attach`}},
		{"jsonl", nil, []string{`"of":2,`, `"side":"attached"`}},
		{"jsonl", []int32{1, 2}, []string{`"of":1,`}},
		{"jsonl", []int32{2, 3}, []string{`"side":"attached"`}},
	} {
		o := Options{}
		if c.rows != nil {
			o.Rows = func(row int32) bool { return slices.Contains(c.rows, row) }
		}
		text := export(t, c.format, src, o)
		for _, want := range c.want {
			if strings.Count(text, want) != 1 {
				t.Errorf("%s of %v does not have %q once\n%s", c.format, c.rows, want, text)
			}
		}
		if n := strings.Count(text, "sent by "); c.format != "jsonl" && n != 2 {
			t.Errorf("%s: %d requests are of others\n%s", c.format, n, text)
		}
		if c.rows != nil && c.rows[0] == 2 && strings.Contains(text, `"of"`) {
			t.Errorf("the selection names a message that it does not have\n%s", text)
		}
	}
}
