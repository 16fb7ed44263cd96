package export

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
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

// An entry of a selected request has its response and its time, and so has that of a selected
// response; over HTTP too, and in a file for mcptea mock.
func TestExtend_EntriesOfExchanges(t *testing.T) {
	const call, result = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`
	web := newRecording("http", "http://localhost/mcp")
	x := transport.Exchange{ID: 1, Purpose: "message", Method: "POST", URL: "http://localhost/mcp"}
	web.event(record.Event{Kind: record.KindHTTP, Exchange: &x})
	web.line(out, call, "", 1)
	headers, done := x, x
	headers.Phase, headers.Status, headers.FirstByte = transport.ExchangeHeaders, 200, time.Millisecond
	web.event(record.Event{Kind: record.KindHTTP, Exchange: &headers})
	web.line(in, result, "", 1)
	done.Phase, done.Status, done.FirstByte, done.Took = transport.ExchangeDone, 200, time.Millisecond, 2*time.Millisecond
	web.event(record.Event{Kind: record.KindHTTP, Exchange: &done})
	stdio := newRecording("stdio", "node server.js")
	stdio.frame(out, call)
	stdio.frame(in, result)
	stdio.frame(in, `{"jsonrpc":"2.0","id":9,"method":"roots/list"}`)
	for name, r := range map[string]*recording{"http": web, "stdio": stdio} {
		s, err := store.Open(r.file(t))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		for row := range int32(s.Snapshot().Rows) {
			if r, _ := s.Row(row); !r.IsFrame() || r.Pair == store.None {
				continue
			}
			only := func(i int32) bool { return i == row }
			har, _ := Lookup("har")
			got := export(t, "har", FromStore(s, s.Header()), Options{Rows: har.Extend(s, only)})
			for _, want := range []string{`"status":200`, `\"result\":{\"content\":[]}`, `\"method\":\"tools/call\"`} {
				if !strings.Contains(got, want) {
					t.Errorf("%s, frame %d: no %s in\n%s", name, row+1, want, got)
				}
			}
			if strings.Contains(got, `"time":0,`) || strings.Contains(got, "roots/list") {
				t.Errorf("%s, frame %d:\n%s", name, row+1, got)
			}
			mock, _ := Lookup("mock")
			if got := export(t, "mock", FromStore(s, s.Header()), Options{Rows: mock.Extend(s, only)}); !strings.Contains(got, "echo") {
				t.Errorf("%s, frame %d: the server for mcptea mock has no call:\n%s", name, row+1, got)
			}
		}
	}
}
