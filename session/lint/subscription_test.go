package lint

import (
	"testing"

	"mcptea/client/transport"
)

// Over HTTP it is the end of an exchange that drops a subscription, unless this
// side has closed it.
func TestSubscriptionsEndWithTheirExchange(t *testing.T) {
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

	var found []Finding
	e := New(func(f Finding) { found = append(found, f) })
	e.Begin(HTTP)
	subs := Own[subscriptions](e.st)
	subs.list = []*subscription{{id: "20", exchange: 7}}
	e.st.Revision = "2026-07-28"
	e.HTTP(transport.Exchange{ID: 7, Status: 200, Phase: transport.ExchangeDone, ClosedBy: transport.ClosedByUser, Err: "closed by mcptea: the request was cancelled"}, 1)
	if len(found) > 0 {
		t.Errorf("closed by ourselves: %v", ids(found))
	}
}
