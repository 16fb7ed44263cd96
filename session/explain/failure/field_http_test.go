//go:build unix

package failure_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcptea/client"
)

// rpcError is an error of JSON-RPC in a body; id as it is on the wire.
func rpcError(code int, message, id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":%q},"id":%s}`, code, message, id)
}

// behindPrefix is a server of HTTP+SSE behind a proxy that removes /es from the path and refuses all other
// paths with a status. endpoint is what the endpoint event has.
func behindPrefix(stream, endpoint string, status int, body string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.URL.Path == stream {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprintf(w, "event: endpoint\ndata: %s\n\n", endpoint)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return
			}
			w.Header().Set("Server", "nginx")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		return client.Target{URL: s.URL + stream}
	}
}

// lostAt is a server with sessions that does not know them any more at a call.
func lostAt(status int, kind, body string) func(*testing.T) client.Target {
	return serves(old(func(w http.ResponseWriter, r *http.Request) {
		if method, _ := asked(r); method != "tools/call" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		replies(status, kind, body)(w, r)
	}))
}

// guardedBy is a server whose guard of the Host refuses, with the headers of what is in front of it.
func guardedBy(status int, body string, headers ...string) func(*testing.T) client.Target {
	return serves(replies(status, "text/plain", body, headers...))
}

// calledWith is a server that works but for calls.
func calledWith(answer http.HandlerFunc) func(*testing.T) client.Target {
	return serves(old(func(w http.ResponseWriter, r *http.Request) {
		if method, _ := asked(r); method != "tools/call" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer(w, r)
	}))
}

const (
	noSession  = "The server's message says that the session is gone"
	noVersion  = "The server refuses the protocol version 2025-11-25."
	otherHost  = "sends another Host"
	needsSlash = "The path needs a slash at its end."
)

// asReportedHTTP are failures over HTTP that users have reported.
var asReportedHTTP = []broken{
	// The endpoint event is outside of the prefix of the stream.
	{
		name: "a prefix that a proxy removes", target: behindPrefix("/es/sse", "/messages/?session_id=7f3a", 404, "<html><head><title>404 Not Found</title></head></html>"),
		sentence: "POST http://127.0.0.1:⋯/messages/⋯ returned 404 Not Found: the endpoint event names /messages/, outside of /es of the URL.",
		cause:    "A proxy in front may remove /es from the path", try: "root_path, mount path, X-Forwarded-Prefix", absent: []string{"Common paths"},
	},
	{
		name: "a prefix, and 405", target: behindPrefix("/es/sse", "/messages?", 405, ""),
		sentence: "POST http://127.0.0.1:⋯/messages⋯ returned 405 Method Not Allowed: the endpoint event names /messages, outside of /es of the URL.",
		cause:    "A proxy in front may remove /es", try: "let the proxy pass /messages on", absent: []string{"Common paths", "another page"},
	},
	{
		name: "a prefix of two parts, and a message", target: behindPrefix("/a/b/sse", "/a/messages", 404, "no such route"),
		sentence: "POST http://127.0.0.1:⋯/a/messages returned 404 Not Found: the endpoint event names /a/messages, outside of /a/b of the URL.",
		cause:    "A proxy in front may remove /a/b", try: "Tell the server the prefix",
	},
	{
		name: "an endpoint beside the stream", target: behindPrefix("/sse", "/messages", 404, ""),
		sentence: "POST http://127.0.0.1:⋯/messages returned 404 Not Found: it is the endpoint that the event stream names.",
		cause:    "may not route the path /messages", try: "Check the path in the endpoint event", absent: []string{"Common paths"},
	},

	// A redirect of a server that does not know the URL.
	{
		name: "a slash and another port", target: serves(replies(307, "text/plain", "", "Location", "http://127.0.0.1:5001/mcp/")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 307 Temporary Redirect: it redirects to http://127.0.0.1:5001/mcp/.",
		cause:    needsSlash, try: "Use the same URL with the slash: http://127.0.0.1:",
	},
	{
		name: "a slash too many and another host", target: over(serves(replies(308, "text/plain", "", "Location", "http://backend.internal:8000/mcp")), func(c *client.Target) { c.URL += "/" }),
		sentence: "POST http://127.0.0.1:⋯/mcp/ returned 308 Permanent Redirect: it redirects to http://backend.internal:8000/mcp.",
		cause:    "The path must have no slash at its end.", try: "Use the same URL without the slash: http://127.0.0.1:",
	},

	// A session that the server does not know, with any status.
	{
		name: "a session of another instance", target: serves(old(func(w http.ResponseWriter, r *http.Request) {
			if method, _ := asked(r); method != "tools/call" {
				w.Header().Set("Mcp-Session-Id", "another")
				w.WriteHeader(http.StatusAccepted)
				return
			}
			replies(400, "application/json", rpcError(-32600, "Bad Request: No valid session ID provided", "null"))(w, r)
		})),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Bad Request: No valid session ID provided".`,
		cause:    "A response on this connection had another Mcp-Session-Id", try: "sticky sessions",
	},
	{
		name: "a lost session, 401", target: lostAt(401, "text/plain", "Unauthorized: Session not found"),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "Unauthorized: Session not found".`,
		cause:    noSession, try: "Reconnect", absent: []string{"Send a token"},
	},
	{
		name: "a lost session, 401 in JSON-RPC", target: lostAt(401, "application/json", rpcError(-32001, "Session not found", "null")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "Session not found".`,
		cause:    noSession, try: "Reconnect",
	},
	{
		name: "a lost session, as a code", target: lostAt(403, "application/json", `{"error":"session_not_found"}`),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "session_not_found".`,
		cause:    noSession, try: "Reconnect",
	},
	{
		name: "a lost session, 503", target: lostAt(503, "application/json", `{"error":"session unavailable"}`),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 503 Service Unavailable: it reports "session unavailable".`,
		cause:    noSession, try: "Reconnect",
	},
	{
		name: "a lost session, the header by its name", target: lostAt(400, "application/json", `{"message":"Mcp-Session-Id is not recognized"}`),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Mcp-Session-Id is not recognized".`,
		cause:    noSession, try: "Reconnect",
	},
	{
		name: "a login that has expired is no lost session", target: lostAt(401, "text/plain", "Your session has expired, log in again"),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it requires authorization⋯`,
		cause:    "token", try: "Send a token",
	},

	// A Host that a gateway has changed.
	{
		name: "the Host of a gateway", target: guardedBy(421, "Invalid Host header", "Server", "nginx"),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 421 Misdirected Request: it reports "Invalid Host header".`,
		cause:    "The server may get another Host than the URL has", try: "proxy_set_header Host $host", absent: []string{"Use the host name that it expects"},
	},
	{
		name: "the Host of a gateway by its name", target: guardedBy(403, "Invalid Host: mcp-upstream.internal:8000"),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "Invalid Host: mcp-upstream.internal:8000".`,
		cause:    `The server got the host "mcp-upstream.internal:8000", and the URL has 127.0.0.1:`, try: `add "mcp-upstream.internal:8000" to the allowed hosts`,
	},
	{
		name: "the Host of a gateway in JSON", target: guardedBy(403, `{"error":"Host header is not allowed: backend:9000"}`, "Via", "1.1 edge"),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "Host header is not allowed: backend:9000".`,
		cause:    `The server got the host "backend:9000"`, try: "Have the proxy pass the Host",
	},
	{
		name: "a plain 403 of this machine", target: guardedBy(403, "", "Server", "envoy"),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden.",
		cause:    "The server may require credentials, or not accept the Origin or the Host", try: "check which Origin and Host the server allows", absent: []string{"127.0.0.1 or localhost", "token's scopes"},
	},

	// A version that is refused.
	{
		name: "a version refused in text", target: serves(replies(400, "text/plain", "Bad Request: Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26, 2024-11-05)")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports ⋯.",
		cause:    noVersion, try: "--protocol 2025-06-18",
	},
	{
		name: "a version refused in JSON", target: serves(replies(400, "application/json", `{"error":"unsupported_protocol_version","supported":["2025-03-26","2024-11-05"]}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports ⋯.",
		cause:    noVersion, try: "--protocol 2025-03-26",
	},
	{
		name: "a version refused by the header", target: serves(replies(400, "application/json", rpcError(-32000, "Bad Request: Unsupported protocol version: 2025-11-25", "null"))),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports ⋯.",
		cause:    noVersion, try: "Offer an older version: --protocol 2025-06-18",
	},
	{
		name: "a version refused in German", target: serves(replies(400, "text/plain", "Protokollversion 2025-11-25 wird nicht unterstützt (erwartet 2024-11-05)")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports ⋯.",
		cause:    noVersion, try: "--protocol 2024-11-05",
	},
	{
		name: "a version refused in Chinese", target: serves(replies(400, "application/json", rpcError(-32602, "不支持的协议版本 2025-11-25，请使用 2025-03-26", "null"))),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports ⋯.",
		cause:    noVersion, try: "--protocol 2025-03-26",
	},
	{
		name: "a version refused with 500", target: calledWith(replies(500, "text/plain", "MCP protocol version mismatch: expected 2025-03-26")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error: it reports ⋯.",
		cause:    noVersion, try: "--protocol 2025-03-26",
	},

	// Bodies that are compressed.
	{
		name: "gzip without its header", target: calledWith(replies(200, "application/json", "\x1f\x8b\x08\x00\x00\x00\x00\x00")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with a body that is compressed (gzip), without the header Content-Encoding.",
		cause:    "compresses the body and does not say so", try: "Send Content-Encoding: gzip", absent: []string{"without a library"},
	},
	{
		name: "zstd without its header", target: calledWith(replies(200, "application/json", "\x28\xb5\x2f\xfd\x04\x58")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with a body that is compressed (zstd), without the header Content-Encoding.",
		cause:    "compresses the body and does not say so", try: "Send Content-Encoding: zstd",
	},
	{
		name: "gzip with the length of the text", target: calledWith(short("gzip")),
		sentence: `The server closed the connection in the middle of the body: unexpected EOF: 8 of 630 bytes came, compressed ("gzip").`,
		cause:    "The Content-Length may be that of the plain text", try: "Set Content-Length after the compression", evidence: []string{"header Content-Encoding: gzip"},
	},
	{
		name: "deflate with the length of the text", target: calledWith(short("deflate")),
		sentence: `The server closed the connection in the middle of the body: unexpected EOF: 8 of 630 bytes came, compressed ("deflate").`,
		cause:    "The Content-Length may be that of the plain text", try: "turn off compression",
	},

	// One transport for all requests.
	{
		name: "a transport that is used twice", target: usedOnce(http.StatusInternalServerError, ""),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error.",
		cause:    "it may use one transport for all requests", try: "create a transport, and a server that is connected to it, for each request",
	},
	{
		name: "a server that fails from the first request on", target: serves(replies(500, "text/plain", "")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error.",
		cause:    "the server failed", try: "Check the server's log", absent: []string{"transport for all requests"},
	},
	{
		name: "a second request that fails with a reason", target: usedOnce(http.StatusInternalServerError, "no tea"),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error: it reports "no tea".`,
		cause:    "the message is the reason that it gives", try: "Fix what the message reports", absent: []string{"transport for all requests"},
	},

	// A call during which the server has asked the client something.
	{
		name: "a call without a session that asks for roots", target: asking(false, "roots/list"), call: soon / 6,
		sentence: "Timed out after ⋯ waiting for the tools/call response: the server sent roots/list meanwhile, and mcptea responded.",
		cause:    "without a session it goes to another instance, which drops it", try: "Send no requests from a server without sessions", absent: []string{"--timeout"},
	},
	{
		name: "a call with a session that asks for roots", target: asking(true, "roots/list"), call: soon / 6,
		sentence: "Timed out after ⋯ waiting for the tools/call response: the server sent roots/list meanwhile, and mcptea responded.",
		cause:    "may wait for that response and not get it, or may have been blocked since then", try: "several instances must share them",
	},
	{
		name: "a call without a session that pings", target: asking(false, "ping"), call: soon / 6,
		sentence: "Timed out after ⋯ waiting for the tools/call response: the server sent ping meanwhile, and mcptea responded.",
		cause:    "without a session it goes to another instance", try: "Send no requests from a server without sessions",
	},

	// A server of HTTP+SSE that answers POST, but whose stream is not there either.
	{
		name: "neither transport, with JSON-RPC", target: serves(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusMethodNotAllowed)
			_, _ = io.WriteString(w, rpcError(-32601, "Method not allowed", "null"))
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 405 Method Not Allowed⋯",
		cause:    "This path does not allow POST", try: "Common paths", evidence: []string{"HTTP+SSE GET http://127.0.0.1:⋯/mcp → 405"},
	},
}

// asking is a server whose calls send a request to the client, and wait for ever then.
func asking(session bool, method string) func(*testing.T) client.Target {
	return serves(func(w http.ResponseWriter, r *http.Request) {
		called, id := asked(r)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case called == "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":%q}\n\n", method)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case called == "initialize":
			if session {
				w.Header().Set("Mcp-Session-Id", "0123456789abcdef")
			}
			_, _ = io.WriteString(w, result(id, welcome))
		case called == "server/discover":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
		default: // the response to the request, and notifications
			w.WriteHeader(http.StatusAccepted)
		}
	})
}

// short sends a body that is shorter than its Content-Length.
func short(encoding string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", encoding)
		w.Header().Set("Content-Length", "630")
		_, _ = io.WriteString(w, "\x1f\x8b\x08\x00\x00\x00\x00\x00")
	}
}

// usedOnce answers one request, and fails at those that follow.
func usedOnce(status int, body string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		used := make(chan struct{}, 1)
		return serves(func(w http.ResponseWriter, r *http.Request) {
			_, id := asked(r)
			select {
			case used <- struct{}{}:
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
			default:
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}
		})(t)
	}
}

// A server of HTTP+SSE connects, whatever POST to the URL of its stream is answered with.
func TestConnect_HTTPAndSSEBehindARefusal(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed} {
		for _, code := range []int{-32601, -32600, -32000, -32602} {
			for _, id := range []string{"null", "same", ""} {
				target, _ := streamingWith(func(w http.ResponseWriter, r *http.Request) {
					_, own := asked(r)
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(status)
					switch id {
					case "null":
						own = "null"
					case "":
						_, _ = io.WriteString(w, fmt.Sprintf(`{"error":{"code":%d,"message":"Not found"}}`, code))
						return
					}
					_, _ = io.WriteString(w, rpcError(code, "Not found", own))
				})(t)
				if err := connects(t, target); err != nil {
					t.Errorf("%d with %d and id %s: %v", status, code, id, err)
				}
			}
		}
	}
}
