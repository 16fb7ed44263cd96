package httpsse

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcptea/client/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

const (
	call   = `{"jsonrpc":"2.0","id":3,"method":"tools/call"}`
	answer = `{"jsonrpc":"2.0","id":3,"result":{}}`
)

// witness is a Receiver that keeps everything.
type witness struct {
	mu        sync.Mutex
	exchanges []transport.Exchange
	in, out   chan transport.Frame
	ends      chan transport.Exchange
}

func newWitness() *witness {
	return &witness{in: make(chan transport.Frame, 1000), out: make(chan transport.Frame, 1000), ends: make(chan transport.Exchange, 1000)}
}

func (w *witness) Frame(f transport.Frame) {
	f.Bytes = bytes.Clone(f.Bytes)
	if f.Dir == transport.Out {
		w.out <- f
		return
	}
	w.in <- f
}
func (w *witness) Stderr(transport.Line)          {}
func (w *witness) Process(transport.ProcessEvent) {}
func (w *witness) Exchange(e transport.Exchange) {
	w.mu.Lock()
	w.exchanges = append(w.exchanges, e)
	w.mu.Unlock()
	if e.Phase == transport.ExchangeDone {
		w.ends <- e
	}
}

// everything is all that was told of exchanges, as one text.
func (w *witness) everything() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("%+v", w.exchanges)
}

// server is a scripted server: it writes to its one stream what a test gives
// it, and hands each POST to the test's answer.
type server struct {
	*httptest.Server
	lines  chan string   // written to the stream, then flushed
	hangUp chan struct{} // closed: the stream ends cleanly
	post   http.HandlerFunc

	mu       sync.Mutex
	requests []*http.Request // with their bodies read
	bodies   []string
}

func newServer(t *testing.T, post http.HandlerFunc, lines ...string) *server {
	s := &server{lines: make(chan string, 100), hangUp: make(chan struct{}), post: post}
	for _, l := range lines {
		s.lines <- l
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(text))
	s.mu.Unlock()
	if r.Method == http.MethodPost {
		s.post(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.(http.Flusher).Flush()
	for {
		select {
		case l := <-s.lines:
			_, _ = io.WriteString(w, l)
			w.(http.Flusher).Flush()
		case <-s.hangUp:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// log names the requests so far, in their order.
func (s *server) log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for i, r := range s.requests {
		all = append(all, strings.TrimSpace(r.Method+" "+r.URL.String()+" "+s.bodies[i]))
	}
	return all
}

func (s *server) headers(i int) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[i].Header
}

func accepted(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "Accepted")
}

const endpointLines = "event: endpoint\ndata: /messages?sessionId=abc\n\n"

func message(frame string) string { return "event: message\ndata: " + frame + "\n\n" }

// rig is a transport and its witness.
type rig struct {
	*Transport
	*witness
	t *testing.T
}

func newRig(t *testing.T, url string, change ...func(*Config)) *rig {
	t.Helper()
	c := Config{URL: url}
	for _, f := range change {
		f(&c)
	}
	r := &rig{Transport: New(c), witness: newWitness(), t: t}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return r
}

func (r *rig) open() error {
	ctx, stop := context.WithTimeout(r.t.Context(), patience)
	defer stop()
	return r.Open(ctx, r.witness)
}

func (r *rig) mustOpen() {
	r.t.Helper()
	if err := r.open(); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) send(frame string) error {
	ctx, stop := context.WithTimeout(r.t.Context(), patience)
	defer stop()
	return r.Send(ctx, []byte(frame))
}

// await takes the next value of a channel, or fails the test.
func await[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

func (r *rig) frame(want string) transport.Frame {
	r.t.Helper()
	f := await(r.t, r.in, "the frame "+want)
	if string(f.Bytes) != want {
		r.t.Errorf("frame %q, want %q", f.Bytes, want)
	}
	return f
}

// says checks the words that a user reads, and that no secret is among them.
func says(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one with %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %q tells a secret", err)
	}
}

// body answers every request with one body.
func body(status int, contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
