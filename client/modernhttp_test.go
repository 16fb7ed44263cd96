package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// statelessServer is an HTTP server without handshake. A call of the tool "wait"
// gets no answer.
type statelessServer struct {
	*httptest.Server
	refusal int  // the status of a refusal
	noID    bool // the refusal does not say of what it is one
	waits   chan struct{}
	gone    chan struct{}

	mu  sync.Mutex
	got []string // what the headers say of each request
}

func newStatelessServer(t *testing.T) *statelessServer {
	s := &statelessServer{refusal: http.StatusBadRequest, waits: make(chan struct{}), gone: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *statelessServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	frame, h := string(body), r.Header
	s.mu.Lock()
	s.got = append(s.got, strings.Join(slices.DeleteFunc([]string{
		r.Method, h.Get("MCP-Protocol-Version"), h.Get("Mcp-Method"), h.Get("Mcp-Name"), h.Get("Mcp-Session-Id"),
	}, func(s string) bool { return s == "" }), " "))
	s.mu.Unlock()
	if strings.Contains(frame, `"wait"`) {
		close(s.waits)
		<-r.Context().Done()
		close(s.gone)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(frame, `"initialize"`) {
		w.WriteHeader(s.refusal)
		if s.noID {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32020,"message":"Mcp-Method is missing"}}`)
			return
		}
	}
	answers := newcomer(func(f string) []string { return result(f, `{"resultType":"complete","content":[]}`) })
	_, _ = io.WriteString(w, answers(frame)[0])
}

// log is what came since it was asked for last.
func (s *statelessServer) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := strings.Join(s.got, ", ")
	s.got = nil
	return got
}

func visit(t *testing.T, s *statelessServer, offer revision.Revision) (*Client, *noted) {
	t.Helper()
	tap := &noted{}
	c := New(Target{URL: s.URL}, tap, Config{Name: "test", Version: "0", Revision: offer, Era: revision.EraHandshake, ConnectTimeout: 10 * time.Second, Timeout: 10 * time.Second})
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, tap
}

// The headers repeat the body, and POST is the only method.
func TestRequestHeaders_Stateless(t *testing.T) {
	s := newStatelessServer(t)
	c, _ := visit(t, s, revision.R20260728)
	if got := s.log(); got != "POST 2026-07-28 server/discover" {
		t.Errorf("connecting sent %s", got)
	}
	for _, tt := range []struct{ frame, want string }{
		{`{"jsonrpc":"2.0","id":10,"method":"tools/list"}`, "POST 2026-07-28 tools/list"},
		{`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"echo"}}`, "POST 2026-07-28 tools/call echo"},
		{`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{}}`, "POST 2026-07-28 tools/call"},
		{`{"jsonrpc":"2.0","id":13,"method":"prompts/get","params":{"name":" x "}}`, "POST 2026-07-28 prompts/get =?base64?IHgg?="},
		{`{"jsonrpc":"2.0","id":14,"method":"resources/read","params":{"uri":"a\r\nHost: x","name":"no"}}`, "POST 2026-07-28 resources/read =?base64?YQ0KSG9zdDogeA==?="},
		{`{"jsonrpc":"2.0","id":15,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`, "POST 2099-01-01 tools/list"},
	} {
		if _, err := c.Do(t.Context(), ParseRequest([]byte(tt.frame))); err != nil {
			t.Error(err)
		}
		if got := s.log(); got != tt.want {
			t.Errorf("%s came with %s, want %s", tt.frame, got, tt.want)
		}
	}
	if _, err := c.Call(t.Context(), "resources/read", []byte(`{"uri":"tea://Grüße"}`)); err != nil {
		t.Error(err)
	}
	if got, want := s.log(), "POST 2026-07-28 resources/read "+revision.HeaderValue("tea://Grüße"); got != want {
		t.Errorf("read came with %s, want %s", got, want)
	}
	if err := c.Close(t.Context()); err != nil || s.log() != "" {
		t.Errorf("the end: %v", err)
	}
}

// A server that refuses initialize, with any status, is not a reason for another transport.
func TestInitialize_RefusedByStatelessServerHTTP(t *testing.T) {
	for _, status := range []int{200, 400, 404, -400} {
		s := newStatelessServer(t)
		s.refusal, s.noID = max(status, -status), status < 0
		c, tap := visit(t, s, "")
		if got := s.log(); got != "POST, POST 2026-07-28 server/discover" {
			t.Errorf("%d: connecting sent %s", status, got)
		}
		if got := tap.plan(); !strings.HasSuffix(got, "failed, send server/discover done, response done, ready done") {
			t.Errorf("%d: steps: %s", status, got)
		}
		if c.Revision() != revision.R20260728 || c.Target().TransportName() != "http" {
			t.Errorf("%d: %s over %s", status, c.Revision(), c.Target().TransportName())
		}
	}
}

// A request is taken back by the end of its exchange and by no message,
// whatever the reason.
func TestCancel_ClosesExchange(t *testing.T) {
	enough := errors.New("enough")
	for name, giveUp := range map[string]func(*Client, context.CancelCauseFunc) error{
		"by the context": func(_ *Client, cancel context.CancelCauseFunc) error { cancel(enough); return enough },
		"by id": func(c *Client, _ context.CancelCauseFunc) error {
			_ = c.Cancel(context.Background(), jsonrpc.IDOf("2"), "")
			return ErrCancelled
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStatelessServer(t)
			c, tap := visit(t, s, revision.R20260728)
			s.log()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			ended := make(chan error, 1)
			go func() {
				_, err := c.Call(ctx, "tools/call", []byte(`{"name":"wait"}`))
				ended <- err
			}()
			<-s.waits
			want := giveUp(c, cancel)
			if err := <-ended; !errors.Is(err, want) {
				t.Errorf("the call ended with %v", err)
			}
			select {
			case <-s.gone:
			case <-time.After(time.Minute):
				t.Fatal("the exchange goes on")
			}
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if got := s.log(); got != "POST 2026-07-28 tools/call wait" {
				t.Errorf("sent %s", got)
			}
			if !slices.EqualFunc(tap.lost, []jsonrpc.ID{jsonrpc.IDOf("2")}, jsonrpc.ID.Same) {
				t.Errorf("given up: %v", tap.lost)
			}
		})
	}
}

// In older revisions the headers are as they were, unless a user writes a
// message of the newer one.
func TestRequestHeaders_Handshake(t *testing.T) {
	c := New(Target{URL: "http://a.example/"}, &checks{}, Config{})
	for frame, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`:                                                                  "",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`: "tools/call",
		`{"jsonrpc":"2.0","id":1,"result":{}}`: "",
	} {
		if got := c.requestHeaders([]byte(frame), jsonrpc.Scan([]byte(frame))).Get("Mcp-Method"); got != want {
			t.Errorf("%s goes as %q", frame, got)
		}
	}
}
