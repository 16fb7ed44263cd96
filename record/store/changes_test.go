package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

func outFrame(text string) transport.Frame {
	b := []byte(text)
	return transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: time.Now(), Dir: transport.Out, Ending: "\n"}
}

// TestChange_LiveAndRecorded reads the other side of frames, while they are recorded and
// from the recording.
func TestChange_LiveAndRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
	live, err := Create(Options{Path: path}, record.Header{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	request := live.Append(outFrame(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tea"}}`))
	live.Changed(&record.Change{Row: request, What: record.Edited, Breakpoint: 1, Held: time.Second, Sent: [][]byte{[]byte(`{"milk":"\u00e9"}`), []byte("\xff")}})
	plain := live.Append(outFrame(`{"jsonrpc":"2.0","id":2,"method":"ping"}`))
	injected := outFrame(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	injected.Dir, injected.Side = transport.In, transport.Injected
	live.Append(injected)
	withheld := outFrame(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	withheld.Side = transport.Withheld
	live.Append(withheld)
	check := func(name string, s *Store) {
		c, ok, err := s.Sides(request)
		if !ok || err != nil || c.What != record.Edited || c.Held != time.Second || len(c.Sent) != 2 || string(c.Sent[0]) != `{"milk":"\u00e9"}` || string(c.Sent[1]) != "\xff" {
			t.Errorf("%s: the other side is %+v, %v, %v", name, c, ok, err)
		}
		if c, ok := s.Change(request); !ok || c.Sent != nil || c.Mark() != "edited, 1 s" {
			t.Errorf("%s: the mark is %q, %v", name, c.Mark(), ok)
		}
		for row, want := range map[int32]record.Changed{plain: record.NotChanged, plain + 1: record.Added, plain + 2: record.Dropped, 99: record.NotChanged, -1: record.NotChanged} {
			if c, ok := s.Change(row); ok != (want != record.NotChanged) || c.What != want {
				t.Errorf("%s: row %d: %v, %v; want %v", name, row, c.What, ok, want)
			}
		}
		if n := s.Snapshot(); n.Rows != 4 || n.Out != 2 || n.In != 1 {
			t.Errorf("%s: counts %+v: a frame that was not sent counts", name, n.Counts)
		}
		scanner := s.NewScanner()
		var found []int32
		scanner.Rows(0, 10, func(i int32, r *Row) bool {
			text := string(scanner.Text(r))
			if strings.Contains(text, "milk") && strings.Contains(text, "tea") {
				found = append(found, i)
			}
			return true
		})
		if len(found) != 1 || found[0] != request {
			t.Errorf("%s: the texts of both sides are in the rows %v", name, found)
		}
	}
	check("live", live)
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	recorded, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = recorded.Close() }()
	if err := recorded.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("recorded", recorded)
	if texts, n := recorded.Problems(false); n != 0 {
		t.Errorf("problems %q", texts)
	}
}

// TestChange_OfNoRow is a recording of somewhere else: it may name any row.
func TestChange_OfNoRow(t *testing.T) {
	s, err := Create(Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	s.Changed(&record.Change{Row: 5, What: record.Edited})
	s.Append(outFrame(`{}`))
	if _, ok := s.Change(5); ok {
		t.Error("a row that is not there was changed")
	}
}

// TestOpen_CRLF opens a recording whose line endings were changed, as Git does with
// core.autocrlf.
func TestOpen_CRLF(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.mcptea.jsonl")
	w, err := NewWriter(Options{Path: path}, record.Header{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	w.Event(&record.Event{Kind: record.KindConnection, Time: now, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: "stdio"}})
	const request = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	w.Frame(outFrame(request))
	w.Frame(outFrame("no JSON"))
	w.Event(&record.Event{Kind: record.KindChange, Time: now, Change: &record.Change{Row: 0, What: record.Edited, Sent: [][]byte{[]byte("edited")}}})
	w.Event(&record.Event{Kind: record.KindProcess, Time: now, Process: &transport.ProcessEvent{What: transport.ProcessExited, Time: now}})
	w.Event(&record.Event{Kind: record.KindNote, Time: now, Text: "process exited  code 0 after 1 s"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if texts, n := s.Problems(false); n != 0 {
		t.Errorf("problems %q", texts)
	}
	for row, want := range []string{request, "no JSON", "process exited  code 0 after 1 s"} {
		if body, err := s.Body(int32(row)); err != nil || string(body) != want {
			t.Errorf("row %d is %q, %v; want %q", row, body, err, want)
		}
	}
	if c, _, err := s.Sides(0); err != nil || len(c.Sent) != 1 || string(c.Sent[0]) != "edited" {
		t.Errorf("the other side is %+v, %v", c, err)
	}
}
