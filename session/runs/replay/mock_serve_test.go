package replay_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcptea/internal/test/recordingtest"
	"mcptea/session/runs/replay"
)

// post sends a frame, and returns the response with its body.
func post(t *testing.T, url, session, frame string) (*http.Response, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(frame))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

func serve(t *testing.T, over, conversation string) string {
	t.Helper()
	handler := replay.NewMock(replay.ReadFile(t, recordingtest.File(t, over, conversation)), replay.MockOptions{}).Handler(t.Context())
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestHandler_StreamableHTTP(t *testing.T) {
	url := serve(t, "stdio", dialogue)
	res, body := post(t, url, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	session := res.Header.Get("Mcp-Session-Id")
	if session == "" || body != `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}` || res.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s %v", body, res.Header)
	}
	if res, _ = post(t, url, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); res.StatusCode != http.StatusAccepted {
		t.Errorf("status %d for a notification", res.StatusCode)
	}
	events := listen(t, url, session)
	events.want(t, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	done := make(chan string, 1)
	go func() {
		_, body := post(t, url, session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}`)
		done <- body
	}()
	// The response to a request that the server may not have sent yet is dropped, as by
	// a real server, so it is sent until the call ends.
	for waiting := true; waiting; {
		select {
		case body := <-done:
			if want := "event: message\ndata: " + `{"jsonrpc":"2.0","id":2,"result":{"ok":true}}` + "\n\n"; !strings.HasSuffix(body, want) || !strings.Contains(body, "elicitation/create") {
				t.Errorf("the stream is %s", body)
			}
			waiting = false
		default:
			post(t, url, session, `{"jsonrpc":"2.0","id":0,"result":{"action":"accept"}}`)
		}
	}
	events.want(t, `data: {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
	if res, _ := post(t, url, "unknown", `{"jsonrpc":"2.0","id":3,"method":"ping"}`); res.StatusCode != http.StatusNotFound {
		t.Errorf("status %d for an unknown session", res.StatusCode)
	}
	if res, _ := post(t, url, session, `{`); res.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d for an invalid frame", res.StatusCode)
	}
}

// events is an open event stream.
type events struct{ lines *bufio.Scanner }

func listen(t *testing.T, url, session string) events {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return events{bufio.NewScanner(res.Body)}
}

// want reads until the line.
func (e events) want(t *testing.T, line string) {
	t.Helper()
	for e.lines.Scan() {
		if e.lines.Text() == line {
			return
		}
	}
	t.Fatalf("the stream ended before %s", line)
}

func TestHandler_HTTPSSE(t *testing.T) {
	url := serve(t, "sse", calls)
	e := listen(t, url+"/sse", "")
	e.lines.Scan()
	e.lines.Scan()
	path, ok := strings.CutPrefix(e.lines.Text(), "data: ")
	if !ok || !strings.HasPrefix(path, "/sse?") {
		t.Fatalf("the first event is %q", e.lines.Text())
	}
	res, _ := post(t, url+path, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}`)
	if res.StatusCode != http.StatusAccepted {
		t.Errorf("status %d", res.StatusCode)
	}
	e.want(t, `data: {"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}`)
}

func TestHandler_RejectsWebPages(t *testing.T) {
	for _, transport := range []string{"stdio", "sse"} {
		url := serve(t, transport, calls)
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			for name, change := range map[string]func(*http.Request){
				"an origin":                            func(r *http.Request) { r.Header.Set("Origin", "https://example.com") },
				"a name that resolves to this machine": func(r *http.Request) { r.Host = "evil.example:8080" },
			} {
				r, _ := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
				change(r)
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				_ = res.Body.Close()
				if res.StatusCode != http.StatusForbidden {
					t.Errorf("%s of %s with %s: status %d", method, transport, name, res.StatusCode)
				}
			}
		}
	}
}

const (
	discover = `
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"x","version":"1"}}}
`

	failedDiscover = `
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}
`

	initialize = `
> {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
< {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}
`
)

// 2026-07-28 has no stream of GET: a client that gets one believes in an older server.
func TestHandler_Get(t *testing.T) {
	for name, tc := range map[string]struct {
		recording, version string
		status             int
	}{
		"a server of 2026-07-28":                              {discover, "2026-07-28", http.StatusMethodNotAllowed},
		"a server of 2026-07-28, a client without version":    {discover, "", http.StatusMethodNotAllowed},
		"an older server":                                     {failedDiscover + initialize, "2025-11-25", http.StatusOK},
		"a server of both, a client of 2026-07-28":            {discover + initialize, "2026-07-28", http.StatusMethodNotAllowed},
		"a server of both, an older client":                   {discover + initialize, "2025-11-25", http.StatusOK},
		"frames without a handshake, from before or after it": {calls, "", http.StatusOK},
	} {
		url := serve(t, "http", strings.ReplaceAll(tc.recording, "\n\n", "\n"))
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			r, _ := http.NewRequestWithContext(t.Context(), method, url, nil)
			if tc.version != "" {
				r.Header.Set("MCP-Protocol-Version", tc.version)
			}
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			want := tc.status
			if method == http.MethodDelete && want == http.StatusOK {
				want = http.StatusNoContent
			}
			if res.StatusCode != want || want == http.StatusMethodNotAllowed && res.Header.Get("Allow") != "POST" {
				t.Errorf("%s: %s has status %d, want %d", name, method, res.StatusCode, want)
			}
		}
	}
}
