package rules

import (
	"fmt"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
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

func toolList(n, id int) string {
	var tools []string
	for i := range n {
		tools = append(tools, fmt.Sprintf(`{"name":"tool-%d","title":"Tool %d","description":"Does one thing, and does it well enough for a benchmark.","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"what to say"},"times":{"type":"integer","minimum":1,"default":1},"kind":{"type":"string","enum":["a","b","c"]}},"required":["text"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`, i, i))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[%s]}}`, id, strings.Join(tools, ","))
}
