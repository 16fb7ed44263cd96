package branch_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcptea/internal/test/recordingtest"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/replay"
)

const conversation = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"file:///a"}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< {"jsonrpc":"2.0","id":2,"result":{"contents":[]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"crash","arguments":{"at":"noon"}}}`

// A branch lists the requests that it does not send, from its frame on, which need not be a
// request.
func TestNew_Rest(t *testing.T) {
	s, err := store.Open(recordingtest.File(t, "stdio", conversation))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	turns, err := replay.Read(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for until, want := range map[int][]string{0: nil, 3: {"file:///a", "crash"}, 4: {"crash"}, 6: {"crash"}} {
		b := branch.New(turns, branch.Options{File: "x/crash.mcptea.jsonl", Until: until}, nil)
		if len(b.Rest) != len(want) || b.More != 0 {
			t.Errorf("before frame %d: %+v and %d more", until, b.Rest, b.More)
			continue
		}
		for i, r := range b.Rest {
			if r.Subject != want[i] {
				t.Errorf("before frame %d: %+v", until, r)
			}
		}
	}
	if rest, _ := turns.Requests(5, 1); rest[0].Arguments != `{"at":"noon"}` {
		t.Errorf("the arguments that tell calls apart are %q", rest[0].Arguments)
	}
	if rest, more := turns.Requests(0, 1); len(rest) != 1 || more != 2 {
		t.Errorf("%+v and %d more", rest, more)
	}
}

// The branches of a recording are found by the headers of their recordings, oldest first.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, of := range map[string]string{
		"second": "crash.mcptea.jsonl", "first": "crash.mcptea.jsonl#29", "other": "other.mcptea.jsonl#2", "session": "",
	} {
		at := time.Unix(1_800_000_000, 0)
		if name == "second" {
			at = at.Add(time.Hour)
		}
		b := record.AppendHeader(nil, record.Header{Tool: "mcptea", Transport: "stdio", Target: "s", Time: at.UnixNano(), Branch: of})
		if err := os.WriteFile(filepath.Join(dir, name+".mcptea.jsonl"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.mcptea.jsonl"), []byte("no recording\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := branch.Find(dir, "/elsewhere/crash.mcptea.jsonl")
	if len(found) != 2 || found[0].Name != "A" || found[0].Until != 29 || filepath.Base(found[0].Path) != "first.mcptea.jsonl" || found[1].Name != "B" || found[1].Until != 0 {
		t.Errorf("%+v", found)
	}
	if found := branch.Find(filepath.Join(dir, "absent"), "crash.mcptea.jsonl"); found != nil {
		t.Errorf("%+v", found)
	}
}

func TestName(t *testing.T) {
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "A1", 53: "B2"} {
		if got := branch.Name(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
