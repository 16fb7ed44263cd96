package record

import (
	"testing"

	"mcptea/client/transport"
)

// A frame counts once it is on the wire: not if it was withheld, and not if no connection was made for
// it; one to which a server has responded anything was sent.
func TestFrameCounter(t *testing.T) {
	var c FrameCounter
	out := func(exchange uint32) *Event {
		return &Event{Kind: KindFrame, Frame: transport.Frame{Dir: transport.Out, Exchange: exchange, Bytes: []byte("12345")}}
	}
	ended := func(x transport.Exchange) *Event {
		x.Phase, x.Purpose = transport.ExchangeDone, transport.PurposeMessage
		return &Event{Kind: KindHTTP, Exchange: &x}
	}
	for _, step := range []struct {
		e               *Event
		out, in, unsent int
	}{
		{out(1), 1, 0, 0},
		{ended(transport.Exchange{ID: 1, Err: "connection refused"}), 0, 0, 1},
		{ended(transport.Exchange{ID: 1, Err: "connection refused"}), 0, 0, 1},
		{out(2), 1, 0, 1},
		{ended(transport.Exchange{ID: 2, Sent: 5, Err: "connection reset"}), 1, 0, 1},
		{out(3), 2, 0, 1},
		{ended(transport.Exchange{ID: 3, Status: 500}), 2, 0, 1},
		{ended(transport.Exchange{ID: 4, Err: "connection refused"}), 2, 0, 1}, // one of authorization has no frame
		{&Event{Kind: KindFrame, Frame: transport.Frame{Dir: transport.In, Bytes: []byte("123")}}, 2, 1, 1},
		{&Event{Kind: KindFrame, Frame: transport.Frame{Dir: transport.Out, Note: transport.Note{Side: transport.Withheld}}}, 2, 1, 2},
		{&Event{Kind: KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessExited}}, 2, 1, 2},
	} {
		c.Event(step.e)
		if c.Out != step.out || c.In != step.in || c.Unsent != step.unsent || c.Frames() != step.out+step.in {
			t.Errorf("after %+v: %+v", step.e, c.FrameCount)
		}
	}
	if c.Bytes != 5+5+3 {
		t.Errorf("%d bytes", c.Bytes)
	}
}
