package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/session/record"
	"mcptea/session/store"
)

// arrives gives a session a frame as if the server had sent it.
func arrives(s *Session, frame string) {
	b := []byte(frame)
	s.Tap().Frame(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: transport.In, Time: time.Now(), Ending: "\n"})
}

// asks has the server ask for something, as the client passes it on.
func asks(s *Session, id int, params string) {
	frame := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":%s}`, id, params)
	arrives(s, frame)
	s.serverRequest(client.ServerRequest{ID: jsonrpc.ID(fmt.Sprint(id)), Method: client.MethodElicitation, Params: []byte(params)})
}

func cancels(s *Session, id int) {
	arrives(s, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

var largeForm = `{"message":"` + strings.Repeat("x", 1<<20) + `","requestedSchema":{"type":"object","properties":{}}}`

func TestInbox_CancelledRequestsHoldNoParams(t *testing.T) {
	p := Policies{Elicitation: Policy{Mode: PolicyAsk}}
	runWith(t, demo.Options{}, p, func(s *Session) {
		before := heapInUse()
		for i := range 40 {
			asks(s, i, largeForm)
			cancels(s, i)
		}
		if held := heapInUse() - before; held > 20<<20 {
			t.Errorf("%d MB are held", held>>20)
		}
		for _, a := range s.Inbox() {
			if a.State != AskWithdrawn || !a.Dropped || a.expiry != nil {
				t.Fatalf("%s is %v, dropped %v, timer %v", a.ID, a.State, a.Dropped, a.expiry != nil)
			}
		}
	})
}

func TestInbox_WaitingParamsAreBounded(t *testing.T) {
	p := Policies{Elicitation: Policy{Mode: PolicyAsk}}
	runWith(t, demo.Options{}, p, func(s *Session) {
		for i := range 50 {
			asks(s, i, largeForm)
		}
		waiting, refused, size := 0, 0, 0
		for _, a := range s.Inbox() {
			switch a.State {
			case AskWaiting:
				waiting++
				size += len(a.Params)
			case AskRefused:
				refused++
			}
		}
		if size > maxAskBytes || waiting < maxAskBytes/len(largeForm) || waiting+refused != 50 {
			t.Errorf("%d wait with %d MB, %d are refused", waiting, size>>20, refused)
		}
	})
}

func TestInbox_PolicyStartsNoGoroutines(t *testing.T) {
	p := Policies{Elicitation: Policy{Mode: PolicyDecline}}
	runWith(t, demo.Options{}, p, func(s *Session) {
		before := runtime.NumGoroutine()
		for i := range 2000 {
			asks(s, i, `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)
		}
		if n := runtime.NumGoroutine() - before; n > 1 {
			t.Errorf("%d more goroutines", n)
		}
		synctest.Wait()
		for _, a := range s.Inbox() {
			if a.State != AskDeclined || a.By != "policy" {
				t.Fatalf("%s is %v by %s", a.ID, a.State, a.By)
			}
		}
	})
}

func TestTasks_StatusIsBounded(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		large := strings.Repeat("x", 1<<20)
		before := heapInUse()
		for i := range 40 {
			arrives(s, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t%d","status":"working","statusMessage":"%s"}}`, i, large))
		}
		arrives(s, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"`+large+`","status":"working"}}`)
		if held := heapInUse() - before; held > 20<<20 {
			t.Errorf("%d MB are held", held>>20)
		}
		if n := len(s.Tasks()); n != 40 {
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
