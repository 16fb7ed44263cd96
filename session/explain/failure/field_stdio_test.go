//go:build unix

package failure_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/processes"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// started is a server under the name of a launcher, which does something when its stdin is or is not that
// of mcptea.
func started(name string, args []string, line, do string) func(*testing.T) client.Target {
	return launched(name, args, line, do, "MCPTEA_TEST_ARG=never")
}

// script runs words in a shell, with the server as $0.
func script(words, line, do string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		target := obeys(line, do, "MCPTEA_TEST_ARG=never")(t)
		target.Argv = []string{"sh", "-c", words, target.Argv[0]}
		return target
	}
}

// sharing answers a call when a program that it has started ends, which reads the stdin of both.
func sharing(wait bool) func() {
	return answers(func(method, id string) string {
		switch method {
		case "initialize":
			return result(id, welcome) + "\n"
		case "tools/call":
			cmd := exec.Command("cat") //nolint:noctx // it ends with stdin
			cmd.Stdin = os.Stdin
			if err := cmd.Start(); err != nil {
				return ""
			}
			if wait {
				_ = cmd.Wait()
				return result(id, "{}") + "\n"
			}
			processes.Hang()
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", id)
	})
}

// callSays answers all but a call, at which it writes lines to stderr.
func callSays(lines ...string) func() {
	return answers(func(method, id string) string {
		switch method {
		case "initialize":
			return result(id, welcome) + "\n"
		case "tools/call":
			for _, l := range lines {
				fmt.Fprintln(os.Stderr, l)
			}
			return ""
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", id)
	})
}

// framed speaks messages with Content-Length headers alone.
func framed(loud bool) func() {
	return func() {
		buf := make([]byte, 0, 1<<16)
		for {
			n, err := os.Stdin.Read(buf[len(buf):cap(buf)])
			if err != nil {
				return
			}
			buf = buf[:len(buf)+n]
			body, ok := framedBody(buf)
			if !ok {
				if loud && n > 0 {
					fmt.Fprintf(os.Stderr, "[rpc] invalid header: %.30s\n", buf)
				}
				continue
			}
			id := framedID(body)
			answer := result(id, welcome)
			fmt.Printf("Content-Length: %d\r\n\r\n%s", len(answer), answer)
			buf = buf[:0]
		}
	}
}

const (
	noStdin      = "No request arrives there: a program in between does not pass its stdin on."
	oldNode      = `This version of Node.js is too old: it does not know "import"`
	nodeOldStack = "    at Module._compile (internal/modules/cjs/loader.js:723:23)\n    at startup (internal/bootstrap/node.js:283:19)"
)

// asReported are failures over stdio that users have reported.
var asReported = register([]broken{
	// A container without stdin.
	{
		name: "docker run without -i", target: started("docker", []string{"run", "--rm", "img"}, "Starting server with transport stdio", "0"),
		sentence: "The server process exited with code 0 after ⋯, before responding to ⋯: its last line on stderr is ⋯.",
		cause:    "docker run without -i gives the container no stdin", try: "Add -i: docker run -i.", absent: []string{"help text"},
	},
	{
		name: "podman exec without -i", target: started("podman", []string{"exec", "box", "server"}, "", "0"),
		sentence: "The server process exited with code 0 after ⋯, before responding to ⋯, without an error.",
		cause:    "podman exec without -i", try: "Add -i: podman exec -i.",
	},
	{
		name: "nerdctl run without -i stays", target: started("nerdctl", []string{"run", "img"}, "Starting server with transport stdio", "hang"), within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response⋯",
		cause:    "nerdctl run without -i", try: "Add -i: nerdctl run -i.", absent: []string{"downloading"},
	},
	{
		name: "docker without a daemon", target: started("docker", []string{"run", "img"}, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "125"),
		sentence: "The server process exited with code 125 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    "Docker is not running", try: "Start Docker", absent: []string{"without -i"},
	},
	{
		name: "a launcher whose server has spoken", target: started("npx", []string{"-y", "weather-mcp"}, "Weather MCP server v1.2.0 ready", "hang"), within: soon / 3,
		sentence: "Timed out after ⋯ waiting for the initialize response⋯",
		cause:    shown("The server may still be starting, or be blocked before it reads its stdin.", "starting"), try: "raise --connect-timeout", absent: []string{"downloading"},
	},

	// A server whose stdin is another one.
	{
		name: "a script that starts the server in the background", target: script(`"$0" & wait`, "Starting server with transport stdio", "hang"), within: soon / 3,
		sentence: shown("Timed out after ⋯ waiting for the initialize response: ⋯ has /dev/null as its stdin.", "Timed out after ⋯"),
		cause:    shown(noStdin, "may"), try: shown(`exec "$@" in a script`, ""),
	},
	{
		name: "a script that gives the server another pipe", target: script(`sleep 1000 | "$0"`, "", "hang"), within: soon / 3,
		sentence: shown("Timed out after ⋯ waiting for the initialize response: ⋯ has another pipe as its stdin.", "Timed out after ⋯"),
		cause:    shown(noStdin, "may"), try: shown("Pass it on", ""),
	},
	{
		name: "a script that starts the server in the background, which ends", target: script(`"$0" & wait $!`, "Starting server with transport stdio", "0"),
		sentence: "The server process exited with code 0 after ⋯, before responding to ⋯: its last line on stderr is ⋯.",
		cause:    "the program that starts it may not pass stdin on", try: `exec "$@" in a script`, absent: []string{"--url", "help text"},
	},

	// Calls that time out, with the cause at hand.
	{
		name: "a call and a code page, reading", child: callSays("Server error: 'charmap' codec can't decode byte 0x90 in position 97: character maps to <undefined>"), call: soon / 6,
		sentence: "Timed out after ⋯ waiting for the tools/call response: since the request it reports ⋯ on stderr.",
		cause:    `Python reads or writes text in the encoding "charmap"`, try: "-e PYTHONIOENCODING=utf-8", absent: []string{"--timeout"},
	},
	{
		name: "a call and a code page, writing", child: callSays("Traceback (most recent call last):", `UnicodeEncodeError: 'cp1252' codec can't encode character '\u0110' in position 3: character maps to <undefined>`), call: soon / 6,
		sentence: "Timed out after ⋯ waiting for the tools/call response: since the request it reports ⋯ on stderr.",
		cause:    `in the encoding "cp1252"`, try: "-e PYTHONIOENCODING=utf-8",
	},
	{
		name: "a call and an error on stderr", child: callSays("Error: no tea left"), call: soon / 6,
		sentence: `Timed out after ⋯ waiting for the tools/call response: since the request it reports "Error: no tea left" on stderr.`,
		cause:    "That error may be why", try: "a handler that fails must still respond", absent: []string{"--timeout"},
	},
	{
		name: "a call and nothing", child: callSays("working"), call: soon / 6,
		sentence: "Timed out after ⋯ waiting for the tools/call response.",
		cause:    "still working on it", try: "Raise --timeout",
	},
	{
		name: "answers a call at the end", child: atTheEnd, call: soon / 6,
		sentence: "Timed out after ⋯ waiting for the tools/call response.",
		cause:    "still working on it", try: "Raise --timeout",
	},
	{
		name: "a call that shares its stdin", child: sharing(true), call: soon / 6,
		sentence: shown(`Timed out after ⋯ waiting for the tools/call response: "cat" (pid ⋯) was started since the request and has the stdin of the server.`, "Timed out after ⋯"),
		cause:    shown("which may read from the stdin that both share", "still working"), try: shown("stdin=subprocess.DEVNULL", "Raise"),
	},
	{
		name: "a call that shares its stdin and is forgotten", child: sharing(false), call: soon / 6,
		sentence: shown(`Timed out after ⋯ waiting for the tools/call response: "cat" (pid ⋯) was started since the request and has the stdin of the server.`, "Timed out after ⋯"),
		cause:    shown("which may read from the stdin that both share", "still working"), try: shown("stdin=subprocess.DEVNULL", "Raise"),
	},

	// Another framing.
	{
		name: "Content-Length alone", child: framed(false), within: soon / 3,
		sentence: "The server frames its messages with Content-Length headers, as language servers do.",
		cause:    "MCP over stdio has one message per line and no headers.", try: "Change the framing to JSON on one line",
		evidence: []string{"tried initialize in the framing of language servers (Content-Length), in a second start"},
	},
	{
		name: "Content-Length alone, with a complaint", child: framed(true), within: soon / 3,
		sentence: "The server frames its messages with Content-Length headers, as language servers do.",
		cause:    "MCP over stdio has one message per line and no headers.", try: "Change the framing",
	},
	{
		name: "Content-Length, as a complaint before the end", child: dies(1, "Error: Missing Content-Length header"),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    "", try: "Fix the error shown on stderr",
	},

	// Interpreters that are too old, by the loader's own line.
	{
		name: "node without modules", child: dies(1, "/srv/index.js:1", `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";`, "       ^", "", "SyntaxError: Unexpected token {", nodeOldStack),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    oldNode, try: "Run the server with a newer Node.js", absent: []string{"Correct the line"},
	},
	{
		name: "node without modules, a string", child: dies(1, "/srv/index.js:1", `import "dotenv/config";`, "       ^^^^^^^^^^^^^^^", "", "SyntaxError: Unexpected string", nodeOldStack),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    oldNode, try: "Run the server with a newer Node.js",
	},
	{
		name: "node without modules, an identifier", child: dies(1, "/srv/index.js:3", "import fs from 'fs';", "       ^^", "", "SyntaxError: Unexpected identifier", "    at createScript (vm.js:80:10)", "    at Object.runInThisContext (vm.js:139:10)", "    at Module._compile (module.js:616:28)"),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    oldNode, try: "Run the server with a newer Node.js",
	},
	{
		name: "a mistake in a source line", child: dies(1, "file:///srv/index.mjs:3", "const a = = 1;", "          ^", "", "SyntaxError: Unexpected token '='", "    at ESMLoader.moduleStrategy (node:internal/modules/esm/translators:119:18)", "", "Node.js v20.11.0"),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    "", try: "Correct the line that stderr names", absent: []string{"too old"},
	},
	{
		name: "a mistake that looks old, with a new Node", child: dies(1, "file:///srv/index.mjs:3", "const a = b ?.;", "             ^", "", "SyntaxError: Unexpected token '?.'", "", "Node.js v22.11.0"),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    "", try: "Correct the line that stderr names", absent: []string{"too old"},
	},
	{
		name: "python without f-strings", child: dies(1, `  File "/srv/server.py", line 3`, `    print(f"tea {cups}")`, "                     ^", "SyntaxError: invalid syntax"),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    "This version of Python may be too old", try: "Run the server with a newer Python",
	},
	{
		name: "python without match", child: dies(1, `  File "/srv/server.py", line 9`, "    match name:", "          ^", "SyntaxError: invalid syntax"),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯: it reports ⋯.",
		cause:    "This version of Python may be too old", try: "Run the server with a newer Python",
	},

	// Arguments in the lines below the error.
	{
		name: "an argument in the next line", child: dies(2, "error: the following required arguments were not provided:", "  --allowed-dir <ALLOWED_DIR>", "", "Usage: vault --allowed-dir <ALLOWED_DIR>"),
		sentence: `The server process exited with code 2 after ⋯, before responding to ⋯: it reports "error: the following required arguments were not provided: --allowed-dir <ALLOWED_DIR>".`,
		cause:    `The server requires the argument "--allowed-dir <ALLOWED_DIR>"`, try: "Add it to the command.",
	},
	{
		name: "two arguments in the next lines", child: dies(2, "error: the following required arguments were not provided:", "  --db <DB>", "  <FILE>", "", "Usage: x"),
		sentence: `The server process exited with code 2 after ⋯, before responding to ⋯: it reports "error: the following required arguments were not provided: --db <DB>, <FILE>".`,
		cause:    `The server requires the argument "--db <DB>, <FILE>"`, try: "Add it to the command.",
	},
	{
		name: "variables in the next lines", child: dies(1, "Error: missing environment variables:", "  - TEA_URL", "  - TEA_TOKEN"),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "Error: missing environment variables: TEA_URL, TEA_TOKEN".`,
		cause:    "TEA_URL, TEA_TOKEN", try: "-e NAME=VALUE",
	},

	// Versions.
	{
		name: "a version refused by an error", child: refuses(-32602, "Unsupported protocol version", `{"code":"PROTOCOL_VERSION_INCOMPATIBLE","expected":"2025-06-18"}`),
		sentence: `The server refused initialize with error -32602: "Unsupported protocol version".`,
		cause:    noVersion, try: "--protocol 2025-06-18",
	},
	{
		name: "a version refused with another code", child: refuses(-32000, "Client protocol version 2025-11-25 is not supported. Supported: 2024-11-05", ""),
		sentence: "The server refused initialize with error -32000: ⋯.",
		cause:    noVersion, try: "--protocol 2024-11-05",
	},
})

// atTheEnd answers a call when its stdin has ended.
func atTheEnd() {
	last := ""
	answers(func(method, id string) string {
		switch method {
		case "initialize":
			return result(id, welcome) + "\n"
		case "tools/call":
			last = id
			return ""
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", id)
	})()
	fmt.Println(result(last, "{}"))
}

// What comes after mcptea has closed stdin says why a call has timed out, also where the system does not
// show the stdin of processes.
func TestExplain_ResponseAfterTheEndOfStdin(t *testing.T) {
	s, err := session.Open(session.Config{Target: self(t, "answers a call at the end"), Record: "off", Client: client.Config{Name: "test", Version: "0", ConnectTimeout: 20 * time.Second, Timeout: noReply}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	failed := afterwards(s)
	if timeout, ok := errors.AsType[*client.TimeoutError](failed); ok {
		timeout.Stdin = nil
	}
	facts, closed := failure.FactsOf(s), time.Now()
	if e := failure.Explain(failed, facts); !strings.Contains(e.Cause(), "still working on it") {
		t.Errorf("before the end: %s", e.Text())
	}
	s.Disconnect(t.Context())
	e := failure.Explain(failed, facts.AfterClose(s, closed))
	if !strings.HasSuffix(e.Sentence, "it arrived after mcptea had closed stdin.") || !strings.Contains(e.Cause(), "may share the stdin of the server") || strings.Contains(e.Try(), "--timeout") {
		t.Errorf("after the end: %s", e.Text())
	}
}

// framedBody is the body of the first message with a header; false if it is not complete.
func framedBody(buf []byte) (body []byte, ok bool) {
	text := string(buf)
	at := strings.Index(text, "Content-Length: ")
	end := strings.Index(text, "\r\n\r\n")
	if at < 0 || end < at {
		return nil, false
	}
	length := 0
	if _, err := fmt.Sscanf(text[at:], "Content-Length: %d", &length); err != nil || len(text) < end+4+length {
		return nil, false
	}
	return buf[end+4 : end+4+length], true
}

func framedID(body []byte) string {
	e := jsonrpc.Scan(body)
	return e.ID.Of(body).String()
}
