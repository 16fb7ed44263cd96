package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcptea/cli/app"
)

// Without the stream of GET no notification can come to a client before 2026-07-28: listen says who has refused it, and
// fails. A refusal that may pass is retried first.
func TestListen_StreamRefused(t *testing.T) {
	for name, c := range map[string]struct {
		refuse func(w http.ResponseWriter)
		want   []string
	}{
		"405": {func(w http.ResponseWriter) { w.WriteHeader(405) }, []string{"returned 405 Method Not Allowed", "only while it responds to a request"}},
		"404": {func(w http.ResponseWriter) { http.Error(w, "no such stream", 404) }, []string{"returned 404 Not Found: no such stream"}},
		"403 of a proxy": {func(w http.ResponseWriter) {
			w.Header().Set("Server", "cloudflare")
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(403)
			_, _ = io.WriteString(w, "<!DOCTYPE html>\n<title>Access denied</title>")
		}, []string{`returned 403 Forbidden: HTML page "Access denied"`, `the Server header is "cloudflare"`}},
		"501": {func(w http.ResponseWriter) { w.WriteHeader(501) }, []string{"returned 501 Not Implemented"}},
		"a page": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>hello")
		}, []string{`returned 200 OK with Content-Type "text/html" instead of an event stream`}},
		"409":               {func(w http.ResponseWriter) { w.WriteHeader(409) }, []string{"returned 409 Conflict", "counts another stream of this session as open"}},
		"JSON without type": {func(w http.ResponseWriter) { w.Header()["Content-Type"] = nil; _, _ = io.WriteString(w, "{}") }, []string{`returned 200 OK with no Content-Type instead of an event stream`}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var m struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
				}
				body, _ := io.ReadAll(r.Body)
				_ = json.Unmarshal(body, &m)
				switch {
				case r.Method == http.MethodGet:
					c.refuse(w)
				case m.ID == nil:
					w.WriteHeader(http.StatusAccepted)
				case m.Method == "initialize":
					w.Header().Set("Content-Type", "application/json")
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`, m.ID)
				default:
					w.Header().Set("Content-Type", "application/json")
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, m.ID)
				}
			}))
			defer server.Close()
			defer server.CloseClientConnections()
			_, stderr, code := called(t, "listen", "tools", "--protocol", "2025-11-25", "--for", "1m", "--count", "1", "--url", server.URL)
			if code != app.ExitError {
				t.Errorf("exit code %d", code)
			}
			for _, want := range append(c.want, "no notifications can arrive, since the stream for them is refused: GET http://") {
				if !strings.Contains(stderr, want) {
					t.Errorf("%q is missing:\n%s", want, stderr)
				}
			}
		})
	}
}
