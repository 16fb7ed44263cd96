package probes_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
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
)

// httpInnocent is a server over HTTP that does nothing wrong, and looks as if it did. Its first function
// answers a request in place of a server with one list, and reports whether it has.
type httpInnocent struct {
	innocent
	sessions bool
	before   func(w http.ResponseWriter, q *http.Request, method string) bool
	// waits reports that the run pauses, since the server limits the rate of requests.
	waits bool
}

// plainHTTP is a server of 2025-11-25 over HTTP with an empty list of tools.
func plainHTTP(s httpInnocent) http.Handler {
	known, sessions := map[string]bool{}, 0
	one := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		e := jsonrpc.Scan(body)
		method := e.MethodName(body)
		one <- struct{}{}
		defer func() { <-one }()
		if s.before != nil && s.before(w, q, method) {
			return
		}
		host, _, _ := strings.Cut(q.Host, ":")
		session := q.Header.Get("Mcp-Session-Id")
		respond := func(status int, text string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
		fail := func(status, code int, message string) {
			respond(status, fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":%q}}`, code, message))
		}
		switch {
		case q.Header.Get("Origin") != "" || host != "127.0.0.1":
			w.WriteHeader(http.StatusForbidden)
		case q.Method == http.MethodDelete && s.sessions && known[session]:
			delete(known, session)
		case q.Method != http.MethodPost:
			w.Header().Set("Allow", "POST")
			w.WriteHeader(http.StatusMethodNotAllowed)
		case !strings.HasPrefix(q.Header.Get("Content-Type"), "application/json"):
			w.WriteHeader(http.StatusUnsupportedMediaType)
		case q.Header.Get("Mcp-Protocol-Version") != "" && !revision.Revision(q.Header.Get("Mcp-Protocol-Version")).HasHandshake():
			fail(http.StatusBadRequest, -32000, "Unsupported protocol version")
		case !jsonrpc.Valid(body):
			fail(http.StatusBadRequest, jsonrpc.CodeParseError, "Parse error")
		case e.Flaws != 0 || e.Kind == jsonrpc.Invalid || e.Kind == jsonrpc.Batch || len(e.Params.Of(body)) > 0 && e.Params.Of(body)[0] != '{':
			fail(http.StatusBadRequest, jsonrpc.CodeInvalidRequest, "Invalid request")
		case e.Kind != jsonrpc.Request && (e.Kind != jsonrpc.Notification || strings.HasPrefix(method, "notifications/")):
			w.WriteHeader(http.StatusAccepted)
		case e.Kind != jsonrpc.Request:
			w.WriteHeader(http.StatusAccepted)
		case s.sessions && method != "initialize" && session == "":
			fail(http.StatusBadRequest, -32000, "Session required")
		case s.sessions && method != "initialize" && !known[session]:
			fail(http.StatusNotFound, -32001, "Session not found")
		default:
			id := string(e.ID.Of(body).Shown())
			switch method {
			case "initialize":
				if s.sessions {
					sessions++
					session = fmt.Sprintf("%x", sha256.Sum256([]byte(strconv.Itoa(sessions))))
					known[session] = true
					w.Header().Set("Mcp-Session-Id", session)
				}
				respond(http.StatusOK, `{"jsonrpc":"2.0","id":`+id+`,"result":`+handshakeResult+`}`)
			case "ping":
				respond(http.StatusOK, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
			case "tools/list":
				respond(http.StatusOK, `{"jsonrpc":"2.0","id":`+id+`,"result":{"tools":[]}}`)
			case "tools/call":
				respond(http.StatusOK, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32602,"message":"Unknown tool"}}`)
			default:
				respond(http.StatusOK, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32601,"message":"Method not found"}}`)
			}
		}
	})
}

// routeless answers a request with 404 and a page, as a web framework does without a route.
func routeless(w http.ResponseWriter, q *http.Request) bool {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, "<!DOCTYPE html>\n<pre>Cannot "+q.Method+" /mcp</pre>\n")
	return true
}

// allows is a server that takes so many requests of some kind in a period. It says in a header how long it takes no
// more, in a form.
func allows(n int, period time.Duration, counts func(method string) bool, form func(h http.Header, left time.Duration)) func(http.ResponseWriter, *http.Request, string) bool {
	var until time.Time
	taken := 0
	return func(w http.ResponseWriter, q *http.Request, method string) bool {
		if q.Method != http.MethodPost || !counts(method) {
			return false
		}
		if now := time.Now(); now.After(until) {
			taken, until = 0, now.Add(period)
		}
		if taken++; taken <= n {
			return false
		}
		form(w.Header(), time.Until(until))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32029,"message":"Too many requests"},"id":null}`)
		return true
	}
}

func inSeconds(h http.Header, left time.Duration) {
	h.Set("Retry-After", strconv.Itoa(int((left+time.Second-1)/time.Second)))
}

func asDate(h http.Header, left time.Duration) {
	h.Set("Retry-After", time.Now().Add(left+time.Second).UTC().Format(http.TimeFormat))
}

func asReset(h http.Header, left time.Duration) {
	h.Set("RateLimit", fmt.Sprintf(`"default";r=0;t=%d`, int((left+time.Second-1)/time.Second)))
}

func httpInnocents() []httpInnocent {
	initialize := func(method string) bool { return method == "initialize" }
	each := func(string) bool { return true }
	const (
		// A framework answers what it has no route for with 404, which 405 would say better.
		getGets404 = "P-120 GET returns HTTP status 404"
	)
	return []httpInnocent{
		{innocent{name: "no origin is allowed"}, false, nil, false},
		{innocent{name: "no origin is allowed, with sessions"}, true, nil, false},
		{innocent{name: "every origin gets a page of a proxy"}, false, func(w http.ResponseWriter, q *http.Request, _ string) bool {
			return q.Header.Get("Origin") != "" && routeless(w, q)
		}, false},
		{innocent{name: "no route for GET and DELETE", said: []string{getGets404}}, true, func(w http.ResponseWriter, q *http.Request, _ string) bool {
			return q.Method != http.MethodPost && routeless(w, q)
		}, false},
		{innocent{name: "no route for GET, and its DELETE works", said: []string{getGets404}}, true, func(w http.ResponseWriter, q *http.Request, _ string) bool {
			return q.Method == http.MethodGet && routeless(w, q)
		}, false},
		{innocent{name: "no route for GET, told as JSON", said: []string{getGets404}}, true, func(w http.ResponseWriter, q *http.Request, _ string) bool {
			if q.Method == http.MethodPost || q.Method == http.MethodDelete {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"message":"Route GET:/mcp not found","error":"Not Found","statusCode":404}`)
			return true
		}, false},
		{innocent{name: "20 initialize a minute, in seconds"}, false, allows(20, time.Minute, initialize, inSeconds), true},
		{innocent{name: "20 initialize a minute, as a date"}, false, allows(20, time.Minute, initialize, asDate), true},
		{innocent{name: "100 requests in 10 s, with RateLimit"}, false, allows(100, 10*time.Second, each, asReset), true},
		{innocent{name: "60 requests in 10 s, with sessions"}, true, allows(60, 10*time.Second, each, inSeconds), true},
	}
}

// The same as [TestProbe_InnocentServers] over Streamable HTTP.
func TestProbe_InnocentServersOverHTTP(t *testing.T) {
	for _, s := range httpInnocents() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dial, stop := inmemory.HTTP(plainHTTP(s))
				defer stop()
				summary, err := probes.Run(context.Background(), probe.Config{
					Target: client.Target{URL: "http://127.0.0.1:1/mcp", Transport: client.TransportHTTP, Header: http.Header{}, Dial: dial},
					Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour,
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				s.judge(t, summary)
				if (summary.Waited > 0) != s.waits {
					t.Errorf("paused for %s", summary.Waited)
				}
				t.Logf("paused for %s of %s", summary.Waited, summary.Took)
				causes := map[string]bool{}
				for _, r := range summary.Reports {
					if strings.Contains(r.Why(), "reached") {
						t.Errorf("%s: %s", r.Entry.ID, r.Why())
					}
					if s.waits && r.Verdict == probe.Failure {
						causes[r.Why()] = true
					}
				}
				if len(causes) > 1 {
					t.Errorf("one cause in several words: %v", causes)
				}
			})
		})
	}
}
