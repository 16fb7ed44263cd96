package rules_test

import (
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/rules"
)

// An elicitation that was announced on a connection may be completed on the next one, as one before it may.
func TestS037_NextConnection(t *testing.T) {
	const handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{}}},"clientInfo":{"name":"t","version":"1"}}}`
	const result = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"t","version":"1"}}}`
	const create = `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","message":"x","url":"https://example.com/c","elicitationId":"e1"}}`
	for _, tt := range []struct {
		reconnects bool
		id         string
		want       int
	}{{false, "e1", 0}, {false, "e2", 1}, {true, "e1", 0}, {true, "e2", 0}} {
		found := 0
		e := rules.New(func(f lint.Finding) {
			if f.Rule.ID == "S037" {
				found++
			}
		})
		now, row := time.Unix(0, 0), int32(0)
		frame := func(dir transport.Direction, text string) {
			row++
			b := []byte(text)
			e.Frame(lint.Frame{Row: row, Frame: transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: now, Dir: dir, Ending: "\n"}})
		}
		connect := func() {
			e.Begin(lint.Stdio)
			frame(transport.Out, handshake)
			frame(transport.In, result)
		}
		connect()
		frame(transport.In, create)
		if tt.reconnects {
			e.Close(now)
			connect()
		}
		frame(transport.In, `{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"`+tt.id+`"}}`)
		if found != tt.want {
			t.Errorf("reconnects %v, %s: %d findings, want %d", tt.reconnects, tt.id, found, tt.want)
		}
	}
}
