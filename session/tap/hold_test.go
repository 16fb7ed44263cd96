package tap_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/session/intercept"
	"mcptea/session/tap"
	"mcptea/session/tap/control"
)

// decideFirst decides about the first frame that the gate holds.
func (r *rig) decideFirst(filter string, d intercept.Decision) {
	r.t.Helper()
	if err := r.gate.SetBreakpoints([]intercept.Breakpoint{{Filter: filter}}); err != nil {
		r.t.Fatal(err)
	}
	changes, stop := r.gate.Subscribe()
	go func() {
		defer stop()
		for range changes {
			if held := r.gate.State().Held; len(held) > 0 {
				if err := r.gate.Decide(held[0].ID, d); err != nil {
					r.t.Error(err)
				}
				return
			}
		}
	}()
}

func TestProxy_Decisions(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	const result = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for _, c := range []struct {
		name, filter string
		d            intercept.Decision
		server       []string // what the server gets
		host         string   // what the host gets; empty if the connection ends
		change       string   // what the record has of it, with the frames that were sent on if not as received
	}{
		{"forward", "dir:out", intercept.Decision{Action: intercept.Forward}, []string{call}, result, "forwarded"},
		{"edit request", "dir:out", intercept.Decision{Action: intercept.Forward, Bytes: []byte("edited")}, []string{"edited"}, result, "edited edited"},
		{"drop request", "dir:out", intercept.Decision{Action: intercept.Drop}, nil, "", "dropped"},
		{"duplicate request", "dir:out", intercept.Decision{Action: intercept.Duplicate}, []string{call, call}, result, "duplicated " + call + " | " + call},
		{"respond", "dir:out", intercept.Decision{Action: intercept.Respond, Bytes: []byte(`{"by":"hand"}`)}, nil, `{"by":"hand"}`, "answered"},
		{"edit response", "dir:in", intercept.Decision{Action: intercept.Forward, Bytes: []byte("longer than before: " + result)}, []string{call}, "longer than before: " + result, "edited longer than before: " + result},
		{"drop response", "dir:in", intercept.Decision{Action: intercept.Drop}, []string{call}, "", "dropped"},
		{"duplicate response", "dir:in", intercept.Decision{Action: intercept.Duplicate}, []string{call}, result + "\n" + result, "duplicated " + result + " | " + result},
	} {
		t.Run(c.name, func(t *testing.T) {
			served := make(chan string, 3)
			r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
				b, _ := io.ReadAll(q.Body)
				served <- string(b)
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", fmt.Sprint(len(result)))
				_, _ = io.WriteString(w, result)
			}, nil)
			r.decideFirst(c.filter, c.d)
			_, got, err := r.post(call)
			if (err != nil) != (c.host == "") || got != c.host {
				t.Errorf("the host got %q, %v; want %q", got, err, c.host)
			}
			for _, want := range c.server {
				if b := <-served; b != want {
					t.Errorf("the server got %q, want %q", b, want)
				}
			}
			recorded := r.recordings()[0]
			if out := bodies(frames(recorded, transport.Out)); len(out) != 1 || out[0] != call {
				t.Errorf("recorded as sent by the host: %q", out)
			}
			var changes []string
			var row int32 = -1 // of the newest frame
			for _, e := range recorded {
				if e.Kind == record.KindFrame {
					row++
				}
				if x := e.Change; x != nil {
					changes = append(changes, strings.TrimSpace(x.What.String()+" "+string(bytes.Join(x.Sent, []byte(" | ")))))
					if x.Row != row || x.Breakpoint != 1 {
						t.Errorf("change %+v, the newest frame has row %d", x, row)
					}
				}
			}
			if len(changes) != 1 || changes[0] != c.change {
				t.Errorf("changes %q, want %q", changes, c.change)
			}
		})
	}
}

func TestProxy_HoldsEvents(t *testing.T) {
	answers := make(chan string, 1)
	const ask = `{"jsonrpc":"2.0","id":5,"method":"roots/list"}`
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPost {
			b, _ := io.ReadAll(q.Body)
			answers <- q.Header.Get("Mcp-Session-Id") + " " + string(b)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, ": hello\r\n\r\nid: 1\r\nevent: message\r\ndata: %s\r\n\r\nid: 2\r\ndata: {}\r\n\r\n", ask)
	}, nil)
	get := func() string {
		q, _ := http.NewRequest(http.MethodGet, r.url+"/mcp", nil)
		q.Header.Set("Mcp-Session-Id", "s")
		response, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		b, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const rest = "id: 2\r\ndata: {}\r\n\r\n"
	r.decideFirst("method:roots/list", intercept.Decision{Action: intercept.Forward, Bytes: []byte("{\"edited\":\n1}")})
	if got, want := get(), ": hello\r\n\r\nid: 1\r\nevent: message\r\ndata: {\"edited\":\r\ndata: 1}\r\n\r\n"+rest; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.decideFirst("method:roots/list", intercept.Decision{Action: intercept.Drop})
	if got, want := get(), ": hello\r\n\r\n"+rest; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.decideFirst("method:roots/list", intercept.Decision{Action: intercept.Respond, Bytes: []byte(`{"by":"hand"}`)})
	if got, want := get(), ": hello\r\n\r\n"+rest; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := <-answers; got != `s {"by":"hand"}` {
		t.Errorf("the server got %q", got)
	}
}

// A breakpoint that is set while a stream is open holds the events that follow.
func TestProxy_HoldsEventsOfOpenStream(t *testing.T) {
	next := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-next
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/message"}`+"\n\ndata: {}\n\n")
	}, nil)
	response, err := http.Get(r.url + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	first := make([]byte, len("data: {}\n\n"))
	if _, err := io.ReadFull(response.Body, first); err != nil {
		t.Fatal(err)
	}
	r.decideFirst("method:notifications/message", intercept.Decision{Action: intercept.Drop})
	close(next)
	if rest, err := io.ReadAll(response.Body); err != nil || string(rest) != "data: {}\n\n" {
		t.Errorf("got %q, %v", rest, err)
	}
}

// TestProxy_NamesSessionOfHeldFrame attaches to a tap with two sessions.
func TestProxy_NamesSessionOfHeldFrame(t *testing.T) {
	state, err := os.MkdirTemp("/tmp", "mcptea-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(state) }()
	var c *control.Control
	r := newRig(t, sessionServer(false), func(p *tap.Proxy) {
		if c, err = control.Serve(state, control.Info{Transport: "http"}, p.Gate); err != nil {
			t.Fatal(err)
		}
		p.Control = c
	})
	defer c.Close()
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(initializeFrame)
	a := attachTo(t, state)
	if err := a.SetBreakpoints([]intercept.Breakpoint{{Filter: "dir:out"}}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = r.post(`{"jsonrpc":"2.0","id":5,"method":"ping"}`, "Mcp-Session-Id", "session-2")
	}()
	held := awaitHeld(t, a, 1)[0]
	taps, err := control.List(t.Context(), state)
	if err != nil || len(taps) != 1 {
		t.Fatalf("active taps %+v, %v", taps, err)
	}
	sessions := taps[0].Sessions
	if len(sessions) != 2 || held.Session != sessions[1].ID || held.Row != 2 || filepath.Base(sessions[1].Recording) != "2.jsonl" {
		t.Errorf("held %+v, sessions %+v", held, sessions)
	}
	_ = a.Close()
	<-ended
}
