package lintfile

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record"
)

// A call whose stream ends because the client ends the session is not the
// server's fault, although its exchange is recorded before the DELETE.
func TestRecording_StreamEndedByTheClient(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	stream := http.Header{"Content-Type": {"text/event-stream"}}
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w","arguments":{}}}`
	for _, byClient := range []bool{true, false} {
		b := record.AppendHeader(nil, record.Header{Tool: "test", Transport: "http", Time: start.UnixNano()})
		seq := int64(0)
		frame := func(exchange uint32, dir transport.Direction, text string) {
			seq++
			b, _ = record.AppendFrame(b, seq, 0, &transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: start, Dir: dir, Exchange: exchange})
		}
		phase := func(x transport.Exchange, phases ...transport.ExchangePhase) {
			for _, p := range phases {
				seq++
				x.Phase, x.URL, x.RequestHeader = p, "http://127.0.0.1/mcp", http.Header{"Mcp-Session-Id": {"0123456789abcdef"}}
				b = record.AppendEvent(b, seq, &record.Event{Kind: record.KindHTTP, Time: start, Exchange: &x})
			}
		}
		const sent, headers, done = transport.ExchangeSent, transport.ExchangeHeaders, transport.ExchangeDone
		initialize := transport.Exchange{ID: 1, Purpose: "message", Method: "POST", Start: start, Status: 200, ResponseHeader: http.Header{"Content-Type": {"application/json"}}, Took: time.Millisecond}
		phase(initialize, sent)
		frame(1, transport.Out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		phase(initialize, headers)
		frame(1, transport.In, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
		phase(initialize, done)
		stream := transport.Exchange{ID: 2, Purpose: "message", Method: "POST", Start: start.Add(time.Second), Status: 200, ResponseHeader: stream, Took: 2 * time.Second}
		phase(stream, sent)
		frame(2, transport.Out, call)
		phase(stream, headers)
		ending := transport.Exchange{ID: 3, Purpose: "end session", Method: "DELETE", Start: start.Add(2 * time.Second), Status: 200, Took: time.Second}
		if byClient {
			phase(ending, sent)
			phase(stream, done)
			phase(ending, headers, done)
		} else {
			phase(stream, done)
			phase(ending, sent, headers, done)
		}
		_, found := lintText(t, string(b))
		blamed := false
		for _, f := range found {
			blamed = blamed || f.Rule.ID == "H030" && f.Fault == lint.Server
		}
		if blamed == byClient {
			t.Errorf("ended by the client: %v; found %v\n%s", byClient, found, strings.TrimSpace(string(b)))
		}
	}
}
