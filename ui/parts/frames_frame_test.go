package parts_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/frames"
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

// source is a store without findings.
type source struct{ s *store.Store }

func (s source) Store() *store.Store                   { return s.s }
func (s source) State() session.State                  { return session.State{} }
func (s source) FindingsAt(int32) []lint.Finding       { return nil }
func (source) ErrorRows() []int32                      { return nil }
func (source) WorstIn(_, _ int32) (*lint.Finding, int) { return nil, 0 }

// program runs commands on the row that is selected.
type program struct {
	*panetest.Program
	of  frames.Program
	row int32
}

func programOf(t *testing.T, s *store.Store) *program {
	p := &program{Program: panetest.New(t)}
	asked := func(text string) { p.Asked = append(p.Asked, text) }
	p.of = frames.Program{
		App: p, Source: source{s}, Cancel: func(id jsonrpc.ID) error { asked("cancel " + id.String()); return nil },
		Send: func(frame []byte) { asked("send " + string(frame)) },
	}
	return p
}

func (p *program) do(id string) string {
	row := func() int32 { return p.row }
	for _, c := range append(p.of.Commands("the frame", row), p.of.Copies("the frame", row)) {
		if c.ID != id {
			continue
		}
		if why := c.Why(); why != "" {
			return why
		}
		c.Run()
		return p.Asked[len(p.Asked)-1]
	}
	return ""
}

// Cancelling needs the id of a request and nothing else of it.
func TestFrames_Cancel_ReadsOnlyTheID(t *testing.T) {
	const size = 32 << 20
	s := storeOf(t,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":"`+strings.Repeat("a", size)+`"}}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"a":"`+strings.Repeat("a", size)+`"},"id":"behind"}`,
	)
	p := programOf(t, s)
	for row, want := range map[int32]string{0: "cancel 7", 1: `cancel "behind"`} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p.row = row
		got := p.do("cancel.request")
		runtime.ReadMemStats(&after)
		if got != want {
			t.Errorf("row %d: %q, want %q", row, got, want)
		}
		if read := after.TotalAlloc - before.TotalAlloc; read > size/8 {
			t.Errorf("row %d: %d bytes were allocated", row, read)
		}
	}
}

func TestFrames_Commands(t *testing.T) {
	s := storeOf(t,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	)
	p := programOf(t, s)
	for _, c := range []struct {
		row      int32
		id, want string
	}{
		{0, "again", `send {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1}}}`},
		{0, "cancel.request", "cancel 1"},
		{1, "again", `send {"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{1, "cancel.request", "This request is not pending."},
		{0, "copy", `copy frame: {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1}}}`},
		{store.None, "copy", "No frame is selected."},
		{1, "mark", "say: Frame #2 is marked."},
		{0, "mark", "say: 2 frames are marked."},
		{0, "mark.none", "say: No frame is marked."},
	} {
		p.row = c.row
		if got := p.do(c.id); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s of row %d: %q", c.id, c.row, got)
		}
	}
}

// A request that an app or a command over --attach has caused says so, and so does its response; the
// message of the app itself is not a request to the server.
func TestFrames_SentBy(t *testing.T) {
	s := storeOf(t)
	s.Connection(record.Connection{What: record.ConnectionOpened, Transport: "stdio"})
	beside := s.Beside(record.Connection{Transport: record.App})
	frame := func(dir transport.Direction, text string) transport.Frame {
		return transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: time.Unix(1780000000, 0), Dir: dir, Ending: "\n"}
	}
	call := func(id int) transport.Frame {
		return frame(transport.Out, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, id))
	}
	response := func(id int) transport.Frame {
		return frame(transport.In, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
	}
	s.Append(call(1))
	message := call(1)
	message.Dir = transport.In
	beside.Append(message)
	ofApp, ofCommand := call(2), call(3)
	ofApp.Cause, ofCommand.Side = transport.RefTo(1, 0), transport.Attached
	s.Append(ofApp)
	s.Append(ofCommand)
	for id := 1; id <= 3; id++ {
		s.Append(response(id))
	}
	p := programOf(t, s)
	for row, want := range []string{"", "", "app", "attached", "", "app", "attached"} {
		r, _ := s.Row(int32(row))
		if got := p.of.SentBy(nil, int32(row), &r); got != want {
			t.Errorf("row %d is sent by %q, want %q", row, got, want)
		}
	}
}
