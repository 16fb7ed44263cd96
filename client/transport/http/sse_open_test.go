package http

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

// The endpoint is a reference, relative to the URL of the stream, and frames go
// exactly there.
func TestSSE_Endpoint(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"path":         {"/messages?sessionId=abc", "/messages?sessionId=abc"},
		"relative":     {"messages/1", "/v1/messages/1"},
		"query alone":  {"?s=1", "/v1/sse?s=1"},
		"quoted":       {`"/messages?sessionId=a\u0062c"`, "/messages?sessionId=abc"},
		"whole URL":    {"HOST/m", "/m"},
		"with user":    {"http://me@ADDRESS/m#part", "/m"},
		"space before": {"  /m ", "/m"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, accepted)
			data := strings.NewReplacer("HOST", s.URL, "ADDRESS", strings.TrimPrefix(s.URL, "http://")).Replace(c.data)
			s.lines <- ": hello\n\nid: 7\nretry: 1\n\nevent: endpoint\ndata: " + data + "\n\n"
			r := newSSERig(t, s.URL+"/v1/sse")
			r.mustOpen()
			if err := r.send(sseCall); err != nil {
				t.Fatal(err)
			}
			want := []string{"GET /v1/sse", "POST " + c.want + " " + sseCall}
			if got := s.log(); !slices.Equal(got, want) {
				t.Errorf("requests %q, want %q", got, want)
			}
			if got := r.Endpoint(); got != s.URL+c.want {
				t.Errorf("endpoint %s, want %s", got, c.want)
			}
			if f := r.WantFrame(t, data); f.EventName != "endpoint" || f.Exchange != 1 {
				t.Errorf("the endpoint came as %+v", f)
			}
		})
	}
}

func TestSSE_Open_EndpointAtAnotherOrigin(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		t.Errorf("the other origin got %s with %v", req.Method, req.Header)
	}))
	defer other.Close()
	for name, named := range map[string]string{
		"port":   other.URL + "/m?token=hunter2",
		"host":   "http://evil.example/m",
		"scheme": "https://127.0.0.1/m",
		"slashy": "//evil.example/m",
		"mail":   "mailto:me@example.com",
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, accepted, "event: endpoint\ndata: "+named+"\n\n")
			r := newSSERig(t, s.URL, func(c *Config) { c.Header = http.Header{"Authorization": {"Bearer hunter2"}} })
			err := r.open()
			var origin *OriginError
			if !errors.As(err, &origin) || origin.Server != s.URL {
				t.Errorf("error %v", err)
			}
			transporttest.WantError(t, err, s.URL, "another origin")
			if e := transporttest.Receive(t, r.Ended, "the end"); e.Err != err.Error() {
				t.Errorf("the exchange says %q", e.Err)
			}
			transporttest.WantError(t, r.send(sseCall), "another origin")
			if got := s.log(); len(got) != 1 {
				t.Errorf("requests %q", got)
			}
		})
	}
}

// TestSSE_Open_EarlyEvents has servers that send other events before the endpoint: they connect,
// and what the events carry is delivered.
func TestSSE_Open_EarlyEvents(t *testing.T) {
	for name, early := range map[string]string{
		"ping":         "event: ping\n\n",
		"ping, data":   "event: ping\ndata: {}\n\n",
		"no name":      "data: hello\n\n",
		"notification": messageEvent(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`),
		"many":         strings.Repeat("event: ping\n\n", maxEarly),
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, accepted, early, endpointLines)
			r := newSSERig(t, s.URL+"/sse")
			if err := r.open(); err != nil {
				t.Fatal(err)
			}
			if got := r.Endpoint(); got != s.URL+"/messages?sessionId=abc" {
				t.Errorf("endpoint %s", got)
			}
			if strings.Contains(early, "notifications/message") {
				r.WantFrame(t, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
			}
		})
	}
}

// TestSSE_Open_EarlyEventsAlone has streams that send other events and no endpoint.
func TestSSE_Open_EarlyEventsAlone(t *testing.T) {
	r := newSSERig(t, serveSSE(t, transporttest.Respond(200, "text/event-stream", "event: ping\ndata: {}\n\nevent: pong\n\n")))
	transporttest.WantError(t, r.open(), `opened an event stream without an "endpoint" event; its first event is "ping". Data: "{}"`)
}

func TestSSE_Open_FirstEventNotEndpoint(t *testing.T) {
	for name, c := range map[string]struct {
		lines string
		says  []string
	}{
		"message":     {strings.Repeat(messageEvent(`{"jsonrpc":"2.0","method":"x"}`), maxEarly+1), []string{`without an "endpoint" event; its first event is "message"`, `jsonrpc`}},
		"no name":     {"data: hi\n\n" + strings.Repeat("data: more\n\n", maxEarly), []string{"has no name", "hi"}},
		"other":       {"event: greeting\ndata: hi\n\n" + strings.Repeat("event: ping\n\n", maxEarly), []string{`"greeting"`, "hi"}},
		"empty":       {"event: endpoint\ndata:\n\n", []string{"empty"}},
		"empty JSON":  {"event: endpoint\ndata: \"\"\n\n", []string{"empty"}},
		"not a URL":   {"event: endpoint\ndata: http://[hunter2\n\n", []string{"not a URL"}},
		"bad percent": {"event: endpoint\ndata: /%zz?token=hunter2\n\n", []string{"not a URL"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, accepted, c.lines)
			r := newSSERig(t, s.URL+"/?token=hunter2")
			transporttest.WantError(t, r.open(), c.says...)
			<-r.Done()
			transporttest.WantError(t, r.Err(), c.says...)
			if got := s.log(); len(got) != 1 {
				t.Errorf("requests %q", got)
			}
		})
	}
}

func TestSSE_Open_NotAnEventStream(t *testing.T) {
	status := func(err error, want int) bool {
		var s *transport.StatusError
		return errors.As(err, &s) && s.Status == want && s.Method == http.MethodGet
	}
	content := func(err error) bool {
		var c *ContentError
		return errors.As(err, &c) && c.StreamOnly
	}
	for name, c := range map[string]struct {
		status     int
		kind, text string
		is         func(error) bool
		says       []string
	}{
		"404":  {404, "text/plain", "no such page", func(err error) bool { return status(err, 404) }, []string{"404 Not Found", "no such page"}},
		"401":  {401, "application/json", `{"error":"who?"}`, func(err error) bool { return status(err, 401) }, []string{"401", "who?"}},
		"HTML": {200, "text/html; charset=utf-8", "<html>Log in", content, []string{"text/html; charset=utf-8", "expected text/event-stream", `an HTML page: "Log in"`}},
		"JSON": {200, "application/json", sseAnswer, content, []string{"application/json", "expected text/event-stream", "result"}},
		"none": {204, "", "", content, []string{"204", "no Content-Type"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSSERig(t, serveSSE(t, transporttest.Respond(c.status, c.kind, c.text)))
			err := r.open()
			transporttest.WantError(t, err, c.says...)
			if !c.is(err) {
				t.Errorf("error %#v", err)
			}
			e := transporttest.Receive(t, r.Ended, "the end")
			if e.Purpose != "stream" || e.Status != c.status || e.Err != err.Error() {
				t.Errorf("exchange %+v", e)
			}
		})
	}
}

func TestSSE_Open_StreamEndsBeforeEndpoint(t *testing.T) {
	r := newSSERig(t, serveSSE(t, transporttest.Respond(200, "text/event-stream", ": nothing\n\n")))
	err := r.open()
	transporttest.WantError(t, err, "closed the event stream", "endpoint")
	if !errors.Is(err, ErrStreamEnded) {
		t.Errorf("error %#v", err)
	}
}

// Open ends with its context, whether the server is silent from the start or
// from its headers on.
func TestSSE_Open_ContextEnds(t *testing.T) {
	t.Run("no headers", func(t *testing.T) {
		got := make(chan struct{})
		r := newSSERig(t, serveSSE(t, func(_ http.ResponseWriter, req *http.Request) { close(got); <-req.Context().Done() }))
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-got; cancel(errors.New("enough")) }()
		transporttest.WantError(t, r.Open(ctx, r.Recorder), "has no response yet", "enough")
	})
	t.Run("no event", func(t *testing.T) {
		s := newServer(t, accepted)
		ctx, cancel := context.WithCancelCause(t.Context())
		r := newSSERig(t, s.URL)
		headers := &tapped{Recorder: r.Recorder, headers: func() { cancel(errors.New("enough")) }}
		err := r.Open(ctx, headers)
		transporttest.WantError(t, err, "enough")
		transporttest.WantError(t, r.send(sseCall), "enough")
	})
}

// tapped acts when the headers of an answer are in.
type tapped struct {
	*transporttest.Recorder
	headers func()
}

func (w *tapped) Exchange(e transport.Exchange) {
	w.Recorder.Exchange(e)
	if e.Phase == transport.ExchangeHeaders {
		w.headers()
	}
}

func TestSSE_Open_Unreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	transporttest.WantError(t, newSSERig(t, "http://"+address+"/?token=hunter2").open(), "cannot connect to "+address)
	for url, word := range map[string]string{"ftp://a.example": `"ftp"`, "http:///x": "no host", "http://u:hunter2@a b/": "invalid endpoint URL"} {
		r := newSSERig(t, url)
		transporttest.WantError(t, r.open(), word)
		transporttest.WantError(t, r.send(sseCall), "not open")
	}
}

// A redirect within the origin is followed, and the endpoint is relative to
// where it led; one to elsewhere is not.
func TestSSE_Open_Redirect(t *testing.T) {
	s := newServer(t, accepted, "event: endpoint\ndata: m\n\n")
	hop := func(to string) string {
		return serveSSE(t, func(w http.ResponseWriter, req *http.Request) {
			if req.URL.Path == "/sse" {
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusTemporaryRedirect)
				return
			}
			s.ServeHTTP(w, req)
		})
	}
	r := newSSERig(t, hop("/new/sse")+"/sse")
	r.mustOpen()
	if err := r.send(sseCall); err != nil {
		t.Error(err)
	}
	if got := s.log(); !slices.Equal(got, []string{"GET /new/sse", "POST /new/m " + sseCall}) {
		t.Errorf("requests %q", got)
	}
	transporttest.WantError(t, newSSERig(t, hop("http://evil.example/?token=hunter2")+"/sse").open(), "307", "another origin")
}

// Secrets are sent to the server and not reported.
func TestSSE_Headers(t *testing.T) {
	s := newServer(t, accepted, "event: endpoint\ndata: /m?token=hunter2\n\n")
	withUser := strings.Replace(s.URL, "http://", "http://me:hunter2@", 1)
	r := newSSERig(t, withUser+"/sse?api_key=hunter2", func(c *Config) {
		c.Header = http.Header{"X-Api-Key": {"hunter2"}, "user-agent": nil}
	})
	r.mustOpen()
	r.Negotiated("2024-11-05")
	if err := r.send(sseCall); err != nil {
		t.Fatal(err)
	}
	r.Negotiated("2025-06-18")
	if err := r.send(sseCall); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		h := s.headers(i)
		if h.Get("X-Api-Key") != "hunter2" || !strings.HasPrefix(h.Get("Authorization"), "Basic ") || h.Get("User-Agent") != "" {
			t.Errorf("request %d: %v", i, h)
		}
	}
	get, old, newer := s.headers(0), s.headers(1), s.headers(2)
	if get.Get("Accept") != "text/event-stream" || old.Get("Content-Type") != "application/json" {
		t.Errorf("GET %v, POST %v", get, old)
	}
	if old.Get("Mcp-Protocol-Version") != "" || newer.Get("Mcp-Protocol-Version") != "2025-06-18" {
		t.Errorf("revisions: %v, %v", old, newer)
	}
	if text := r.String() + r.Endpoint(); strings.Contains(text, "hunter2") || strings.Contains(text, "bWU6aHVudGVyMg") {
		t.Errorf("a secret is told: %s", text)
	}
}

func TestSSE_Open_Twice(t *testing.T) {
	s := newServer(t, accepted, endpointLines)
	r := newSSERig(t, s.URL)
	r.mustOpen()
	transporttest.WantError(t, r.open(), "open already")
	_ = r.Close(t.Context())
	transporttest.WantError(t, newClosed(t).Open(t.Context(), transporttest.NewRecorder()), "closed")
}

func newClosed(t *testing.T) *SSE {
	c := NewSSE(Config{URL: "http://a.example/"})
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case <-c.Done():
	case <-time.After(transporttest.Timeout):
		t.Error("Done is open after Close")
	}
	return c
}
