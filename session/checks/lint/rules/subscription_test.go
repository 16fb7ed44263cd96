package rules

import (
	"testing"

	"mcptea/client/transport"
)

// Over HTTP it is the end of an exchange that drops a subscription, unless this
// side has closed it.
func TestX017_EndOfExchange(t *testing.T) {
	lines := []string{
		`H> {"m":"POST","h":{"MCP-Protocol-Version":"2026-07-28"},"b":{"jsonrpc":"2.0","id":20,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":"@meta"}}}`,
		`H< {"s":200,"h":{"Content-Type":"text/event-stream"}}`,
		`E< {"event":"message","data":{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"@/subscriptionId":20}}}}`,
	}
	if found := play(t, trace{context: "26+http", lines: append(lines, "END S")}); !fired(found, "X017") {
		t.Errorf("a dropped stream: %v", ids(found))
	}
	log := `E< {"event":"message","data":{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}}`
	if found := play(t, trace{context: "26+http", lines: append(lines, log)}); !fired(found, "X016") {
		t.Errorf("a log message on the stream: %v", ids(found))
	}

	p := replay(t, trace{context: "26+http", lines: lines})
	p.open.ClosedBy, p.open.Err = transport.ClosedByUser, "closed by mcptea: the request was cancelled"
	if p.line("END S"); fired(p.found, "X017") {
		t.Errorf("closed by the user: %v", ids(p.found))
	}
}
