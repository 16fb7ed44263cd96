package probes_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/lint"
	"mcptea/record"
)

var _ = raced.Also(TestRun_HTTPServerEnds, TestRun_StatusOfErrorsIsOneFinding, TestRun_BothErasAlthoughOneIsListed)

// A server over HTTP that ends is one finding, of the probe that has ended it; the probes
// after it are not judged.
func TestRun_HTTPServerEnds(t *testing.T) {
	inner := demo.New(demo.Options{}).HandlerContext(t.Context())
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodTrace {
			inner.ServeHTTP(w, q)
			return
		}
		_ = server.Listener.Close()
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = c.Close()
		}
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	summary, err := probes.Run(context.Background(), probe.Config{
		Target: client.Target{URL: server.URL + "/mcp", Transport: client.TransportHTTP}, Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125},
		Seed: 1, Only: []string{"P-110", "P-122", "P-124", "P-119", "P-185", "P-186", "P-043"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var errors []string
	for _, r := range summary.Reports {
		for _, f := range r.Findings {
			if f.Severity != record.SeverityInfo {
				errors = append(errors, r.Entry.ID+" "+f.Message)
			}
		}
		switch r.Entry.ID {
		case "P-124", "P-185", "P-186", "P-043":
			if r.Verdict != probe.Failure || !strings.Contains(r.Skip, "the server has ended during P-122 (other-methods)") {
				t.Errorf("%s: %s %q", r.Entry.ID, r.Verdict, r.Skip)
			}
		}
	}
	if len(errors) != 1 || !strings.HasPrefix(errors[0], "P-122 The server has ended during P-122 (other-methods): it no longer accepts connections. TRACE got no response; the last request that was answered is ") || !strings.HasSuffix(errors[0], ". Either may have ended it.") {
		t.Errorf("findings: %q", errors)
	}
}

// A server that answers errors with HTTP status 500 has one fault.
func TestRun_StatusOfErrorsIsOneFinding(t *testing.T) {
	s := httpServer{revision: revision.R20251125, fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if !strings.Contains(body, `"tools/call"`) && !strings.Contains(body, "no-such") {
			return false
		}
		id := jsonrpc.Scan([]byte(body)).ID.Of([]byte(body))
		return respond(w, http.StatusInternalServerError, `{"jsonrpc":"2.0","id":`+id.String()+`,"error":{"code":-32602,"message":"no"}}`)
	}}
	// Whatever the probe is that meets it first, it is a warning: there is a response, though some clients do not read it.
	for _, only := range [][]string{{"tools", "envelope", "resources", "load"}, {"P-050"}, {"P-051"}, {"P-023"}, {"P-187"}} {
		n := 0
		for _, r := range s.run(t, only...).Reports {
			for _, f := range r.Findings {
				if strings.Contains(f.Message, "with HTTP status 500: clients and proxies") {
					if n++; f.Severity != lint.Warn {
						t.Errorf("%v: %s %s %s", only, f.Severity, r.Entry.ID, f.Message)
					}
				}
			}
		}
		if n > 1 || n == 0 && len(only) > 1 {
			t.Errorf("%v: %d findings about HTTP status 500", only, n)
		}
	}
}

// A stateless server that lists only its stateless version is also checked in the other
// era.
func TestRun_BothErasAlthoughOneIsListed(t *testing.T) {
	summary, err := probes.Run(context.Background(), probe.Config{
		Client: client.Config{Name: "mcptea", Version: "1"}, Seed: 1, Only: []string{"P-001", "P-140"},
		Dial: dial(t, `edit "supportedVersions":\[[^\]]*\] => "supportedVersions":["2026-07-28"]`, demo.Options{}),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, s := range summary.Servers {
		versions = append(versions, string(s.Revision))
	}
	if got := strings.Join(versions, " "); got != "2026-07-28 2025-11-25" {
		t.Errorf("checked: %s", got)
	}
}

// The evidence is the frame that broke the rule.
func TestProbe_EvidenceIsTheStrayResponse(t *testing.T) {
	r := check(t, server{probe: "P-001", revision: revision.R20251125, script: `notifications/initialized => send {"jsonrpc":"2.0","id":null,"result":{}}`})
	if len(r.Findings) != 1 || len(r.Findings[0].Frames) != 1 || !strings.Contains(string(r.Findings[0].Frames[0].Bytes), `"id":null`) {
		t.Errorf("%+v", r.Findings)
	}
}
