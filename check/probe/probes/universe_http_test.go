package probes_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
)

// httpDisturbance is a disturbance of a server over HTTP.
type httpDisturbance struct {
	disturbance
	// reply answers a request in place of the server, and reports whether it has. n counts
	// the requests.
	reply func(w http.ResponseWriter, q *http.Request, n int, body []byte) bool
	// edit changes what the server writes of the body of a response.
	edit func(part []byte) []byte
}

// settled is after how many requests a session of the client has begun: a server that answers
// none before that cannot be connected to.
const settled = 13

// status answers everything with a status.
func status(code int, body string, header ...string) func(http.ResponseWriter, *http.Request, int, []byte) bool {
	return func(w http.ResponseWriter, _ *http.Request, n int, _ []byte) bool {
		if n <= settled {
			return false
		}
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// message answers each request with a message that has the id of it.
func message(format string) func(http.ResponseWriter, *http.Request, int, []byte) bool {
	return func(w http.ResponseWriter, _ *http.Request, n int, body []byte) bool {
		e := jsonrpc.Scan(body)
		if n <= settled || e.Kind != jsonrpc.Request {
			return false
		}
		return respond(w, http.StatusOK, fmt.Sprintf(format, e.ID.Of(body).Shown()))
	}
}

func httpDisturbances() []httpDisturbance {
	var count atomic.Int32
	anyID := regexp.MustCompile(`("jsonrpc":"2\.0","id":\d+)([,}])`)
	return []httpDisturbance{
		{disturbance: disturbance{name: "503", true: []string{`P-085 The server replied to ping .*503`, `P-140 (server/discover returns|The server replied to server/discover with) HTTP status 503`, `P-033 .*503`}}, reply: status(http.StatusServiceUnavailable, "down")},
		{disturbance: disturbance{name: "429", unusual: true}, reply: status(http.StatusTooManyRequests, "slow down", "Retry-After", "1")},
		{disturbance: disturbance{name: "403", true: []string{`P-085 The server replied to ping .*403`, `P-140 server/discover returns HTTP status 403`}}, reply: status(http.StatusForbidden, "no")},
		{disturbance: disturbance{name: "login", true: []string{`P-126 .*(text/html|Content-Type|HTML)`, `P-033 A notification got status 200`, `P-033 The server sent invalid JSON.*<html>`, `P-140 server/discover returns`, `P-140 The HTTP response`, `P-085 The HTTP response`}}, reply: status(http.StatusOK, "<html>login</html>", "Content-Type", "text/html")},
		{disturbance: disturbance{name: "page-for-list", only: revision.R20260728, true: []string{`P-045 The list cannot be read: tools/list returned HTTP status 200 without a message\.`, `P-126 The response has the type text/html`}}, reply: func(w http.ResponseWriter, q *http.Request, n int, body []byte) bool {
			e := jsonrpc.Scan(body)
			return e.HasMethod(body, "tools/list") && status(http.StatusOK, "<html>login</html>", "Content-Type", "text/html")(w, q, n+settled, body)
		}},
		{disturbance: disturbance{name: "errors-200", true: []string{`P-085 The server replied to ping .*-32603`, `P-140 server/discover returns error -32603`}}, reply: message(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"fetch failed"}}`)},
		{disturbance: disturbance{name: "cut", true: []string{`P-126 The stream ended before the response`, `P-033 The server sent invalid JSON`, `P-\d+ There is no response to .* the server loses responses`}}, reply: func(w http.ResponseWriter, _ *http.Request, n int, body []byte) bool {
			if n <= settled || n%5 > 0 || jsonrpc.Scan(body).Kind != jsonrpc.Request {
				return false
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",")
			return true
		}},
		{disturbance: disturbance{name: "sessions-lost", only: revision.R20251125, true: []string{`P-033 The server no longer knows the session id "`}}, reply: func(w http.ResponseWriter, q *http.Request, _ int, _ []byte) bool {
			if q.Header.Get("Mcp-Session-Id") == "" || count.Add(1)%10 > 0 {
				return false
			}
			w.WriteHeader(http.StatusNotFound)
			return true
		}},
		{disturbance: disturbance{name: "ids-with-fraction", unusual: true}, edit: func(m []byte) []byte { return anyID.ReplaceAll(m, []byte("${1}.0${2}")) }},
		{disturbance: disturbance{name: "slow-600ms", unusual: true, delay: 600 * time.Millisecond, true: []string{`P-185 95% of the pings take`}}},
		{disturbance: disturbance{name: "slow-3s", unusual: true, delay: 3 * time.Second, true: []string{`P-185 95% of the pings take`, `P-001 The response to initialize took`}}},
	}
}

// editor edits the body of a response, part by part as it is written.
type editor struct {
	http.ResponseWriter
	edit func(part []byte) []byte
}

func (e editor) Write(part []byte) (int, error) {
	e.Header().Del("Content-Length")
	_, err := e.ResponseWriter.Write(e.edit(part))
	return len(part), err
}

// Unwrap lets [http.ResponseController] flush.
func (e editor) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// disturbHTTP applies a disturbance to a server.
func disturbHTTP(inner http.Handler, d httpDisturbance) http.Handler {
	var n atomic.Int32
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		if d.delay > 0 && q.Method != http.MethodGet {
			select {
			case <-time.After(d.delay):
			case <-q.Context().Done():
				return
			}
		}
		if d.reply != nil && d.reply(w, q, int(n.Add(1)), body) {
			return
		}
		if d.edit != nil {
			w = editor{w, d.edit}
		}
		inner.ServeHTTP(w, q)
	})
}

// The same as [TestProbe_AccusesOfNothingElse] over Streamable HTTP.
func TestProbe_AccusesOfNothingElseOverHTTP(t *testing.T) {
	for i, d := range httpDisturbances() {
		if !inTurn(i) {
			continue
		}
		for _, v := range d.eras(i) {
			t.Run(d.name+"/"+string(v), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					ctx, end := context.WithCancel(t.Context())
					dial, stop := inmemory.HTTP(disturbHTTP(demo.New(demo.Options{Pace: time.Millisecond}).HandlerContext(ctx), d))
					defer stop()
					defer end()
					summary, err := probes.Run(context.Background(), probe.Config{
						Target: client.Target{URL: "http://127.0.0.1:1/mcp", Transport: client.TransportHTTP, Header: http.Header{}, Dial: dial},
						Client: client.Config{Name: "mcptea", Version: "1", Revision: v}, Seed: 1, MaxTime: 10 * time.Hour,
					}, nil)
					if err != nil {
						t.Fatalf("not connected: %v", err)
					}
					d.judge(t, summary)
				})
			})
		}
	}
}
