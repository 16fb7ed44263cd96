package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/tap/relay"
)

// hostOfURL is a host over stdio of a tap of a server with a URL.
type hostOfURL struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	warns chan string
	ended chan struct{}
	path  string // of the recording
}

func tapOf(t *testing.T, url string) *hostOfURL {
	t.Helper()
	return tapWith(t, url, nil)
}

// tapWith is a tap that sends headers.
func tapWith(t *testing.T, url string, header http.Header) *hostOfURL {
	t.Helper()
	in, host := io.Pipe()
	out, stdout := io.Pipe()
	h := &hostOfURL{t: t, in: host, lines: make(chan string, 10_000), warns: make(chan string, 10_000), ended: make(chan struct{}), path: filepath.Join(t.TempDir(), "s.mcptea.jsonl")}
	target := client.Target{URL: url, Header: header}
	r := &relay.Relay{
		Server: target, Secrets: target.Secrets(), Stdin: in, Stdout: stdout, Stderr: io.Discard, OnDemand: true, Until: "with the next request",
		Warn: func(text string) { h.warns <- text },
		Record: func() (*store.Writer, error) {
			return store.NewWriter(store.Options{Path: h.path}, record.Header{Transport: "http", Target: url})
		},
	}
	r.Dial = func(e relay.Events) transport.Transport {
		return target.NewTransport(client.Raw{Lost: e.Lost, Expired: e.Expired, Tool: r.Tool, Secrets: r.Secrets})
	}
	r.Follow = func(ctx context.Context) { _ = r.Connect(ctx) }
	go func() {
		defer close(h.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			h.lines <- lines.Text()
		}
	}()
	go func() {
		defer close(h.ended)
		_ = r.Run(t.Context())
		_ = stdout.Close()
	}()
	t.Cleanup(h.close)
	return h
}

func (h *hostOfURL) close() {
	_ = h.in.Close()
	<-h.ended
}

func (h *hostOfURL) sends(frame string) { _, _ = io.WriteString(h.in, frame+"\n") }

// gets returns the next line, which has some parts.
func (h *hostOfURL) gets(parts ...string) string {
	h.t.Helper()
	line, ok := <-h.lines
	for _, p := range parts {
		if !ok || !strings.Contains(line, p) {
			h.t.Fatalf("the host got %s, without %s", line, p)
		}
	}
	return line
}

const initializeFrame = `{"jsonrpc":"2.0", "id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`

func (h *hostOfURL) connects() {
	h.t.Helper()
	h.sends(initializeFrame)
	h.gets(`"id":0`, `"serverInfo"`)
	h.sends(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// scriptedHTTP is a server whose sessions end, and whose responses a test decides about.
type scriptedHTTP struct {
	mu         sync.Mutex
	sessions   map[string]bool
	count      int
	initialize []string       // bodies
	calls      map[string]int // by id: how often it was carried out
	deleted    int
	// answer responds to a request instead of the server, or returns false to let the server respond.
	answer func(w http.ResponseWriter, id, method string) bool
	// stream responds to GET; nil for a server without the stream. resumed is the body of the response to a GET with
	// Last-Event-ID, with status 404.
	stream  func(w http.ResponseWriter, r *http.Request)
	resumed string
}

func (s *scriptedHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	session := r.Header.Get("Mcp-Session-Id")
	body, _ := io.ReadAll(r.Body)
	e := jsonrpc.Scan(body)
	method, id := "", ""
	if e.Kind == jsonrpc.Request || e.Kind == jsonrpc.Notification {
		method, id = e.MethodName(body), e.ID.Of(body).String()
	}
	s.mu.Lock()
	alive := s.sessions[session]
	if method == "initialize" {
		s.count++
		session = "session-" + strconv.Itoa(s.count)
		s.sessions[session], alive = true, true
		s.initialize = append(s.initialize, string(body))
	}
	if alive && method == "tools/call" {
		s.calls[id]++
	}
	if r.Method == http.MethodDelete && alive {
		delete(s.sessions, session)
		s.deleted++
	}
	answer, stream, resumed := s.answer, s.stream, s.resumed
	s.mu.Unlock()
	switch {
	case r.Header.Get("Last-Event-ID") != "":
		http.Error(w, resumed, http.StatusNotFound)
	case alive && r.Method == http.MethodGet && stream != nil:
		stream(w, r)
	case !alive:
		http.Error(w, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":"server-error"}`, http.StatusNotFound)
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case answer != nil && id != "" && answer(w, id, method):
	case e.Kind != jsonrpc.Request:
		w.WriteHeader(http.StatusAccepted)
	case method == "initialize":
		w.Header().Set("Mcp-Session-Id", session)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, id)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":1}}\n\n", id)
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"of\":%s}}\n\n", id, id)
	}
}

// began is the number of sessions that have begun.
func (s *scriptedHTTP) began() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func (s *scriptedHTTP) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sessions)
}

func startScripted(t *testing.T) (*scriptedHTTP, string) {
	t.Helper()
	s := &scriptedHTTP{sessions: map[string]bool{}, calls: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL + "/mcp"
}

// However often the sessions of a server expire, each call has one response and is carried out once, in a
// session that began with the host's own initialize; the last session is deleted at the end.
func TestRelay_SessionsExpire(t *testing.T) {
	s, url := startScripted(t)
	h := tapOf(t, url)
	h.connects()
	random := rand.New(rand.NewPCG(7, 1))
	calls := 300
	if os.Getenv("MCPTEA_E2E") != "" {
		calls = 20_000
	}
	window := make(chan struct{}, 8) // calls that wait
	go func() {
		for id := 1; id <= calls; id++ {
			window <- struct{}{}
			if random.IntN(40) == 0 {
				s.expire()
			}
			h.sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":%d}}}`, id, id))
		}
	}()
	responses := map[string]int{}
	for len(responses) < calls {
		line := []byte(h.gets())
		e := jsonrpc.Scan(line)
		if e.Kind.IsResponse() {
			id := e.ID.Of(line).String()
			<-window
			if responses[id]++; e.Kind != jsonrpc.Response || !strings.Contains(string(line), `"of":`+id+`}`) {
				t.Fatalf("call %s: %s", id, line)
			}
		}
	}
	h.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range calls {
		if key := strconv.Itoa(id + 1); responses[key] != 1 || s.calls[key] != 1 {
			t.Errorf("call %s: %d responses, carried out %d times", key, responses[key], s.calls[key])
		}
	}
	for _, body := range s.initialize[1:] {
		if want := initializeFrame[strings.Index(initializeFrame, `"method"`):]; !strings.HasSuffix(body, want) || strings.Contains(body, `"id":0,`) {
			t.Errorf("another initialize than that of the host: %s", body)
		}
	}
	if len(s.sessions) != 0 || s.deleted != 1 {
		t.Errorf("%d sessions are left, %d were deleted", len(s.sessions), s.deleted)
	}
	t.Logf("%d calls, %d sessions", calls, s.count)
}

// If a server does something else over HTTP than respond, the error has the right id and one sentence.
func TestRelay_HTTPFailures(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, id string)
		want   []string
	}{
		"a status with a text": {func(w http.ResponseWriter, _ string) { http.Error(w, "come back later", http.StatusServiceUnavailable) }, []string{`"code":-32603`, "503", `"reason":"http 503"`}},
		"a redirect to another origin": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "http://127.0.0.1:9/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, []string{`"code":-32603`, "307"}},
		"an error of the server's own": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32042,"message":"no such place","data":{"a":1}}}`)
		}, []string{`"code":-32042`, "no such place", `{"a":1}`}},
		"a response to another id": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"other","result":{}}`)
		}, []string{`"code":-32603`}},
		"the end of the stream": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, ": nothing\n\n")
		}, []string{`"code":-32603`, "may have been carried out"}},
		"HTML": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>hello</html>")
		}, []string{`"code":-32603`, "text/html"}},
		"an id like that of mcptea": {func(w http.ResponseWriter, id string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"mcptea-tap-%d-1\",\"result\":{\"tools\":[]}}\n\n", os.Getpid())
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"mine\":true}}\n\n", id)
		}, []string{`"result":{"mine":true}`}},
	} {
		t.Run(name, func(t *testing.T) {
			s, url := startScripted(t)
			h := tapOf(t, url)
			h.connects()
			s.mu.Lock()
			s.answer = func(w http.ResponseWriter, id, method string) bool {
				if method == "tools/call" {
					c.answer(w, id)
				}
				return method == "tools/call"
			}
			s.mu.Unlock()
			h.sends(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}}`)
			for {
				line := h.gets()
				e := jsonrpc.Scan([]byte(line))
				if !e.Kind.IsResponse() || e.ID.Of([]byte(line)).String() != "5" {
					if !strings.Contains(line, `"other"`) && !strings.Contains(line, "mcptea-tap-") {
						t.Errorf("the host got %s", line)
					}
					continue
				}
				for _, want := range c.want {
					if !strings.Contains(line, want) {
						t.Errorf("the host got %s, without %s", line, want)
					}
				}
				if !json.Valid([]byte(line)) {
					t.Errorf("not JSON: %s", line)
				}
				break
			}
			// The connection goes on.
			h.sends(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
			for line := h.gets(); !strings.Contains(line, `"id":6`); line = h.gets() {
				continue
			}
		})
	}
}

// A response over HTTP may have line breaks between its tokens. The host gets one line, and all other bytes as sent.
func TestRelay_ResponseOnSeveralLines(t *testing.T) {
	deep := strings.Repeat("[\n", jsonrpc.MaxDepth) + strings.Repeat("\r\n]", jsonrpc.MaxDepth)
	for name, body := range map[string]string{
		"blanks and a number":     "{\n  \"jsonrpc\" : \"2.0\",\r\n\t\"id\": 5,\r  \"result\": { \"a\": \"x  y\\n\",\n\n \"b\": 1.0e0 }\n}",
		"deeper than it reads":    "{\n\"jsonrpc\":\"2.0\",\n \"id\":5, \"result\":{\"a\": " + deep + "}}",
		"after a byte order mark": "\ufeff{\n \"jsonrpc\":\"2.0\", \"id\":5,\n\"result\":{} }",
	} {
		t.Run(name, func(t *testing.T) {
			s, url := startScripted(t)
			h := tapOf(t, url)
			h.connects()
			s.mu.Lock()
			s.answer = func(w http.ResponseWriter, _, method string) bool {
				if method == "tools/call" {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, body)
				}
				return method == "tools/call"
			}
			s.mu.Unlock()
			h.sends(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}}`)
			if got, want := h.gets(), strings.NewReplacer("\r", "", "\n", "").Replace(body); got != want {
				t.Errorf("the host got %q, want %q", got, want)
			}
		})
	}
}

// A server that is not there is one again with the next request.
func TestRelay_ServerComesBack(t *testing.T) {
	s, url := startScripted(t)
	h := tapOf(t, url)
	h.connects()
	down := true
	s.mu.Lock()
	s.answer = func(w http.ResponseWriter, _, method string) bool {
		if method == "tools/call" && down {
			down = false
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = c.Close()
			}
			return true
		}
		return false
	}
	s.mu.Unlock()
	h.sends(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	h.gets(`"id":1`, `"error"`)
	h.sends(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}`)
	for line := h.gets(); !strings.Contains(line, `"id":2`); line = h.gets() {
		continue
	}
	h.close()
	text, err := os.ReadFile(h.path)
	if err != nil || !strings.Contains(string(text), "answered by mcptea") {
		t.Errorf("the recording does not say who has answered: %v", err)
	}
}

// A host of the stateless era cancels a request without _meta, and need not have sent server/discover: the end of the
// exchange cancels it, and no frame goes out without its protocol version.
func TestTap_CancelOfTheStatelessEra(t *testing.T) {
	cancelled, versions := make(chan struct{}), make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		versions <- r.Header.Get("MCP-Protocol-Version")
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/events/active\",\"params\":{}}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(cancelled)
	}))
	t.Cleanup(server.Close)
	h := tapOf(t, server.URL)
	h.sends(`{"jsonrpc":"2.0","id":1,"method":"events/stream","params":{"name":"tick","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"h","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	h.gets("notifications/events/active")
	h.sends(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-cancelled
	if len(versions) != 1 || <-versions != "2026-07-28" {
		t.Error("a frame was sent in place of the end of the exchange, or without its version")
	}
}
