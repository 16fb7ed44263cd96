package probes_test

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

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
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
	single   bool // it reads one request at a time
}

// httpServers are the faulty servers over HTTP.
var httpServers = slices.Concat(originServers, sessionServers, requestServers, statelessServers, authorizedServers)

// serve starts the demo server with a fault.
func (s httpServer) serve(t *testing.T) client.Target {
	t.Helper()
	inner := demo.New(demo.Options{Pace: time.Millisecond}).HandlerContext(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if s.single {
			one.Lock()
		}
		body, err := io.ReadAll(q.Body)
		if s.single {
			one.Unlock()
		}
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
		Target: s.serve(t), Client: client.Config{Name: "mcptea", Version: "1", Revision: s.revision, ConnectTimeout: 5 * time.Second},
		Only: only, Seed: 1, Timeout: 5 * time.Second,
	}
	if s.change != nil {
		s.change(&cfg)
	}
	summary, err := probes.Run(context.Background(), cfg, nil)
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
