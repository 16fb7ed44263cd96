package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcptea/demo"
)

// forgetful is the demo server, which forgets the first n sessions when they call a tool. calls counts the tool calls that the
// server has processed.
func forgetful(t *testing.T, n int64, calls *atomic.Int64) string {
	t.Helper()
	inner := demo.New(demo.Options{}).HandlerContext(t.Context())
	var forgotten atomic.Int64
	gone := make(chan string, 100) // ids
	isGone := func(id string) bool {
		for range len(gone) {
			other := <-gone
			gone <- other
			if other == id {
				return true
			}
		}
		return false
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		isCall := bytes.Contains(body, []byte("tools/call"))
		if isCall && id != "" && !isGone(id) && forgotten.Add(1) <= n {
			gone <- id
		}
		if id != "" && isGone(id) {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		if isCall {
			calls.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// A request that a server refuses with 404, since it has forgotten the session, is sent again on a new session.
func TestCall_SessionForgotten(t *testing.T) {
	var calls atomic.Int64
	stdout, stderr, code := called(t, "call", "echo", "message=tea", "--protocol", "2025-11-25", "--url", forgetful(t, 1, &calls))
	if code != 0 || strings.TrimSpace(stdout) != "tea" || calls.Load() != 1 {
		t.Errorf("exit code %d, %d calls, %q", code, calls.Load(), stdout)
	}
	if !strings.Contains(stderr, "the session has expired (HTTP 404): starting a new one") {
		t.Errorf("stderr has no line about the new session: %s", stderr)
	}
}

// A server that forgets each session is not asked without end.
func TestCall_EachSessionForgotten(t *testing.T) {
	var calls atomic.Int64
	_, stderr, code := called(t, "call", "echo", "message=tea", "--protocol", "2025-11-25", "--url", forgetful(t, 1000, &calls))
	if code == 0 || calls.Load() != 0 || !strings.Contains(stderr, "404") {
		t.Errorf("exit code %d, %d calls: %s", code, calls.Load(), stderr)
	}
}

func TestBench_SessionForgotten(t *testing.T) {
	var calls atomic.Int64
	stdout, stderr, code := called(t, "bench", "echo", "message=tea", "-n", "20", "--protocol", "2025-11-25", "--url", forgetful(t, 1, &calls))
	if code != 0 || strings.Contains(stdout, "failed") || calls.Load() != 20 {
		t.Errorf("exit code %d, %d calls: %s", code, calls.Load(), stdout)
	}
	if n := strings.Count(stderr, "starting a new one"); n != 1 {
		t.Errorf("stderr has %d lines about the new session: %s", n, stderr)
	}
}

// A server that forgets its sessions again and again gets a new one each time, as long as each has answered a request.
func TestBench_SessionsForgotten(t *testing.T) {
	inner := demo.New(demo.Options{}).HandlerContext(t.Context())
	var mu sync.Mutex
	calls := map[string]int{} // by session
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		if bytes.Contains(body, []byte("tools/call")) {
			calls[id]++
		}
		isGone := calls[id] > 5
		mu.Unlock()
		if isGone {
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	stdout, stderr, code := called(t, "bench", "echo", "message=tea", "-n", "20", "--protocol", "2025-11-25", "--url", server.URL+"/mcp")
	if code != 0 || strings.Contains(stdout, "failed") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if n := strings.Count(stderr, "starting a new one"); n != 3 {
		t.Errorf("stderr has %d lines about new sessions: %s", n, stderr)
	}
	// With several requests at once, some may have been processed when the session ends, and are not sent again.
	stdout, _, _ = called(t, "bench", "echo", "message=tea", "-n", "20", "-c", "3", "--protocol", "2025-11-25", "--url", server.URL+"/mcp")
	if strings.Contains(stdout, "Not connected") {
		t.Error(stdout)
	}
}
