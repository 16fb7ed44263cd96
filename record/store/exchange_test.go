package store

import (
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

func over(s *Store, exchange uint32, dir transport.Direction, text string) int32 {
	b := []byte(text)
	row := s.Append(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: dir, Time: time.Unix(1780000000, ticks.Add(1e6)), Exchange: exchange})
	return row
}

// A refusal of HTTP that names no id is the response to the request of its
// exchange.
func TestResponseWithoutID_PairedByExchange(t *testing.T) {
	s := create(t)
	const refusal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}`
	request := over(s, 1, transport.Out, `{"jsonrpc":"2.0","id":"probe","method":"server/discover"}`)
	other := over(s, 2, transport.Out, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	response := over(s, 1, transport.In, refusal)
	if q, _ := s.Row(request); q.Pair != response || q.Flags&Pending != 0 {
		t.Errorf("request %+v", q)
	}
	if a, _ := s.Row(response); a.Pair != request || a.Flags&NoID != 0 || s.Method(a.Method) != "server/discover" {
		t.Errorf("response %+v", a)
	}
	s.Lost(jsonrpc.IDOf("\"probe\"")) // what the transport makes of the status comes later
	if f := flags(t, s, request); f&Abandoned != 0 {
		t.Error("a request with a response counts as lost")
	}
	if f := flags(t, s, other); f&Pending == 0 {
		t.Error("the request of another exchange is taken for answered")
	}
	batch := over(s, 3, transport.Out, `[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
	response = over(s, 3, transport.In, refusal)
	if q, _ := s.Row(batch); q.Flags&(Pending|Abandoned) != 0 || q.Pair != response {
		t.Errorf("a batch that was refused as a whole: %+v", q)
	}
}

func TestSubscription_OpenOnceAcknowledged(t *testing.T) {
	s := create(t)
	listen := out(s, `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{}}}`)
	if f := flags(t, s, listen); f&Acknowledged != 0 || f&Pending == 0 {
		t.Errorf("flags %b", f)
	}
	in(s, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{}}}`)
	if f := flags(t, s, listen); f&Acknowledged == 0 || f&Pending == 0 {
		t.Errorf("flags %b", f)
	}
}

func TestCancelled_WithoutAMessage(t *testing.T) {
	s := create(t)
	call := over(s, 1, transport.Out, `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`)
	s.Cancelled(jsonrpc.IDOf("7"))
	if f := flags(t, s, call); f&Cancelled == 0 || f&(Pending|Abandoned) != 0 {
		t.Errorf("flags %b", f)
	}
	if n := s.Snapshot().Pending; n != 0 {
		t.Errorf("%d pending", n)
	}
}
