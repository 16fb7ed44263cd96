//go:build unix

package explain_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client"
)

// underHTTP are failures below it: names, connections, TLS.
var underHTTP = []broken{
	{
		name: "refused", target: func(*testing.T) client.Target { return client.Target{URL: "http://127.0.0.1:1/mcp"} },
		sentence: "Nothing listens on 127.0.0.1:1 (connection refused).",
		cause:    "The server does not run, or it listens on another port", try: "Start the server, and compare its port with the",
		evidence: []string{"url http://127.0.0.1:1/mcp", "asked 3 times"},
	},
	{
		name: "no such host", target: func(*testing.T) client.Target { return client.Target{URL: "http://no-such-host.invalid/mcp"} },
		sentence: `No host is called "no-such-host.invalid".`,
		cause:    "The host name is misspelt, or this machine has no name", try: "Check the host in the URL.",
		evidence: []string{"url http://no-such-host.invalid/mcp"},
	},
	{
		name: "TLS to a plain port", target: over(serves(replies(200, "text/plain", "")), func(c *client.Target) { c.URL = strings.Replace(c.URL, "http:", "https:", 1) }),
		sentence: "127.0.0.1:⋯ does not speak TLS; perhaps the URL should start with http://.",
		cause:    "The server speaks plain HTTP on this port.", try: "Write http:// instead of https://.",
	},
	{
		name: "plain to a TLS port", target: over(certified(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "x"), func(c *client.Target) { c.URL = strings.Replace(c.URL, "https:", "http:", 1) }),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 400 Bad Request: this port speaks TLS.",
		cause:    "The server wants https on this port, and the URL says", try: "Write https:// instead of http://.",
		evidence: []string{"body Client sent an HTTP request to an HTTPS server"},
	},
	{
		name: "self-signed", target: certified(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "localhost"),
		sentence: "The certificate of 127.0.0.1:⋯ is not accepted: it is signed by itself, and by no authority that this machine trusts.",
		cause:    "The certificate is signed by nobody whom this machine", try: "Add its authority to the system's trust store",
	},
	{
		name: "expired", target: certified(time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour), "localhost"),
		sentence: "The certificate of 127.0.0.1:⋯ is not accepted: it was good until ⋯ UTC.",
		cause:    "The certificate has not been renewed, or the clock of", try: "Renew the server's certificate; check the date",
	},
	{
		name: "closes the connection", target: speaksTCP("http", hears("")),
		sentence: "127.0.0.1:⋯ closed the connection before it answered.",
		cause:    "The server crashed, something in between cut the", try: "Look at the server's log; try https:// if the",
	},
	{
		name: "not HTTP", target: speaksTCP("http", hears("SSH-2.0-OpenSSH_9.6\r\n")),
		sentence: "127.0.0.1:⋯ answered with something that is not HTTP.",
		cause:    "An SSH server listens there.", try: "Check host and port.",
		evidence: []string{`said "SSH-2.0-OpenSSH_9.6"`},
	},
	{
		name: "takes and hangs", target: speaksTCP("http", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), within: soon / 3,
		sentence: "No answer to server/discover came within ⋯: the server took the request and sent nothing.",
		cause:    "The server took the connection but does not answer: it", try: "Look at the server's log; --protocol 2025-11-25",
	},
	{
		name: "chunks that break", target: speaksTCP("http", hears("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{\"jsonrpc\":\"2.0\",\r\nXX\r\n")),
		sentence: "The server closed the connection in the middle of the body.",
		cause:    "The server crashed, or something in between cut the", try: "Look at the server's log.",
		evidence: []string{"http POST ⋯ → 200"},
	},
	{
		name: "a body too short", target: speaksTCP("http", hears("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"jsonrpc\":\"2.0\",")),
		sentence: "The server closed the connection in the middle of the body.",
		cause:    "The server crashed, or something in between cut the", try: "Look at the server's log.",
	},
}

// overHTTP are answers that help nobody.
var overHTTP = []broken{
	{
		name: "502 of a proxy", target: serves(replies(502, "text/html", proxyPage, "Server", "nginx/1.24.0")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 502 Bad Gateway: a proxy gets no answer from the server behind it.",
		cause:    "A proxy stands in front, and the server behind it does", try: "Look whether the server itself runs, and",
		evidence: []string{"header Server: nginx/1.24.0", "body <html><head><title>502", "http POST ⋯ → 502 after ⋯, text/html"},
	},
	{
		name: "503 of a proxy", target: serves(replies(503, "text/plain", "no healthy upstream")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 503 Service Unavailable: it cannot answer at the moment.",
		cause:    "The server is starting or overloaded, or a proxy stands", try: "Look whether the server itself runs, and try",
		evidence: []string{"body no healthy upstream"},
	},
	{
		name: "504 of a proxy", target: serves(replies(504, "text/html", strings.ReplaceAll(proxyPage, "502 Bad Gateway", "504 Gateway Time-out"))),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 504 Gateway Timeout: a proxy gets no answer from the server behind it.",
		cause:    "A proxy stands in front, and the server behind it does", try: "Look whether the server itself runs; a proxy",
		evidence: []string{"body <html><head><title>504"},
	},
	{
		name: "407", target: serves(replies(407, "text/plain", "who are you?", "Proxy-Authenticate", `Basic realm="proxy"`)),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 407 Proxy Authentication Required: a proxy wants a user and a password.",
		cause:    "The request goes through a proxy (HTTP_PROXY,", try: "Put them into the variable",
		evidence: []string{`header Proxy-Authenticate: Basic realm="proxy"`},
	},
	{
		name: "500", target: serves(replies(500, "text/plain", "TypeError: x is undefined")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 500 Internal Server Error: something failed within the server.",
		cause:    "Something failed within the server, perhaps at a method", try: "Look at the server's log; --protocol 2025-11-25",
		evidence: []string{"body TypeError: x is undefined"},
	},
	{
		name: "301 to https", target: serves(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://"+r.Host+r.URL.Path)
			w.WriteHeader(301)
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 301 Moved Permanently: it sends the request to https://127.0.0.1:⋯/mcp.",
		cause:    "The server wants TLS; a redirect like this was not", try: "Write https:// instead of http://.",
		evidence: []string{"header Location: https://127.0.0.1:"},
	},
	{
		name: "307 elsewhere", target: serves(replies(307, "text/plain", "", "Location", "https://example.invalid/mcp")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 307 Temporary Redirect: it sends the request to https://example.invalid/mcp.",
		cause:    "The server sends the request to another origin, or in a", try: "Use the URL of the Location header; --lenient",
		evidence: []string{"header Location: https://example.invalid/mcp"},
	},
	{
		name: "redirect loop", target: serves(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/mcp?again=1")
			w.WriteHeader(307)
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp?again=1 answered 307 Temporary Redirect: it redirects again and again, at last to http://127.0.0.1:⋯/mcp?again=1.",
		cause:    "5 redirects were followed, each to another one: the", try: "Look at the rules for redirects",
		evidence: []string{"header Location: /mcp?again=1"},
	},
	{
		name: "302 to a login", target: serves(replies(302, "text/html", "", "Location", "/login?next=/mcp")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 302 Found: it sends the request to http://127.0.0.1:⋯/login?next=/mcp.",
		cause:    "It is a page where people sign in: the endpoint stands", try: `Send a token (MCPTEA_TOKEN, -H "Authorization:`,
		evidence: []string{"header Location: /login?next=/mcp"},
	},
	{
		name: "404", target: over(serves(http.NotFound), func(c *client.Target) { c.URL = strings.TrimSuffix(c.URL, "/mcp") + "/api" }),
		sentence: "POST http://127.0.0.1:⋯/api answered 404 Not Found: there is no MCP endpoint at this path.",
		cause:    "There is an HTTP server, but no MCP endpoint at the", try: "Paths that many servers have it at: /mcp, /sse,",
		evidence: []string{"body 404 page not found", "as sse GET ⋯ → 404"},
	},
	{
		name: "405", target: serves(replies(405, "text/plain", "Method Not Allowed", "Allow", "GET")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 405 Method Not Allowed: this path takes no POST.",
		cause:    "This path takes no POST: it may be the page of", try: "Paths that many servers have it at: /sse, /;",
		evidence: []string{"header Allow: GET", "as sse GET ⋯ → 405"},
	},
	{
		name: "410", target: serves(replies(410, "text/plain", "moved on")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 410 Gone: the endpoint has been taken away.",
		cause:    "The server had something at this URL, and has it no", try: "Look up its new URL in the server's",
	},
	{
		name: "SSE only", target: over(serves(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				http.Error(w, "Cannot POST /sse", http.StatusNotFound)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: /messages\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}), func(c *client.Target) {
			c.Transport, c.URL = client.TransportHTTP, strings.TrimSuffix(c.URL, "/mcp")+"/sse"
		}),
		sentence: "POST http://127.0.0.1:⋯/sse answered 404 Not Found: a URL like this is mostly one of HTTP+SSE, and --transport http was given.",
		cause:    "Streamable HTTP takes POST at its endpoint; a server", try: "Leave --transport http out, and mcptea tries",
		evidence: []string{"body Cannot POST /sse"},
	},
	{
		name: "HTTP only, by SSE", target: over(serves(old(http.NotFound)), func(c *client.Target) { c.Transport = client.TransportSSE }),
		sentence: "GET http://127.0.0.1:⋯/mcp answered 405 Method Not Allowed: it opens no event stream here.",
		cause:    "HTTP+SSE begins with an event stream, and there is", try: "Leave --transport sse out. Paths that many",
		evidence: []string{"http GET ⋯ → 405"},
	},
	{
		name: "HTML login page", target: serves(replies(200, "text/html; charset=utf-8", loginPage)),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 200 with an HTML page instead of JSON.",
		cause:    "It is a page for people: a login, a welcome page, or a", try: "Check host, port and path; many servers have",
		evidence: []string{"body <!doctype html>"},
	},
	{
		name: "plain text", target: serves(replies(200, "text/plain", "OK")),
		sentence: `POST http://127.0.0.1:⋯/mcp answered 200 with "text/plain", where JSON or an event stream belongs.`,
		cause:    "What answers at this URL does not speak MCP.", try: "Check host, port and path; many servers have",
		evidence: []string{"body OK"},
	},
	{
		name: "406", target: serves(replies(406, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable: Client must accept both application/json and text/event-stream"},"id":null}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 406 Not Acceptable: it does not take JSON with event streams for an answer.",
		cause:    "The server does not take the media types of Streamable", try: "Check whether -H overrides Accept or",
		evidence: []string{`body {"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable`},
	},
	{
		name: "415", target: serves(replies(415, "text/plain", "Unsupported Media Type")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 415 Unsupported Media Type: it does not take JSON with event streams for an answer.",
		cause:    "The server does not take the media types of Streamable", try: "Check whether -H overrides Accept or",
		evidence: []string{"body Unsupported Media Type"},
	},
	{
		name: "400 session", target: serves(replies(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 400 Bad Request: it misses a session.",
		cause:    "The server gives sessions and takes the request for one", try: "Look at what gives and checks Mcp-Session-Id;",
		evidence: []string{`body {"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID`},
	},
	{
		name: "400 plain", target: serves(replies(400, "text/plain", "bad request")),
		sentence: `POST http://127.0.0.1:⋯/mcp answered 400 Bad Request: it says "bad request".`,
		cause:    "The server did not accept the request; the body may say", try: "Another --protocol revision may help an old",
		evidence: []string{"body bad request"},
	},
	{
		name: "401 without challenge", target: serves(replies(401, "text/plain", "token required")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 401 Unauthorized: it wants authorization, and does not say which.",
		cause:    "The server wants a token or a key; it lacks the", try: "Send another token, in MCPTEA_TOKEN or with -H",
		evidence: []string{"body token required"},
	},
	{
		name: "401 with challenge", target: serves(replies(401, "text/plain", "token required", "WWW-Authenticate", `Bearer realm="tea", error="invalid_token"`)),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 401 Unauthorized: it wants authorization.",
		cause:    "The server wants authorization, and the request had", try: "Send another token, in MCPTEA_TOKEN or with -H",
		evidence: []string{`header WWW-Authenticate: Bearer realm="tea", error="invalid_token"`},
	},
	{
		name: "403 origin", target: serves(replies(403, "text/plain", "Invalid Origin header")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 403 Forbidden: it does not accept the Origin of the request.",
		cause:    "Servers check the Origin against pages in a browser", try: "Allow it in the server's settings, or send one",
		evidence: []string{"body Invalid Origin header"},
	},
	{
		name: "403 host", target: serves(replies(403, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Invalid Host: 127.0.0.1"},"id":null}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 403 Forbidden: it does not accept the host name of the URL.",
		cause:    "Servers check the Host against DNS rebinding, and this", try: "Use the host name that it expects (127.0.0.1 or",
		evidence: []string{`body {"jsonrpc"`},
	},
	{
		name: "403", target: serves(replies(403, "text/plain", "Forbidden")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 403 Forbidden: it does not allow this.",
		cause:    "The server knows who asks and does not allow it, or it", try: "Check the token's scopes; for a local server,",
	},
	{
		name: "429", target: serves(replies(429, "text/plain", "slow down", "Retry-After", "120")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 429 Too Many Requests: it limits how often it may be asked.",
		cause:    "The server, or a proxy, got more requests than it takes.", try: "Wait as long as it says (Retry-After: 120; a",
		evidence: []string{"header Retry-After: 120", "body slow down"},
	},
	{
		name: "empty 200", target: serves(replies(200, "application/json", "")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 200 OK with an empty body, where the answer to server/discover belongs.",
		cause:    "The server takes the request for a notification, or a", try: "Look at the server's log.",
		evidence: []string{"http POST ⋯ → 200"},
	},
	{
		name: "202", target: serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 202 Accepted: it took the request and gave no answer.",
		cause:    "Such a status is for notifications; a request must be", try: "Look at how the server tells requests from",
		evidence: []string{"http POST ⋯ → 202"},
	},
	{
		name: "204", target: serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 204 No Content: it took the request and gave no answer.",
		cause:    "Such a status is for notifications; a request must be", try: "Look at how the server tells requests from",
	},
	{
		name: "a stream without an event", target: serves(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}), within: soon / 3,
		sentence: "No answer to server/discover came within ⋯: the server opened an event stream for it and sent nothing on it.",
		cause:    "The server hangs, sends its answer elsewhere, or", try: "Look at the server's log; a proxy must not",
		evidence: []string{"http POST ⋯ → 200 after ⋯, text/event-stream"},
	},
	{
		name: "a stream that ends", target: serves(replies(200, "text/event-stream", ": hello\n\n")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 200 OK with an event stream that ended before the answer to server/discover.",
		cause:    "The server closed the stream too early, or a proxy cut", try: "Look at the server's log, and at the time",
		evidence: []string{"http POST ⋯, text/event-stream"},
	},
	{
		name: "endpoint elsewhere", target: over(serves(replies(200, "text/event-stream", "event: endpoint\ndata: http://example.invalid/messages\n\n")), func(c *client.Target) { c.Transport = client.TransportSSE }),
		sentence: "The server at http://127.0.0.1:⋯ names an endpoint at another origin, http://example.invalid; nothing was sent there.",
		cause:    "A token or password would go to a server that nobody", try: "Correct what the server says in its endpoint",
		evidence: []string{"http GET ⋯ → 200 after ⋯, text/event-stream"},
	},
	{
		name: "no endpoint", target: over(serves(replies(200, "text/event-stream", "data: {\"hello\":1}\n\n")), func(c *client.Target) { c.Transport = client.TransportSSE }),
		sentence: `The first event of GET http://127.0.0.1:⋯/mcp is one without a name and not "endpoint": "{\"hello\":1}".`,
		cause:    "This is an event stream of something else: one of", try: "Leave --transport sse out; check the path: many",
	},
	{
		name: "a session that expires", target: serves(old(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Session not found", http.StatusNotFound) })),
		sentence: "The server does not know the session that it gave a moment before: POST http://127.0.0.1:⋯/mcp answered 404 Not Found.",
		cause:    "Several instances stand behind the URL and do not share", try: "Have the balancer send a session to one",
		evidence: []string{"body Session not found"},
	},
	{
		name: "not JSON", target: serves(replies(200, "application/json", "{'jsonrpc': '2.0'}")),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 200 OK with a body that is not JSON, though its type says so.",
		cause:    "The server builds JSON by hand, or what answers does", try: "Look at the body; check host, port and path.",
		evidence: []string{"body {'jsonrpc': '2.0'}"},
	},
	{
		name: "JSON of something else", target: serves(replies(200, "application/json", `{"status":"ok"}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 200 OK with JSON that is no answer to server/discover.",
		cause:    "What answers at this URL does not speak MCP, or loses", try: "Check host, port and path; many servers have",
		evidence: []string{`body {"status":"ok"}`},
	},
	{
		name: "wrong id over HTTP", target: serves(replies(200, "application/json", result("7777", welcome))),
		sentence: "POST http://127.0.0.1:⋯/mcp answered 200 OK with an answer to something else than server/discover: its id is 7777.",
		cause:    "An answer must carry the id of its request, unchanged:", try: "Look at where the server copies the id.",
		evidence: []string{"other id an answer came with id 7777"},
	},
	{
		name: "wrong content type", target: serves(replies(200, "text/event-stream-x", "event: message\ndata: {}\n\n")),
		sentence: `POST http://127.0.0.1:⋯/mcp answered 200 with "text/event-stream-x", where JSON or an event stream belongs.`,
		cause:    "What answers at this URL does not speak MCP.", try: "Check host, port and path; many servers have",
		evidence: []string{"body event: message"},
	},
	{
		name: "compressed", target: serves(replies(200, "application/json", "\x1f\x8b\x08\x00garbage", "Content-Encoding", "br")),
		sentence: `POST http://127.0.0.1:⋯/mcp answered 200 OK with a body that is compressed ("br"), which nobody had asked for.`,
		cause:    "A server or a proxy compresses whatever it sends,", try: "Switch the compression off for this URL.",
		evidence: []string{"header Content-Encoding: br"},
	},
}
