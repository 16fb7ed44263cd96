//go:build unix

package failure_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// bundled is what Node.js writes of an exception in a bundle: its only line of source has
// all the words of the libraries in it.
func bundled(words string) func() {
	return dies(1, "file:///srv/start.mjs:1", words+`;if(!k)throw new Error("TOKEN must be set");`, strings.Repeat(" ", len(words)+11)+"^", "", "Error: TOKEN must be set", nodeStack, "Node.js v20.20.2")
}

const tokenMissing = `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "Error: TOKEN must be set".`

// misleading are servers whose words suggest another cause than theirs.
var misleading = register([]broken{
	// Words in the source of a bundle are not reported by it.
	{
		name: "SIGSEGV in a bundle", child: bundled(`var e=["SIGABRT","SIGSEGV"],k=process.env.TOKEN`), sentence: tokenMissing,
		cause: `requires "TOKEN", which is not set`, try: "Set it: a variable", evidence: []string{"stderr Error: TOKEN must be set"},
	},
	{name: "heap in a bundle", child: bundled("m='JavaScript heap out of memory'"), sentence: tokenMissing, cause: `requires "TOKEN", which is not set`, try: "Set it: a variable"},
	{name: "EACCES in a bundle", child: bundled("m='EACCES: permission denied'"), sentence: tokenMissing, cause: `requires "TOKEN", which is not set`, try: "Set it: a variable"},
	{name: "port in a bundle", child: bundled("m='address already in use'"), sentence: tokenMissing, cause: `requires "TOKEN", which is not set`, try: "Set it: a variable"},
	{name: "module in a bundle", child: bundled(`m="Error: Cannot find module './x'"`), sentence: tokenMissing, cause: `requires "TOKEN", which is not set`, try: "Set it: a variable"},

	// The end says less than the last lines.
	{
		name: "V8 cannot reserve memory", target: runs("/bin/sh", "-c", "printf '\\n#\\n# Fatal process OOM in Failed to reserve virtual memory for CodeRange\\n#\\n' >&2; kill -TRAP $$"),
		sentence: `The server process was terminated by SIGTRAP after ⋯, before responding to ⋯: it reports "# Fatal process OOM in Failed to reserve virtual memory for CodeRange".`,
		cause:    "The server ran out of memory: it needs more than is available.", try: "Check what it loads at startup.",
	},
	{
		name: "SIGTRAP without a word", target: runs("/bin/sh", "-c", "kill -TRAP $$"),
		sentence: "The server process was terminated by SIGTRAP after ⋯, before responding to ⋯.",
		cause:    "The server may have ended itself, as V8 does after a fatal error.", try: "Check its last lines on stderr",
	},
	{
		name: "import in a .cjs", child: dies(1, "/srv/server.cjs:1", "import x from 'y';", "^^^^^^", "", "SyntaxError: Cannot use import statement outside a module", nodeStack),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "SyntaxError: Cannot use import statement outside a module".`,
		cause:    "Node.js loads the file as CommonJS, and it is an ES module: its name ends in .cjs, or the package.json", try: `Name the file .mjs, or set "type": "module" for a .js file`,
	},
	{
		name: "a last line that is no error", child: dies(1, "starting", "loaded 12 tools"),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: its last line on stderr is "loaded 12 tools".`,
		try:      "Fix the error shown on stderr",
	},
	{
		name: "a hint after the error", child: dies(2, "mcptea: bad.yaml:7:3: unknown key \"tols\" in the file", "Did you mean tools?", "mcptea explain mock-schema prints the schema of the file."),
		sentence: `The server process exited with code 2 after ⋯, before responding to ⋯: it reports "mcptea: bad.yaml:7:3: unknown key \"tols\" in the file".`,
		cause:    `has the name "tols" where it does not belong`, try: "Correct it in the file",
	},

	// The message of the server says more than the id of its response.
	{
		name: "an error with id null, then the end", child: answers(func(string, string) string {
			fmt.Fprintln(os.Stderr, "Error: segmentation fault of no interest")
			fmt.Println(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid vault path /srv/vault"}}`)
			os.Exit(1)
			return ""
		}),
		sentence: `The server sent an error response with id null, which matches no request: -32600 "Invalid vault path /srv/vault": its process exited after that.`,
		cause:    "The message is the reason that the server gives", try: "Fix what the message reports.",
	},
	{
		name: "an error that is a text", child: answers(func(_, id string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"error":"the tenant is suspended"}` + "\n"
		}),
		sentence: `The server refused initialize with an error without an integer code: "the tenant is suspended".`,
		cause:    "An error must be an object with an integer code", try: "Correct the error object; fix what the message reports.",
		absent: []string{"error 0", `\"the tenant`},
	},
	{
		name: "responses with a method", child: answers(func(_, id string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"method":"x","result":` + welcome + "}\n"
		}), within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response: a message arrived that has a method beside a result or an error.",
		cause:    "A message with a method is a request, not a response", try: `Remove "method" from the responses`,
		evidence: []string{"mixed message with id 1 has a method beside a result or an error"},
	},
	{
		name: "half a response, then the end", child: during(func() {
			fmt.Print(`{"jsonrpc":"2.0","id":2,"result":{"content":[`)
			os.Exit(0)
		}),
		sentence: "Incomplete response to request 2: it ends after 45 bytes.",
		cause:    "The stdout of the server ended in the middle of the message: the process exited, or closed stdout.", try: "Write each message on one line",
		absent: []string{"still running", "stopped by mcptea"},
	},
	{
		name: "UTF-16 in a call", child: during(func() { fmt.Print(toUTF16(result("2", `{"content":[]}`) + "\n")) }), call: soon / 3,
		sentence: "Timed out after ⋯ waiting for the tools/call response: what arrived is UTF-16, and messages must be UTF-8.",
		cause:    "Its runtime or the shell may change the encoding", try: "Set the encoding of stdout to UTF-8",
		absent: []string{"still working"},
	},

	// The message of a body says more than the status.
	{
		name: "400 of a tenant", target: serves(replies(400, "application/json", `{"error":"the tenant is suspended"}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "the tenant is suspended".`,
		cause:    `is not in the state that this needs ("is suspended")`, try: "Bring it into that state first",
		absent: []string{"error 0", `\"the tenant`},
	},
	{
		name: "404 of a tenant", target: serves(replies(404, "application/json", `{"error":"the tenant is suspended"}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 404 Not Found: it reports "the tenant is suspended".`,
		cause:    `is not in the state that this needs ("is suspended")`, try: "Bring it into that state first",
		absent: []string{"there is no MCP endpoint"},
	},
	{
		name: "400 with a code of its own", target: serves(replies(400, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"license expired"}}`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "license expired".`,
		cause:    `paid for or licensed, as the message says ("license expired")`, try: "Look at the plan",
		absent: []string{"start with initialize"},
	},
	{
		name: "403 of the original plan", target: serves(replies(403, "text/plain", "The original plan has no hosted servers.")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 403 Forbidden: it reports "The original plan has no hosted servers.".`,
		cause:    "The message is the reason that the server gives.", try: "Fix what the message reports.",
	},
	{
		name: "400 that mentions a session", target: serves(replies(400, "text/plain", "the obsession with brevity")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 400 Bad Request: it reports "the obsession with brevity".`,
		cause:    "The message is the reason that the server gives.", try: "Fix what the message reports.",
	},
	{
		name: "301 to itself", target: serves(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://"+r.Host+r.URL.Path)
			w.WriteHeader(http.StatusMovedPermanently)
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 301 Moved Permanently: it redirects to http://127.0.0.1:⋯/mcp.",
		cause:    "The redirect leads to the URL of the request: the server or a proxy redirects in a loop.", try: "Check the redirect rules",
		absent: []string{"Use that URL"},
	},
	{
		name: "501 of a web server", target: serves(replies(501, "text/html", "<!DOCTYPE HTML><html><head><title>Error response</title></head><body><p>Message: Unsupported method ('POST').</p></body></html>", "Server", "SimpleHTTP/0.6 Python/3.12")),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 501 Not Implemented.`,
		cause:    "The status says that the server does not support POST: it may be a web server, not an MCP endpoint.", try: "Check the port and the path.",
		absent: []string{"internal server error"},
	},
	{
		name: "Basic is required", target: serves(replies(401, "text/plain", "who are you?", "WWW-Authenticate", `Basic realm="tea"`)),
		sentence: `POST http://127.0.0.1:⋯/mcp returned 401 Unauthorized: it requires authorization; it reports "who are you?".`,
		cause:    "The request had no credentials that the server accepts.", try: `Send user and password: -H "Authorization: Basic`,
		absent: []string{"Bearer"},
	},
	{
		name: "UTF-16 over HTTP", target: serves(func(w http.ResponseWriter, r *http.Request) {
			_, id := asked(r)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, toUTF16(result(id, welcome)))
		}),
		sentence: "POST http://127.0.0.1:⋯/mcp returned 200 OK with a body in UTF-16: messages must be UTF-8.",
		cause:    "The server, or the program that writes its body, encodes text as UTF-16.", try: "Set the encoding of the body to UTF-8",
		absent: []string{"without a library"},
	},

	// What has worked a moment ago is not the cause.
	{
		name: "a reset in a call", target: serves(old(func(w http.ResponseWriter, r *http.Request) {
			if method, _ := asked(r); method != "tools/call" {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			panic(http.ErrAbortHandler)
		})),
		sentence: "Connection to 127.0.0.1:⋯ lost before the response: EOF.",
		cause:    "It may be that the server crashed, or a proxy closed the connection.", try: "Check the server's log.",
		absent: []string{"https"},
	},
	{
		name: "a call that hangs", target: serves(old(func(w http.ResponseWriter, r *http.Request) {
			if method, _ := asked(r); method != "tools/call" {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			<-r.Context().Done()
		})), call: soon / 3,
		sentence: "Timed out after ⋯ waiting for the tools/call response.",
		cause:    "It may be that the server is still working on it", try: "Raise --timeout",
		absent: []string{"→ 20", "application/json"},
	},
})
