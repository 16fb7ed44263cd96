//go:build unix

package failure_test

import (
	"net/http"
	"testing"

	"mcptea/client"
)

const (
	byBot     = "refused the request: the request has not reached the MCP server"
	emptyBody = "something in the server may have read the body before"
)

// cut sends the head of a response and closes the connection; headers are pairs.
func cut(kind string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", kind)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// sessionless is a server without sessions that answers calls in a way of its own.
func sessionless(called http.HandlerFunc) func(*testing.T) client.Target {
	return serves(func(w http.ResponseWriter, r *http.Request) {
		switch method, id := asked(r); method {
		case "tools/call":
			called(w, r)
		case "initialize":
			replies(http.StatusOK, "application/json", result(id, welcome))(w, r)
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			replies(http.StatusNotFound, "application/json", rpcError(-32601, "Method not found", id))(w, r)
		}
	})
}

// wrongForBots is advice that changes nothing about a refusal by a bot protection.
var wrongForBots = []string{"Origin or the Host", "proxy_set_header", "Wait, then retry", "Fix what the message reports"}

// notReached are requests that something in front of the server has refused or changed.
var notReached = []broken{
	{
		name: "a challenge of Cloudflare", target: serves(replies(403, "text/html", "<html><title>Just a moment...</title></html>", "Server", "cloudflare", "Cf-Mitigated", "challenge")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: Cloudflare responded, not the MCP server (Cf-Mitigated: challenge).",
		cause:    byBot, try: "Exempt the path of the URL", absent: wrongForBots,
	},
	{
		name: "a block page of Cloudflare", target: serves(replies(403, "text/html", "<html><title>Attention Required! | Cloudflare</title></html>", "Server", "cloudflare")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: Cloudflare responded, not the MCP server (a page instead of a message).",
		cause:    byBot, try: "Exempt the path of the URL", absent: wrongForBots,
	},
	{
		name: "a firewall code of Cloudflare", target: serves(replies(403, "text/plain", "error code: 1010", "Server", "cloudflare")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: Cloudflare responded, not the MCP server (a code of its firewall).",
		cause:    byBot, try: "Exempt the path of the URL", absent: wrongForBots,
	},
	{
		name: "a challenge of Vercel", target: serves(replies(429, "text/html", "<html><title>Vercel Security Checkpoint</title></html>", "Server", "Vercel", "X-Vercel-Mitigated", "challenge")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 429 Too Many Requests: Vercel responded, not the MCP server (X-Vercel-Mitigated: challenge).",
		cause:    byBot, try: "Exempt the path of the URL", absent: wrongForBots,
	},
	{
		name: "a challenge of the firewall of AWS", target: serves(replies(202, "text/html", "", "X-Amzn-Waf-Action", "challenge")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 202 Accepted: AWS WAF responded, not the MCP server (X-Amzn-Waf-Action: challenge).",
		cause:    byBot, try: "Exempt the path of the URL", absent: []string{"distinguishes requests", "--transport sse"},
	},
	{
		name: "a block page of Akamai", target: serves(replies(403, "text/html", "<html><title>Access Denied</title></html>", "Server", "AkamaiGHost")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: Akamai responded, not the MCP server (a page instead of a message).",
		cause:    byBot, try: "Exempt the path of the URL", absent: wrongForBots,
	},
	{
		name: "a status of Cloudflare for a server that is slow", target: serves(replies(524, "text/html", "524: A timeout occurred", "Server", "cloudflare")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 524⋯",
		cause:    "Cloudflare timed out waiting for the server", try: "Respond sooner", absent: []string{"says that the server failed"},
	},
	{
		name: "a stream of a call that is cut behind Cloudflare", target: calledWith(cut("text/event-stream", "Server", "cloudflare")),
		sentence: "The server closed the connection in the middle of the body: unexpected EOF; without an event id it cannot be resumed.",
		cause:    "The response came through Cloudflare, which may have cut the stream", try: "Send a comment or a progress notification", absent: []string{"Check the server's log."},
	},
	{
		name: "a body of a call that is cut behind a load balancer", target: calledWith(cut("application/json", "Server", "awselb/2.0")),
		sentence: "The server closed the connection in the middle of the body: unexpected EOF.",
		cause:    "The response came through the AWS load balancer: it, or the server behind it, ended the connection", try: "Look at the log of the server at that time",
	},
	{
		name: "a stream of a call that is cut by a server", target: calledWith(cut("text/event-stream")),
		sentence: "The server closed the connection in the middle of the body: unexpected EOF; without an event id it cannot be resumed.",
		cause:    "The server crashed, or a proxy closed the connection", try: "Check the server's log.", absent: []string{"came through"},
	},
	{
		name: "a call without a session that is not answered", call: soon / 6, target: sessionless(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		sentence: "Timed out after ⋯ waiting for the tools/call response.",
		cause:    "a server without a session (no Mcp-Session-Id) discards such a request and waits", try: "needs a server with sessions",
	},
	{
		name: "a header of server/discover that is lost", target: serves(func(w http.ResponseWriter, r *http.Request) {
			_, id := asked(r)
			replies(400, "application/json", rpcError(-32020, "Header mismatch: required header Mcp-Method is missing", id))(w, r)
		}),
		sentence: `The server refused server/discover with error -32020: "Header mismatch: required header Mcp-Method is missing".`,
		cause:    "The request had Mcp-Method, and the response says that it is missing", try: "pass Mcp-Method on unchanged", absent: []string{"given with -H"},
	},
	{
		name: "a database that fails behind 401", target: over(serves(replies(401, "application/json", `{"error":{"message":"Database error while fetching API keys","code":10401}}`)), func(t *client.Target) { t.Header = http.Header{"X-Api-Key": {"abc-1234567890"}} }),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "Database error while fetching API keys".`,
		cause:    "about a failure behind the server", try: "Try again later", absent: []string{"Correct the value"},
	},
	{
		name: "an upstream that fails behind 403", target: serves(replies(403, "text/plain", "policy check failed: connection refused")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "policy check failed: connection refused".`,
		cause:    "about a failure behind the server", try: "Try again later", absent: []string{"Send a token"},
	},
	{
		name: "a refused key", target: over(serves(replies(401, "application/json", `{"error":{"message":"The API key is not valid"}}`)), func(t *client.Target) { t.Header = http.Header{"X-Api-Key": {"abc-1234567890"}} }),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "The API key is not valid".`,
		cause:    "X-Api-Key", try: "Correct the value of X-Api-Key", absent: []string{"behind the server"},
	},
	{
		name: "an own refusal behind Cloudflare", target: serves(replies(403, "application/json", `{"error":"plan expired"}`, "Server", "cloudflare")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "plan expired".`,
		cause:    `paid for or licensed, as the message says ("plan expired")`, try: "Look at the plan", absent: []string{"bot protection"},
	},
	{
		name: "a body that was read before", target: serves(replies(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":"InternalServerError: stream is not readable"}}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Parse error; InternalServerError: stream is not readable".`,
		cause:    emptyBody, try: "Exempt the MCP path from body parsers", absent: []string{"Fix what the message reports"},
	},
	{
		name: "a body that is refused for its content", target: serves(replies(400, "application/json", rpcError(-32700, "Parse error: expected array of requests", "null"))),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Parse error: expected array of requests".`,
		cause:    "The message is the reason", try: "Fix what the message reports", absent: []string{"read the body before"},
	},
}
