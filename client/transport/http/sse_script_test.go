package http

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

const (
	sseCall   = `{"jsonrpc":"2.0","id":3,"method":"tools/call"}`
	sseAnswer = `{"jsonrpc":"2.0","id":3,"result":{}}`
)

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

func messageEvent(frame string) string { return "event: message\ndata: " + frame + "\n\n" }

// rig is a transport and its witness.
type sseRig struct {
	*SSE
	*transporttest.Recorder
	t *testing.T
}

func newSSERig(t *testing.T, url string, change ...func(*Config)) *sseRig {
	t.Helper()
	c := Config{URL: url}
	for _, f := range change {
		f(&c)
	}
	r := &sseRig{SSE: NewSSE(c), Recorder: transporttest.NewRecorder(), t: t}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return r
}

func (r *sseRig) open() error {
	ctx, stop := context.WithTimeout(r.t.Context(), transporttest.Timeout)
	defer stop()
	return r.Open(ctx, r.Recorder)
}

func (r *sseRig) mustOpen() {
	r.t.Helper()
	if err := r.open(); err != nil {
		r.t.Fatal(err)
	}
}

func (r *sseRig) send(frame string) error {
	ctx, stop := context.WithTimeout(r.t.Context(), transporttest.Timeout)
	defer stop()
	return r.Send(ctx, transport.Outgoing{Bytes: []byte(frame)})
}

func serveSSE(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
