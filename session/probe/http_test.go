package probe_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/session/probe"
)

// httpServer is a server over HTTP with a fault, and what a probe has to report.
type httpServer struct {
	probe    string
	revision revision.Revision
	sse      bool
	// fault may answer a request, and returns whether it has. body is that of the
	// request.
	fault    func(w http.ResponseWriter, q *http.Request, body string) bool
	verdict  probe.Verdict
	contains string
	change   func(*probe.Config)
}

// httpServers are the faulty servers over HTTP.
var httpServers = slices.Concat(originServers)

// serve starts the demo server with a fault.
func (s httpServer) serve(t *testing.T) client.Target {
	t.Helper()
	inner := demo.New(demo.Options{Pace: time.Millisecond}).Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		if s.fault != nil && s.fault(w, q, string(body)) {
			return
		}
		inner.ServeHTTP(w, q)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	target := client.Target{URL: server.URL + "/mcp", Transport: client.TransportHTTP, Header: http.Header{}}
	if s.sse {
		target.URL, target.Transport = server.URL+"/sse", client.TransportSSE
	}
	return target
}

// run runs probes against the server.
func (s httpServer) run(t *testing.T, only ...string) *probe.Summary {
	t.Helper()
	cfg := probe.Config{
		Target: s.serve(t), Client: client.Config{Name: "mcptea", Version: "1", Revision: s.revision},
		Only: only, Seed: 1, Timeout: time.Second,
	}
	if s.change != nil {
		s.change(&cfg)
	}
	summary, err := probe.Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

func TestProbe_FiresOnHTTPFault(t *testing.T) {
	for _, s := range httpServers {
		t.Run(s.probe+"/"+string(s.verdict), func(t *testing.T) {
			t.Parallel()
			for _, r := range s.run(t, s.probe).Reports {
				if r.Entry.ID != s.probe {
					continue
				}
				var messages []string
				for _, f := range r.Findings {
					messages = append(messages, f.Message)
				}
				all := strings.Join(messages, "\n")
				if r.Verdict != s.verdict || !strings.Contains(all, s.contains) {
					t.Errorf("verdict %s %s, want %s with %q; findings:\n%s", r.Verdict, r.Skip, s.verdict, s.contains, all)
				}
			}
		})
	}
}

func TestProbe_SilentOnCorrectHTTPServer(t *testing.T) {
	for _, s := range []httpServer{{revision: revision.R20251125}, {revision: revision.R20260728}, {revision: revision.R20241105, sse: true}} {
		t.Run(string(s.revision), func(t *testing.T) {
			t.Parallel()
			for _, r := range s.run(t).Reports {
				if r.Verdict == probe.Pass || r.Verdict == probe.Skipped || hostile[r.Entry.ID] {
					continue
				}
				for _, f := range r.Findings {
					t.Errorf("%s %s: %s: %s", r.Entry.ID, f.Severity, f.Case, f.Message)
				}
				t.Errorf("%s %s: %s %s", r.Entry.ID, r.Entry.Slug, r.Verdict, r.Skip)
			}
		})
	}
}

// initialized answers initialize.
func initialized(w http.ResponseWriter) bool {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`)
	return true
}

var originServers = []httpServer{
	{probe: "P-113", revision: revision.R20251125, verdict: probe.Fail, contains: "DNS rebinding", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return q.Host == "evil.example" && initialized(w)
	}},
	{probe: "P-113", revision: revision.R20251125, verdict: probe.Warn, contains: "only its check of Origin", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return q.Host == "evil.example" && q.Header.Get("Origin") == "" && initialized(w)
	}},
	{probe: "P-043", revision: revision.R20251125, verdict: probe.Fail, contains: "another client", fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		if !strings.Contains(body, `"id":10005,"method":"ping"`) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":10005,"result":{"tools":[]}}`)
		return true
	}},
}
