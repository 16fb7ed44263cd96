//go:build unix

package failure_test

import (
	"net/http"
	"os"
	"testing"

	"mcptea/client"
)

const tooLarge = "The body is larger than the limit of "

// onlyGET is a server of HTTP+SSE whose POST of the URL is refused with a status.
func onlyGET(status int, get http.HandlerFunc) func(*testing.T) client.Target {
	return serves(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/mcp" {
			replies(status, "application/json", `{"status":404,"error":"Not Found","path":"/mcp"}`)(w, r)
			return
		}
		get(w, r)
	})
}

// holding is a server without sessions that fails while the stream of GET is open.
func holding(status int, body string) func(*testing.T) client.Target {
	open := make(chan struct{})
	return serves(func(w http.ResponseWriter, r *http.Request) {
		method, id := asked(r)
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			close(open)
			<-r.Context().Done()
		case method == "initialize":
			replies(http.StatusOK, "application/json", result(id, welcome))(w, r)
		case method == "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		case method == "tools/call":
			<-open
			replies(status, "application/json", body)(w, r)
		default:
			replies(http.StatusNotFound, "application/json", rpcError(-32601, "Method not found", id))(w, r)
		}
	})
}

// withKey is a target with a header.
func withKey(header string, answer http.HandlerFunc) func(*testing.T) client.Target {
	return over(serves(answer), func(t *client.Target) { t.Header = http.Header{header: {"sk-0123456789"}} })
}

// overStreams are failures that are decided by what GET brought, by the body and by headers that the request lacks.
var overStreams = register([]broken{
	{
		name: "GET that brings nothing", within: soon / 3, target: onlyGET(404, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 404 Not Found: GET to the same URL was accepted, and no response came.",
		cause:    "The path is for GET (HTTP+SSE)", try: "flush the headers and the endpoint event", absent: []string{"There may be no MCP endpoint", "Common paths", "sent this instead"},
	},
	{
		name: "GET that brings a stream without an event", within: soon / 3, target: onlyGET(405, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 405 Method Not Allowed: GET to the same URL opened an event stream, and no endpoint event came.",
		cause:    "the server does not send the endpoint event", try: "send the endpoint event first", absent: []string{"This path does not allow POST"},
	},
	{
		name: "GET that ends the connection", target: onlyGET(404, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 404 Not Found: GET to the same URL ended the connection without a response.",
		cause:    "There is something at this path", try: "whether it still runs", absent: []string{"There may be no MCP endpoint"},
	},
	{
		name: "a failure while the stream is open", call: soon, target: holding(500, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal server error"}}`),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error: the event stream of GET was open.",
		cause:    "fails while its event stream of GET is open", try: "create a transport", absent: generic,
	},
	{
		name: "a failure while the stream is open, with its reason", call: soon, target: holding(500, `{"error":"Already connected to a transport. Call close() before connecting to a new transport"}`),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error: it reports "Already connected to a transport. Call close() before connecting to a new transport".`,
		cause:    "The server has one transport, or one server object, for all requests", try: "create a transport", absent: generic,
	},
	{
		name: "a failure with a reason while the stream is open", call: soon, target: holding(500, `{"error":"no tea"}`),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error: it reports "no tea".`,
		cause:    "The server failed; the message is the reason", try: "Fix what the message reports", absent: []string{"one server object"},
	},
	{
		name: "a body that a parser refuses for its size", target: calledWith(replies(413, "text/html", "<html><title>Error</title><pre>PayloadTooLargeError: request entity too large</pre></html>")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 413 Request Entity Too Large: the body has ⋯ bytes.",
		cause:    tooLarge + "a body parser of Node.js", try: "Raise that limit", absent: []string{"Large arguments"},
	},
	{
		name: "the same with another status", target: calledWith(replies(500, "application/json", `{"statusCode":500,"code":"FST_ERR_CTP_BODY_TOO_LARGE","message":"Request body is too large"}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 500 Internal Server Error: the body has ⋯ bytes.",
		cause:    tooLarge + "Fastify", try: "Raise that limit", absent: generic,
	},
	{
		name: "a body that nginx refuses for its size", target: calledWith(replies(413, "text/html", "<html><head><title>413 Request Entity Too Large</title></head><body><hr><center>nginx/1.24.0</center></body></html>")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 413 Request Entity Too Large: the body has ⋯ bytes.",
		cause:    tooLarge + "nginx (client_max_body_size", try: "Raise that limit",
	},
	{
		name: "a body that something refuses for its size", target: calledWith(replies(413, "text/plain", "")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 413 Request Entity Too Large: the body has ⋯ bytes.",
		cause:    "The body is larger than the server, or a proxy in front of it, accepts.", try: "Raise the limit",
	},
	{
		name: "initialize without the header of the version", target: serves(missing("MCP-Protocol-Version", 400)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Bad Request: required header MCP-Protocol-Version is missing".`,
		cause:    "The request had no MCP-Protocol-Version, and needs none", try: `-H "MCP-Protocol-Version: 2025-11-25"`, absent: generic,
	},
	{
		name: "the same in other words", target: serves(replies(400, "application/json", `{"error":"MCP-Protocol-Version header is not set"}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "MCP-Protocol-Version header is not set".`,
		cause:    "The request had no MCP-Protocol-Version, and needs none", try: "require the header only after initialize", absent: generic,
	},
	{
		name: "a key without its scheme", target: withKey("X-Litellm-Api-Key", replies(401, "application/json", `{"error":{"message":"Malformed API Key passed in. Ensure Key has `+"`Bearer `"+` prefix."}}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports \"Malformed API Key passed in. Ensure Key has `Bearer ` prefix.\".",
		cause:    `(X-Litellm-Api-Key) must begin with "Bearer "`, try: `-H "X-Litellm-Api-Key: Bearer VALUE"`, absent: []string{"MCPTEA_TOKEN", "OAuth", "stored token"},
	},
	{
		name: "a key that is refused", target: withKey("X-Api-Key", replies(401, "application/json", `{"message":"Invalid API key"}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it reports "Invalid API key".`,
		cause:    "the server refuses them", try: "Correct the value of X-Api-Key", absent: []string{"MCPTEA_TOKEN", "authorization server"},
	},
	{
		name: "a session for initialize", target: serves(replies(400, "text/plain", "Invalid or missing session ID")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Invalid or missing session ID".`,
		cause:    "The request was initialize, which starts a session and has no session id", try: "parse the body before the handler", absent: []string{"a proxy may remove"},
	},
	{
		name: "notifications, and no response to a call", call: soon / 6, child: answers(func(method, id string) string {
			switch method {
			case "initialize":
				return result(id, welcome) + "\n"
			case "tools/call":
				return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"one"}}` + "\n"
			}
			return rpcError(-32601, "Method not found", id) + "\n"
		}),
		sentence: "Timed out after ⋯ waiting for the tools/call response: 1 notification came since the request, the last one ⋯ after it.",
		cause:    "it may be blocked after its last notification", try: "what follows the last notification", absent: []string{"Raise --timeout"},
	},
	{
		name: "a scope that a token lacks", target: over(calledWith(replies(403, "application/json", rpcError(-32600, "Insufficient scope: events:write required", "null"), "WWW-Authenticate", `Bearer error="insufficient_scope", scope="events:write"`)), func(t *client.Target) {
			t.Header = http.Header{"Authorization": {"Bearer abcdefghij0123456789"}}
		}),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "Insufficient scope: events:write required".`,
		cause:    "lacks a scope that this request requires: events:write. It has not expired", try: "--scope SCOPE", absent: generic,
	},
	{
		name: "a scope that a token lacks, by another code", target: over(calledWith(replies(403, "application/json", `{"error":"Forbidden","message":"insufficient permissions to access this resource"}`, "WWW-Authenticate", `Bearer scope="booking:write", error="invalid_token"`)), func(t *client.Target) {
			t.Header = http.Header{"Authorization": {"Bearer abcdefghij0123456789"}}
		}),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "insufficient permissions to access this resource".`,
		cause:    "lacks a scope that this request requires: booking:write. It has not expired", try: "--scope SCOPE", absent: generic,
	},
	{
		name: "a key of API Gateway", target: serves(replies(403, "application/json", `{"message":"Forbidden"}`, "X-Amz-Apigw-Id", "MPa=", "X-Amzn-Errortype", "ForbiddenException")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: AWS API Gateway responded, not the MCP server.",
		cause:    "the API key (x-api-key) is missing", try: `-H "x-api-key: KEY"`, absent: []string{"Origin or Host"},
	},
	{
		name: "a path that API Gateway does not have", target: serves(replies(403, "application/json", `{"message":"Missing Authentication Token"}`, "X-Amz-Apigw-Id", "MPa=")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: AWS API Gateway responded, not the MCP server.",
		cause:    "The API has no such path and method", try: "Check the stage and the path", absent: []string{"Send a token", "x-api-key"},
	},
	{
		name: "forbidden without a gateway", target: serves(replies(403, "application/json", `{"message":"Forbidden"}`)),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 403 Forbidden.",
		cause:    "The server may require credentials", try: "Send a token", absent: []string{"x-api-key", "API Gateway"},
	},
	{
		name: "HTTP+SSE at a URL of Streamable HTTP", target: over(serves(replies(400, "application/json", `{"error":"Invalid or missing MCP session ID for SSE."}`)), func(t *client.Target) { t.Transport = "sse" }),
		sentence: `GET http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Invalid or missing MCP session ID for SSE.".`,
		cause:    "The URL is one of Streamable HTTP", try: "Omit --transport sse", absent: []string{"initialize", "a proxy may"},
	},
	{
		name: "a reason as JSON on stdout", child: func() {
			_, _ = os.Stdout.WriteString("{\n  \"ok\": false,\n  \"error_type\": \"config_invalid\",\n  \"message\": \"tea.toml: schema_version 7 is newer\",\n  \"path\": \"/home/u/tea.toml\"\n}\n")
			os.Exit(1)
		},
		sentence: `The server process exited with code 1 after ⋯, before responding to initialize: it reports "tea.toml: schema_version 7 is newer".`,
		cause:    "gives its reason as JSON on stdout", try: "Correct what it names", absent: generic,
	},
	{
		name: "the same on one line", child: func() {
			_, _ = os.Stdout.WriteString(`{"error":{"message":"no tea is configured"}}` + "\n")
			os.Exit(2)
		},
		sentence: `The server process exited with code 2 after ⋯, before responding to initialize: it reports "no tea is configured".`,
		cause:    "gives its reason as JSON on stdout", try: "write the reason to stderr",
	},
	{
		name: "an option that is unknown", target: refusesOption("--no-daemon", `Unknown Syntax Error: Unsupported option name ("--no-daemon").`),
		sentence: "⋯Unsupported option name⋯",
		cause:    "has the option --no-daemon, which the program does not know", try: "Remove --no-daemon", absent: generic,
	},
	{
		name: "the same of argparse", target: refusesOption("--no-daemon", "server.py: error: unrecognized arguments: --no-daemon"),
		sentence: "⋯unrecognized arguments⋯",
		cause:    "has the option --no-daemon, which the program does not know", try: "Remove --no-daemon", absent: generic,
	},
	{
		name: "the same of Go", target: refusesOption("--daemon=off", "flag provided but not defined: -daemon"),
		sentence: "⋯flag provided but not defined⋯",
		cause:    "has the option --daemon, which the program does not know", try: "Remove --daemon",
	},
	{
		name: "an option whose value is wrong", target: refusesOption("--port=x", "error: no tea at --ports"),
		sentence: "⋯no tea at⋯", try: "Fix the error shown on stderr", absent: []string{"does not know"},
	},
	{
		name: "an argument that is cut at a space", target: cutArgument,
		sentence: "⋯: it reports \"Error: ENOENT: no such file or directory, stat '⋯/No'\".",
		cause:    "No Backup\" has a space, and the server got only the part before it", try: "use a path without a space", absent: []string{"relative to the working directory"},
	},
})

// refusesOption is a program with an option that ends with a line on stderr.
func refusesOption(option, line string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		script := t.TempDir() + "/serve"
		if err := os.WriteFile(script, []byte("#!/bin/sh\ncat >&2 <<'END'\n"+line+"\nEND\nexit 2\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return client.Target{Argv: []string{script, option}}
	}
}

// cutArgument is a launcher that splits its arguments at spaces.
func cutArgument(t *testing.T) client.Target {
	dir := t.TempDir()
	script := dir + "/launch"
	if err := os.WriteFile(script, []byte("#!/bin/sh\nset -- $*\necho \"Error: ENOENT: no such file or directory, stat '$1'\" >&2\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return client.Target{Argv: []string{script, dir + "/No Backup"}}
}
