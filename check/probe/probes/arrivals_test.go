package probes_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint"
)

// arrivals are servers whose responses arrive in another form, with the probes that run and a pattern of each error and
// warning. Nothing else is said of them: no response is missing.
var arrivals = []struct {
	name string
	only []string
	said []string
	over func(cfg *probe.Config) (stop func())
}{
	{
		"a text of digits as id becomes a number",
		[]string{"P-026", "P-033"},
		[]string{`P-026 The response has the id 17; the request has "17"`},
		overStdio(func(p *sessiontest.Peer, m sessiontest.Message) bool {
			if strings.HasPrefix(m.ID, `"`) && strings.Trim(m.ID, `"0123456789`) == "" && len(m.ID) > 2 {
				m.ID = strings.Trim(m.ID, `"`)
			}
			return echoServer(p, m)
		}),
	},
	{
		"an error without the id of the request",
		[]string{"P-023", "P-033"},
		[]string{`P-033 Response id -1 matches no pending request`},
		overStdio(unknownWithID("-1")),
	},
	{
		"a tool that fails for arguments that its schema forbids",
		[]string{"P-05*", "P-033"},
		nil,
		overStdio(func(p *sessiontest.Peer, m sessiontest.Message) bool {
			if m.Method == "tools/call" && jsonrpc.Get(m.Params, "arguments", "mcpteaExtra") != nil {
				p.Error(m, jsonrpc.CodeInternalError, "Error POSTing to endpoint (HTTP 400): Body is not valid JSON")
				return false
			}
			return echoServer(p, m)
		}),
	},
	{
		"responses to ping on the stream of GET",
		[]string{"P-005", "P-023", "P-033", "P-085", "P-126"},
		[]string{`P-126 The HTTP response to the request has status 202 and no message`, `another stream|stream of GET|GET stream`},
		func(cfg *probe.Config) func() {
			dial, stop := inmemory.HTTP(pingsOnGET(plainHTTP(httpInnocent{sessions: true})))
			cfg.Target = client.Target{URL: "http://127.0.0.1:1/mcp", Transport: client.TransportHTTP, Header: http.Header{}, Dial: dial}
			return stop
		},
	},
}

// echoServer is a server with a tool that accepts what its schema accepts.
var echoServer = handshakeServer(strings.Replace(exploreTool, `"required"`, `"additionalProperties":false,"required"`, 1), func(_ *sessiontest.Peer, params []byte) (string, bool) {
	query := jsonrpc.Get(params, "arguments", "query")
	most := jsonrpc.Get(params, "arguments", "most")
	wrong := query == nil || query[0] != '"' || most != nil && (most[0] < '0' || most[0] > '9')
	return "found", wrong
})

func overStdio(handle func(*sessiontest.Peer, sessiontest.Message) bool) func(cfg *probe.Config) func() {
	return func(cfg *probe.Config) func() {
		connect := sessiontest.Dial(sessiontest.Answering(handle))
		cfg.Dial = func(_ client.Target, tap client.Tap, c client.Config) *client.Client { return connect(tap, c) }
		return func() {}
	}
}

// pingsOnGET returns a server that answers ping with 202, and sends the response on the stream of GET of the session.
func pingsOnGET(inner http.Handler) http.Handler {
	lock := make(chan map[string]chan string, 1)
	lock <- map[string]chan string{}
	of := func(session string) chan string {
		all := <-lock
		defer func() { lock <- all }()
		if all[session] == nil {
			all[session] = make(chan string, 100)
		}
		return all[session]
	}
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		session := q.Header.Get("Mcp-Session-Id")
		if q.Method == http.MethodGet && session != "" && q.Header.Get("Origin") == "" {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			for out := of(session); ; w.(http.Flusher).Flush() {
				select {
				case text := <-out:
					_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
				case <-q.Context().Done():
					return
				}
			}
		}
		body, _ := io.ReadAll(q.Body)
		if e := jsonrpc.Scan(body); q.Method == http.MethodPost && session != "" && e.HasMethod(body, "ping") && e.Kind == jsonrpc.Request {
			w.WriteHeader(http.StatusAccepted)
			of(session) <- `{"jsonrpc":"2.0","id":` + string(e.ID.Of(body).Shown()) + `,"result":{}}`
			return
		}
		q.Body = io.NopCloser(strings.NewReader(string(body)))
		inner.ServeHTTP(w, q)
	})
}

func TestProbe_ResponseArrivesInAnotherForm(t *testing.T) {
	for _, s := range arrivals {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := probe.Config{Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour, Only: s.only}
				stop := s.over(&cfg)
				defer stop()
				summary, err := probes.Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatal(err)
				}
				var all []string
				for _, r := range summary.Reports {
					if strings.Contains(r.Why(), "no response") {
						t.Errorf("%s is not judged: %s", r.Entry.ID, r.Why())
					}
					for _, f := range r.Findings {
						if f.Severity != lint.Info {
							all = append(all, r.Entry.ID+" "+f.Message)
						}
					}
				}
				for _, pattern := range s.said {
					if !slices.ContainsFunc(all, regexp.MustCompile(pattern).MatchString) {
						t.Errorf("nothing says %q of\n%s", pattern, strings.Join(all, "\n"))
					}
				}
				for _, line := range all {
					if !slices.ContainsFunc(s.said, func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(line) }) {
						t.Errorf("it says: %s", line)
					}
				}
			})
		})
	}
}
