package rules

import (
	"fmt"
	"testing"

	"mcptea/client/transport"
	"mcptea/lint"
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

// A client may have more subscriptions than are kept. An update of a subscription that is not kept is not
// a finding, and many of them cost time and memory within bounds.
func TestR009_ManySubscriptions(t *testing.T) {
	for _, n := range []int{1000, 1001, 10_000} {
		found := map[string][]lint.Finding{}
		s := recorder(found)
		for i := range n {
			s.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"file:///a/%d"}}`, i+10, i))
		}
		s.in(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a/0"}}`)
		if len(found["R009"]) > 0 {
			t.Errorf("%d subscriptions: %s", n, found["R009"][0].Message)
		}
		s.in(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///other"}}`)
		if all := n <= 1000; (len(found["R009"]) == 1) != all {
			t.Errorf("%d subscriptions, an update of another resource: %d findings", n, len(found["R009"]))
		}
	}
}
