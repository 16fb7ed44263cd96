package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
)

// oldServer is a server of 2024-11-05: frames come in by POST to /messages and
// go out on the stream at /sse. Other methods get a status.
type oldServer struct {
	*httptest.Server
	refusal int // of a POST to /sse
	out     chan string
	hangUp  chan struct{}

	mu  sync.Mutex
	got []string // the bodies of the POSTs to /messages
}

func newOldServer(t *testing.T) *oldServer {
	s := &oldServer{refusal: http.StatusNotFound, out: make(chan string, 100), hangUp: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *oldServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch r.Method + " " + r.URL.Path {
	case "GET /sse":
		s.stream(w, r)
	case "POST /messages":
		s.mu.Lock()
		s.got = append(s.got, string(body))
		s.mu.Unlock()
		s.answer(string(body))
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "Accepted")
	default:
		http.Error(w, "Cannot "+r.Method+" "+r.URL.Path, s.refusal)
	}
}

func (s *oldServer) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: endpoint\ndata: /messages?sessionId=1\n\n")
	w.(http.Flusher).Flush()
	for {
		select {
		case frame := <-s.out:
			_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", frame)
			w.(http.Flusher).Flush()
		case <-s.hangUp:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *oldServer) answer(frame string) {
	say := func(text string) { s.out <- result(frame, text)[0] }
	switch {
	case strings.Contains(frame, `"initialize"`):
		say(`{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`)
	case strings.Contains(frame, `"tools/list"`):
		say(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`)
	case strings.Contains(frame, `"tools/call"`):
		// The server asks first, and answers when it has heard.
		s.out <- `{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`
	case strings.Contains(frame, `"id":"roots"`):
		s.out <- `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"hi"}]}}`
	}
}

// noted is a tap that keeps the steps by their index, and the exchanges.
type noted struct {
	checks
	mu        sync.Mutex
	steps     []Step
	exchanges []transport.Exchange
	frames    []uint32
}

func (n *noted) Step(s Step) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.steps) <= s.Index {
		n.steps = append(n.steps, Step{})
	}
	n.steps[s.Index] = s
}

func (n *noted) Frame(f transport.Frame) (at transport.Ref) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.frames = append(n.frames, f.Exchange)
	return at
}

func (n *noted) Exchange(x transport.Exchange) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if x.Phase == transport.ExchangeSent {
		n.exchanges = append(n.exchanges, x)
	}
}

// plan is the list of steps as displayed.
func (n *noted) plan() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var lines []string
	for _, s := range n.steps {
		lines = append(lines, s.Name+" "+s.State.String())
	}
	return strings.Join(lines, ", ")
}

// purposes are those of the exchanges, whose IDs must go on without a gap.
func (n *noted) purposes(t *testing.T) string {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []string
	for i, x := range n.exchanges {
		if x.ID != uint32(i+1) {
			t.Errorf("exchange %d in the place of %d", x.ID, i+1)
		}
		all = append(all, x.Method+" "+x.Purpose)
	}
	for _, id := range n.frames {
		if id == 0 || int(id) > len(n.exchanges) {
			t.Errorf("a frame of exchange %d", id)
		}
	}
	return strings.Join(all, ", ")
}

func reach(t *testing.T, target Target) (*Client, *noted, error) {
	t.Helper()
	tap := &noted{}
	c := New(target, tap, Config{Name: "test", Version: "0", Revision: revision.NewestHandshake, ConnectTimeout: 10 * time.Second, Timeout: 10 * time.Second})
	c.backoff = time.Millisecond
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return c, tap, c.Connect(t.Context())
}

// A server from 2024 is connected to, whether it is named as one or found to
// be one: handshake, list, and a call during which the server asks.
func TestFallback_Server2024(t *testing.T) {
	const steps = "open event stream done, send initialize done, response done, send initialized done"
	for name, c := range map[string]struct {
		transport   string
		refusal     int
		plan, start string
	}{
		"named":        {TransportSSE, 404, steps, "GET stream, POST message, POST message"},
		"found by 404": {"", 404, "send initialize failed, " + steps, "POST message, GET stream, POST message, POST message"},
		"found by 405": {"", 405, "send initialize failed, " + steps, "POST message, GET stream, POST message, POST message"},
		"found by 400": {"", 400, "send initialize failed, " + steps, "POST message, GET stream, POST message, POST message"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newOldServer(t)
			s.refusal = c.refusal
			client, tap, err := reach(t, Target{URL: s.URL + "/sse", Transport: c.transport})
			if err != nil {
				t.Fatal(err)
			}
			if got := tap.plan(); got != c.plan {
				t.Errorf("steps: %s", got)
			}
			if got := tap.purposes(t); got != c.start {
				t.Errorf("exchanges: %s", got)
			}
			if h := client.Handshake(); h.Revision != "2024-11-05" || h.Offered != "2025-11-25" || h.Server.Name != "old" {
				t.Errorf("handshake %+v", h)
			}
			if got := client.Target().TransportName(); got != "sse" {
				t.Errorf("connected over %q", got)
			}
			use(t, client)
			ends(t, client, s)
		})
	}
}

func use(t *testing.T, client *Client) {
	t.Helper()
	answer, err := client.Call(t.Context(), "tools/list", nil)
	if err != nil || !strings.Contains(string(answer.Result()), `"echo"`) {
		t.Fatalf("list: %s, %v", answer.Frame, err)
	}
	frame := []byte(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo"}}`)
	answer, err = client.Do(t.Context(), ParseRequest(frame))
	if err != nil || !strings.Contains(string(answer.Result()), `"hi"`) {
		t.Fatalf("call: %s, %v", answer.Frame, err)
	}
}

// ends checks that the end of the stream is the end of the connection.
func ends(t *testing.T, client *Client, s *oldServer) {
	t.Helper()
	select {
	case <-client.Done():
		t.Fatalf("the connection has ended: %v", client.Err())
	default:
	}
	close(s.hangUp)
	select {
	case <-client.Done():
	case <-time.After(time.Minute):
		t.Fatal("the connection goes on without its stream")
	}
	if err := client.Err(); !errors.Is(err, mcphttp.ErrStreamEnded) {
		t.Errorf("it ended with %v", err)
	}
	if _, err := client.Call(t.Context(), "tools/list", nil); !errors.Is(err, mcphttp.ErrStreamEnded) {
		t.Errorf("a call after the end: %v", err)
	}
}

// Neither transport: the error has both responses, and the steps show both attempts.
func TestFallback_NoServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Error(w, "no posting", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>hello")
	}))
	defer s.Close()
	client, tap, err := reach(t, Target{URL: s.URL + "/?token=hunter2"})
	var both *FallbackError
	var connect *ConnectError
	if !errors.As(err, &both) || !errors.As(err, &connect) || connect.Step != StepStream {
		t.Fatalf("error %#v", err)
	}
	var status *transport.StatusError
	var content *mcphttp.ContentError
	if !errors.As(both.HTTP, &status) || !errors.As(both.SSE, &content) {
		t.Errorf("errors %#v", both)
	}
	for _, words := range []string{"405 Method Not Allowed: no posting", "text/html", `an HTML page: "hello"`} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("error %q does not say %q", err, words)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %q tells a secret", err)
	}
	want := "send initialize failed, open event stream failed, send initialize waiting, response waiting, send initialized waiting"
	if got := tap.plan(); got != want {
		t.Errorf("steps: %s", got)
	}
	if d := tap.steps[1].Detail; strings.Contains(d, "no posting") || !strings.Contains(d, "text/html") {
		t.Errorf("the second try failed with %q", d)
	}
	select {
	case <-client.Done():
	case <-time.After(time.Minute):
		t.Error("the connection has not ended")
	}
}

// Other statuses come from a server that refuses, or is unavailable,
// and a transport that was asked for is the only one.
func TestFallback_NotForOtherStatuses(t *testing.T) {
	for _, c := range []struct {
		status    int
		transport string
	}{{401, ""}, {403, ""}, {429, ""}, {500, ""}, {503, ""}, {404, TransportHTTP}, {405, TransportHTTP}} {
		s := newOldServer(t)
		s.refusal = c.status
		client, tap, err := reach(t, Target{URL: s.URL + "/sse", Transport: c.transport})
		var status *transport.StatusError
		if !errors.As(err, &status) || status.Status != c.status {
			t.Errorf("%d: error %v", c.status, err)
		}
		if got := tap.purposes(t); strings.Contains(got, "GET") {
			t.Errorf("%d: exchanges %s", c.status, got)
		}
		if got := client.Target().TransportName(); got != "http" {
			t.Errorf("%d: the transport is called %q", c.status, got)
		}
	}
}

// A server that accepts initialize and then does not know the session speaks
// Streamable HTTP all the same.
func TestFallback_NotAfterInitialize(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"initialize"`) {
			http.Error(w, "what?", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, result(string(body), welcome)[0])
	}))
	defer s.Close()
	_, tap, err := reach(t, Target{URL: s.URL})
	var connect *ConnectError
	if !errors.As(err, &connect) || connect.Step != StepInitialized {
		t.Errorf("error %v", err)
	}
	if got := tap.plan(); strings.Contains(got, StepStream) {
		t.Errorf("steps: %s", got)
	}
}

// The wait for the endpoint has a deadline, and the error is about that.
func TestHTTPSSE_EndpointTimeout(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	c := New(Target{URL: s.URL, Transport: TransportSSE}, &noted{}, Config{ConnectTimeout: 200 * time.Millisecond})
	defer c.Close(t.Context())
	err := c.Connect(t.Context())
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || !strings.Contains(err.Error(), "endpoint") {
		t.Errorf("error %v", err)
	}
}

// Close ends a connection that is just falling back.
func TestClose_DuringFallback(t *testing.T) {
	reached := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		close(reached)
		<-r.Context().Done()
	}))
	defer s.Close()
	c := New(Target{URL: s.URL}, &noted{}, Config{})
	failed := make(chan error, 1)
	go func() { failed <- c.Connect(t.Context()) }()
	<-reached
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case err := <-failed:
		if err == nil {
			t.Error("connected to a server that says nothing")
		}
	case <-time.After(time.Minute):
		t.Fatal("Connect goes on after Close")
	}
	<-c.Done()
}

// What comes as an event of another type settles nothing, whatever it holds.
func TestFrame_NonMessageEvent(t *testing.T) {
	c := New(Target{URL: "http://a.example/"}, &noted{}, Config{})
	p := c.register(call{Request: Request{ID: jsonrpc.IDOf("3"), Method: "x"}})
	frame := []byte(result(`{"id":3}`, "{}")[0])
	for _, name := range []string{"endpoint", "ping", "error"} {
		wire{c}.Frame(transport.Frame{Bytes: frame, Dir: transport.In, EventName: name})
	}
	if len(p.reply) > 0 || c.state.unexpected != nil {
		t.Error("an event that is no message was taken for one")
	}
}
