package failure_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
)

// begun is when the calls of the tests were sent.
var begun = time.Unix(1780000000, 0)

// wire is a store with frames of its own times.
type wire struct {
	*store.Store
	t *testing.T
}

func newWire(t *testing.T) wire {
	t.Helper()
	s, err := store.Create(store.Options{Path: filepath.Join(t.TempDir(), "r.mcptea.jsonl")}, record.Header{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.Connection(record.Connection{What: record.ConnectionOpened})
	return wire{s, t}
}

// put appends a frame: "→ text" is sent, "← text" received. It came so long after begun.
func (w wire) put(after time.Duration, line string) int32 {
	w.t.Helper()
	dir := transport.Out
	text, ok := strings.CutPrefix(line, "→ ")
	if !ok {
		dir, text = transport.In, strings.TrimPrefix(line, "← ")
	}
	return w.Append(transport.Frame{
		Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Dir: dir, Time: begun.Add(after), Ending: "\n",
	})
}

func (w wire) stderr(after time.Duration, text string) {
	w.Line(transport.Line{Time: begun.Add(after), Text: text})
}

func (w wire) read(id string) *failure.Crash {
	total, _ := w.Logs()
	call := failure.CrashedCall{ID: jsonrpc.IDOf(id), Started: begun, Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") }}
	return failure.ReadCrash(w.Store, call, &stdio.ExitError{Code: 1}, total)
}

// The bounds of what is kept.
const (
	maxLines = 200
	maxLost  = 8
)

func TestCrash_Read_LinesSinceTheCall(t *testing.T) {
	w := newWire(t)
	w.stderr(-time.Second, "listening")
	w.stderr(time.Second, "")
	w.stderr(2*time.Second, "password hunter2")
	w.stderr(3*time.Second, "Error: no such table")
	k := w.read("1")
	if got := strings.Join(k.Lines, "|"); got != "password •••|Error: no such table" {
		t.Errorf("got %q", got)
	}
	if k.Decisive() != "Error: no such table" {
		t.Errorf("the decisive line is %q", k.Decisive())
	}
}

func TestCrash_Read_LinesAreBounded(t *testing.T) {
	w := newWire(t)
	for i := range maxLines + 7 {
		w.stderr(time.Second, fmt.Sprintf("line %d", i))
	}
	k := w.read("1")
	if len(k.Lines) != maxLines || k.Total != maxLines+7 || k.Lines[len(k.Lines)-1] != fmt.Sprintf("line %d", maxLines+6) {
		t.Errorf("%d lines of %d, the last is %q", len(k.Lines), k.Total, k.Lines[len(k.Lines)-1])
	}
}

func TestCrash_Read_OtherRequestsThatWereLost(t *testing.T) {
	tests := []struct {
		name   string
		frames []string
		lost   string
		more   bool
	}{
		{name: "none but the call", frames: []string{`→ {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`}},
		{name: "another call", frames: []string{
			`→ {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`,
			`→ {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"add"}}`,
			`→ {"jsonrpc":"2.0","id":"a","method":"ping"}`,
		}, lost: `8 tools/call add|"a" ping`},
		{name: "one with a response", frames: []string{
			`→ {"jsonrpc":"2.0","id":8,"method":"ping"}`,
			`← {"jsonrpc":"2.0","id":8,"result":{}}`,
		}},
		{name: "a subscription", frames: []string{`→ {"jsonrpc":"2.0","id":8,"method":"subscriptions/listen"}`}},
		{name: "a request of the server", frames: []string{`← {"jsonrpc":"2.0","id":8,"method":"roots/list"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWire(t)
			for _, f := range tt.frames {
				w.put(time.Second, f)
			}
			w.Disconnected(w.Conn(), "")
			if k := w.read("7"); strings.Join(k.Lost, "|") != tt.lost || k.LostMore != tt.more {
				t.Errorf("lost %q, more %v", k.Lost, k.LostMore)
			}
		})
	}
}

func TestCrash_Read_LostRequestsAreBoundedAndOfTheConnection(t *testing.T) {
	w := newWire(t)
	w.put(0, `→ {"jsonrpc":"2.0","id":99,"method":"ping"}`)
	w.Connection(record.Connection{What: record.ConnectionOpened})
	for i := range maxLost {
		w.put(time.Second, fmt.Sprintf(`→ {"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	w.Disconnected(w.Conn(), "")
	if k := w.read("none"); len(k.Lost) != maxLost || k.LostMore || k.Lost[0] != "0 ping" {
		t.Errorf("lost %q, more %v", k.Lost, k.LostMore)
	}
	w.Connection(record.Connection{What: record.ConnectionOpened})
	for i := range maxLost + 1 {
		w.put(time.Second, fmt.Sprintf(`→ {"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	w.Disconnected(w.Conn(), "")
	if k := w.read("none"); len(k.Lost) != maxLost || !k.LostMore {
		t.Errorf("lost %q, more %v", k.Lost, k.LostMore)
	}
}

func TestCrash_Sentence(t *testing.T) {
	tests := []struct {
		name  string
		exit  stdio.ExitError
		lines []string
		want  string
	}{
		{"no reason", stdio.ExitError{Code: 7}, nil, "The server crashed during this call. Exit code 7."},
		{"an exit", stdio.ExitError{}, nil, "The server exited during this call. Exit code 0."},
		{"an error", stdio.ExitError{Code: 1}, []string{"Error: no such table."}, "The server crashed during this call: Error: no such table. Exit code 1."},
		{
			"a panic",
			stdio.ExitError{Code: 2},
			[]string{"panic: runtime error: index out of range [3] with length 2"},
			"The server crashed during this call: index out of range [3] with length 2. Exit code 2.",
		},
		{"a signal", stdio.ExitError{Code: -1, Signal: "SIGKILL"}, nil, "The server crashed during this call. Terminated by SIGKILL."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (&failure.Crash{Exit: &tt.exit, Lines: tt.lines}).Sentence(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCrash_Excerpt(t *testing.T) {
	early := []string{"begin", "Error: no such table", "bye 1", "bye 2", "bye 3"}
	late := []string{"a", "b", "c", "d", "Error: no such table"}
	tests := []struct {
		name  string
		lines []string
		n     int
		want  string
	}{
		{"all", early, 5, strings.Join(early, "|")},
		{"from the decisive line on", early, 2, "Error: no such table|bye 1"},
		{"the last ones", late, 2, "d|Error: no such table"},
		{"no brackets alone", []string{"Error: no key", "  code: 1", "}", "Node.js v20"}, 3, "Error: no key|  code: 1|Node.js v20"},
		{"none", nil, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join((&failure.Crash{Lines: tt.lines}).Excerpt(tt.n), "|"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCrash_Unmatched(t *testing.T) {
	const call = `→ {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	tests := []struct {
		name  string
		after time.Duration
		frame string
		want  string
		head  string
	}{
		{"the response", time.Second, `← {"jsonrpc":"2.0","id":1,"result":{}}`, "", ""},
		{
			"another id", time.Second, `← {"jsonrpc":"2.0","id":"1","result":{}}`,
			`#2 came with the unknown id "1"; it may be the response to this call`, `{"jsonrpc":"2.0","id":"1","result":{}}`,
		},
		{
			"an error", time.Second, `← {"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}`,
			"#2 came with the unknown id 5; it may be the response to this call", "",
		},
		{
			"no id", time.Second, `← {"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}`,
			"#2 came without an id; it may be the response to this call", "",
		},
		{"before the call", -time.Second, `← {"jsonrpc":"2.0","id":5,"result":{}}`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWire(t)
			var u failure.Unmatched
			w.put(0, call)
			u.Look(w.Store, begun)
			if text, _ := u.Sentence(w.Store); text != "" {
				t.Errorf("before the frame: %s", text)
			}
			w.put(tt.after, tt.frame)
			var later failure.Unmatched
			for _, u := range []*failure.Unmatched{&u, &later} { // in steps, or at once
				u.Look(w.Store, begun)
				if text, head := u.Sentence(w.Store); text != tt.want || string(head) != tt.head {
					t.Errorf("got %q and %q, want %q and %q", text, head, tt.want, tt.head)
				}
			}
		})
	}
}

func TestCrash_Late(t *testing.T) {
	w := newWire(t)
	call := w.put(0, `→ {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	w.put(time.Second, `→ {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if row, _ := failure.LateResponse(w.Store, call, begun); row != store.None {
		t.Errorf("row %d before the response", row)
	}
	answer := w.put(3*time.Second, `← {"jsonrpc":"2.0","id":1,"result":{}}`)
	if row, after := failure.LateResponse(w.Store, call, begun); row != answer || after != 3*time.Second {
		t.Errorf("row %d after %v, want %d after 3s", row, after, answer)
	}
	if row, _ := failure.LateResponse(w.Store, store.None, begun); row != store.None {
		t.Errorf("row %d without a request", row)
	}
}
