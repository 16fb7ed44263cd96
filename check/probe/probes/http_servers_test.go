package probes_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

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
	{probe: "P-113", revision: revision.R20251125, verdict: probe.Pass, contains: "The server checks Origin, but not Host", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return q.Host == "evil.example" && q.Header.Get("Origin") == "" && initialized(w)
	}},
	{probe: "P-043", revision: revision.R20251125, verdict: probe.Fail, contains: "another client", fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		e := jsonrpc.Scan([]byte(body))
		id := string(e.ID.Of([]byte(body)).Shown())
		if n, err := strconv.Atoi(id); err != nil || n < 10_005 {
			return false
		}
		isPing := strings.Contains(body, `"method":"ping"`)
		if !isPing {
			collided <- true
			return false
		}
		select { // the other request with the id
		case <-collided:
			return respond(w, http.StatusOK, `{"jsonrpc":"2.0","id":`+id+`,"result":{"tools":[]}}`)
		case <-time.After(100 * time.Millisecond):
			return false
		}
	}},
}

// collided has that one of two requests with an id has come.
var collided = make(chan bool, 10)

// respond answers with a status and a JSON body.
func respond(w http.ResponseWriter, status int, body string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return true
}

// result answers a request with a result.
func result(w http.ResponseWriter, body, result string) bool {
	id := jsonrpc.Scan([]byte(body)).ID.Of([]byte(body))
	return respond(w, http.StatusOK, `{"jsonrpc":"2.0","id":`+id.String()+`,"result":`+result+`}`)
}

// sessionsOf is a server that gives sessions these ids, and answers each request with {}.
func sessionsOf(id func() string) func(http.ResponseWriter, *http.Request, string) bool {
	begin := withSession(id)
	return func(w http.ResponseWriter, q *http.Request, body string) bool {
		if q.Method != "POST" {
			return respond(w, http.StatusMethodNotAllowed, "")
		}
		if begin(w, q, body) {
			return true
		}
		if !strings.Contains(body, `"id"`) {
			w.WriteHeader(http.StatusAccepted)
			return true
		}
		return result(w, body, `{}`)
	}
}

// withSession answers initialize with a session id.
func withSession(id func() string) func(w http.ResponseWriter, q *http.Request, body string) bool {
	return func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if !strings.Contains(body, `"initialize"`) {
			return false
		}
		w.Header().Set("Mcp-Session-Id", id())
		return initialized(w)
	}
}

func hasOrigin(q *http.Request) bool { return q.Header.Get("Origin") == "https://evil.example" }

var count atomic.Int64

var sessionServers = []httpServer{
	{probe: "P-178", revision: revision.R20251125, verdict: probe.Fail, contains: "that another connection has used", fault: func() func(w http.ResponseWriter, q *http.Request, body string) bool {
		type names struct{ canaries, heard chan string }
		var ofHost sync.Map
		return func(w http.ResponseWriter, q *http.Request, body string) bool {
			of, _ := ofHost.LoadOrStore(q.Host, names{make(chan string, 10), make(chan string, 10)})
			canaries, heard := of.(names).canaries, of.(names).heard
			switch {
			case q.Method == "GET":
				w.Header().Set("Content-Type", "text/event-stream")
				_ = http.NewResponseController(w).Flush()
				for {
					select {
					case name := <-canaries:
						canaries <- name // for the other streams
						defer func() { heard <- name }()
						_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":%q}}\n\n", name)
						return true
					case <-q.Context().Done():
						return true
					}
				}
			case strings.Contains(body, `"text":"mcptea-`):
				_, name, _ := strings.Cut(body, `"text":"`)
				name, _, _ = strings.Cut(name, `"`)
				canaries <- name
				for range 2 { // the call has its response when both connections have the message
					select {
					case <-heard:
					case <-q.Context().Done():
					}
				}
			}
			return false
		}
	}()},
	{probe: "P-115", revision: revision.R20251125, verdict: probe.Fail, contains: "answers a request with an unknown session id", fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		return q.Method == "POST" && strings.Contains(body, "tools/list") && len(q.Header.Get("Mcp-Session-Id")) == 26 && strings.Contains(body, `"id"`) && result(w, body, `{"tools":[]}`)
	}},
	{probe: "P-116", revision: revision.R20251125, verdict: probe.Fail, contains: "in a deleted session", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return q.Method == "DELETE" && respond(w, http.StatusOK, "")
	}},
	{probe: "P-117", revision: revision.R20251125, verdict: probe.Warn, contains: "All 5 sessions have the same id.", fault: sessionsOf(func() string { return "1" })},
	{probe: "P-117", revision: revision.R20251125, verdict: probe.Warn, contains: "cannot be guessed", fault: sessionsOf(func() string { return fmt.Sprintf("%08d", count.Add(1)) })},
	{probe: "P-118", revision: revision.R20251125, verdict: probe.Fail, contains: "that the client has chosen", fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		id := q.Header.Get("Mcp-Session-Id")
		return strings.HasPrefix(id, "mcptea-chosen") && withSession(func() string { return id })(w, q, body)
	}},
	{probe: "P-119", revision: revision.R20251125, verdict: probe.Fail, contains: "accepts MCP-Protocol-Version: latest", fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		return q.Header.Get("MCP-Protocol-Version") == "latest" && result(w, body, `{"tools":[]}`)
	}},
	{probe: "P-120", revision: revision.R20251125, verdict: probe.Fail, contains: "200 with text/event-stream, or 405 is required", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return q.Method == "GET" && respond(w, http.StatusOK, "{}")
	}},
	{probe: "P-121", revision: revision.R20251125, verdict: probe.Fail, contains: "replays a message of another stream", fault: func() func(w http.ResponseWriter, q *http.Request, body string) bool {
		var mu sync.Mutex
		var events string
		return func(w http.ResponseWriter, q *http.Request, body string) bool {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case strings.Contains(body, `"tools/list"`):
				id := jsonrpc.Scan([]byte(body)).ID.Of([]byte(body)).String()
				event := "id: e" + id + "\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"tools\":[]}}\n\n"
				events += event
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, event)
				return true
			case q.Method == "GET" && q.Header.Get("Last-Event-ID") != "":
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, events)
				return true
			}
			return false
		}
	}()},
	{probe: "P-131", revision: revision.R20241105, sse: true, verdict: probe.Pass, contains: "accepts a POST with an unknown session", fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		if q.Method == "POST" && strings.Contains(body, `"id":1,"method":"initialize"`) && strings.Contains(body, `"capabilities":{}`) {
			w.WriteHeader(http.StatusAccepted)
			return true
		}
		return false
	}},
}

var requestServers = []httpServer{
	{probe: "P-110", revision: revision.R20251125, verdict: probe.Fail, contains: "does not accept Accept: application/json;q=0.9", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return strings.Contains(q.Header.Get("Accept"), "q=") && respond(w, http.StatusNotAcceptable, "")
	}},
	{probe: "P-111", revision: revision.R20251125, verdict: probe.Warn, contains: "Content-Type: text/plain, which web pages can send", fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		return q.Header.Get("Content-Type") == "text/plain" && result(w, body, `{}`)
	}},
	{probe: "P-114", revision: revision.R20251125, verdict: probe.Fail, contains: "with the Origin https://evil.example", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		return hasOrigin(q) && initialized(w)
	}},
	{probe: "P-114", revision: revision.R20251125, verdict: probe.Pass, contains: "its own origin", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return q.Header.Get("Origin") != "" && respond(w, http.StatusForbidden, "")
	}},
	{probe: "P-122", revision: revision.R20251125, verdict: probe.Fail, contains: "sent by PUT", fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		return q.Method == "PUT" && result(w, body, `{}`)
	}},
	{probe: "P-127", revision: revision.R20251125, verdict: probe.Pass, contains: "answers at every path", fault: func(_ http.ResponseWriter, q *http.Request, _ string) bool {
		q.URL.Path = "/mcp"
		return false
	}},
	{probe: "P-020", revision: revision.R20251125, verdict: probe.Pass, contains: "with HTTP status 200 and error -32700", fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if body == "" || json.Valid([]byte(body)) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		return true
	}},
	{probe: "P-123", revision: revision.R20251125, verdict: probe.Fail, contains: "lets every web page call it", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		return hasOrigin(q) && (q.Method == "OPTIONS" && respond(w, http.StatusNoContent, "") || initialized(w))
	}},
	{probe: "P-123", revision: revision.R20251125, verdict: probe.Fail, contains: "access with credentials", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		w.Header().Set("Access-Control-Allow-Origin", q.Header.Get("Origin"))
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		return q.Method == "OPTIONS" && respond(w, http.StatusNoContent, "")
	}},
	{probe: "P-128", revision: revision.R20251125, verdict: probe.Warn, contains: "does not allow mcp-protocol-version", fault: forPages(http.StatusNoContent, "Content-Type, Authorization", "*")},
	{probe: "P-128", revision: revision.R20260728, verdict: probe.Warn, contains: "does not allow mcp-method, mcp-name", fault: forPages(http.StatusNoContent, "content-type, MCP-Protocol-Version", "")},
	{probe: "P-128", revision: revision.R20251125, verdict: probe.Warn, contains: "OPTIONS needs authorization (HTTP status 401)", fault: forPages(http.StatusUnauthorized, "*", "Mcp-Session-Id")},
	{probe: "P-128", revision: revision.R20251125, verdict: probe.Warn, contains: "not in that to the preflight request (HTTP status 405)", fault: forPages(http.StatusMethodNotAllowed, "*", "Mcp-Session-Id")},
	{probe: "P-128", revision: revision.R20251125, verdict: probe.Warn, contains: "Mcp-Session-Id is not exposed", fault: forPages(http.StatusOK, "*", "Date")},
	{probe: "P-128", revision: revision.R20251125, verdict: probe.Pass, contains: "", fault: forPages(http.StatusNoContent, "Content-Type, Mcp-Session-Id, Mcp-Protocol-Version, Last-Event-ID", "mcp-session-id")},
	{probe: "P-128", revision: revision.R20251125, verdict: probe.Pass, contains: "", fault: forPages(http.StatusNoContent, "*", "*")},
	{probe: "P-124", revision: revision.R20251125, verdict: probe.Warn, contains: "executes a body with text after the message", fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		return strings.HasSuffix(body, "} x") && result(w, body, `{}`)
	}},
	{probe: "P-126", revision: revision.R20251125, verdict: probe.Fail, contains: "", change: func(cfg *probe.Config) { cfg.Only = append(cfg.Only, "P-023") }, fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if !strings.Contains(body, "rpc.mcptea") {
			return false
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html></html>")
		return true
	}},
}

// forPages serves pages: OPTIONS with a status, and the headers that are allowed and exposed.
func forPages(status int, allowed, exposed string) func(w http.ResponseWriter, q *http.Request, body string) bool {
	const page = "http://localhost:6274"
	return func(w http.ResponseWriter, q *http.Request, _ string) bool {
		if q.Header.Get("Origin") != page {
			return false
		}
		w.Header().Set("Access-Control-Allow-Origin", page)
		w.Header().Set("Access-Control-Expose-Headers", exposed)
		if q.Method != http.MethodOptions {
			return false
		}
		w.Header().Set("Access-Control-Allow-Headers", allowed)
		return respond(w, status, "")
	}
}

const emptyTools = `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"public"}`

// mirrored serves a list whose header does not have the expected value.
func mirrored(header, value string) func(w http.ResponseWriter, q *http.Request, body string) bool {
	return func(w http.ResponseWriter, q *http.Request, body string) bool {
		got := q.Header.Values(header)
		return strings.Contains(body, `"id"`) && (len(got) == 1 && got[0] == value || len(got) == 0 && value == "") && result(w, body, emptyTools)
	}
}

func rejectsSessions(w http.ResponseWriter, q *http.Request, _ string) bool {
	return q.Header.Get("Mcp-Session-Id") != "" && respond(w, http.StatusBadRequest, "")
}

// leftOpen answers a request on an event stream that it does not end.
func leftOpen(w http.ResponseWriter, q *http.Request, body string) bool {
	if !strings.Contains(body, `"ping"`) {
		return false
	}
	w.Header().Set("Content-Type", "text/event-stream")
	id := jsonrpc.Scan([]byte(body)).ID.Of([]byte(body))
	_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":`+id.String()+`,"result":{}}`+"\n\n")
	_ = http.NewResponseController(w).Flush()
	<-q.Context().Done()
	return true
}

// rejectsCancelled rejects the cancellation of a request that it does not know.
func rejectsCancelled(w http.ResponseWriter, _ *http.Request, body string) bool {
	return strings.Contains(body, "notifications/cancelled") && strings.Contains(body, "mcptea-unknown") && respond(w, http.StatusBadRequest, "")
}

// invalidWithStatus200 rejects what has these words with the right error and the wrong HTTP status.
func invalidWithStatus200(words string) func(http.ResponseWriter, *http.Request, string) bool {
	return func(w http.ResponseWriter, _ *http.Request, body string) bool {
		id := jsonrpc.Scan([]byte(body)).ID.Of([]byte(body))
		return strings.Contains(body, words) && respond(w, http.StatusOK, `{"jsonrpc":"2.0","id":`+id.String()+`,"error":{"code":-32602,"message":"Invalid _meta"}}`)
	}
}

var statelessServers = []httpServer{
	{probe: "P-120", revision: revision.R20251125, verdict: probe.Pass, contains: "HTTP status 409", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return q.Method == http.MethodGet && respond(w, http.StatusConflict, "")
	}},
	// MCP 2026-07-28 has no notification of a client over HTTP: a cancellation is the end of the exchange.
	{probe: "P-028", revision: revision.R20260728, verdict: probe.Pass, fault: rejectsCancelled},
	{probe: "P-028", revision: revision.R20251125, verdict: probe.Warn, contains: "rejects the notification notifications/cancelled with HTTP status 400", fault: rejectsCancelled},
	{probe: "P-141", revision: revision.R20260728, verdict: probe.Warn, contains: "an array as clientCapabilities with HTTP status 200; 400 is expected", fault: invalidWithStatus200(`clientCapabilities":[]`)},
	{probe: "P-141", revision: revision.R20260728, verdict: probe.Fail, contains: "a request without clientCapabilities in _meta with HTTP status 200; 400 is required", fault: invalidWithStatus200(`"name":"mcptea","version":"1"}}}}`)},
	{probe: "P-024", revision: revision.R20251125, verdict: probe.Warn, contains: "ends the HTTP response to tools/list with the params null without a message", fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if !strings.Contains(body, `"params":null`) {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		return true
	}},
	{probe: "P-126", revision: revision.R20251125, verdict: probe.Warn, contains: "still open after the response", fault: leftOpen},
	{probe: "P-143", revision: revision.R20260728, verdict: probe.Fail, contains: "contradicts its _meta", fault: mirrored("MCP-Protocol-Version", "2025-11-25")},
	{probe: "P-144", revision: revision.R20260728, verdict: probe.Fail, contains: "Mcp-Method in capitals", fault: mirrored("Mcp-Method", "TOOLS/LIST")},
	{probe: "P-145", revision: revision.R20260728, verdict: probe.Fail, contains: "with another Mcp-Name", fault: mirrored("Mcp-Name", "x")},
	{probe: "P-149", revision: revision.R20260728, verdict: probe.Pass, contains: "rejects a request with Mcp-Session-Id", fault: rejectsSessions},
	{probe: "P-149", revision: revision.R20260728, verdict: probe.Warn, contains: "rejects a request with Mcp-Session-Id", fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		if strings.Contains(body, "server/discover") {
			return result(w, body, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`)
		}
		return rejectsSessions(w, q, body)
	}},
}

// token is the only one that the servers with authorization accept.
const token = "Bearer good"

func withToken(cfg *probe.Config) { cfg.Target.Header.Set("Authorization", token) }

// guarded is a correct server with authorization: it returns 401 without the token,
// and serves the metadata. lax may accept a request nevertheless.
func guarded(lax func(q *http.Request) bool, edit func(document string) string) func(w http.ResponseWriter, q *http.Request, body string) bool {
	return func(w http.ResponseWriter, q *http.Request, _ string) bool {
		base := "http://" + q.Host
		document := ""
		switch {
		case strings.HasPrefix(q.URL.Path, "/.well-known/oauth-protected-resource"):
			document = `{"resource":"` + base + `/mcp","authorization_servers":["` + base + `"]}`
		case strings.HasPrefix(q.URL.Path, "/.well-known/oauth-authorization-server"):
			document = `{"issuer":"` + base + `","response_types_supported":["code"],"code_challenge_methods_supported":["S256"],"authorization_endpoint":"` + base + `/a","token_endpoint":"` + base + `/t"}`
		case q.Header.Get("Authorization") == token, lax != nil && lax(q):
			return false
		default:
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", resource_metadata="`+base+`/.well-known/oauth-protected-resource/mcp"`)
			return respond(w, http.StatusUnauthorized, "")
		}
		if edit != nil {
			document = edit(document)
		}
		return respond(w, http.StatusOK, document)
	}
}

func without(text string) func(string) string {
	return func(document string) string { return strings.ReplaceAll(document, text, "") }
}

// challenged is a server that wants more scopes from a token.
func challenged(challenge string) func(w http.ResponseWriter, q *http.Request, body string) bool {
	return func(w http.ResponseWriter, q *http.Request, _ string) bool {
		if q.Header.Get("Authorization") == "Bearer few" {
			w.Header().Set("WWW-Authenticate", challenge)
			return respond(w, http.StatusForbidden, "")
		}
		return false
	}
}

// lowScope has the probes send a token with few scopes.
func lowScope(cfg *probe.Config) { withToken(cfg); cfg.Tokens = probe.Tokens{LowScope: "few"} }

// twoPrincipals has the probes act as two principals.
func twoPrincipals(cfg *probe.Config) {
	withToken(cfg)
	cfg.Tokens = probe.Tokens{Second: "two"}
	cfg.Call, cfg.Allow = true, map[string]string{"brew-task": `{"seconds":2}`}
}

// shown returns a list of resources for the second principal.
func shown(scope string) func(w http.ResponseWriter, q *http.Request, body string) bool {
	return func(w http.ResponseWriter, q *http.Request, body string) bool {
		if q.Header.Get("Authorization") != "Bearer two" || !strings.Contains(body, `"resources/list"`) {
			return false
		}
		reply(w, body, `"result":{"resultType":"complete","ttlMs":0,"cacheScope":"`+scope+`","resources":[]}`)
		return true
	}
}

// badTokens has the probes send tokens that are not valid.
func badTokens(cfg *probe.Config) {
	withToken(cfg)
	cfg.Tokens = probe.Tokens{Expired: "stale-7f3a", Foreign: "other-7f3a"}
}

// one is held while a request is read by a server that reads one at a time.
var one sync.Mutex

var authorizedServers = []httpServer{
	{probe: "P-164", revision: revision.R20251125, verdict: probe.Fail, contains: "accepts an expired token", change: badTokens, fault: guarded(func(q *http.Request) bool {
		return q.Header.Get("Authorization") == "Bearer stale-7f3a"
	}, nil)},
	{probe: "P-164", revision: revision.R20251125, verdict: probe.Pass, change: badTokens, fault: guarded(nil, nil)},
	{probe: "P-167", revision: revision.R20251125, verdict: probe.Warn, contains: "more scopes only after 403", change: lowScope, fault: guarded(nil, nil)},
	{probe: "P-167", revision: revision.R20251125, verdict: probe.Warn, contains: "does not name the scopes", change: lowScope, fault: challenged(`Bearer error="insufficient_scope"`)},
	{probe: "P-167", revision: revision.R20251125, verdict: probe.Pass, change: lowScope, fault: challenged(`Bearer error="insufficient_scope", scope="write", resource_metadata="http://x/m"`)},
	{probe: "P-168", revision: revision.R20260728, verdict: probe.Pass, change: twoPrincipals},
	{probe: "P-168", revision: revision.R20251125, verdict: probe.Warn, contains: "accepts the session of one principal", change: twoPrincipals},
	{probe: "P-168", revision: revision.R20260728, verdict: probe.Fail, contains: "belongs to the first one", change: twoPrincipals, fault: func(_ http.ResponseWriter, q *http.Request, _ string) bool {
		q.Header.Set("Authorization", token) // the server ignores who asks
		return false
	}},
	{probe: "P-168", revision: revision.R20260728, verdict: probe.Warn, contains: "whose list does not have it", change: twoPrincipals, fault: shown("private")},
	{probe: "P-125", revision: revision.R20251125, verdict: probe.Fail, contains: "gets no response while", single: true, change: func(cfg *probe.Config) { cfg.Timeout = time.Second }},
	{probe: "P-125", revision: revision.R20251125, verdict: probe.Pass},
	{probe: "P-160", revision: revision.R20251125, verdict: probe.Fail, contains: "has no WWW-Authenticate: Bearer", change: withToken, fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
		return q.Header.Get("Authorization") == "" && respond(w, http.StatusUnauthorized, "")
	}},
	// 2024-11-05 has no sentence about the status of a POST.
	{probe: "P-028", revision: revision.R20241105, sse: true, verdict: probe.Pass, fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		return strings.Contains(body, "unknown") && strings.Contains(body, "notifications/") && respond(w, http.StatusOK, "ok")
	}},
	{probe: "P-161", revision: revision.R20251125, verdict: probe.Fail, contains: "The resource metadata", change: withToken, fault: guarded(nil, without("authorization_servers"))},
	{probe: "P-161", revision: revision.R20251125, verdict: probe.Fail, contains: "The resource metadata", change: withToken, fault: guarded(nil, without("resource"))},
	{probe: "P-161", revision: revision.R20251125, verdict: probe.Fail, contains: "The resource metadata", change: withToken, fault: guarded(nil, strings.NewReplacer(`["`, `"`, `"]`, `"`).Replace)},
	{probe: "P-163", revision: revision.R20251125, verdict: probe.Fail, contains: "with HTTP status 400", change: withToken, fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		if q.Header.Get("Authorization") == "Bearer mcptea-invalid" {
			return respond(w, http.StatusBadRequest, "")
		}
		return guarded(nil, nil)(w, q, body)
	}},
	{probe: "P-162", revision: revision.R20251125, verdict: probe.Fail, contains: "has no response_types_supported", change: withToken, fault: guarded(nil, without("response_types_supported"))},
	{probe: "P-160", revision: revision.R20251125, verdict: probe.Fail, contains: "it has no scheme and host", change: withToken, fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		if q.Header.Get("Authorization") == "" && q.Method == http.MethodPost {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="/.well-known/oauth-protected-resource/mcp"`)
			return respond(w, http.StatusUnauthorized, "")
		}
		return guarded(nil, nil)(w, q, body)
	}},
	{probe: "P-162", revision: revision.R20251125, verdict: probe.Fail, contains: "does not support PKCE with S256", change: withToken, fault: guarded(nil, without(`"S256"`))},
	{probe: "P-163", revision: revision.R20251125, verdict: probe.Fail, contains: "accepts a JWT without a signature", change: withToken, fault: guarded(func(q *http.Request) bool {
		return strings.HasSuffix(q.Header.Get("Authorization"), ".")
	}, nil)},
	{probe: "P-165", revision: revision.R20251125, verdict: probe.Fail, contains: "in the query", change: withToken, fault: guarded(func(q *http.Request) bool {
		return q.URL.Query().Get("access_token") == "good"
	}, nil)},
	{probe: "P-166", revision: revision.R20251125, verdict: probe.Fail, contains: "instead of a token", change: withToken, fault: guarded(func(q *http.Request) bool {
		return q.Header.Get("Mcp-Session-Id") != ""
	}, nil)},
	{probe: "P-160", revision: revision.R20251125, verdict: probe.Pass, change: withToken, fault: guarded(nil, nil)},
	{probe: "P-161", revision: revision.R20251125, verdict: probe.Pass, change: withToken, fault: guarded(nil, nil)},
	{probe: "P-162", revision: revision.R20251125, verdict: probe.Pass, change: withToken, fault: guarded(nil, nil)},
	{probe: "P-163", revision: revision.R20251125, verdict: probe.Pass, change: withToken, fault: guarded(nil, nil)},
	{probe: "P-165", revision: revision.R20251125, verdict: probe.Pass, change: withToken, fault: guarded(nil, nil)},
	{probe: "P-166", revision: revision.R20251125, verdict: probe.Pass, change: withToken, fault: guarded(nil, nil)},
}
