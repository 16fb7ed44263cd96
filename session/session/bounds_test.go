package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/record"
	"mcptea/record/store"
)

// arrives gives a session a frame as if the server had sent it.
func arrives(s *Session, frame string) {
	b := []byte(frame)
	s.Tap().Frame(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: transport.In, Time: time.Now(), Ending: "\n"})
}

func TestTasks_StatusIsBounded(t *testing.T) {
	raced.Never(t, "measures memory")
	run(t, demo.Options{}, func(s *Session) {
		large := strings.Repeat("x", 1<<20)
		held := sessiontest.HeldHeap(func() {
			for i := range 40 {
				arrives(s, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t%d","status":"working","statusMessage":"%s"}}`, i, large))
			}
			arrives(s, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"`+large+`","status":"working"}}`)
		})
		if held > 20<<20 {
			t.Errorf("%d MB are held", held>>20)
		}
		if n := len(s.Tasks().All()); n != 40 {
			t.Errorf("%d tasks", n)
		}
	})
}

func TestRecording_NoneWithoutHome(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "shared")
	if err := os.MkdirAll(filepath.Join(shared, "mcptea", "recordings"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(shared, "mcptea", "recordings"), 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ home, state, want string }{
		"no home":                  {"", "", "neither XDG_STATE_HOME nor HOME is set"},
		"a home that is a file":    {file, "", "not a directory"},
		"a directory for everyone": {"", shared, "is writable by every user"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("the profile directory is private")
			}
			t.Setenv("HOME", tt.home)
			t.Setenv("XDG_STATE_HOME", tt.state)
			s, err := Open(Config{Target: client.Target{Argv: []string{"x"}}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close(t.Context()) }()
			if notes := s.Notes(); len(notes) != 1 || !strings.Contains(notes[0], tt.want) {
				t.Errorf("notes: %q", notes)
			}
			if s.Store().Path() != "" {
				t.Errorf("recorded in %s", s.Store().Path())
			}
			if l, ok := s.Store().LogAt(0); !ok || l.Source != store.LogNote {
				t.Errorf("the log has %+v", l)
			}
		})
	}
}

func TestRecording_OffSaysNothing(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	s, err := Open(Config{Target: client.Target{Argv: []string{"x"}}, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	if notes := s.Notes(); len(notes) != 0 {
		t.Errorf("notes: %q", notes)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRecordLimit_IsNoted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	s, err := Open(Config{Target: client.Target{Argv: []string{"x"}}, Record: path, RecordLimit: 1 << 20, Lint: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		arrives(s, fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":{"i":%d,"x":"%s"}}`, i, strings.Repeat("x", 1000)))
	}
	halts := 0
	for _, note := range s.Notes() { // the linter may note frames that it could not read in time
		if strings.Contains(note, "--record-limit") {
			halts++
		}
	}
	if halts != 1 {
		t.Errorf("notes: %q", s.Notes())
	}
	if err := s.Store().Failure(); err == nil || !strings.Contains(err.Error(), "frames from #") {
		t.Errorf("failure: %v", err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 2<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	last := text[strings.LastIndex(strings.TrimSuffix(string(text), "\n"), "\n")+1:]
	var decoder record.Decoder
	if e, err := decoder.Decode(last); err != nil || e.Kind != record.KindNote {
		t.Errorf("the last line is %s, %v", last, err)
	}
}
