package rules

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/oauthtest"
	"mcptea/lint"
)

// witness checks a live connection.
type witness struct {
	t     *testing.T
	mu    sync.Mutex
	e     *lint.Engine
	row   int32
	found []lint.Finding
}

func watch(t *testing.T) *witness {
	w := &witness{t: t}
	w.e = New(func(f lint.Finding) { w.found = append(w.found, f) })
	w.e.Begin(lint.HTTP)
	return w
}

func (w *witness) Frame(f transport.Frame) (at transport.Ref) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.row++
	w.e.Frame(lint.Frame{Frame: f, Row: w.row})
	return at
}

func (w *witness) Exchange(x transport.Exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.row++
	w.e.HTTP(x, w.row)
}

func (w *witness) Stderr(transport.Line)          {}
func (w *witness) Process(transport.ProcessEvent) {}
func (w *witness) Step(client.Step)               {}
func (w *witness) Lost(jsonrpc.ID, error)         {}

// check complains of findings about lint.HTTP, codes and authorization that are not
// allowed.
func (w *witness) check(allowed ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.found {
		w.t.Logf("%s %s at %s (%d): %s", f.Rule.ID, f.Severity, f.Path, f.Row, f.Message)
		switch f.Rule.Family() {
		case "H", "E", "A":
			if !slices.Contains(allowed, f.Rule.ID) {
				w.t.Errorf("%s on ordinary traffic: %s", f.Rule.ID, f.Message)
			}
		}
	}
}

// exercise connects, sends a few requests, some of them invalid, and closes.
func (w *witness) exercise(target client.Target, cfg client.Config) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer stop()
	cfg.Name, cfg.Version = "mcptea", "1"
	c := client.New(target, w, cfg)
	if err := c.Connect(ctx); err != nil {
		w.t.Fatal(err)
	}
	for _, kind := range client.ListKinds {
		_, _ = c.List(ctx, kind) // not every server has everything
	}
	for _, params := range []string{`{"name":"echo","arguments":{"text":"Grüße"}}`, `{"name":"shout","arguments":{"text":"tea"}}`, `{"name":"no such tool"}`} {
		_, _ = c.Call(ctx, "tools/call", []byte(params))
	}
	_, _ = c.Call(ctx, "resources/read", []byte(`{"uri":"tea://nowhere"}`))
	if err := c.Close(ctx); err != nil {
		w.t.Error(err)
	}
}

func TestLive_DemoOverHTTP(t *testing.T) {
	h := httptest.NewServer(demo.New(demo.Options{Log: io.Discard}).HandlerContext(t.Context()))
	t.Cleanup(h.Close)
	for path, allowed := range map[string][]string{"/mcp": nil, "/legacy": nil, "/modern": nil, "/sse": {"H044"}} {
		t.Run(path, func(t *testing.T) {
			w := watch(t)
			w.exercise(client.Target{URL: h.URL + path}, client.Config{})
			w.check(allowed...)
		})
	}
	for _, r := range revision.All() {
		t.Run(string(r), func(t *testing.T) {
			w := watch(t)
			w.exercise(client.Target{URL: h.URL + "/mcp"}, client.Config{Revision: r})
			w.check()
		})
	}
}

func TestLive_GoSDK(t *testing.T) {
	type words struct {
		Text string `json:"text"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "shout"}, func(_ context.Context, _ *mcp.CallToolRequest, in words) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	for name, options := range map[string]*mcp.StreamableHTTPOptions{"streams": nil, "JSON": {JSONResponse: true}, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, options))
			defer h.Close()
			defer h.CloseClientConnections()
			w := watch(t)
			w.exercise(client.Target{URL: h.URL}, client.Config{})
			w.check("H021") // it does not send that header
		})
	}
}

func TestLive_Authorization(t *testing.T) {
	s := oauthtest.Start(oauthtest.Setup{})
	t.Cleanup(s.Close)
	a, err := oauth.New(oauth.Config{Server: s.URL(), Version: "1", Timeout: 5 * time.Second, OpenBrowser: authorize})
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t)
	w.exercise(client.Target{URL: s.URL()}, client.Config{Authorization: a})
	w.check()
}

// authorize opens the consent page and authorizes the client.
func authorize(ctx context.Context, at oauth.Consent) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return errors.Join(err, resp.Body.Close())
}

// A server of 2025-11-25 may send an event id and a retry field, and then end the
// stream: the client resumes it.
func TestLive_ResumedStream(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e := jsonrpc.Scan(body)
		write := func(media, text string) {
			w.Header().Set("Content-Type", media)
			_, _ = io.WriteString(w, text)
		}
		switch {
		case r.Header.Get("Last-Event-Id") == "1":
			write("text/event-stream", `data: {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`+"\n\n")
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case e.MethodName(body) == "initialize":
			write("application/json", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
		case e.Kind == jsonrpc.Request:
			write("text/event-stream", "id: 1\nretry: 70\ndata:\n\n")
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(h.Close)
	w := watch(t)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	c := client.New(client.Target{URL: h.URL}, w, client.Config{Revision: revision.R20251125})
	if err := c.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.List(ctx, client.Tools); err != nil {
		t.Error(err)
	}
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	w.check()
	if !slices.ContainsFunc(slices.Collect(maps.Values(w.e.State().Exchanges)), func(x *lint.Exchange) bool {
		return x.Method == http.MethodPost && x.LastEventID == "1" && x.Retry == 70*time.Millisecond && x.Events == 1
	}) {
		t.Error("the event without data is not recorded")
	}
}
