//go:build unix

package explain_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
)

// speechless are servers that run, and that one cannot speak with.
var speechless = register([]broken{
	// It runs and cannot be understood.
	{
		name: "it serves HTTP", child: says("Server listening on http://localhost:3000/mcp\n"), within: soon,
		sentence: `The server never answered initialize: it says that it serves "http://localhost:3000/mcp".`,
		cause:    "The server speaks HTTP, not stdio: it waits for", try: "Connect to it there, with --url",
		evidence: []string{"stdout Server listening on http://localhost:3000/mcp"},
	},
	{
		name: "logs around the answer", child: answers(func(_, id string) string {
			return "[info] got a request\n[info] " + result(id, welcome) + " sent\n"
		}),
		sentence: "The answer to initialize cannot be read: other text stands on its line.",
		cause:    "A logger or a print writes to stdout, which belongs to", try: "Send what is meant for people to stderr",
		evidence: []string{`stdout [info] {"jsonrpc":"2.0","id":1,`},
	},
	{
		name: "only logs", child: says("2026-01-01 INFO starting\n2026-01-01 INFO ready\n"), within: soon,
		sentence: "The server wrote text to stdout, and never answered initialize.",
		cause:    "Stdout belongs to the protocol. It is a help text or an", try: "Send what is meant for people to stderr; check",
		evidence: []string{"stdout 2026-01-01 INFO starting"},
	},
	{
		name: "an ANSI banner", child: says("\x1b[2J\x1b[1;32m*** TEA SERVER ***\x1b[0m\x1b]0;owned\a\n"), within: soon,
		sentence: "The server wrote text with terminal control sequences to stdout, and never answered initialize.",
		cause:    "Stdout belongs to the protocol, and this is a banner or", try: "Send what is meant for people to stderr; check",
		evidence: []string{"stdout \x1b[2J\x1b[1;32m*** TEA"},
	},
	{
		name: "Content-Length", child: answers(func(_, id string) string {
			text := result(id, welcome)
			return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)
		}), within: soon,
		sentence: "The server frames its messages with Content-Length headers, as language servers do.",
		cause:    "MCP over stdio has one message a line and no headers.", try: `Change the framing to JSON on one line with \n`,
		evidence: []string{"stdout Content-Length: 153"},
	},
	{
		name: "pretty JSON", child: answers(func(_, id string) string {
			return "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": " + id + ",\n  \"result\": " + welcome + "\n}\n"
		}), within: soon,
		sentence: "The answer to initialize is spread over several lines; each line must be a whole message.",
		cause:    "The server writes its JSON indented, or puts line ends", try: "Write each message without indentation, and",
		evidence: []string{"stdout {", `stdout   "id": 1,`},
	},
	{
		name: "UTF-16", child: answers(func(_, id string) string { return toUTF16(result(id, welcome) + "\n") }), within: soon,
		sentence: "The server writes UTF-16 to stdout, which cannot be read: messages are UTF-8.",
		cause:    "Its runtime or the shell that starts it changes the", try: "Set the encoding of stdout to UTF-8 without a",
	},
	{
		name: "a byte order mark and a shell prompt", child: says("\ufeff$ "), within: soon,
		sentence: "The server wrote text to stdout, and never answered initialize.",
		cause:    "Stdout belongs to the protocol. It is a help text or an", try: "Send what is meant for people to stderr; check",
	},
	{
		name: "wrong id", child: answers(func(string, string) string { return result("7777", welcome) + "\n" }),
		sentence: "The answer to initialize never came, but an answer with the id 7777 did, which nobody had asked for.",
		cause:    "An answer must carry the id of its request, unchanged:", try: "Look at where the server copies the id; a type",
		evidence: []string{`answer {"jsonrpc":"2.0","id":7777`, "other id an answer came with id 7777"},
	},
	{
		name: "string id", child: answers(func(method, id string) string {
			if method == "initialize" {
				id = `"` + id + `"`
			}
			return result(id, welcome) + "\n"
		}),
		sentence: `The answer to initialize came with the id "1", a string, where the request has a number.`,
		cause:    "An answer must carry the id of its request, unchanged:", try: "Look at where the server copies the id; a type",
		evidence: []string{`answer {"jsonrpc":"2.0","id":"1"`},
	},
	{
		name: "null id", child: answers(func(string, string) string {
			return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}` + "\n"
		}),
		sentence: `The server answered with an error that belongs to no request (its id is null): -32700 "Parse error".`,
		cause:    "It could not read initialize, or takes it for something", try: "Look at the server's log for what it read; a",
		evidence: []string{`answer {"jsonrpc":"2.0","id":null`},
	},
	{
		name: "answers on stderr", child: func() {
			os.Stdout = os.Stderr
			always(welcome)()
		}, within: soon,
		sentence: "No answer to initialize came within ⋯: the server writes its answers to stderr.",
		cause:    "Messages belong on stdout, and all else on stderr;", try: "Look at where the server opens its transport,",
		evidence: []string{`stderr {"jsonrpc":"2.0","id":1,`},
	},
	{
		name: "cut answer", child: answers(func(_, id string) string {
			text := result(id, welcome)
			_, _ = os.Stdout.WriteString(text[:60])
			os.Exit(0)
			return ""
		}),
		sentence: "The server process exited with code 0 after ⋯, in the middle of an answer.",
		cause:    "It ended before all of its answer was written.", try: "Look for what ends the server; flush stdout",
		evidence: []string{`stdout {"jsonrpc":"2.0","id":⋯"protocolVe`},
	},

	// It runs and says nothing.
	{
		name: "closes stdout", child: func() { _ = os.Stdout.Close(); _, _ = io.Copy(io.Discard, os.Stdin) },
		sentence: "The server closed its stdout before it answered ⋯, but its process lived on.",
		cause:    "It can never answer again. Something in it closes or", try: "Look for code that redirects stdout, or for a",
		evidence: []string{"process pid ⋯, ran until mcptea gave up"},
	},
	{
		name: "closes stdin", child: func() { _ = os.Stdin.Close(); time.Sleep(time.Minute) }, within: soon,
		sentence: "The server closed its stdin before it answered ⋯.", // the probe or initialize, whichever it did not read
		cause:    "It does not read requests from there, or it is about to", try: "Check that the server was told to speak over",
		evidence: []string{"process pid ⋯, ran until mcptea gave up"},
	},
	{
		name: "silent", child: says(""), within: soon / 3,
		sentence: "No answer to initialize came within ⋯: the server wrote nothing at all.",
		cause:    "The server is still starting, or does not read its", try: "Check whether it wants an argument to speak",
		evidence: []string{"process pid ⋯, ran until mcptea gave up", "stderr (nothing)"},
	},
	{
		name: "reads nothing", child: func() { select {} }, within: soon / 3,
		sentence: "No answer to initialize came within ⋯: the server wrote nothing at all.",
		cause:    "The server is still starting, or does not read its", try: "Check whether it wants an argument to speak",
	},
	{
		name: "a launcher that loads", target: named("npx", "silent", "-y", "server"), within: soon / 3,
		sentence: "No answer to initialize came within ⋯: the server wrote nothing at all.",
		cause:    "npx may still be downloading the server.", try: "Give it more time with --connect-timeout 60s.",
		evidence: []string{"command ⋯/npx -y server"},
	},
	{
		name: "answers at the end of stdin", child: func() {
			text, _ := io.ReadAll(os.Stdin)
			for _, line := range strings.Split(string(text), "\n") {
				if e := jsonrpc.Scan([]byte(line)); e.Kind == jsonrpc.Request {
					fmt.Println(result(string(e.ID.Of([]byte(line))), welcome))
				}
			}
		}, within: soon / 3,
		sentence: "No answer to initialize came within ⋯: it came when mcptea had closed the server's stdin.",
		cause:    "The server reads its stdin to the end before it", try: "Read line by line, and flush stdout after each",
		evidence: []string{`late {"jsonrpc":"2.0","id":`},
	},

	// It answers, and with no.
	{
		name: "no initialize", child: refuses(-32601, "Method not found", ""),
		sentence: `The server knows neither initialize nor server/discover: it refused both, the latter with error -32601: "Method not found".`,
		cause:    "The server knows neither of the two ways in which MCP", try: "Check that the command, or the URL, is that of",
		evidence: []string{"initialize the server returned error -32601"},
	},
	{
		name: "invalid params", child: refuses(-32602, "Invalid params: clientInfo", `{"path":["params","clientInfo"]}`),
		sentence: `The server refused initialize with error -32602: "Invalid params: clientInfo".`,
		cause:    "The server wants something else of initialize than", try: "Offer another revision with --protocol; compare",
		evidence: []string{`data {"path":["params","clientInfo"]}`},
	},
	{
		name: "internal error", child: refuses(-32603, "no database", `{"path":"/var/lib/tea.db"}`),
		sentence: `The server refused initialize with error -32603: "no database".`,
		cause:    "Something failed within the server; its log or stderr", try: "Mend what its message names, or look at its log.",
		evidence: []string{`data {"path":"/var/lib/tea.db"}`},
	},
	{
		name: "an error of its own", child: refuses(-32000, "license expired", ""),
		sentence: `The server refused initialize with error -32000: "license expired".`,
		cause:    "The code is private to the server", try: "Read the message",
	},
	{
		name: "parse error", child: refuses(-32700, "Parse error", ""),
		sentence: `The server refused initialize with error -32700: "Parse error".`,
		cause:    "The server could not make sense of the request.", try: "Look at the server's log for what it read;",
	},
	{
		name: "unknown revision", child: refuses(-32602, "Unsupported protocol version", `{"supported":["1999-01-01"],"requested":"2025-11-25"}`),
		sentence: "The server supports 1999-01-01, of which mcptea supports none (offered: 2025-11-25).",
		cause:    "A server that does not know the revision it was offered", try: "Offer one that the server knows with",
		evidence: []string{"theirs 1999-01-01", "offered 2025-11-25"},
	},
	{
		name: "a revision of nobody", child: always(strings.ReplaceAll(welcome, "2025-11-25", "v1")),
		sentence: `The server selected protocol version "v1", which mcptea does not support (offered: 2025-11-25).`,
		cause:    "A server that does not know the revision it was offered", try: "Update the server's MCP library; --lenient goes",
		evidence: []string{"theirs v1"},
	},
	{
		name: "no protocolVersion", child: always(`{"capabilities":{}}`),
		sentence: `The initialize result has no "protocolVersion".`,
		cause:    "The result of initialize must be an object with", try: "Update the server's MCP library, or look at",
		evidence: []string{`result {"capabilities":{}}`},
	},
	{
		name: "a result that is no object", child: always(`"ok"`),
		sentence: "The initialize result is not an object.",
		cause:    "The result of initialize must be an object with", try: "Update the server's MCP library, or look at",
		evidence: []string{`result "ok"`},
	},
	{
		name: "dies after the handshake", child: onlyThen(func() { dies(3, "panic: no kettle")() }),
		sentence: `The server process exited with code 3 after ⋯, ⋯: it says "panic: no kettle".`,
		cause:    "its last lines on stderr say", try: "Mend what they name", // the end may come before or after the next request
		evidence: []string{"stderr panic: no kettle", "process pid ⋯, exited with code 3"},
	},
	{
		name: "dies at server/discover and initialize", target: named("server", "exits with an error and no word"),
		sentence: "The server process exited with code 1 after ⋯, before it answered ⋯, and did not say why.",
		cause:    "The server could not start, and did not say why.", try: "Run the command by itself in this directory; it",
	},
})
