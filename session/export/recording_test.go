package export

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// recording builds the file of a recording.
type recording struct {
	bytes []byte
	seq   int64
	at    time.Time
}

func newRecording(over, target string) *recording {
	at := time.Unix(1_800_000_000, 0).UTC()
	return &recording{at: at, bytes: record.AppendHeader(nil, record.Header{Tool: "mcptea 1.2.3", Transport: over, Target: target, Time: at.UnixNano()})}
}

func (r *recording) event(e record.Event) {
	r.seq++
	r.at = r.at.Add(time.Millisecond)
	e.Time = r.at
	r.bytes = record.AppendEvent(r.bytes, r.seq, &e)
}

func (r *recording) frame(dir transport.Direction, text string) { r.line(dir, text, "\n", 0) }

func (r *recording) line(dir transport.Direction, text, ending string, exchange uint32) {
	r.event(record.Event{Kind: record.KindFrame, Frame: transport.Frame{Bytes: []byte(text), Dir: dir, Ending: ending, Exchange: exchange}})
}

func (r *recording) file(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.mcptea.jsonl")
	if err := os.WriteFile(path, r.bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (r *recording) source(t *testing.T) Source {
	t.Helper()
	src, err := FromFile(t.Context(), r.file(t))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func export(t *testing.T, name string, src Source, o Options) string {
	t.Helper()
	f, ok := Lookup(name)
	if !ok {
		t.Fatalf("there is no format %q", name)
	}
	var b bytes.Buffer
	if err := Write(t.Context(), &b, f, src, o); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b.String()
}

const out, in = transport.Out, transport.In

// handshake adds what a session over stdio begins with.
func (r *recording) handshake() {
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: "stdio", Target: "node server.js"}})
	r.event(record.Event{Kind: record.KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessStarted, PID: 7, Path: "/usr/bin/node", Argv: []string{"node", "server.js"}}})
	r.event(record.Event{Kind: record.KindStep, Step: &record.Step{Name: "start process", State: "done", Detail: "pid 7", Took: time.Millisecond}})
	r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcptea","version":"1"}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tea","version":"1.0"}}}`)
	r.frame(out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionReady, Number: 1, Transport: "stdio", Revision: "2025-11-25", Server: "tea 1.0"}})
}

func session1() *recording {
	r := newRecording("stdio", "node server.js")
	r.handshake()
	r.frame(out, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"a;b#c</script>"}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a;b#c</script>"}]}}`)
	return r
}

func (r *recording) frameOver(exchange uint32, dir transport.Direction, text string) {
	ending := "\n"
	if exchange != 0 {
		ending = ""
	}
	r.line(dir, text, ending, exchange)
}
