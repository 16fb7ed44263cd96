package session

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/backoff"
)

// forgetful is a server over HTTP that can be made to forget its session.
type forgetful struct {
	*httptest.Server
	stream bool // there is a stream for GET

	mu     sync.Mutex
	born   int
	valid  int      // the current session, or 0
	did    []string // the requests that were processed, with their session
	forgot chan struct{}
	// refusal is the error in the body of 404, in a response with the id of the request, or "" for no body.
	refusal string
}

func startForgetful(t *testing.T, stream bool) *forgetful {
	f := &forgetful{stream: stream, forgot: make(chan struct{})}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// forget ends the session and its stream.
func (f *forgetful) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.valid = 0
	close(f.forgot)
	f.forgot = make(chan struct{})
}

func (f *forgetful) processed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.did, ", ")
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e := jsonrpc.Scan(body)
	id, method := e.ID.Of(body), e.MethodName(body)
	f.mu.Lock()
	if method == "initialize" {
		f.born++
		f.valid = f.born
	}
	valid, forgot := fmt.Sprint(f.valid), f.forgot
	known := r.Header.Get("Mcp-Session-Id") == valid
	if known && e.Kind == jsonrpc.Request {
		f.did = append(f.did, method+" "+valid)
	}
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodGet && !f.stream:
		w.WriteHeader(http.StatusNotFound) // which is not what servers without a stream should say
	case method == "initialize":
		w.Header().Set("Mcp-Session-Id", valid)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}}}`, id)
	case !known:
		w.WriteHeader(http.StatusNotFound)
		if f.refusal != "" && e.Kind == jsonrpc.Request {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, f.refusal)
		}
	case r.Method == http.MethodGet:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "retry: 10\n\n") // the client comes back at once
		_ = http.NewResponseController(w).Flush()
		select {
		case <-forgot:
		case <-r.Context().Done():
		}
	case r.Method == http.MethodDelete:
	case e.Kind == jsonrpc.Notification:
		w.WriteHeader(http.StatusAccepted)
	default:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	}
}

// visit connects a session that renews itself, or does not.
func (f *forgetful) visit(t *testing.T, reconnect bool) *Session {
	t.Helper()
	before := minSessionLife
	minSessionLife = 0
	s, err := Open(Config{
		Target: client.Target{URL: f.URL}, Record: "off", Reconnect: reconnect,
		Client: client.Config{Revision: revision.R20251125},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		minSessionLife = before
	})
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// awaits waits until the state is as it should be.
func awaits(t *testing.T, s *Session, what string, ok func(State) bool) {
	t.Helper()
	changed, stop := s.Store().Subscribe()
	defer stop()
	for deadline := time.After(20 * time.Second); !ok(s.State()); {
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("never %s: %+v", what, s.State())
		}
	}
}

func TestCall_SentAgainAfterSessionExpiry(t *testing.T) {
	f := startForgetful(t, false)
	s := f.visit(t, true)
	f.forget()
	call := s.Start("ping", nil)
	<-call.Done()
	if answer, err := call.Outcome(); err != nil || answer.Result() == nil {
		t.Errorf("the call ended with %v", err)
	}
	if !call.Resent() {
		t.Error("the call does not say that it was sent again")
	}
	if got := f.processed(); got != "ping 2" {
		t.Errorf("processed: %s", got)
	}
	if st := s.State(); st.Phase != Ready || st.Attempt != 2 || st.Renewed == "" {
		t.Errorf("%s at attempt %d, renewed: %q", st.Phase, st.Attempt, st.Renewed)
	}
	if err := s.Restart(t.Context()); err != nil || s.State().Renewed != "" {
		t.Errorf("restarted by the user: %v, renewed: %q", err, s.State().Renewed)
	}
}

// An error with the id of the request is the response only if it is about the request.
func TestCall_SessionExpiryWithErrorResponse(t *testing.T) {
	for _, tt := range []struct {
		refusal string
		renewed bool
	}{
		{`{"code":-32600,"message":"Session not found"}`, true},
		{`{"code":-32001,"message":"Session terminated"}`, true},
		{`{"code":-32601,"message":"Method not found"}`, false},
	} {
		f := startForgetful(t, false)
		f.refusal = tt.refusal
		s := f.visit(t, true)
		f.forget()
		call := s.Start("ping", nil)
		<-call.Done()
		answer, err := call.Outcome()
		if renewed := err == nil && answer.Result() != nil; renewed != tt.renewed || call.Resent() != tt.renewed {
			t.Errorf("%s: %s, %v; sent again: %t", tt.refusal, answer.Frame, err, call.Resent())
		}
		if phase := s.State().Phase; phase != Ready {
			t.Errorf("%s: the session is %s", tt.refusal, phase)
		}
	}
}

func TestCall_NotSentAgainWithoutReconnect(t *testing.T) {
	f := startForgetful(t, false)
	s := f.visit(t, false)
	f.forget()
	call := s.Start("ping", nil)
	<-call.Done()
	if _, err := call.Outcome(); err == nil || call.Resent() {
		t.Errorf("the call ended with %v", err)
	}
	if st := s.State(); st.Phase != Ended {
		t.Errorf("the session is %s", st.Phase)
	}
}

func TestStartFrame_NeverSentAgain(t *testing.T) {
	f := startForgetful(t, false)
	s := f.visit(t, true)
	f.forget()
	call := s.StartFrame([]byte(`{"jsonrpc":"2.0","id":"mine","method":"ping"}`))
	<-call.Done()
	if _, err := call.Outcome(); err == nil || call.Resent() {
		t.Errorf("the call ended with %v", err)
	}
	awaits(t, s, "renewed", func(st State) bool { return st.Phase == Ready && st.Attempt == 2 })
	if got := f.processed(); got != "" {
		t.Errorf("processed: %s", got)
	}
}

func TestSession_RenewedAfter404OnTheEventStream(t *testing.T) {
	f := startForgetful(t, true)
	s := f.visit(t, true)
	<-s.SubscribeResource("a://b", true).Done()
	f.forget()
	awaits(t, s, "renewed", func(st State) bool { return st.Phase == Ready && st.Attempt == 2 && st.Renewed != "" })
	awaits(t, s, "subscribed again", func(State) bool { return f.processed() == "resources/subscribe 1, resources/subscribe 2" })
	if got := s.State().Followed; len(got) != 1 || got[0] != "a://b" {
		t.Errorf("followed: %q", got)
	}
}

func TestSession_404ForServersWithoutEventStream(t *testing.T) {
	f := startForgetful(t, false)
	s := f.visit(t, true)
	for range 3 { // the GET has been answered before the first request goes out
		call := s.Start("ping", nil)
		<-call.Done()
		if _, err := call.Outcome(); err != nil {
			t.Fatal(err)
		}
	}
	if st := s.State(); st.Attempt != 1 || st.Phase != Ready {
		t.Errorf("%s at attempt %d", st.Phase, st.Attempt)
	}
}

func TestClose_WhileSessionIsRenewed(t *testing.T) {
	for range 20 {
		f := startForgetful(t, false)
		s := f.visit(t, true)
		f.forget()
		s.Start("ping", nil)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// The event stream of HTTP+SSE is the session: when the server restarts, the session
// connects again, however long that takes, and a restart by the user wins.
func TestReconnect_RestartedSSEServer(t *testing.T) {
	life, pauses := minSessionLife, betweenStreams
	minSessionLife, betweenStreams = 0, backoff.Backoff{First: time.Millisecond, Most: time.Millisecond}
	t.Cleanup(func() { minSessionLife, betweenStreams = life, pauses })
	address := "127.0.0.1:0"
	serve := func() (stop func()) {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		address = l.Addr().String()
		ctx, end := context.WithCancel(context.Background())
		server := &http.Server{Handler: demo.New(demo.Options{}).HandlerContext(ctx), ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(l) }()
		return func() { end(); _ = server.Close() }
	}
	open := func(reconnect bool) *Session {
		s, err := Open(Config{
			Target: client.Target{URL: "http://" + address + "/sse", Transport: client.TransportSSE}, Record: "off",
			Reconnect: reconnect, Lists: []client.ListKind{client.Tools},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close(context.Background()) })
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	stop := serve()
	s, alone := open(true), open(false)
	stop()
	awaits(t, s, "unreachable", func(st State) bool { return st.Phase == Failed && st.Reconnects && st.Attempt > 2 })
	stop = serve()
	awaits(t, s, "connected again", func(st State) bool {
		// The restart is noted once the lists were compared.
		return st.Phase == Ready && st.Renewed == streamEndedReason && len(st.Lists["tools"].Items) > 0 && len(st.Restarts) > 0
	})
	if st := s.State(); st.Reconnects || st.Handshake.Revision != revision.R20251125 || len(st.Restarts) != 1 || st.Restarts[0].Cause.Text != "event stream ended" {
		t.Errorf("reconnects %t, %s, restarts %+v", st.Reconnects, st.Handshake.Revision, st.Restarts)
	}
	awaits(t, alone, "ended and alone", func(st State) bool { return st.Phase != Ready })
	if st := alone.State(); st.Phase != Ended || st.Reconnects || st.Attempt != 1 {
		t.Errorf("a session that does not reconnect: %s, attempt %d", st.Phase, st.Attempt)
	}
	stop()
	awaits(t, s, "ended", func(st State) bool { return st.Phase != Ready })
	stop = serve()
	defer stop()
	awaits(t, s, "connected again", func(st State) bool { return st.Phase == Ready })
}
