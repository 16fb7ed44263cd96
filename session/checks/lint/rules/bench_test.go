package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/checks/lint"
)

// session is an engine that follows a connection on which the handshake is done.
type session struct {
	e   *lint.Engine
	now time.Time
	row int32
}

func begin() *session {
	s := &session{e: New(func(lint.Finding) {}), now: time.Unix(1_800_000_000, 0)}
	s.out(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	s.in(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{},"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	s.out(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *session) out(text string) { s.frame(transport.Out, []byte(text), jsonrpc.Scan([]byte(text))) }

func (s *session) in(text string) { s.frame(transport.In, []byte(text), jsonrpc.Scan([]byte(text))) }

func (s *session) frame(dir transport.Direction, b []byte, env jsonrpc.Envelope) {
	s.now = s.now.Add(time.Millisecond)
	s.row++
	s.e.Frame(lint.Frame{Row: s.row, Frame: transport.Frame{Bytes: b, Envelope: env, Time: s.now, Dir: dir, Ending: "\n"}})
}

// A log message in a session.
func BenchmarkOrdinaryFrame(b *testing.B) {
	s := begin()
	line := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"demo","data":{"n":12345,"text":"one line of a log"}}}`)
	env := jsonrpc.Scan(line)
	b.ReportAllocs()
	for b.Loop() {
		s.frame(transport.In, line, env)
	}
}

// A message with a finding, the same as in all before.
func BenchmarkRepeatedFinding(b *testing.B) {
	s := begin()
	line := []byte(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///srv/data/measurements/00000038/00004985.json"}}`)
	env := jsonrpc.Scan(line)
	b.ReportAllocs()
	for b.Loop() {
		s.frame(transport.In, line, env)
	}
}

// A call of a tool, request and response.
func BenchmarkToolCall(b *testing.B) {
	s := begin()
	call := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"one line"},"_meta":{"progressToken":%d}}}`
	answer := `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"you said: one line, and here is some more of it"}],"isError":false}}`
	b.ReportAllocs()
	id := 1000
	for b.Loop() {
		b.StopTimer()
		if id++; id%1000 == 0 { // what is remembered of old calls is not what is measured
			s = begin()
		}
		c, a := []byte(fmt.Sprintf(call, id, id)), []byte(fmt.Sprintf(answer, id))
		ce, ae := jsonrpc.Scan(c), jsonrpc.Scan(a)
		b.StartTimer()
		s.frame(transport.Out, c, ce)
		s.frame(transport.In, a, ae)
	}
}

// A list of 50 tools.
func BenchmarkToolList(b *testing.B) {
	s := begin()
	b.SetBytes(int64(len(toolList(50, 1000))))
	b.ReportAllocs()
	id := 1000
	for b.Loop() {
		b.StopTimer()
		if id++; id%1000 == 0 {
			s = begin()
		}
		ask, list := []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id)), []byte(toolList(50, id))
		ae, le := jsonrpc.Scan(ask), jsonrpc.Scan(list)
		b.StartTimer()
		s.frame(transport.Out, ask, ae)
		s.frame(transport.In, list, le)
	}
}

func toolList(n, id int) string {
	var tools []string
	for i := range n {
		tools = append(tools, fmt.Sprintf(`{"name":"tool-%d","title":"Tool %d","description":"Does one thing, and does it well enough for a benchmark.","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"what to say"},"times":{"type":"integer","minimum":1,"default":1},"kind":{"type":"string","enum":["a","b","c"]}},"required":["text"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`, i, i))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, id, strings.Join(tools, ","))
}
