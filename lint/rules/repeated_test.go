package rules_test

import (
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/rules"
)

// A call whose connection has ended is repeated on the next one; one with a response is not.
func TestT035_NextConnection(t *testing.T) {
	for answer, want := range map[string]int{"": 1, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`: 0} {
		found := 0
		e := rules.New(func(f lint.Finding) {
			if f.Rule.ID == "T035" {
				found++
			}
		})
		now, row := time.Unix(0, 0), int32(0)
		frame := func(dir transport.Direction, text string) {
			row++
			b := []byte(text)
			e.Frame(lint.Frame{Row: row, Frame: transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: now, Dir: dir, Ending: "\n"}})
		}
		e.Begin(lint.Stdio)
		frame(transport.Out, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay","arguments":{"to":"a"}}}`)
		if answer != "" {
			frame(transport.In, answer)
		}
		e.Close(now)
		e.Begin(lint.Stdio)
		frame(transport.Out, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay","arguments":{"to":"a"}}}`)
		if found != want {
			t.Errorf("after %q: %d findings", answer, found)
		}
	}
}
