//go:build unix

package failure_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/processes"
)

// speechless are servers that run, and that one cannot speak with.
var speechless = register([]broken{
	// It runs and cannot be understood.
	{
		name: "it serves HTTP", child: says("Server listening on http://localhost:3000/mcp\n"), within: soon,
		sentence: `The server did not respond to initialize: it wrote "Server listening on http://localhost:3000/mcp" to stdout.`,
		cause:    `The server may use HTTP, not stdio, and wait for requests at "http://localhost:3000/mcp".`, try: "Connect to it there, with --url",
		evidence: []string{"stdout Server listening on http://localhost:3000/mcp"},
	},
	{
		name: "logs around the answer", child: answers(func(_, id string) string {
			return "[info] got a request\n[info] " + result(id, welcome) + " sent\n"
		}),
		sentence: "Invalid response to initialize: there is other text on its line.",
		cause:    "A logger or a print statement may write to stdout, which is reserved for messages.", try: "Write log output to stderr (console.error,",
		evidence: []string{`stdout [info] {"jsonrpc":"2.0","id":1,`},
	},
	{
		name: "only logs", child: says("2026-01-01 INFO starting\n2026-01-01 INFO ready\n"), within: soon,
		sentence: "The server wrote text to stdout and no response to initialize.",
		cause:    "Stdout is reserved for messages. The text may be a help text or an error message, or this is not an MCP server.", try: "Write log and help texts to stderr; check that the",
		evidence: []string{"stdout 2026-01-01 INFO starting"},
	},
	{
		name: "an ANSI banner", child: says("\x1b[2J\x1b[1;32m*** TEA SERVER ***\x1b[0m\x1b]0;owned\a\n"), within: soon,
		sentence: "The server wrote text with terminal control sequences to stdout and no response to initialize.",
		cause:    "Stdout is reserved for messages; this may be a banner or a terminal screen.", try: "Write log and help texts to stderr; check that the",
		evidence: []string{"stdout \x1b[2J\x1b[1;32m*** TEA"},
	},
	{
		name: "Content-Length", child: answers(func(_, id string) string {
			text := result(id, welcome)
			return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)
		}), within: soon,
		sentence: "The server frames its messages with Content-Length headers, as language servers do.",
		cause:    "MCP over stdio has one message per line and no headers.", try: `Change the framing to JSON on one line with \n`,
		evidence: []string{"stdout Content-Length: 147"},
	},
	{
		name: "pretty JSON", child: answers(func(_, id string) string {
			return "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": " + id + ",\n  \"result\": " + welcome + "\n}\n"
		}), within: soon,
		sentence: "Invalid response to initialize: it spans several lines; each message must be one line.",
		cause:    "The server writes indented JSON, or newlines inside a", try: "Write each message without indentation, and",
		evidence: []string{"stdout {", `stdout   "id": 1,`},
	},
	{
		name: "UTF-16", child: answers(func(_, id string) string { return toUTF16(result(id, welcome) + "\n") }), within: soon,
		sentence: "The server writes UTF-16 to stdout: messages must be UTF-8.",
		cause:    "Its runtime or the shell may change the encoding, as PowerShell does in redirections.", try: "Set the encoding of stdout to UTF-8 without a",
	},
	{
		name: "a byte order mark and a shell prompt", child: says("\ufeff$ "), within: soon,
		sentence: "The server wrote text to stdout and no response to initialize.",
		cause:    "Stdout is reserved for messages. The text may be a help text or an error message, or this is not an MCP server.", try: "Write log and help texts to stderr; check that the",
	},
	{
		name: "wrong id", child: answers(func(string, string) string { return result("7777", welcome) + "\n" }),
		sentence: "A response with id 7777 arrived in place of that to initialize, whose id is 1.",
		cause:    "The same response, with the same id, came to more than one request: the server, or a gateway", try: "Check what is behind the URL or the command",
		evidence: []string{`answer {"jsonrpc":"2.0","id":7777`, "other id response id 7777"},
	},
	{
		name: "other id", child: answers(func(method, id string) string { return result("7"+id, `{"of":"`+method+`"}`) + "\n" }),
		sentence: "A response with id 71 arrived in place of that to initialize, whose id is 1.",
		cause:    "The id of a response must equal that of its request.", try: "Check where the server copies the id; a string type",
		evidence: []string{`answer {"jsonrpc":"2.0","id":71`, "other id response id 71"},
	},
	{
		name: "string id", child: answers(func(method, id string) string {
			if method == "initialize" {
				id = `"` + id + `"`
			}
			return result(id, welcome) + "\n"
		}),
		sentence: `A response with id "1" arrived in place of that to initialize, whose id is 1.`,
		cause:    `The id of a response must equal that of its request, in its type as well: "1" is not 1.`, try: "Check where the server copies the id; a string type",
		evidence: []string{`answer {"jsonrpc":"2.0","id":"1"`},
	},
	{
		name: "null id", child: answers(func(string, string) string {
			return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}` + "\n"
		}),
		sentence: `The server sent an error response with id null, which matches no request: -32700 "Parse error".`,
		cause:    "The code says that the server could not read initialize.", try: "Check in the server's log what it has read; a",
		evidence: []string{`answer {"jsonrpc":"2.0","id":null`},
	},
	{
		name: "reason in a long error without a request", child: func() {
			fmt.Println(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"The vault /srv/notes cannot be opened.\n` + strings.Repeat(`- Choose another directory\n`, 24) + `"},"id":null}`)
			os.Exit(1)
		}, within: soon,
		sentence: `The server sent an error response with id null, which matches no request: -32600 "The vault /srv/notes cannot be opened. - Choose another directory ⋯"…: its process exited after that.`,
		cause:    "The message is the reason that the server gives; the id", try: "Fix what the message reports.",
		evidence: []string{`answer {"jsonrpc":"2.0","error":`},
	},
	{
		name: "answers on stderr", child: func() {
			os.Stdout = os.Stderr
			always(welcome)()
		}, within: soon,
		sentence: "Timed out after ⋯ waiting for the initialize response: there are responses on stderr.",
		cause:    "Messages must be written to stdout and all other text", try: "Check where the server opens its transport, and",
		evidence: []string{`stderr {"jsonrpc":"2.0","id":1,`},
	},
	{
		name: "cut answer", child: answers(func(_, id string) string {
			text := result(id, welcome)
			_, _ = os.Stdout.WriteString(text[:60])
			os.Exit(0)
			return ""
		}),
		sentence: "The server process exited with code 0 after ⋯, in the middle of a response.",
		cause:    "It exited before the response was completely written.", try: "Check why the server exits; flush stdout before",
		evidence: []string{`stdout {"jsonrpc":"2.0","id":⋯"protocolVe`},
	},

	// It runs and says nothing.
	{
		name: "closes stdout", child: func() { _ = os.Stdout.Close(); _, _ = io.Copy(io.Discard, os.Stdin) },
		sentence: "The server closed its stdout before responding to ⋯, but the process is still running.",
		cause:    "It can no longer send responses: its code closes", try: "Look for code that redirects stdout, or for a",
		evidence: []string{"process pid ⋯, stopped by mcptea after"},
	},
	{
		name: "closes stdin", child: func() { _ = os.Stdin.Close(); time.Sleep(time.Minute) }, within: soon,
		sentence: "The server closed its stdin before responding to ⋯.", // the probe or initialize, whichever it did not read
		cause:    "It does not read requests from stdin, or it is exiting.", try: "Check that the server is started in its stdio",
		evidence: []string{"process pid ⋯, stopped by mcptea after"},
	},
	{
		name: "silent", child: says(""), within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response: the server has " + shown("read the request, and has ", "") + "written nothing to stdout or stderr.",
		cause:    shown("The server may hang in its first request, wait for something else", "The server is still starting, does not read stdin, or"),
		try:      shown("Check what it does with the first message on stdin", "Check whether it needs an argument for stdio;"),
		evidence: []string{"process pid ⋯, stopped by mcptea after"}, absent: []string{"(nothing)"}, // the sentence has it
	},
	{
		name: "reads nothing", child: func() { processes.Hang() }, within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response: the server has " + shown("not read the request, and has ", "") + "written nothing to stdout or stderr.",
		cause:    shown("The server may still be starting, or be blocked", "The server is still starting, does not read stdin, or"),
		try:      shown("Check what it does before it reads its stdin", "Check whether it needs an argument for stdio;"),
	},
	{
		name: "a launcher that loads", target: named("npx", "reads nothing", "-y", "server"), within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response: the server has " + shown("not read the request, and has ", "") + "written nothing to stdout or stderr.",
		cause:    "npx may still be downloading the server.", try: "Raise the timeout: --connect-timeout 60s.",
		evidence: []string{"command ⋯/npx -y server"},
	},
	{
		name: "answers at the end of stdin", child: func() {
			text, _ := io.ReadAll(os.Stdin)
			for _, line := range strings.Split(string(text), "\n") {
				if e := jsonrpc.Scan([]byte(line)); e.Kind == jsonrpc.Request {
					fmt.Println(result(e.ID.Of([]byte(line)).String(), welcome))
				}
			}
		}, within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response: it arrived after mcptea had closed stdin.",
		cause:    "The server reads stdin to the end before it", try: "Read line by line, and flush stdout after each",
		evidence: []string{`late {"jsonrpc":"2.0","id":`},
	},

	// It answers, and with no.
	{
		name: "no initialize", child: refuses(-32601, "Method not found", ""),
		sentence: `Both initialize and server/discover failed, the latter with error -32601: "Method not found".`,
		cause:    "The server may not be an MCP server: it supports neither era.", try: "Check that the command or the URL is an MCP server.",
		evidence: []string{"initialize the server returned error -32601"},
	},
	{
		name: "invalid params", child: refuses(-32602, "Invalid params: clientInfo", `{"path":["params","clientInfo"]}`),
		sentence: `The server refused initialize with error -32602: "Invalid params: clientInfo".`,
		cause:    "The server rejects the params of initialize; its", try: "Compare the request with what the server's",
		evidence: []string{`data {"path":["params","clientInfo"]}`},
	},
	{
		name: "internal error", child: refuses(-32603, "no database", `{"path":"/var/lib/tea.db"}`),
		sentence: `The server refused initialize with error -32603: "no database".`,
		cause:    `"/var/lib/tea.db": a path that the server chose, on the machine where it runs.`, try: "Check whether it exists there",
		evidence: []string{`data {"path":"/var/lib/tea.db"}`},
	},
	{
		name: "an error of its own", child: refuses(-32000, "license expired", ""),
		sentence: `The server refused initialize with error -32000: "license expired".`,
		cause:    `paid for or licensed, as the message says ("license expired")`, try: "Look at the plan",
	},
	{
		name: "parse error", child: refuses(-32700, "Parse error", ""),
		sentence: `The server refused initialize with error -32700: "Parse error".`,
		cause:    "The server could not parse the request.", try: "Check in the server's log what it has read; a",
	},
	{
		name: "unknown revision", child: refuses(-32602, "Unsupported protocol version", `{"supported":["1999-01-01"],"requested":"2025-11-25"}`),
		sentence: "The server supports 1999-01-01, of which mcptea supports none (offered: 2025-11-25).",
		cause:    "A server that does not support the offered version must", try: "Offer one that the server supports with",
		evidence: []string{"theirs 1999-01-01", "offered 2025-11-25"},
	},
	{
		name: "an unknown version", child: always(strings.ReplaceAll(welcome, "2025-11-25", "v1")),
		sentence: `The server selected protocol version "v1", which mcptea does not support (offered: 2025-11-25).`,
		cause:    "A server that does not support the offered version must", try: "Update the server's MCP library; --lenient",
		evidence: []string{"theirs v1"},
	},
	{
		name: "no protocolVersion", child: always(`{"capabilities":{}}`),
		sentence: `The initialize result has no "protocolVersion".`,
		cause:    "The initialize result must be an object with", try: "Update the server's MCP library, or check where",
		evidence: []string{`result {"capabilities":{}}`},
	},
	{
		name: "a result that is no object", child: always(`"ok"`),
		sentence: "The initialize result is not an object.",
		cause:    "The initialize result must be an object with", try: "Update the server's MCP library, or check where",
		evidence: []string{`result "ok"`},
	},
	{
		name: "dies after the handshake", child: onlyThen(func() { dies(3, "panic: no kettle")() }),
		sentence: `The server process exited with code 3 after ⋯, ⋯: it reports "panic: no kettle".`,
		try:      "Fix the error shown",
		evidence: []string{"stderr panic: no kettle", "process pid ⋯, exited with code 3"},
	},
	{
		name: "dies at server/discover and initialize", target: named("server", "exits with an error and no word"),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯, without an error message.",
		cause:    "", try: "Run the command in this directory without mcptea; it",
	},
})
