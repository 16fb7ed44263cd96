//go:build unix

package failure_test

const (
	byBot     = "refused the request: the request has not reached the MCP server"
	emptyBody = "something in the server may have read the body before"
)

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
		sentence: "POST http://127.0.0.1:⋯/mcp returned 524 ⋯",
		cause:    "Cloudflare stopped waiting for the server", try: "Respond sooner", absent: []string{"says that the server failed"},
	},
	{
		name: "an own refusal behind Cloudflare", target: serves(replies(403, "application/json", `{"error":"plan expired"}`, "Server", "cloudflare")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "plan expired".`,
		cause:    "The message is the reason", try: "Fix what the message reports", absent: []string{"bot protection"},
	},
	{
		name: "a body that was read before", target: serves(replies(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":"InternalServerError: stream is not readable"}}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Parse error".`,
		cause:    emptyBody, try: "Exempt the MCP path from body parsers", absent: []string{"Fix what the message reports"},
	},
	{
		name: "a body that is refused for its content", target: serves(replies(400, "application/json", rpcError(-32700, "Parse error: expected array of requests", "null"))),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Parse error: expected array of requests".`,
		cause:    "The message is the reason", try: "Fix what the message reports", absent: []string{"read the body before"},
	},
}
