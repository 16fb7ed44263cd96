package replay_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/test/recordingtest"
	"mcptea/session/runs/replay"
)

// peer is a client of a mock on pipes.
type peer struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Scanner
	end chan error
}

func connect(t *testing.T, conversation string, o replay.MockOptions) *peer {
	t.Helper()
	server := replay.NewMock(replay.ReadFile(t, recordingtest.File(t, "stdio", conversation)), o)
	clientOut, serverIn := io.Pipe()
	serverOut, clientIn := io.Pipe()
	p := &peer{t: t, in: serverIn, out: bufio.NewScanner(serverOut), end: make(chan error, 1)}
	go func() {
		err := server.ServeStdio(t.Context(), clientOut, clientIn)
		_ = clientIn.Close()
		p.end <- err
	}()
	t.Cleanup(func() { _ = p.in.Close() })
	return p
}

func (p *peer) send(frames ...string) {
	p.t.Helper()
	for _, frame := range frames {
		if _, err := io.WriteString(p.in, frame+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// want reads frames and compares them.
func (p *peer) want(frames ...string) {
	p.t.Helper()
	for _, frame := range frames {
		if !p.out.Scan() {
			p.t.Fatalf("the mock ended before %s", frame)
		}
		if p.out.Text() != frame {
			p.t.Fatalf("the mock sent\n%s\nwant\n%s", p.out.Text(), frame)
		}
	}
}

// close ends the input, and checks that nothing more was sent.
func (p *peer) close() {
	p.t.Helper()
	_ = p.in.Close()
	for p.out.Scan() {
		p.t.Errorf("the mock also sent %s", p.out.Text())
	}
	if err := <-p.end; err != nil {
		p.t.Errorf("ServeStdio returned %v", err)
	}
}

const calls = `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","_meta":{"progressToken":1}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress": 0.50}}
< {"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"now"}}
< {"result":{"n":2},"id":2,"jsonrpc":"2.0"}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fail","arguments":{"n":1,"m":[1,2]}}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"no"}}`

func TestServer_ResponsesInTheirOrderAndTheLastOneAgain(t *testing.T) {
	p := connect(t, calls, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":"t"},"name":"now"}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress": 0.50}}`, `{"jsonrpc":"2.0","id":"a","result":{"n": 1.0}}`)
	for _, id := range []string{"7", "8", "9"} {
		p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"now"}}`)
		p.want(`{"result":{"n":2},"id":` + id + `,"jsonrpc":"2.0"}`)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"m":[1, 2],"n":1},"name":"fail"}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`)
	p.close()
}

// A recording of selected frames has no handshake.
func TestServer_HandshakeOfItsOwn(t *testing.T) {
	p := connect(t, calls, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},"protocolVersion":"2025-03-26","serverInfo":{"name":"mcptea mock","version":"1"}}}`)
	p.close()
}

// A secret that was redacted in the recording matches any text.
func TestServer_RedactedSecret(t *testing.T) {
	p := connect(t, `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"user":"ada","password":"••••"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"login","arguments":{"user":"ada","password":"correct horse"}}}`)
	p.want(`{"jsonrpc":"2.0","id":5,"result":{"content":[]}}`)
	p.send(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"login","arguments":{"user":"eve","password":"correct horse"}}}`)
	p.want(`{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"no recorded request matches tools/call login; the nearest is frame 1; params.arguments.user is \"eve\", recorded is \"ada\"","data":{"nearestFrame":1,"differences":[{"path":"/params/arguments/user","recorded":"ada","received":"eve"}]}}}`)
	p.close()
}

func TestServer_ProgressOnlyForAToken(t *testing.T) {
	p := connect(t, calls, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}`)
	p.close()
}

func TestServer_NearestRequest(t *testing.T) {
	var reported []string
	p := connect(t, calls, replay.MockOptions{Report: func(text string) { reported = append(reported, text) }})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail","arguments":{"n":2,"m":[1,2]}}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no recorded request matches tools/call fail; the nearest is frame 6; params.arguments.n is 2, recorded is 1","data":{"nearestFrame":6,"differences":[{"path":"/params/arguments/n","recorded":1,"received":2}]}}}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	p.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"the recording has no request \"tools/list\"; the nearest method is \"tools/call\" (frame 1)"}}`)
	p.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	p.want(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	p.send(`{`)
	p.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not a valid message: not JSON"}}`)
	p.close()
	if len(reported) != 2 || !strings.Contains(reported[0], "the nearest is frame 6") {
		t.Errorf("reported %q", reported)
	}
}

const dialogue = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}
< {"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"?"}}
> {"jsonrpc":"2.0","id":0,"result":{"action":"accept"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}
< {"jsonrpc":"2.0","id":2,"result":{"ok":true}}
< {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`

func TestServer_RequestsOfTheServerWaitForTheirResponse(t *testing.T) {
	p := connect(t, dialogue, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":10,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}`)
	p.want(`{"jsonrpc":"2.0","id":10,"result":{"protocolVersion":"2025-06-18"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	p.send(`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"ask"}}`)
	p.want(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"?"}}`)
	p.send(`{"jsonrpc":"2.0","id":0,"result":{"action":"decline"}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`, `{"jsonrpc":"2.0","id":11,"result":{"ok":true}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
	// Again: the request gets another id.
	p.send(`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"ask"}}`)
	p.want(`{"jsonrpc":"2.0","id":"mock-1","method":"elicitation/create","params":{"message":"?"}}`)
	// A cancelled request gets no response.
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12}}`, `{"jsonrpc":"2.0","id":13,"method":"ping"}`)
	p.want(`{"jsonrpc":"2.0","id":13,"result":{}}`)
	p.close()
}

func TestServer_SubscriptionFollowsTheRequests(t *testing.T) {
	p := connect(t, `
> {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}
< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"change"}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
< {"jsonrpc":"2.0","id":2,"result":{}}`, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{}}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`)
	p.send(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	p.want(`{"jsonrpc":"2.0","id":6,"result":{}}`) // and not the notification
	p.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"change"}}`)
	got := map[string]bool{}
	for range 2 {
		p.out.Scan()
		got[p.out.Text()] = true
	}
	if !got[`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`] || !got[`{"jsonrpc":"2.0","id":7,"result":{}}`] {
		t.Errorf("the mock sent %v", got)
	}
	p.close()
}

func TestServer_Speed(t *testing.T) {
	path := recordingtest.File(t, "stdio", calls)
	synctest.Test(t, func(t *testing.T) {
		server := replay.NewMock(replay.ReadFile(t, path), replay.MockOptions{Speed: 0.001}) // a millisecond lasts a second
		start := time.Now()
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail","arguments":{"n":1,"m":[1,2]}}}` + "\n")
		r, w := io.Pipe()
		out, line := io.Pipe()
		go func() { _ = server.ServeStdio(t.Context(), r, line); _ = line.Close() }()
		_, _ = io.Copy(w, in)
		text, _ := bufio.NewReader(out).ReadString('\n')
		if took := time.Since(start); took != time.Second || !strings.Contains(text, `"no"`) {
			t.Errorf("%q came after %v", text, took)
		}
		_ = w.Close()
		_, _ = io.Copy(io.Discard, out)
	})
}

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
