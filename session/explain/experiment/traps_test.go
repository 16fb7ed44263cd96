package experiment_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/session/explain/experiment"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

const (
	unread     = "does not see the body"
	everything = "to everything"
)

// withKey has the user give a key in a header.
func withKey(t *client.Target) { t.Header = http.Header{"X-Tea-Key": {"abc-1234567890"}} }

// traps are failures about which a trial is easily misread.
var traps = []failed{
	{name: "a key without the right", script: func(w http.ResponseWriter, a ask) bool {
		if a.Header.Get("X-Tea-Key") == "" {
			return text(w, 401, "unauthorized")
		}
		return text(w, 403, "forbidden")
	}, change: withKey, cause: "Without X-Tea-Key the response is 401, and with it 403 Forbidden: the credentials are recognized", absent: []string{everything, unread}},
	{name: "a key that nothing looks at", script: always(func(w http.ResponseWriter) bool { return text(w, 403, "forbidden") }), change: withKey, absent: []string{"are recognized"}},
	{name: "a key that is refused", script: func(w http.ResponseWriter, a ask) bool {
		if a.Header.Get("X-Tea-Key") == "" {
			return text(w, 403, "forbidden")
		}
		return text(w, 401, "unauthorized")
	}, change: withKey, absent: []string{"are recognized"}},
	{name: "two of three requests fail", script: func(w http.ResponseWriter, a ask) bool {
		return a.n%3 != 2 && text(w, 500, "oops")
	}, absent: []string{"initialize is answered", "Only ", unread}},
	{name: "a header that a proxy removes", script: func(w http.ResponseWriter, a ask) bool {
		return a.Header.Get("Mcp-Method") != "" && text(w, 400, "routing header Mcp-Method is missing") || a.method == "initialize" && text(w, 400, "routing header Mcp-Method is missing")
	}, absent: []string{"the server has a handshake"}},
	{
		name: "a host that is not allowed", script: always(func(w http.ResponseWriter) bool { return text(w, 403, "Invalid Host header") }),
		cause: "It does not accept the Host of the request", absent: []string{everything, unread},
	},
	{name: "a key is missing, for each path", script: always(func(w http.ResponseWriter) bool {
		return object(w, 403, map[string]any{"error": "missing API key"})
	}), cause: "requires a key (API key)", absent: []string{"not for the message: look", unread, "answers 403"}},
	{
		name: "maintenance in French", script: always(func(w http.ResponseWriter) bool { return text(w, 503, "Serveur en maintenance") }),
		absent: []string{unread, "does not run"},
	},
	{name: "a limit during the trials", script: func(w http.ResponseWriter, a ask) bool {
		return text(w, map[bool]int{true: 500, false: 429}[!a.later], "boom")
	}, absent: []string{"Only ", unread}},
	{name: "parameters that are refused", script: func(w http.ResponseWriter, a ask) bool {
		return a.Method == http.MethodPost && object(w, 400, refusal(-32602, "Invalid request parameters"))
	}, absent: []string{unread, "Only ", everything}},
	{name: "a path that fails, beside others", script: func(w http.ResponseWriter, a ask) bool {
		return a.URL.Path == "/mcp" && text(w, 500, "Traceback: NameError", "Server", "uvicorn") || text(w, 404, "Not Found")
	}, absent: []string{unread, everything}},
	{name: "each body is refused with one error", script: func(w http.ResponseWriter, a ask) bool {
		return a.Method == http.MethodPost && object(w, 400, refusal(-32700, "Parse error: expected array of requests"))
	}, cause: "The message is the reason that the server gives.", absent: []string{"program that responds does not see the body"}},
	{name: "a bot protection", script: always(func(w http.ResponseWriter) bool {
		return reply(w, 403, "text/html", "<html><title>Just a moment...</title></html>", "Server", "cloudflare", "Cf-Mitigated", "challenge")
	}), cause: "The bot protection or firewall of Cloudflare", none: true},
	{name: "credentials are required", script: always(func(w http.ResponseWriter) bool { return text(w, 401, "Unauthorized") }), none: true},
	{name: "a pause is required", script: always(func(w http.ResponseWriter) bool { return text(w, 429, "slow down", "Retry-After", "60") }), none: true},
	{name: "a redirect to a login", script: always(func(w http.ResponseWriter) bool {
		return text(w, 302, "", "Location", "https://login.test/signin")
	}), none: true},
}

func TestRun_ClaimsNothingFalse(t *testing.T) {
	t.Parallel()
	for _, f := range traps {
		t.Run(f.name, f.check)
	}
}

// A credential that was refused is sent in no trial, and the user of the URL in none either.
func TestRun_SendsNoRefusedCredential(t *testing.T) {
	const secret = "s3cr3t-t0ken"
	var sent atomic.Int32
	for _, change := range []func(*client.Target){
		func(c *client.Target) { c.Header = http.Header{"Authorization": {"Bearer " + secret}} },
		func(c *client.Target) { c.Header = http.Header{"X-Api-Key": {secret}} },
		func(c *client.Target) { c.URL = strings.Replace(c.URL, "http://", "http://me:"+secret+"@", 1) },
	} {
		for _, status := range []int{401, 403} {
			srv := serve(t, func(w http.ResponseWriter, a ask) bool {
				_, password, _ := a.BasicAuth()
				if strings.Contains(a.Header.Get("Authorization")+a.Header.Get("X-Api-Key")+password, secret) {
					sent.Add(1)
				}
				return text(w, status, "no: "+strings.Repeat("x", 80)+secret)
			})
			to := srv.target()
			change(&to)
			s, err := connect(t, to)
			if err == nil {
				t.Fatal("it connects")
			}
			before := sent.Load()
			why := failure.Explain(err, failure.FactsOf(s))
			report := experiment.Run(t.Context(), s, err, why)
			if now := sent.Load(); now != before {
				t.Errorf("status %d: the credential was sent %d times more", status, now-before)
			}
			for _, line := range report.Explain(why).Lines() {
				if strings.Contains(line.Text, secret[:6]) {
					t.Errorf("status %d: %s has the secret or a part: %s", status, line.Kind, line.Text)
				}
			}
		}
	}
}

// A healthy server and one that is down see nothing of it.
func TestRun_LeavesOthersAlone(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(http.ResponseWriter, ask) bool { return false })
	s, err := connect(t, srv.target())
	if err != nil {
		t.Fatal(err)
	}
	before := srv.count.Load()
	if report := experiment.Run(t.Context(), s, nil, failure.Explain(nil, failure.FactsOf(s))); len(report.Tried) > 0 || srv.count.Load() != before {
		t.Errorf("a healthy server: %+v", report)
	}
	down, err := connect(t, client.Target{URL: "http://127.0.0.1:1/mcp"})
	why := failure.Explain(err, failure.FactsOf(down))
	if report := experiment.Run(t.Context(), down, err, why); len(report.Tried) > 0 || report.Conclusion != nil {
		t.Errorf("a server that is down: %+v", report)
	}
}

// A server that hangs after the first response costs no more than the budget.
func TestRun_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	srv := serve(t, func(w http.ResponseWriter, a ask) bool {
		if a.later {
			select {
			case <-a.Context().Done():
			case <-ended:
			}
		}
		return text(w, 500, "boom")
	})
	s, err := connect(t, srv.target())
	srv.later.Store(true)
	why := failure.Explain(err, failure.FactsOf(s))
	report := experiment.Run(t.Context(), s, err, why)
	if len(report.Tried) == 0 || len(report.Tried) > 4 {
		t.Errorf("%d trials of a server that hangs", len(report.Tried))
	}
}

// A server that accepts a message and does not respond to it: another request shows whether it responds at all.
func TestRun_SilentServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		hangs func(ask) bool
		cause string
	}{
		{"at POST", func(a ask) bool { return a.Method == http.MethodPost }, "answer a GET of a made-up path with 405 Method Not Allowed"},
		{"at everything", func(ask) bool { return true }, "gets no response either"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var gets atomic.Int32 // connecting has none, and its last POST may arrive after it was given up
			srv := serve(t, func(_ http.ResponseWriter, a ask) bool {
				if a.Method == http.MethodGet {
					gets.Add(1)
				}
				if tt.hangs(a) {
					<-a.Context().Done()
					return true
				}
				return false
			})
			s, err := session.Open(session.Config{Target: srv.target(), Record: "off", Client: client.Config{Name: "test", Version: "0", ConnectTimeout: 100 * time.Millisecond}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Disconnect(t.Context()) })
			if err = s.Connect(t.Context()); err == nil {
				t.Fatal("it connects")
			}
			why := failure.Explain(err, failure.FactsOf(s))
			why = experiment.Run(t.Context(), s, err, why).Explain(why)
			if made := gets.Load(); made != 1 || !strings.Contains(why.Cause(), tt.cause) {
				t.Errorf("%d requests, %q", made, why.Cause())
			}
		})
	}
}
