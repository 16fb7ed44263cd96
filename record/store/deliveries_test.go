package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

const callback = "http://127.0.0.1:1/mcptea/abc"

// delivered records a subscription, deliveries, and marks behind them.
func delivered(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.mcptea.jsonl")
	s, err := Create(Options{Path: path}, record.Header{Transport: "stdio"})
	if err != nil {
		t.Fatal(err)
	}
	frame := func(dir transport.Direction, text string) {
		s.Append(transport.Frame{Dir: dir, Time: time.Now(), Bytes: []byte(text), Ending: "\n", Envelope: jsonrpc.Scan([]byte(text))})
	}
	frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"events/subscribe","params":{"name":"tick","delivery":{"mode":"webhook","url":"`+callback+`"}}}`)
	s.Delivery(time.Now(), &record.Delivery{Callback: callback, Message: "evt_1", Signature: "v1,abc", Status: 200, What: "event", Signed: record.SignedCurrent},
		[]byte(`{"eventId":"evt_1", "name":"tick","data":{"n":1}}`))
	s.Delivery(time.Now(), &record.Delivery{Callback: callback, Message: "evt_2", Status: 401, Trouble: "the signature is hexadecimal", What: "event", Signed: record.SignedWrong},
		[]byte("{\"eventId\":\"evt_2\",\n\"name\":\"tick\"}"))
	frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"id":"sub_1"}}`)
	for row, note := range []string{"subscription", "first", "", "response"} {
		if err := s.SetMark(record.Mark{Row: int32(row), Note: note}); err != nil {
			t.Fatal(err)
		}
	}
	s.Changed(&record.Change{Row: 3, What: record.Dropped})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// A delivery is a row under its subscription, with its headers and the bytes of its body, and is found by both.
func TestDelivery_IsRow(t *testing.T) {
	s, err := Open(delivered(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Load(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := s.Snapshot(); n.Rows != 4 || n.Frames() != 2 || n.Events != 2 || n.Errors != 1 {
		t.Errorf("%+v", n.Counts)
	}
	for row, want := range map[int32]struct{ body, headers string }{
		1: {`{"eventId":"evt_1", "name":"tick","data":{"n":1}}`, "200  verified\nwebhook-id: evt_1\nwebhook-signature: v1,abc"},
		2: {"{\"eventId\":\"evt_2\",\n\"name\":\"tick\"}", "401  the signature is hexadecimal\nwebhook-id: evt_2"},
	} {
		r, _ := s.Row(row)
		if body, err := s.Body(row); err != nil || string(body) != want.body {
			t.Errorf("row %d has the body %q, %v", row, body, err)
		}
		if r.Kind != KindDelivery || s.Root(row) != 0 || r.Request() != 0 || s.Method(r.Method) != "tick" {
			t.Errorf("row %d is %+v below %d", row, r, s.Root(row))
		}
		if text := string(s.NewScanner().Text(&r)); text != want.body+"\n"+want.headers {
			t.Errorf("row %d is found by %q", row, text)
		}
	}
	if d, err := s.DeliveryOf(2); err != nil || d.Message != "evt_2" || !d.IsRefused() || d.Callback != callback {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := s.DeliveryOf(3); err == nil {
		t.Error("a response has headers of a delivery")
	}
}

// Marks and changes behind deliveries are on their rows, also for a program that knows no deliveries: to it they are
// events of an unknown kind, and rows are counted without them.
func TestDelivery_MarksOfOtherRows(t *testing.T) {
	path := delivered(t)
	notes := func() (notes []string) {
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		if err := s.Load(context.Background()); err != nil {
			t.Fatal(err)
		}
		for row := range int32(s.Snapshot().Rows) {
			r, _ := s.Row(row)
			note := s.MarkAt(row).Note
			if r.Changed == record.Dropped {
				note += " dropped"
			}
			notes = append(notes, note)
		}
		return notes
	}
	if got := strings.Join(notes(), ", "); got != "subscription, first, , response dropped" {
		t.Errorf("the notes are %s", got)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	older := bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(`"delivery",`), []byte(`"parcel",`)), []byte(`"past":`), []byte(`"later":`))
	if err := os.WriteFile(path, older, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(notes(), ", "); got != "subscription, response dropped" {
		t.Errorf("without deliveries the notes are %s", got)
	}
}
