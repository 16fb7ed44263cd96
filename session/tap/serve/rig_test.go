package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/inmemory"
	"mcptea/session/intercept"
	"mcptea/session/tap/relay"
	"mcptea/session/tap/serve"
)

// rig is a gateway with servers in the process of the test, in a bubble of fake time.
type rig struct {
	t       *testing.T
	gateway *serve.Gateway
	gate    *intercept.Gate
	http    http.Client

	servers atomic.Int64 // that have begun
	running atomic.Int64
	silent  bool // servers do not respond to server/discover
	mu      sync.Mutex
	got     []string // what servers got, and events
}

// serving tests a gateway. set changes the gateway before it serves.
func serving(t *testing.T, set func(g *serve.Gateway), test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		r := &rig{t: t, gate: intercept.New(intercept.Options{})}
		r.gateway = &serve.Gateway{
			Context: ctx, Server: client.Target{Argv: []string{"server"}}, Loopback: true, Idle: 30 * time.Minute, MaxSessions: 32,
			NewRelay: func(string) *relay.Relay {
				return &relay.Relay{
					Server: client.Target{Argv: []string{"server"}}, Stderr: io.Discard, Gate: r.gate, Until: "with the next request", Building: func() string { return "make" },
					Warn: func(string) {}, Dial: func(relay.Events) transport.Transport { return inmemory.New(r.serve) },
				}
			},
		}
		set(r.gateway)
		dial, end := inmemory.HTTP(r.gateway.Handler())
		r.http.Transport = &http.Transport{DialContext: dial, DisableKeepAlives: true}
		defer func() { // also after Fatal
			r.gateway.End()
			r.gateway.Wait()
			stop()
			end()
			if n := r.running.Load(); n != 0 {
				t.Errorf("%d servers are left", n)
			}
		}()
		test(t, r)
	})
}

// serve is a server with tools that do what their names say. Its result of initialize has the number of the server.
func (r *rig) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	number := r.servers.Add(1)
	r.running.Add(1)
	defer r.running.Add(-1)
	s := &server{r: r, number: number, out: out, questions: map[string]chan string{}, cancelled: map[string]chan struct{}{}}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.crash = stop
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	var calls sync.WaitGroup
	defer calls.Wait()
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				stop(nil)
				return nil
			}
			s.handle(ctx, &calls, line)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

type server struct {
	r         *rig
	number    int64
	crash     context.CancelCauseFunc
	out       io.Writer
	mu        sync.Mutex // guards the fields below
	asked     int
	questions map[string]chan string
	cancelled map[string]chan struct{}
}

func (s *server) write(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Params struct {
		Name      string          `json:"name"`
		RequestID json.RawMessage `json:"requestId"`
		URI       string          `json:"uri"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

func (s *server) handle(ctx context.Context, calls *sync.WaitGroup, line string) {
	s.r.note("%d: %s", s.number, line)
	if strings.HasPrefix(line, "[") {
		var parts []json.RawMessage
		_ = json.Unmarshal([]byte(line), &parts)
		for _, part := range parts {
			s.handle(ctx, calls, string(part))
		}
		return
	}
	var m message
	_ = json.Unmarshal([]byte(line), &m)
	switch {
	case m.Method == "" && len(m.ID) > 0:
		s.mu.Lock()
		q := s.questions[string(m.ID)]
		s.mu.Unlock()
		if q != nil {
			q <- string(m.Result) + string(m.Error)
		}
	case m.Method == "notifications/cancelled":
		s.mu.Lock()
		defer s.mu.Unlock()
		if c := s.cancelled[string(m.Params.RequestID)]; c != nil {
			close(c)
			delete(s.cancelled, string(m.Params.RequestID))
		}
	case m.Method == "initialize":
		s.write(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{"subscribe":true}},"serverInfo":{"name":"s%d","version":"1"}}}`, m.ID, s.number)
	case m.Method == "server/discover" && s.r.silent:
	case m.Method == "server/discover":
		s.write(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
	case m.Method == "tools/call":
		done := make(chan struct{})
		s.mu.Lock()
		s.cancelled[string(m.ID)] = done
		s.mu.Unlock()
		calls.Go(func() { s.call(ctx, m, done) })
	case len(m.ID) > 0:
		s.write(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
}

// call runs a tool. Its name has the form TOOL or TOOL:ARGUMENT.
func (s *server) call(ctx context.Context, m message, cancelled chan struct{}) {
	wait := func(d time.Duration) bool {
		select {
		case <-time.After(d):
			return true
		case <-cancelled:
			s.r.note("%d: cancelled %s", s.number, m.ID)
		case <-ctx.Done():
		}
		return false
	}
	tool, argument, _ := strings.Cut(m.Params.Name, ":")
	text := argument
	switch tool {
	case "server":
		text = fmt.Sprint(s.number)
	case "slow":
		if !wait(10 * time.Second) {
			return
		}
	case "steps":
		for i := range 4 {
			if !wait(time.Second) {
				return
			}
			s.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":%q}}`, m.Params.Meta.Token, i+1, argument)
		}
	case "ask":
		text = s.ask(ctx, "sampling/createMessage", argument)
	case "later":
		time.AfterFunc(time.Second, func() {
			s.write(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"later %s"}}`, argument)
		})
	case "asklater":
		time.AfterFunc(time.Second, func() { go s.ask(ctx, argument, "") })
	case "flood":
		for range 3000 {
			s.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, m.Params.Meta.Token)
		}
	case "update":
		s.write(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`, argument)
	case "changed":
		s.write(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	case "big":
		text = strings.Repeat("x", 5_000_000)
	case "crash":
		s.crash(errors.New("exit status 3: the database is gone"))
		return
	}
	s.write(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, m.ID, jsonrpc.Quote(text))
}

// ask sends a request to the client, and returns the response.
func (s *server) ask(ctx context.Context, method, argument string) string {
	s.mu.Lock()
	s.asked++
	id := fmt.Sprint(s.asked)
	q := make(chan string, 1)
	s.questions[id] = q
	s.mu.Unlock()
	s.write(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"for":%q}}`, id, method, argument)
	select {
	case text := <-q:
		return text
	case <-ctx.Done():
		return ""
	}
}

func (r *rig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, fmt.Sprintf(format, args...))
}

// servers got a line with some text, as often as the result.
func (r *rig) count(text string) (n int) {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.got {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// host is a session of a host.
type host struct {
	r      *rig
	id     string
	header http.Header
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`

// connect begins a session.
func (r *rig) connect() *host {
	r.t.Helper()
	h := &host{r: r, header: http.Header{}}
	response := h.send(r.t.Context(), http.MethodPost, initialize)
	body := readAll(r.t, response)
	if h.id = response.Header.Get("Mcp-Session-Id"); h.id == "" {
		r.t.Fatalf("initialize: %d %s", response.StatusCode, body)
	}
	h.header.Set("Mcp-Session-Id", h.id)
	h.header.Set("MCP-Protocol-Version", "2025-11-25")
	if r := h.send(r.t.Context(), http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); r.StatusCode != http.StatusAccepted {
		h.r.t.Fatalf("initialized: %d", r.StatusCode)
	}
	return h
}

// send sends an HTTP request of the host, and returns the response when its headers have come.
func (h *host) send(ctx context.Context, method, body string) *http.Response {
	h.r.t.Helper()
	response, err := h.try(ctx, serve.Path, method, body)
	if err != nil {
		h.r.t.Fatal(err)
	}
	h.r.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func (h *host) try(ctx context.Context, path, method, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range h.header {
		request.Header[name] = values
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	if request.Header.Get("Accept") == "" {
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	return h.r.http.Do(request)
}

func readAll(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// toolCall is a call of a tool. The id is JSON.
func toolCall(id, name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"progressToken":%s}}}`, id, name, id)
}

// call calls a tool, and returns the body of the response.
func (h *host) call(id, name string) string {
	h.r.t.Helper()
	return readAll(h.r.t, h.send(h.r.t.Context(), http.MethodPost, toolCall(id, name)))
}

// background calls a tool, and returns a channel with the body of the response.
func (h *host) background(id, name string) <-chan string {
	body := make(chan string, 1)
	go func() { body <- h.call(id, name) }()
	synctest.Wait()
	return body
}

// stream opens the GET stream, and returns a channel with its events.
func (h *host) stream(ctx context.Context) <-chan string {
	h.r.t.Helper()
	response := h.send(ctx, http.MethodGet, "")
	if response.StatusCode != http.StatusOK {
		h.r.t.Fatalf("GET: %d", response.StatusCode)
	}
	return events(response)
}

// events returns a channel with the data of the events of a response, which is closed at its end.
func events(response *http.Response) <-chan string {
	all := make(chan string, 100)
	go func() {
		defer close(all)
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && data != "" {
				all <- data
			}
		}
	}()
	return all
}

// waiting returns what is in a channel when all goroutines wait.
func waiting(c <-chan string) (all []string) {
	synctest.Wait()
	for {
		select {
		case text, ok := <-c:
			if !ok {
				return all
			}
			all = append(all, text)
		default:
			return all
		}
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s\nis without %s", text, part)
		}
	}
}
