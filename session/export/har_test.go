package export

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/session/record"
)

func TestHAR_Bounds(t *testing.T) {
	start := func() *har {
		return newHAR(&session{out: bufio.NewWriter(io.Discard), reported: map[string]bool{}, Options: Options{Report: func(string) {}}})
	}
	frame := func(exchange uint32, text string) *Event {
		return &Event{Number: 1, Event: record.Event{Kind: record.KindFrame, Frame: transport.Frame{Dir: out, Exchange: exchange, Bytes: []byte(text)}}}
	}
	h := start()
	if h.maxBody != 64<<20 || h.maxOpen != 10_000 {
		t.Errorf("%d bytes of a body, %d open exchanges", h.maxBody, h.maxOpen)
	}
	h.maxBody = 10
	for text, want := range map[string]string{"12345": "1234512345 false", "123456": "123456 true", "12345678901": " true"} {
		h.body(frame(uint32(len(text)), text))
		h.body(frame(uint32(len(text)), text))
		o := h.open[harKey{exchange: uint32(len(text))}]
		if got := fmt.Sprint(o.out.String(), " ", o.cut); got != want {
			t.Errorf("two frames of %d bytes, where a body may have 10: %s, want %s", len(text), got, want)
		}
	}

	h = start()
	h.maxOpen = 2
	for id := range uint32(3) {
		h.body(frame(id+1, "{}"))
		h.open[harKey{exchange: id + 1}].exchange = &transport.Exchange{ID: id + 1}
		if got, want := len(h.open), min(int(id)+1, 2); got != want || h.entries != int(id)+1-want {
			t.Errorf("after %d exchanges %d are open, %d are written", id+1, got, h.entries)
		}
	}
	h = start()
	h.maxOpen = 2
	matcher, row := newMatcher(), int32(0)
	stdio := func(dir transport.Direction, text string) {
		row++
		e := match(matcher, Event{Number: row, Event: record.Event{Kind: record.KindFrame, Frame: transport.Frame{Dir: dir, Bytes: []byte(text)}}})
		h.stdio(&e)
	}
	for id := range 3 {
		stdio(out, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		if got, want := len(h.open), min(id+1, 2); got != want || h.entries != id+1-want {
			t.Errorf("after %d requests %d are pending, %d are written", id+1, got, h.entries)
		}
	}
	for range 20 { // each has an entry, and those without a response are written when the id is used again
		before := h.entries
		stdio(out, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if h.entries != before+1 {
			t.Error("a request whose id is used again is lost")
		}
	}
	for range 20 { // an id that is used again leaves a row each
		stdio(out, `{"jsonrpc":"2.0","id":7,"method":"ping"}`)
		stdio(in, `{"jsonrpc":"2.0","id":7,"result":{}}`)
	}
	if len(h.order) > 4*h.maxOpen {
		t.Errorf("%d ids are kept", len(h.order))
	}
}

// What is cut off is said, in the entry and to the user.
func TestHAR_CutBody(t *testing.T) {
	var said []string
	var b bytes.Buffer
	s := &session{out: bufio.NewWriter(&b), reported: map[string]bool{}, Options: Options{Report: func(text string) { said = append(said, text) }}}
	h := newHAR(s)
	h.maxBody = 1 << 20
	h.body(&Event{Number: 1, Event: record.Event{Kind: record.KindFrame, Frame: transport.Frame{Dir: out, Exchange: 1, Bytes: bytes.Repeat([]byte("x"), 1<<20+1)}}})
	o := h.open[harKey{exchange: 1}]
	o.exchange = &transport.Exchange{ID: 1}
	h.end(o)
	_ = s.out.Flush()
	if !strings.Contains(b.String(), "a body is not complete") || len(said) != 1 || !strings.Contains(said[0], "a body of more than 1 MB was cut off") {
		t.Errorf("%q\n%s", said, b.String())
	}
}
