package export

import (
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/session/record"
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
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionClosed, Number: 2, Reason: "closed in mcptea", Beside: true}})
	src := r.source(t)
	for name, want := range map[string]string{
		"markdown": "app ← ui/initialize", "html": "app  ui/initialize", "mermaid": "A->>C: 6 ui/initialize", "jsonl": `"c":2,"id":1,"m":"ui/initialize"`,
		"har": "", "script": "", "command": "", "mock": "", "go": "", "python": "", "raw": "",
	} {
		for _, dir := range []transport.Direction{in, out} {
			text := export(t, name, src, Options{Dir: dir})
			if has := strings.Contains(text, "ui/initialize") || strings.Contains(text, "ui/notifications"); has != (want != "") || !strings.Contains(text, want) {
				t.Errorf("%s: messages of apps %v\n%.1500s", name, has, text)
			}
		}
		if text := export(t, name, src, Options{}); strings.Contains(text, "ui://a/app") && name != "jsonl" || name == "markdown" && strings.Contains(text, "closed in mcptea") {
			t.Errorf("%s takes the app for the server\n%.1500s", name, text)
		}
	}
}
