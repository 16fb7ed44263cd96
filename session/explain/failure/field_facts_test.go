//go:build unix

package failure_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"mcptea/client"
)

// generic is advice that is printed only if no fact says more.
var generic = []string{"Fix what the message reports", "Check the server's log", "a missing variable", "Check whether -H"}

// missing is a server that says that a header is missing.
func missing(header string, status int) http.HandlerFunc {
	return replies(status, "text/plain", "Bad Request: required header "+header+" is missing")
}

// contradicted are failures whose general cause a fact contradicts.
var contradicted = register([]broken{
	{
		name: "415 for the type that was sent", target: serves(replies(415, "text/plain", "Unsupported media type")),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 415 Unsupported Media Type.",
		cause:    "The request had Content-Type: application/json.", try: "charset=utf-8", absent: generic,
	},
	{
		name: "a header of 2026-07-28 is missing", target: serves(missing("Mcp-Method", 400)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Bad Request: required header Mcp-Method is missing".`,
		cause:    "The request had no Mcp-Method: only requests of 2026-07-28 have it", try: "--protocol 2026-07-28", absent: append([]string{"gateway or adapter"}, generic...),
	},
	{
		name: "the type that was sent is missing", target: serves(missing("Content-Type", 422)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 422 Unprocessable Entity: it reports "Bad Request: required header Content-Type is missing".`,
		cause:    "The request had Content-Type, and the response says that it is missing", try: "pass Content-Type on unchanged", absent: generic,
	},
	{
		name: "one transport for all clients", target: serves(replies(400, "application/json", rpcError(-32600, "Invalid Request: Server already initialized", "null"))),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "Invalid Request: Server already initialized".`,
		cause:    "The server has one transport for all clients", try: "create a transport for each session", absent: generic,
	},
	{
		name: "one transport whose session has ended", target: serves(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			replies(404, "application/json", rpcError(-32001, "Session not found", "null"))(w, r)
		}),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 404 Not Found: it reports "Session not found", although the request had no session id.`,
		cause:    "The server may have one transport for all clients, whose session has ended", try: "create a transport for each session", absent: append([]string{"common ones are"}, generic...),
	},
	{
		name: "an endpoint event with JSON", target: over(serves(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				replies(404, "application/json", `{"error":"Not found"}`)(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: {\"url\":\"http://localhost:3177/message\"}\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}), func(t *client.Target) { t.URL = strings.Replace(t.URL, "/mcp", "/sse", 1) }),
		sentence: "The endpoint of the server is not a URL: ⋯.",
		cause:    "the data of its endpoint event is a JSON object", try: "send the path as the data", absent: []string{"There may be no MCP endpoint", "Common paths", "3177/message"},
		evidence: []string{`endpoint {"url": …}; values are not shown`},
	},
	{
		name: "an event inside of the data of an event", target: serves(func(w http.ResponseWriter, r *http.Request) {
			_, id := asked(r)
			if r.Method != http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", id)
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with an event stream whose data is a whole event; the response to server/discover is inside of it.",
		cause:    `adds "data: " to a text that is an event already`, try: "only the JSON of the message", absent: []string{"timeouts of proxies"},
	},
	{
		name: "a stream that Cloudflare ends", target: serves(old(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Server", "cloudflare")
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
		})), call: soon,
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with an event stream that ended before the response to the request.",
		cause:    "The response came through Cloudflare", try: "Send a comment or a progress notification", absent: generic,
	},
	{
		name: "an echo", within: soon, child: func() { _, _ = io.Copy(os.Stdout, os.Stdin) },
		sentence: "⋯: what came on stdout is what mcptea wrote to stdin, byte for byte.",
		cause:    "The command runs in a terminal that echoes", try: "Start the server without a terminal", absent: []string{"may not be an MCP server", "may hang"},
	},
})
