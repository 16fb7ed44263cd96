//go:build unix

package failure_test

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
		sentence: "Cannot connect to 127.0.0.1:1: connection refused.",
		cause:    "The server is not running, or it listens on another port or", try: "Start the server, and compare its port with the",
		evidence: []string{"url http://127.0.0.1:1/mcp", "tried 3 times"},
	},
	{
		name: "no such host", target: func(*testing.T) client.Target { return client.Target{URL: "http://no-such-host.invalid/mcp"} },
		sentence: `Cannot resolve host "no-such-host.invalid": no such host.`,
		cause:    "The host name is misspelled, or name resolution (DNS) does", try: "Check the host in the URL.",
		evidence: []string{"url http://no-such-host.invalid/mcp"},
	},
	{
		name: "TLS to a plain port", target: over(serves(replies(200, "text/plain", "")), func(c *client.Target) { c.URL = strings.Replace(c.URL, "http:", "https:", 1) }),
		sentence: "127.0.0.1:⋯ does not speak TLS: ⋯.",
		cause:    "The server speaks plain HTTP on this port.", try: "Write http:// instead of https://: traffic to this machine does not leave it.",
	},
	{
		name: "plain to a TLS port", target: over(certified(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "x"), func(c *client.Target) { c.URL = strings.Replace(c.URL, "https:", "http:", 1) }),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Client sent an HTTP request to an HTTPS server.".`,
		cause:    "The port requires https, and the URL has http.", try: "Write https:// instead of http://.",
	},
	{
		name: "a traceback of Python", target: over(serves(replies(500, "text/plain", "Traceback (most recent call last):\n  File \"app.py\", line 3, in <module>\nKeyError: tools\n")), func(*client.Target) {}),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error: it reports "KeyError: tools".`,
		cause:    `It comes from "app.py:3".`, try: "stack trace in the server's log", evidence: []string{`body Traceback (most recent call last)`},
	},
	{
		name: "self-signed", target: certified(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "localhost"),
		sentence: "The certificate of 127.0.0.1:⋯ is not accepted.", evidence: []string{"error x509: certificate signed by unknown authority"},
		cause: "The certificate is self-signed.", try: "--cacert FILE, with this certificate in PEM.",
	},
	{
		name: "expired", target: certified(time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour), "localhost"),
		sentence: "The certificate of 127.0.0.1:⋯ is not accepted.", evidence: []string{"error x509: certificate has expired or is not yet valid: current time"},
		cause: ", and the clock of this machine says ", try: "Renew the certificate; or correct the clock",
	},
	{
		name: "closes the connection", target: speaksTCP("http", hears("")),
		sentence: "Connection to 127.0.0.1:⋯ lost before the response: EOF.",
		cause:    "The server crashed, a proxy closed the connection, or", try: "Look at the server's log; try https:// if the",
	},
	{
		name: "not HTTP", target: speaksTCP("http", hears("SSH-2.0-OpenSSH_9.6\r\n")),
		sentence: "127.0.0.1:⋯ did not respond with HTTP: it sent the greeting of SSH.",
		cause:    "The port is an SSH server.", try: "Check host and port.",
		evidence: []string{`said "SSH-2.0-OpenSSH_9.6"`},
	},
	{
		name: "takes and hangs", target: speaksTCP("http", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response: nothing arrived.",
		cause:    "The server may hang, or the URL is not an MCP endpoint.", try: "Check the server's log; raise --connect-timeout.",
	},
	{
		name: "chunks that break", target: speaksTCP("http", hears("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{\"jsonrpc\":\"2.0\",\r\nXX\r\n")),
		sentence: "The server closed the connection in the middle of the body: unexpected EOF.",
		cause:    "The server crashed, or a proxy closed the connection.", try: "Check the server's log.",
		evidence: []string{"http POST ⋯ → 200"},
	},
	{
		name: "a body too short", target: speaksTCP("http", hears("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"jsonrpc\":\"2.0\",")),
		sentence: "The server closed the connection in the middle of the body: unexpected EOF.",
		cause:    "The server crashed, or a proxy closed the connection.", try: "Check the server's log.",
	},
}

// overHTTP are servers with invalid HTTP responses.
var overHTTP = []broken{
	{
		name: "502 of a proxy", target: serves(replies(502, "text/html", proxyPage, "Server", "nginx/1.24.0")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 502 Bad Gateway.",
		cause:    "The status says that a proxy got no valid response from the server behind it.", try: "Check that the server is running, and its",
		evidence: []string{"header Server: nginx/1.24.0", `body HTML page "502`},
	},
	{
		name: "503 of a proxy", target: serves(replies(503, "text/plain", "no healthy upstream")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 503 Service Unavailable: it reports "no healthy upstream".`,
		cause:    "A proxy in front does not reach the server behind it: it does not run, listens elsewhere, or is not ready.", try: "Start the server, and check its address, port and health check in the proxy.",
	},
	{
		name: "504 of a proxy", target: serves(replies(504, "text/html", strings.ReplaceAll(proxyPage, "502 Bad Gateway", "504 Gateway Time-out"))),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 504 Gateway Timeout.",
		cause:    "The status says that a proxy got no valid response from the server behind it.", try: "Check that the server is running; raise the",
		evidence: []string{`body HTML page "504`},
	},
	{
		name: "407", target: serves(replies(407, "text/plain", "who are you?", "Proxy-Authenticate", `Basic realm="proxy"`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 407 Proxy Authentication Required.",
		cause:    "The request goes through a proxy (HTTP_PROXY,", try: "Set user and password in the",
		evidence: []string{`header Proxy-Authenticate: Basic realm="proxy"`},
	},
	{
		name: "500", target: serves(replies(500, "text/plain", "TypeError: x is undefined")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error: it reports "TypeError: x is undefined".`,
		cause:    "The server's own code has failed on a case that it does not handle (TypeError)", try: "stack trace in the server's log",
	},
	{
		name: "301 to https", target: serves(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://"+r.Host+r.URL.Path)
			w.WriteHeader(301)
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 301 Moved Permanently: it redirects to https://127.0.0.1:⋯/mcp.",
		cause:    "The server requires TLS; the redirect was not followed", try: "Use the URL with https:// that the redirect names.",
		evidence: []string{"header Location: https://127.0.0.1:"},
	},
	{
		name: "307 elsewhere", target: serves(replies(307, "text/plain", "", "Location", "https://example.invalid/mcp")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 307 Temporary Redirect: it redirects to https://example.invalid/mcp.",
		cause:    "The redirect leads to another origin, or would drop the", try: "Use the URL of the Location header, if you trust it.",
		evidence: []string{"header Location: https://example.invalid/mcp"},
	},
	{
		name: "redirect loop", target: serves(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/mcp?again=1")
			w.WriteHeader(307)
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp?again=1 returned 307 Temporary Redirect: 5 redirects were followed, the last one to http://127.0.0.1:⋯/mcp?again=1.",
		cause:    "The server or a proxy redirects in a loop.", try: "Check the redirect rules",
		evidence: []string{"header Location: /mcp?again=1"},
	},
	{
		name: "302 to a login", target: serves(replies(302, "text/html", "", "Location", "/login?next=/mcp")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 302 Found: it redirects to http://127.0.0.1:⋯/login?next=/mcp.",
		cause:    "It may be a login page: the endpoint is behind a login for browsers.", try: `Send a token (MCPTEA_TOKEN, -H "Authorization:`,
		evidence: []string{"header Location: /login?next=/mcp"},
	},
	{
		name: "404", target: over(serves(http.NotFound), func(c *client.Target) { c.URL = strings.TrimSuffix(c.URL, "/mcp") + "/api" }),
		sentence: "POST http://127.0.0.1:⋯/api returned 404 Not Found.",
		cause:    "There may be no MCP endpoint at this path.", try: "Common paths: /mcp, /sse,",
		evidence: []string{"body 404 page not found"},
	},
	{
		name: "405", target: serves(replies(405, "text/plain", "Method Not Allowed", "Allow", "GET")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 405 Method Not Allowed.",
		cause:    "This path does not allow POST: it may be another", try: "Common paths: /sse, /;",
		evidence: []string{"header Allow: GET", "HTTP+SSE GET ⋯ → 405"},
	},
	{
		name: "410", target: serves(replies(410, "text/plain", "moved on")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 410 Gone: it reports "moved on".`,
		cause:    "The status says that the endpoint has been removed; the message is", try: "Fix what the message reports, or look up the new URL",
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
		sentence: "POST http://127.0.0.1:⋯/sse returned 404 Not Found: the path ends with /sse, and --transport http was given.",
		cause:    "The server may support HTTP+SSE only: a Streamable HTTP endpoint accepts POST.", try: "Omit --transport http, so that mcptea tries",
		evidence: []string{"body Cannot POST /sse"},
	},
	{
		name: "HTTP only, by SSE", target: over(serves(old(http.NotFound)), func(c *client.Target) { c.Transport = client.TransportSSE }),
		sentence: "GET http://127.0.0.1:⋯/mcp returned 405 Method Not Allowed.",
		cause:    "There may be no event stream at this path: the server uses Streamable HTTP, or has the stream at another path.", try: "Omit --transport sse. Common paths:",
	},
	{
		name: "HTML login page", target: serves(replies(200, "text/html; charset=utf-8", loginPage)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 with an HTML page instead of JSON.",
		cause:    "It is a web page, such as a login, a start page, or the page of a proxy.", try: "Check host, port and path; many servers have",
		evidence: []string{`body HTML page "`},
	},
	{
		name: "plain text", target: serves(replies(200, "text/plain", "OK")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 200 with "text/plain" instead of JSON or an event stream.`,
		cause:    "The URL is not an MCP endpoint.", try: "Check host, port and path; many servers have",
		evidence: []string{"body OK"},
	},
	{
		name: "406", target: serves(replies(406, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable: Client must accept both application/json and text/event-stream"},"id":null}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 406 Not Acceptable: it reports "Not Acceptable: Client must accept both application/json and text/event-stream".`,
		cause:    "The request had both types (Accept: application/json, text/event-stream)", try: "-H 'Accept: text/event-stream, application/json'", absent: []string{"Check whether -H"},
		evidence: []string{`body {"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable`},
	},
	{
		name: "415", target: serves(replies(415, "text/plain", "Unsupported Media Type")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 415 Unsupported Media Type.",
		cause:    "The request had Content-Type: application/json. The server may require a parameter", try: "Try -H 'Content-Type: application/json; charset=utf-8'",
		evidence: []string{"body Unsupported Media Type"},
	},
	{
		name: "200 and an error without a request", target: serves(replies(200, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"The database is locked."},"id":null}`)),
		sentence: `The server sent an error response with id null, which matches no request: -32000 "The database is locked.".`,
		cause:    "The message is the reason that the server gives; the id", try: "Fix what the message reports.",
		evidence: []string{`answer {"jsonrpc":"2.0","error":`},
	},
	{
		name: "400 session", target: serves(replies(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Bad Request: No valid session ID provided".`,
		cause:    "The request was initialize, which starts a session and has no session id", try: "parse the body before the handler",
		evidence: []string{`body {"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID`},
	},
	{
		name: "400 plain", target: serves(replies(400, "text/plain", "bad request")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 400 Bad Request.",
		cause:    "The server did not accept the request; the body may have the", try: "an older version may help an old server: --protocol 2025-06-18.",
		evidence: []string{"body bad request"},
	},
	{
		name: "401 without challenge", target: serves(replies(401, "text/plain", "token required")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it requires authorization, and the response has no WWW-Authenticate header; it reports \"token required\".",
		cause:    "The server requires a token or a key, and does not name an authorization server.", try: "Send a token, in MCPTEA_TOKEN or with -H",
	},
	{
		name: "401 with challenge", target: serves(replies(401, "text/plain", "token required", "WWW-Authenticate", `Bearer realm="tea", error="invalid_token"`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it requires authorization; it reports "token required".`,
		cause:    "The request had no credentials that the server accepts.", try: "Send a token, in MCPTEA_TOKEN or with -H",
		evidence: []string{`header WWW-Authenticate: Bearer realm="tea", error="invalid_token"`},
	},
	{
		name: "403 origin", target: serves(replies(403, "text/plain", "Invalid Origin header")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "Invalid Origin header".`,
		cause:    "It does not accept the Origin of the request: servers check it to block attacks from web pages; this one allows another, or its list is empty.", try: "Allow it in the server's settings, or send one",
	},
	{
		name: "403 host", target: serves(replies(403, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Invalid Host: 127.0.0.1"},"id":null}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "Invalid Host: 127.0.0.1".`,
		cause:    "This one expects another name or port, or a proxy", try: "Try the URL with localhost:",
		evidence: []string{`body {"jsonrpc"`},
	},
	{
		name: "403", target: serves(replies(403, "text/plain", "Forbidden")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden.",
		cause:    "The server may require credentials, or not accept the Origin or the Host", try: "check which Origin and Host the server allows",
	},
	{
		name: "429", target: serves(replies(429, "text/plain", "slow down", "Retry-After", "120")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 429 Too Many Requests: it reports "slow down".`,
		cause:    "The server, or a proxy, limits the number of requests.", try: "Retry after the given time (Retry-After: 120; a",
		evidence: []string{"header Retry-After: 120"},
	},
	{
		name: "empty 200", target: serves(replies(200, "application/json", "")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with an empty body instead of the response to server/discover.",
		cause:    "The server treats the request as a notification, or its", try: "Check the server's log.",
		evidence: []string{"http POST ⋯ → 200"},
	},
	{
		name: "202", target: serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 202 Accepted: there is no response in it.",
		cause:    "This status is for notifications; the response to a", try: "Check how the server distinguishes requests",
		evidence: []string{"http POST ⋯ → 202"},
	},
	{
		name: "204", target: serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 204 No Content: there is no response in it.",
		cause:    "This status is for notifications; the response to a", try: "Check how the server distinguishes requests",
	},
	{
		name: "a stream without an event", target: serves(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}), within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response: the response is an event stream without the message.",
		cause:    "no message comes from what is behind it", try: "start the command behind a gateway with mcptea itself",
		evidence: []string{"http POST ⋯ → 200 after ⋯, text/event-stream"},
	},
	{
		name: "a stream that ends", target: serves(replies(200, "text/event-stream", ": hello\n\n")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with an event stream that ended before the response to server/discover.",
		cause:    "The server closed the stream too early, or a proxy did.", try: "Check the server's log and the timeouts of",
		evidence: []string{"http POST ⋯, text/event-stream"},
	},
	{
		name: "endpoint elsewhere", target: over(serves(replies(200, "text/event-stream", "event: endpoint\ndata: http://example.invalid/messages\n\n")), func(c *client.Target) { c.Transport = client.TransportSSE }),
		sentence: "The server at http://127.0.0.1:⋯ names an endpoint at another origin, http://example.invalid; nothing was sent there.",
		cause:    "Credentials would be sent to another origin than the one", try: "Correct the URL in the endpoint event of the",
		evidence: []string{"http GET ⋯ → 200 after ⋯, text/event-stream"},
	},
	{
		name: "no endpoint", target: over(serves(replies(200, "text/event-stream", "data: {\"hello\":1}\n\n")), func(c *client.Target) { c.Transport = client.TransportSSE }),
		sentence: `GET http://127.0.0.1:⋯/mcp opened an event stream without an "endpoint" event; its first event has no name. Data: "{\"hello\":1}".`,
		cause:    "A server of HTTP+SSE sends an \"endpoint\" event;", try: "Omit --transport sse; check the path: many servers",
	},
	{
		name: "a session that expires", target: serves(old(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Session not found", http.StatusNotFound) })),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 404 Not Found: the request had the session id that the server had created a moment ago.",
		cause:    "The status says that the server does not know the session: several instances behind the URL may", try: "Configure the load balancer for sticky",
		evidence: []string{"body Session not found"},
	},
	{
		name: "not JSON", target: serves(replies(200, "application/json", "{'jsonrpc': '2.0'}")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with a body that is not valid JSON, although its Content-Type is JSON.",
		cause:    "The server may build JSON without a library, or the URL may", try: "Check the body, and host, port and path.",
		evidence: []string{"body {'jsonrpc': '2.0'}"},
	},
	{
		name: "JSON of something else", target: serves(replies(200, "application/json", `{"status":"ok"}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with JSON that is not a response to server/discover.",
		cause:    "The URL is not an MCP endpoint, or the server loses its", try: "Check host, port and path; many servers have",
		evidence: []string{`body {"status":"ok"}`},
	},
	{
		name: "wrong id over HTTP", target: serves(replies(200, "application/json", result("7777", welcome))),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 200 OK with a response that does not match server/discover: its id is 7777, and the id of the request is "mcptea-1".`,
		cause:    "The same response, with the same id, came to more than one request", try: "an MCP server copies the id of each request into its response.",
		evidence: []string{"other id response id 7777"},
	},
	{
		name: "wrong content type", target: serves(replies(200, "text/event-stream-x", "event: message\ndata: {}\n\n")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 200 with "text/event-stream-x" instead of JSON or an event stream.`,
		cause:    "The URL is not an MCP endpoint.", try: "Check host, port and path; many servers have",
		evidence: []string{"body event: message"},
	},
	{
		name: "compressed", target: serves(replies(200, "application/json", "\x1f\x8b\x08\x00garbage", "Content-Encoding", "br")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 200 OK with a compressed body ("br") that was not requested.`,
		cause:    "The server or a proxy ignores Accept-Encoding.", try: "Turn off compression for this URL.",
		evidence: []string{"header Content-Encoding: br"},
	},
}
