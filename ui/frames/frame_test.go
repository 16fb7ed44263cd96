package frames

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/record"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
)

func storeOf(t *testing.T, frames ...string) *store.Store {
	t.Helper()
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, text := range frames {
		s.Append(transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: time.Unix(1780000000, 0), Dir: transport.Out, Ending: "\n"})
	}
	return s
}

// Cancelling needs the id of a request and nothing else of it.
func TestOnFrame_CancelReadsOnlyTheID(t *testing.T) {
	const size = 32 << 20
	s := storeOf(t,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":"`+strings.Repeat("a", size)+`"}}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"a":"`+strings.Repeat("a", size)+`"},"id":"behind"}`,
	)
	for row, want := range map[int32]jsonrpc.ID{0: "7", 1: `"behind"`} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, _ := OnFrame(s, row, command.CancelRequest).(action.Cancel)
		runtime.ReadMemStats(&after)
		if got.ID != want {
			t.Errorf("row %d: cancels %q, want %q", row, got.ID, want)
		}
		if read := after.TotalAlloc - before.TotalAlloc; read > size/8 {
			t.Errorf("row %d: %d bytes were allocated", row, read)
		}
	}
}

func TestOnFrame(t *testing.T) {
	s := storeOf(t,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	)
	if a, ok := OnFrame(s, 0, command.Resend).(action.Start); !ok || a.Method != "tools/call" || string(a.Params) != `{"name":"echo"}` {
		t.Errorf("resend: %+v", a)
	}
	if a, ok := OnFrame(s, 0, command.CancelRequest).(action.Cancel); !ok || a.ID != "1" {
		t.Errorf("cancel: %+v", a)
	}
	if a, ok := OnFrame(s, 1, command.Resend).(action.StartFrame); !ok || !strings.Contains(string(a.Frame), "initialized") {
		t.Errorf("resend of a notification: %+v", a)
	}
	if a, ok := OnFrame(s, 1, command.CancelRequest).(action.Flash); !ok || a.Text != "This request is not pending." {
		t.Errorf("cancel of a notification: %+v", a)
	}
	if a, ok := OnFrame(s, 0, command.CopyFrame).(action.Copy); !ok || !strings.HasPrefix(a.Text, `{"jsonrpc"`) {
		t.Errorf("copy: %+v", a)
	}
	if a, ok := OnFrame(s, 9, command.CopyFrame).(action.Flash); !ok {
		t.Errorf("a row that is not there: %+v", a)
	}
}
