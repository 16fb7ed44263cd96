package http

import (
	"net/http"
	"strings"
	"testing"

	"mcptea/client/secret"
	"mcptea/internal/test/transporttest"
)

// TestReports_PrivateValues has a value that came from a variable in the path, in a header of an
// ordinary name, and in what the server repeats: it is in no report.
func TestReports_PrivateValues(t *testing.T) {
	const value = "hunter2hunter2"
	s := newServer(t, accepted, endpointLines)
	r := newSSERig(t, s.URL+"/s/"+value+"/sse", func(c *Config) {
		c.Secrets, c.Header = new(secret.Values), http.Header{"X-Acct": {value}}
		c.Secrets.Add(value)
	})
	r.mustOpen()
	_ = r.Close(t.Context())
	e := transporttest.Receive(t, r.Ended, "the end")
	if strings.Contains(e.URL, value) || !strings.HasSuffix(e.URL, "/s/****/sse") || e.RequestHeader.Get("X-Acct") != "••••" {
		t.Errorf("the exchange is %s %v", e.URL, e.RequestHeader)
	}
	if got := s.log(); len(got) == 0 || !strings.Contains(got[0], value) || s.headers(0).Get("X-Acct") != value {
		t.Errorf("the server got %q", got)
	}
}
