package tap_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcptea/client/transport"
)

func TestProxy_EndpointOfHTTPSSE(t *testing.T) {
	messages := make(chan string, 1)
	var r *rig
	r = newRig(t, func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPost {
			b, _ := io.ReadAll(q.Body)
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, "Accepted")
			messages <- q.RequestURI + " " + string(b)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: endpoint\r\ndata: %s/message?sessionId=7\r\n\r\n", r.server.URL)
		w.(http.Flusher).Flush()
		_, _ = fmt.Fprintf(w, "event: message\r\ndata: {\"got\": %q}\r\n\r\n", <-messages)
	}, nil)
	response, err := http.Get(r.url + "/sse")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	want := "event: endpoint\r\ndata: " + r.url + "/message?sessionId=7\r\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
	posted, err := http.Post(r.url+"/message?sessionId=7", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil || posted.StatusCode != http.StatusAccepted {
		t.Fatalf("%v, %v", posted, err)
	}
	_ = posted.Body.Close()
	_, _ = io.ReadAll(response.Body)
	recorded := r.recordings()
	if len(recorded) != 1 {
		t.Fatalf("%d recordings", len(recorded))
	}
	if in := bodies(frames(recorded[0], transport.In)); len(in) != 2 || in[0] != r.server.URL+"/message?sessionId=7" {
		t.Errorf("recorded %q", in)
	}
	if out := bodies(frames(recorded[0], transport.Out)); len(out) != 1 {
		t.Errorf("recorded %q", out)
	}
	if c := recorded[0][0].Connection; c == nil || c.Transport != "sse" {
		t.Errorf("connection %+v", c)
	}
	for _, x := range exchanges(recorded[0]) {
		if want := map[string]string{http.MethodGet: "stream", http.MethodPost: "message"}[x.Method]; x.Purpose != want {
			t.Errorf("%s has the purpose %q", x.Method, x.Purpose)
		}
	}
}

// sessionServer gives each initialize an id, unless it is stateless.
func sessionServer(stateless bool) http.HandlerFunc {
	var mu sync.Mutex
	count := 0
	return func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if bytes.Contains(b, []byte(`"initialize"`)) && !stateless {
			mu.Lock()
			count++
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("session-%d", count))
			mu.Unlock()
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"}}}`)
	}
}

const initializeFrame = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`

func TestProxy_RecordsEachSession(t *testing.T) {
	r := newRig(t, sessionServer(false), nil)
	ping := func(n int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n) }
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(ping(21), "Mcp-Session-Id", "session-2")
	_, _, _ = r.post(ping(11), "Mcp-Session-Id", "session-1")
	_, _, _ = r.post(ping(91), "Mcp-Session-Id", "of-an-earlier-tap")
	var got [][]string
	for _, events := range r.recordings() {
		got = append(got, bodies(frames(events, transport.Out)))
	}
	want := [][]string{{initializeFrame, ping(11)}, {initializeFrame, ping(21)}, {ping(91)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recordings (-want +got):\n%s", diff)
	}
}

func TestProxy_RecordsSessionsWithoutID(t *testing.T) {
	r := newRig(t, sessionServer(true), nil)
	const ping, discover = `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(ping)
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(ping)
	_, _, _ = r.post(ping, "User-Agent", "another host")
	_, _, _ = r.post(discover, "User-Agent", "stateless")
	_, _, _ = r.post(ping, "User-Agent", "stateless")
	_, _, _ = r.post(ping, "User-Agent", "stateless")
	_, _, _ = r.post(discover, "User-Agent", "stateless")
	var got [][]string
	for _, events := range r.recordings() {
		got = append(got, bodies(frames(events, transport.Out)))
	}
	if diff := cmp.Diff([][]string{{initializeFrame, ping}, {initializeFrame, ping}, {ping}, {discover, ping, ping}, {discover}}, got); diff != "" {
		t.Errorf("recordings (-want +got):\n%s", diff)
	}
}

func TestProxy_RecordsWhoClosed(t *testing.T) {
	gone := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		if q.URL.Query().Get("cut") != "" {
			panic(http.ErrAbortHandler)
		}
		<-q.Context().Done() // the tap passes on that the host has gone
		close(gone)
	}, nil)
	get := func(query string) {
		response, err := http.Get(r.url + "/mcp" + query)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = response.Body.Read(make([]byte, 9))
		if query != "" {
			if _, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("a stream that the server has cut ends with %v", err)
			}
		}
		_ = response.Body.Close()
	}
	get("?cut=1")
	get("")
	<-gone
	x := exchanges(r.recordings()[0])
	if len(x) != 2 || x[0].ClosedBy != transport.ClosedByPeer || x[0].Err == "" || x[1].ClosedBy != transport.ClosedByClient {
		t.Errorf("exchanges %+v", x)
	}
}
