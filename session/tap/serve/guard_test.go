package serve_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/session/tap/serve"
)

const token = "abcdefghij-_.~0123456789"

func TestGuard_Token(t *testing.T) {
	serving(t, func(g *serve.Gateway) { g.Token, g.SSE = token, true }, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			path, bearer string
			status       int
			text         string
		}{
			{path: "/mcp/" + token, status: 200},
			{path: "/mcp", bearer: token, status: 200},
			{path: "/mcp", status: 401, text: "the token is missing or wrong"},
			{path: "/mcp", bearer: "other", status: 401, text: "the token is missing or wrong"},
			{path: "/mcp/" + token + "x", status: 404, text: "nothing is served at this path"},
			{path: "/mcp/" + token[1:], status: 404},
			{path: "/mcp/", status: 404},
			{path: "/other/" + token, status: 404},
			{path: "/.well-known/oauth-protected-resource", status: 404},
			{path: "/.well-known/oauth-protected-resource", bearer: token, status: 404},
			{path: "/sse", status: 401},
		} {
			h := &host{r: r, header: http.Header{}}
			if c.bearer != "" {
				h.header.Set("Authorization", "Bearer "+c.bearer)
			}
			response, err := h.try(t.Context(), c.path, http.MethodPost, initialize)
			if err != nil {
				t.Fatal(err)
			}
			text := readAll(t, response)
			if _, challenges := response.Header["Www-Authenticate"]; response.StatusCode != c.status || !strings.Contains(text, c.text) || challenges {
				t.Errorf("%+v: %d %s", c, response.StatusCode, text)
			}
		}
	})
}

// The event with the endpoint of HTTP+SSE has the token.
func TestGuard_TokenOfSSE(t *testing.T) {
	serving(t, func(g *serve.Gateway) { g.Token, g.SSE = token, true }, func(t *testing.T, r *rig) {
		h := &host{r: r}
		response, err := h.try(t.Context(), "/sse/"+token, http.MethodGet, "")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		stream := events(response)
		endpoint := <-stream
		contains(t, endpoint, "/sse/"+token+"?session=")
		if s, err := h.try(t.Context(), endpoint, http.MethodPost, initialize); err != nil || s.StatusCode != http.StatusAccepted {
			t.Errorf("%v %v", s, err)
		}
		contains(t, <-stream, `"serverInfo":{"name":"s1"`)
	})
}

func TestGuard_MaxSessionsOfSSE(t *testing.T) {
	serving(t, func(g *serve.Gateway) { g.SSE, g.MaxSessions = true, 1 }, func(t *testing.T, r *rig) {
		ctx, leave := context.WithCancel(t.Context())
		open := func(ctx context.Context) *http.Response {
			response, err := (&host{r: r}).try(ctx, serve.SSEPath, http.MethodGet, "")
			if err != nil {
				t.Fatal(err)
			}
			return response
		}
		first := open(ctx)
		<-events(first)
		second := open(t.Context())
		if text := readAll(t, second); second.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "--max-sessions") {
			t.Errorf("%d %s", second.StatusCode, text)
		}
		leave()
		synctest.Wait()
		if third := open(t.Context()); third.StatusCode != http.StatusOK {
			t.Errorf("after the end of the first session: %d", third.StatusCode)
		} else {
			_ = third.Body.Close()
		}
	})
}

func TestGuard_HostAndOrigin(t *testing.T) {
	for _, c := range []struct {
		loopback     bool
		host, origin string
		fetch        string
		refused      string
	}{
		{loopback: true, host: "127.0.0.1:8080"},
		{loopback: true, host: "localhost:8080", origin: "http://localhost:3000"},
		{loopback: true, host: "[::1]:8080"},
		{loopback: true, host: "evil.example", refused: "the host"},
		{loopback: true, host: "192.168.1.5:8080", refused: "the host"},
		{loopback: true, host: "localhost", origin: "http://evil.example", refused: "the origin"},
		{loopback: true, host: "localhost", origin: "null", refused: "the origin"},
		{loopback: true, host: "localhost", fetch: "cross-site", refused: "another site"},
		{loopback: true, host: "mcp.example.com", origin: "https://MCP.example.com"},
		{loopback: true, host: "mcp.example.com", origin: "http://localhost:1"},
		{loopback: true, host: "localhost", origin: "https://mcp.example.com.evil.example", refused: "the origin"},
		{host: "192.168.1.5:8080"},
		{host: "localhost:8080"},
		{host: "devbox:8080", refused: "the host"},
		{host: "mcp.example.com:8080"},
		{host: "192.168.1.5:8080", origin: "http://192.168.1.5:8080", refused: "the origin"},
		{host: "192.168.1.5:8080", origin: "http://localhost:1", refused: "the origin"},
		{host: "192.168.1.5:8080", origin: "https://mcp.example.com"},
	} {
		g := &serve.Gateway{Context: t.Context(), Loopback: c.loopback, Names: []string{"mcp.example.com"}, MaxSessions: 1}
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{}), http.MethodGet, serve.Path, nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.fetch != "" {
			r.Header.Set("Sec-Fetch-Site", c.fetch)
		}
		w := httptest.NewRecorder()
		g.Handler().ServeHTTP(w, r)
		if isRefused := w.Code == http.StatusForbidden; isRefused != (c.refused != "") || !strings.Contains(w.Body.String(), c.refused) {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
	}
}
