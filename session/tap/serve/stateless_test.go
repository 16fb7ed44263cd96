package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/internal/test/transporttest"
	"mcptea/session/session"
	"mcptea/session/tap/relay"
	"mcptea/session/tap/serve"
)

const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"h","version":"1"}%s}`

// modern is a host of 2026-07-28.
func (r *rig) modern() *host {
	return &host{r: r, header: http.Header{"Mcp-Protocol-Version": {"2026-07-28"}}}
}

// post sends a request of 2026-07-28 with its headers.
func (h *host) post(ctx context.Context, id, method, name string) *http.Response {
	h.r.t.Helper()
	h.header.Set("Mcp-Method", method)
	params, progress := "", ""
	if h.header.Del("Mcp-Name"); name != "" {
		h.header.Set("Mcp-Name", name)
		params, progress = fmt.Sprintf(`"name":%q,"arguments":{},`, name), `,"progressToken":`+id
	}
	return h.send(ctx, http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s%s}}`, id, method, params, fmt.Sprintf(stateless, progress)))
}

// The hosts without sessions share a process, which has no sessions.
func TestStateless_OneProcess(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		r.connect()
		a, b := r.modern(), r.modern()
		contains(t, readAll(t, a.post(t.Context(), "2", "tools/call", "server")), `"id":2,`, `"text":"2"`)
		contains(t, readAll(t, b.post(t.Context(), "2", "tools/call", "server")), `"id":2,`, `"text":"2"`)
		first := events(a.post(t.Context(), "7", "tools/call", "steps:a"))
		second := events(b.post(t.Context(), "7", "tools/call", "steps:b"))
		for i, s := range []<-chan string{first, second} {
			for range 4 {
				contains(t, <-s, `"progressToken":7`, fmt.Sprintf(`"message":%q`, string(rune('a'+i))))
			}
			contains(t, <-s, `"id":7,"result"`)
		}
	})
}

// With --shared, the hosts with and without sessions have two processes: a server chooses its era by its first request.
func TestStateless_Shared(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		contains(t, r.connect().call("2", "server"), `"text":"1"`)
		contains(t, readAll(t, r.modern().post(t.Context(), "2", "tools/call", "server")), `"text":"2"`)
	})
}

func TestStateless_ClosedStreamCancels(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		ctx, leave := context.WithCancel(t.Context())
		response := r.modern().post(ctx, "2", "tools/call", "steps")
		<-events(response)
		leave()
		if r.count(`: cancelled "1:2"`) != 1 {
			t.Errorf("%q", r.got)
		}
	})
}

func TestStateless_Idle(t *testing.T) {
	serving(t, func(g *serve.Gateway) { g.Idle = time.Minute }, func(t *testing.T, r *rig) {
		for range 3 {
			contains(t, readAll(t, r.modern().post(t.Context(), "2", "tools/call", "server")), `"text":"1"`)
			time.Sleep(50 * time.Second)
		}
		time.Sleep(20 * time.Second)
		if n := r.running.Load(); n != 0 {
			t.Errorf("%d servers run", n)
		}
	})
}

func TestStateless_MaxSessions(t *testing.T) {
	serving(t, func(g *serve.Gateway) { g.MaxSessions = 1 }, func(t *testing.T, r *rig) {
		a := r.connect()
		if s := r.modern().post(t.Context(), "2", "tools/call", "server"); s.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%d %s", s.StatusCode, readAll(t, s))
		}
		a.send(t.Context(), http.MethodDelete, "")
		if s := r.modern().post(t.Context(), "2", "tools/call", "server"); s.StatusCode != http.StatusOK {
			t.Errorf("%d %s", s.StatusCode, readAll(t, s))
		}
		if s := (&host{r: r}).send(t.Context(), http.MethodPost, initialize); s.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%d %s", s.StatusCode, readAll(t, s))
		}
	})
}

func TestStateless_Headers(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		for name, change := range map[string]func(h http.Header){
			"Mcp-Method":           func(h http.Header) { h.Set("Mcp-Method", "tools/list") },
			"Mcp-Name":             func(h http.Header) { h.Set("Mcp-Name", "other") },
			"MCP-Protocol-Version": func(h http.Header) { h.Set("MCP-Protocol-Version", "2025-11-25") },
		} {
			h := r.modern()
			h.header.Set("Mcp-Method", "tools/call")
			h.header.Set("Mcp-Name", "echo")
			change(h.header)
			response := h.send(t.Context(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo",%s}}`, fmt.Sprintf(stateless, "")))
			text := readAll(t, response)
			contains(t, text, `"id":3`, `-32020`, "the header "+name)
			if response.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %d", name, response.StatusCode)
			}
		}
		if r.count("tools/call") != 0 {
			t.Errorf("%q", r.got)
		}
		if s := r.modern().send(t.Context(), http.MethodGet, ""); s.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("GET: %d", s.StatusCode)
		}
	})
}

// A server that requires initialize is asked once whether it supports server/discover.
func TestStateless_ServerOfHandshakes(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		for range 3 {
			response := r.modern().post(t.Context(), "2", "server/discover", "")
			contains(t, readAll(t, response), `"id":2`, `-32601`)
			if response.StatusCode != http.StatusNotFound {
				t.Errorf("%d", response.StatusCode)
			}
		}
		time.Sleep(time.Second)
		if n := r.running.Load(); n != 0 || r.servers.Load() != 1 {
			t.Errorf("%d servers run of %d", n, r.servers.Load())
		}
		_ = r.gateway.RestartAfter(t.Context(), session.Cause{})
		readAll(t, r.modern().post(t.Context(), "2", "server/discover", ""))
		if r.servers.Load() != 2 {
			t.Error("a changed server was not asked")
		}
	})
}

// A server that does not respond to server/discover costs two hosts a wait, and later ones nothing.
func TestStateless_SilentServer(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		r.silent = true
		for i := range 3 {
			began := time.Now()
			response := r.modern().post(t.Context(), "2", "server/discover", "")
			contains(t, readAll(t, response), `-32601`)
			waited := time.Since(began)
			if want := i < 2; response.StatusCode != http.StatusNotFound || (waited > time.Second) != want || waited > 6*time.Second {
				t.Errorf("attempt %d: %d after %s", i+1, response.StatusCode, waited)
			}
		}
	})
}

// noTap is a tap of a client that records nothing.
type noTap struct{ transporttest.Discard }

func (noTap) Step(client.Step)       {}
func (noTap) Lost(jsonrpc.ID, error) {}

// The client of mcptea in each protocol version, with the demo server.
func TestServe_Client(t *testing.T) {
	for _, v := range append(revision.All(), "") {
		for _, isShared := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) { callOverGateway(t, v, isShared) })
		}
	}
}

func callOverGateway(t *testing.T, v revision.Revision, isShared bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	g := &serve.Gateway{
		Context: ctx, Server: client.Target{Argv: []string{"server"}}, Loopback: true, Idle: time.Minute, MaxSessions: 3, Shared: isShared, SSE: true,
		NewRelay: func(string) *relay.Relay {
			return &relay.Relay{
				Server: client.Target{Argv: []string{"server"}}, Stderr: io.Discard, Warn: func(string) {},
				Dial: func(relay.Events) transport.Transport { return inmemory.New(sessiontest.Demo(demo.Options{})) },
			}
		},
	}
	dial, end := inmemory.HTTP(g.Handler())
	defer func() {
		g.End()
		g.Wait()
		stop()
		end()
	}()
	path, kind := serve.Path, client.TransportHTTP
	if v == revision.R20241105 {
		path, kind = serve.SSEPath, client.TransportSSE
	}
	c := client.New(client.Target{URL: "http://127.0.0.1" + path, Transport: kind, Header: http.Header{}, Dial: dial}, noTap{}, client.Config{Name: "t", Version: "1", Revision: v})
	defer func() { _ = c.Close(ctx) }()
	if err := c.Connect(ctx); err != nil {
		t.Errorf("%s, shared %t: %v", v, isShared, err)
		return
	}
	if v != "" && c.Revision() != v {
		t.Errorf("%s: the client has negotiated %s", v, c.Revision())
	}
	tools, err := c.List(ctx, client.Tools)
	if err != nil || len(tools) < 5 {
		t.Errorf("%s: %d tools, %v", v, len(tools), err)
	}
	response, err := c.Call(ctx, "tools/call", []byte(`{"name":"echo","arguments":{"message":"hello"}}`))
	if text := string(response.Frame); err != nil || !strings.Contains(text, "hello") {
		t.Errorf("%s: %s %v", v, text, err)
	}
}
