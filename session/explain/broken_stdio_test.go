//go:build unix

package explain_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Targets that are no child of this binary.

// runs is a command by its name.
func runs(argv ...string) func(*testing.T) client.Target {
	return func(*testing.T) client.Target { return client.Target{Argv: argv, Env: os.Environ()} }
}

// aFile runs a file of its own, made with these bytes and permissions.
func aFile(text string, mode os.FileMode) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		path := filepath.Join(t.TempDir(), "server")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return client.Target{Argv: []string{path}, Env: os.Environ()}
	}
}

// onPath looks for a command in a folder in which another one lies.
func onPath(there, wanted string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, there), nil, 0o755); err != nil { //nolint:gosec // it is to be a program
			t.Fatal(err)
		}
		return client.Target{Argv: []string{wanted, "server.js"}, Env: []string{"PATH=" + folder}}
	}
}

// named runs this binary under another name, as a launcher of servers.
func named(name, child string, args ...string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		target := self(t, child)
		link := filepath.Join(t.TempDir(), name)
		if err := os.Symlink(target.Argv[0], link); err != nil {
			t.Fatal(err)
		}
		target.Argv = append([]string{link}, args...)
		return target
	}
}

// What children do.

// dies writes lines to stderr and exits.
func dies(code int, lines ...string) func() {
	return func() {
		for _, l := range lines {
			fmt.Fprintln(os.Stderr, l)
		}
		os.Exit(code)
	}
}

// says writes to stdout and reads on without an answer.
func says(text string) func() {
	return func() {
		_, _ = os.Stdout.WriteString(text)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// answers writes what a function makes of the id of each request.
func answers(answer func(method, id string) string) func() {
	return func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			e := jsonrpc.Scan(in.Bytes())
			if e.Kind == jsonrpc.Request {
				_, _ = os.Stdout.WriteString(answer(e.MethodName(in.Bytes()), string(e.ID.Of(in.Bytes()))))
			}
		}
	}
}

const welcome = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"child","version":"1"}}`

func result(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + "}"
}

// refuses answers initialize with an error, and knows no discovery.
func refuses(code int, message, data string) func() {
	return answers(func(method, id string) string {
		if method != "initialize" {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
		}
		if data != "" {
			data = `,"data":` + data
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q%s}}`+"\n", id, code, message, data)
	})
}

// always gives one result to whatever is asked.
func always(text string) func() {
	return answers(func(_, id string) string { return result(id, text) + "\n" })
}

func kills(s syscall.Signal) func() {
	return func() { _ = syscall.Kill(os.Getpid(), s); select {} }
}

func toUTF16(text string) string {
	bytes := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		bytes = append(bytes, byte(u), byte(u>>8))
	}
	return string(bytes)
}

// onlyThen does the handshake, and something else when it is over.
func onlyThen(crash func()) func() {
	return func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			e := jsonrpc.Scan(in.Bytes())
			id := string(e.ID.Of(in.Bytes()))
			switch e.MethodName(in.Bytes()) {
			case "server/discover":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
			case "initialize":
				fmt.Println(result(id, welcome))
			case "notifications/initialized":
				crash()
			}
		}
	}
}

// nodeStack is what Node.js writes under an error.
var nodeStack = strings.Repeat("    at Module._load (node:internal/modules/cjs/loader:1104:12)\n", 12)

// soon is for servers that say something and are then waited for in vain.
const soon = 1500 * time.Millisecond

var onStdio = register([]broken{
	// Nothing runs.
	{name: "a command misspelt", target: onPath("node", "nod")},
	{name: "no such command", target: runs("nosuchcommand-of-anybody")},
	{name: "a whole line as one word", target: runs("npx -y server")},
	{name: "no such file", target: runs("./nosuchfile")},
	{name: "not executable", target: aFile("#!/bin/sh\n", 0o644)},
	{name: "a directory", target: func(t *testing.T) client.Target { return client.Target{Argv: []string{t.TempDir()}, Env: os.Environ()} }},
	{name: "no interpreter", target: aFile("#!/usr/bin/nonexistent -x\nprint(1)\n", 0o755)},
	{name: "an interpreter with CR", target: aFile("#!/bin/sh\r\nexit 0\r\n", 0o755)},
	{name: "not a program", target: aFile("\x00\x01 no machine runs this", 0o755)},
	{name: "no such cwd", target: func(t *testing.T) client.Target {
		target := self(t, "exits at once")
		target.Dir = "/nowhere/to/be/found"
		return target
	}},

	// It starts and says why it does not go on.
	{name: "npx asks", child: says("Need to install the following packages:\nmcp-server@1.0.0\nOk to proceed? (y) "), within: soon},
	{name: "npx 404", child: dies(1, "npm error code E404", "npm error 404 Not Found - GET https://registry.invalid/mcp-sever - Not found", "npm error 404", "npm error 404  'mcp-sever@*' is not in this registry.", "npm error 404", "npm error 404 Note that you can also install from a", "npm error 404 tarball, folder, http url, or git folder.", "npm error A complete log of this run can be found in: /root/.npm/_logs/x.log")},
	{name: "node lacks a module", child: dies(1, "node:internal/modules/cjs/loader:1228", "  throw err;", "  ^", "", "Error: Cannot find module '/srv/dist/index.js'", nodeStack+"  code: 'MODULE_NOT_FOUND',", "  requireStack: []", "}", "", "Node.js v20.11.0")},
	{name: "node lacks a package", child: dies(1, "node:internal/modules/esm/resolve:275", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@modelcontextprotocol/sdk' imported from /srv/index.js", nodeStack)},
	{name: "node runs TypeScript", child: dies(1, `TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for /srv/src/index.ts`, nodeStack)},
	{name: "node too old", child: dies(1, "npm warn EBADENGINE Unsupported engine {", "npm warn EBADENGINE   required: { node: '>=20' },", "npm warn EBADENGINE   current: { node: 'v16.1.0' }", "ReferenceError: ReadableStream is not defined")},
	{name: "python too old", child: dies(1, "ERROR: Package 'mcp-server' requires a different Python: 3.8.10 not in '>=3.10'")},
	{name: "python lacks a module", child: dies(1, "Traceback (most recent call last):", `  File "/srv/server.py", line 1, in <module>`, "    from mcp.server import FastMCP", "ModuleNotFoundError: No module named 'mcp'")},
	{name: "no right to a file", child: dies(1, "PermissionError: [Errno 13] Permission denied: '/var/lib/tea.db'")},
	{name: "port in use", child: dies(1, "Error: listen EADDRINUSE: address already in use :::3000", nodeStack)},
	{name: "no key", child: dies(1, "Error: BRAVE_API_KEY environment variable is required")},
	{name: "a launcher finds nothing", child: dies(127, "sh: 1: mcp-server: not found")},
	{name: "uv finds nothing", child: dies(2, "error: Failed to spawn: `mysql_mcp_server`", "  Caused by: No such file or directory (os error 2)")},
	{name: "docker is down", child: dies(125, "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?.")},
	{name: "a missing file", child: dies(2, "python: can't open file '/srv/sever.py': [Errno 2] No such file or directory")},
	{name: "a missing library", child: dies(127, "./server: error while loading shared libraries: libssl.so.1.1: cannot open shared object file: No such file or directory")},
	{name: "a help text", child: func() {
		fmt.Println("Usage: server [options] <command>\n\nCommands:\n  stdio   speak over stdio")
		os.Exit(2)
	}},
	{name: "the heap is full", target: runs("/bin/sh", "-c", "echo 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory' >&2; kill -ABRT $$")},
	{name: "an unknown reason", child: dies(1, "Error: the kettle is missing")},
	{name: "exits at once", child: dies(0)},
	{name: "exits with an error and no word", child: dies(1)},
	{name: "segmentation fault", target: runs("/bin/sh", "-c", "kill -SEGV $$")},
	{name: "a crash in Go", child: kills(syscall.SIGSEGV)},
	{name: "killed", child: kills(syscall.SIGKILL)},

	// It runs and cannot be understood.
	{name: "it serves HTTP", child: says("Server listening on http://localhost:3000/mcp\n"), within: soon},
	{name: "logs around the answer", child: answers(func(_, id string) string {
		return "[info] got a request\n[info] " + result(id, welcome) + " sent\n"
	})},
	{name: "only logs", child: says("2026-01-01 INFO starting\n2026-01-01 INFO ready\n"), within: soon},
	{name: "an ANSI banner", child: says("\x1b[2J\x1b[1;32m*** TEA SERVER ***\x1b[0m\x1b]0;owned\a\n"), within: soon},
	{name: "Content-Length", child: answers(func(_, id string) string {
		text := result(id, welcome)
		return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)
	}), within: soon},
	{name: "pretty JSON", child: answers(func(_, id string) string {
		return "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": " + id + ",\n  \"result\": " + welcome + "\n}\n"
	}), within: soon},
	{name: "UTF-16", child: answers(func(_, id string) string { return toUTF16(result(id, welcome) + "\n") }), within: soon},
	{name: "a byte order mark and a shell prompt", child: says("\ufeff$ "), within: soon},
	{name: "wrong id", child: answers(func(string, string) string { return result("7777", welcome) + "\n" })},
	{name: "string id", child: answers(func(method, id string) string {
		if method == "initialize" {
			id = `"` + id + `"`
		}
		return result(id, welcome) + "\n"
	})},
	{name: "null id", child: answers(func(string, string) string {
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}` + "\n"
	})},
	{name: "answers on stderr", child: func() {
		os.Stdout = os.Stderr
		always(welcome)()
	}, within: soon},
	{name: "cut answer", child: answers(func(_, id string) string {
		text := result(id, welcome)
		_, _ = os.Stdout.WriteString(text[:60])
		os.Exit(0)
		return ""
	})},

	// It runs and says nothing.
	{name: "closes stdout", child: func() { _ = os.Stdout.Close(); _, _ = io.Copy(io.Discard, os.Stdin) }},
	{name: "closes stdin", child: func() { _ = os.Stdin.Close(); time.Sleep(time.Minute) }, within: soon},
	{name: "silent", child: says(""), within: soon / 3},
	{name: "reads nothing", child: func() { select {} }, within: soon / 3},
	{name: "a launcher that loads", target: named("npx", "silent", "-y", "server"), within: soon / 3},
	{name: "answers at the end of stdin", child: func() {
		text, _ := io.ReadAll(os.Stdin)
		for _, line := range strings.Split(string(text), "\n") {
			if e := jsonrpc.Scan([]byte(line)); e.Kind == jsonrpc.Request {
				fmt.Println(result(string(e.ID.Of([]byte(line))), welcome))
			}
		}
	}, within: soon / 3},

	// It answers, and with no.
	{name: "no initialize", child: refuses(-32601, "Method not found", "")},
	{name: "invalid params", child: refuses(-32602, "Invalid params: clientInfo", `{"path":["params","clientInfo"]}`)},
	{name: "internal error", child: refuses(-32603, "no database", `{"path":"/var/lib/tea.db"}`)},
	{name: "an error of its own", child: refuses(-32000, "license expired", "")},
	{name: "parse error", child: refuses(-32700, "Parse error", "")},
	{name: "unknown revision", child: refuses(-32602, "Unsupported protocol version", `{"supported":["1999-01-01"],"requested":"2025-11-25"}`)},
	{name: "a revision of nobody", child: always(strings.ReplaceAll(welcome, "2025-11-25", "v1"))},
	{name: "no protocolVersion", child: always(`{"capabilities":{}}`)},
	{name: "a result that is no object", child: always(`"ok"`)},
	{name: "dies after the handshake", child: onlyThen(func() { dies(3, "panic: no kettle")() })},
	{name: "dies at server/discover and initialize", target: named("server", "exits with an error and no word")},
})
