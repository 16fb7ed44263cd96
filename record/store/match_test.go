package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
)

// describe returns what a test compares of a match.
func describe(m *Match) string {
	text := fmt.Sprintf("%d.%d %s of %d.%d", m.Row, m.Element, m.State, m.Request.Row(), m.Request.Element())
	if m.Parent.Present() {
		text += fmt.Sprintf(" under %d.%d", m.Parent.Row(), m.Parent.Element())
	}
	if m.Ended != flow.NotEnded {
		text += fmt.Sprintf(" ended %d", m.Ended)
	}
	return text + " " + m.Method
}

// What a tail of the running session reads, what one reads behind it,
// and what an opened recording tells its observer is the same.
func TestMatches_SameEverywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcptea")
	s, err := Create(Options{Path: path}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	var tailed []string
	tail := s.NewTail()
	read := func(tail *Tail) (list []string) {
		for e, m := range tail.Matches() {
			list = append(list, describe(m))
			if m.IsMessage() && (e.Kind != record.KindFrame || m.Kind() != jsonrpc.Scan(m.Bytes).Kind) {
				t.Errorf("%s: the message is %q", describe(m), m.Bytes)
			}
		}
		if err := tail.Err(); err != nil {
			t.Error(err)
		}
		return list
	}
	frame := func(dir transport.Direction, exchange uint32, text string) {
		b := []byte(text)
		s.Append(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: dir, Time: time.Unix(1, 0), Ending: "\n", Exchange: exchange})
		tailed = append(tailed, read(tail)...)
	}
	s.Connection(record.Connection{What: record.ConnectionOpened})
	frame(transport.Out, 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	frame(transport.In, 0, `{"jsonrpc":"2.0","id":"s","method":"roots/list"}`)
	frame(transport.In, 0, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	frame(transport.Out, 0, `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"tools/list"}]`)
	frame(transport.In, 0, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	frame(transport.In, 0, `[{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":9,"result":{}}]`)
	frame(transport.Out, 0, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	frame(transport.In, 0, `{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`)
	frame(transport.Out, 0, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	frame(transport.In, 0, `not JSON`)
	s.Lost(jsonrpc.IDOf("2"))
	frame(transport.Out, 7, `{"jsonrpc":"2.0","id":4,"method":"tools/call"}`)
	s.Exchange(&transport.Exchange{ID: 7, Phase: transport.ExchangeSent})
	frame(transport.In, 7, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	s.Disconnected(1, "the end")
	tailed = append(tailed, read(tail)...)
	want := []string{
		"-1.0 unknown of -1.0 ",
		"0.0 pending of 0.0 tools/call",
		"1.0 pending of 1.0 under 0.0 roots/list",
		"2.0 unknown of -1.0 ",
		"3.0 unknown of -1.0 ", "3.1 pending of 3.1 ping", "3.2 pending of 3.2 tools/list",
		"4.0 unknown of -1.0 ",
		"5.0 answered of 3.2 ended 1 tools/list", "5.1 unmatched of -1.0 ",
		"6.0 cancelled of 0.0 ended 2 tools/call",
		"7.0 late of 0.0 tools/call",
		"-1.0 abandoned of 3.1 ended 4 ping", "8.0 pending of 8.0 tools/call",
		"9.0 unknown of -1.0 ",
		"-1.0 abandoned of 8.0 ended 5 tools/call",
		"10.0 pending of 10.0 tools/call",
		"-1.0 unknown of 10.0 ",
		"11.0 unknown of -1.0 ",
		"-1.0 abandoned of 1.0 ended 6 roots/list", "-1.0 abandoned of 10.0 ended 6 tools/call",
	}
	if !slices.Equal(tailed, want) {
		t.Errorf("a tail has read\n%q, want\n%q", tailed, want)
	}
	if behind := read(s.NewTail()); !slices.Equal(behind, want) {
		t.Errorf("a tail that is behind has read\n%q", behind)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	var observed []string
	opened.Observe(nil, func(_ *record.Event, _ int32, _ Row, matches []Match) {
		for i := range matches {
			observed = append(observed, describe(&matches[i]))
		}
	})
	if err := opened.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(observed, want) {
		t.Errorf("an observer was told\n%q", observed)
	}
	if got := read(opened.NewTail()); !slices.Equal(got, want) {
		t.Errorf("a tail of the recording has read\n%q", got)
	}
}

// A loop that was left goes on within the event.
func TestMatches_LoopLeft(t *testing.T) {
	s, err := Create(Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	const n = 3 * 512
	for i := range n {
		b := fmt.Appendf(nil, `[{"jsonrpc":"2.0","id":%d,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]`, i)
		s.Append(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: transport.Out, Time: time.Unix(1, 0), Ending: "\n"})
	}
	s.Disconnected(1, "")
	s.Connection(record.Connection{What: record.ConnectionOpened})
	tail := s.NewTail()
	for i := range 2 * n {
		var got Match
		for _, m := range tail.Matches() {
			got = *m
			break
		}
		if got.Row != int32(i/2) || got.Element != uint16(i%2) || i%2 == 0 && got.Request != transport.RefTo(int32(i/2), 0) {
			t.Fatalf("match %d is %s", i, describe(&got))
		}
	}
	ended := 0
	for _, m := range tail.Matches() {
		if m.State == flow.Abandoned && m.Ended == flow.ByClose {
			ended++
		}
	}
	if ended != n {
		t.Errorf("%d requests have ended, want %d", ended, n)
	}
}
