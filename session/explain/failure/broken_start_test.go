//go:build unix

package failure_test

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"mcptea/client"
)

// unstarted are servers that do not come up.
var unstarted = register([]broken{
	// Nothing runs.
	{
		name: "a command misspelt", target: onPath("node", "nod"),
		sentence: `Cannot start "nod": executable file not found in $PATH. Did you mean "node"?`,
		cause:    "It is misspelled, or not installed.", try: "Use node, or check the spelling.",
		evidence: []string{"command nod server.js", "PATH /", "steps find command"},
	},
	{
		name: "no such command", target: runs("no-such-command"),
		sentence: `Cannot start "no-such-command": executable file not found in $PATH.`,
		cause:    "It is not installed, or its directory is not in the PATH", try: "Check the spelling, or use an absolute path.",
	},
	{
		name: "a whole line as one word", target: runs("npx -y server"),
		sentence: `Cannot start "npx -y server": executable file not found in $PATH.`,
		cause:    "It is not installed, or its directory is not in the PATH", try: "Do not quote the whole command line: after --, each",
		evidence: []string{"command 'npx -y server'"},
	},
	{
		name: "a path of Windows", target: runs("C:/Program Files/nodejs/npx.cmd"),
		sentence: `Cannot start "C:/Program Files/nodejs/npx.cmd": no such file or directory.`,
		cause:    "The command is a Windows path, but this machine does not run Windows.", try: "Write the program of this machine",
	},
	{
		name: "no such file", target: runs("./nosuchfile"),
		sentence: `Cannot start "./nosuchfile": no such file or directory.`,
		cause:    "A command with a slash is a path, relative to the working", try: "Use an absolute path, or build the server first.",
		evidence: []string{"command ./nosuchfile"},
	},
	{
		name: "not executable", target: aFile("#!/bin/sh\n", 0o644),
		sentence: `Cannot start "⋯": permission denied.`,
		cause:    "The file is not executable for this user, or a directory above it cannot be entered.", try: "For a script, name its interpreter first",
	},
	{
		name: "a directory", target: func(t *testing.T) client.Target { return client.Target{Argv: []string{t.TempDir()}, Env: os.Environ()} },
		sentence: `Cannot start "⋯": is a directory.`,
		cause:    "The command must be a program or a script.", try: "Use the path of the program in it, or set --cwd to it.",
	},
	{
		name: "no interpreter", target: aFile("#!/usr/bin/nonexistent -x\nprint(1)\n", 0o755),
		sentence: `Cannot start the script "⋯": its interpreter "/usr/bin/nonexistent" does not exist.`,
		cause:    "The interpreter in its first line is not installed,", try: "Correct the line (#!/usr/bin/env python3), or put",
		evidence: []string{"first line #!/usr/bin/nonexistent", "steps start process⋯failed"},
	},
	{
		name: "an interpreter with CR", target: aFile("#!/bin/sh\r\nexit 0\r\n", 0o755),
		sentence: `Cannot start the script "⋯": its interpreter "/bin/sh\r" does not exist.`,
		cause:    "The script has Windows line endings: the \\r is read as", try: `Convert its line endings to \n (dos2unix).`,
	},
	{
		name: "not a program", target: aFile("\x00\x01 no machine runs this", 0o755),
		sentence: `Cannot start "⋯": exec format error.`,
		cause:    "It is a script without a #! line, or a binary for another", try: "Name its interpreter first (python server.py,",
	},
	{
		name: "no such cwd", target: func(t *testing.T) client.Target {
			target := self(t, "exits at once")
			target.Dir = "/nowhere/to/be/found"
			return target
		},
		sentence: `Cannot start the server in "/nowhere/to/be/found": no such directory.`,
		cause:    "It does not exist or is not a directory; a relative path is", try: "Correct or omit --cwd.",
		evidence: []string{"cwd /nowhere/to/be/found"},
	},

	// It starts and says why it does not go on.
	{
		name: "npx asks", child: says("Need to install the following packages:\nmcp-server@1.0.0\nOk to proceed? (y) "), within: soon,
		sentence: `The server did not respond to initialize: it wrote "Ok to proceed? (y)" to stdout.`,
		cause:    "npx asks whether to install the package, and its stdin is not a terminal; the prompt was written to stdout, which is reserved for messages.", try: "Use npx -y, or install the package first.",
		evidence: []string{"stdout Ok to proceed? (y)"},
	},
	{
		name: "npx 404", child: dies(1, "npm error code E404", "npm error 404 Not Found - GET https://registry.invalid/mcp-sever - Not found", "npm error 404", "npm error 404  'mcp-sever@*' is not in this registry.", "npm error 404", "npm error 404 Note that you can also install from a", "npm error 404 tarball, folder, http url, or git folder.", "npm error A complete log of this run can be found in: /root/.npm/_logs/x.log"),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "npm error 404  'mcp-sever@*' is not in this registry.".`,
		cause:    `npm cannot find the package "mcp-sever": it does not exist, or is not public.`, try: "Check the spelling of the package; a private",
		evidence: []string{"stderr npm error 404  'mcp-sever@*' is not in this registry"},
	},
	{
		name: "node lacks a module", child: dies(1, "node:internal/modules/cjs/loader:1228", "  throw err;", "  ^", "", "Error: Cannot find module '/srv/dist/index.js'", nodeStack+"  code: 'MODULE_NOT_FOUND',", "  requireStack: []", "}", "", "Node.js v20.11.0"),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "Error: Cannot find module '/srv/dist/index.js'".`,
		cause:    "The server has not been built, or the path is wrong.", try: "Build the server first, or correct the path; a",
		evidence: []string{"stderr Error: Cannot find module '/srv/dist/index.js'", "stderr Node.js v20.11.0", "process pid ⋯, exited with code 1 after"},
	},
	{
		name: "node lacks a package", child: dies(1, "node:internal/modules/esm/resolve:275", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@modelcontextprotocol/sdk' imported from /srv/index.js", nodeStack),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@modelcontextprotocol/sdk' imported from /srv/index.js".`,
		cause:    "A dependency of the server is not installed.", try: "Run npm install in the server's directory.",
		evidence: []string{"stderr Error [ERR_MODULE_NOT_FOUND]: Cannot find package"},
	},
	{
		name: "node too old", child: dies(1, "npm warn EBADENGINE Unsupported engine {", "npm warn EBADENGINE   required: { node: '>=20' },", "npm warn EBADENGINE   current: { node: 'v16.1.0' }", "ReferenceError: ReadableStream is not defined"),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "ReferenceError: ReadableStream is not defined".`,
		cause:    `This version of Node.js is too old: it does not define "ReadableStream".`, try: "Run the server with a newer Node.js: use its",
		evidence: []string{"stderr ReferenceError: ReadableStream is not defined"},
	},
	{
		name: "python lacks a module", child: dies(1, "Traceback (most recent call last):", `  File "/srv/server.py", line 1, in <module>`, "    from mcp.server import FastMCP", "ModuleNotFoundError: No module named 'mcp'"),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "ModuleNotFoundError: No module named 'mcp'".`,
		cause:    `Python cannot find the module "mcp": it is not installed for this Python. The server runs with another one, or outside its virtual environment.`, try: "Install it for that Python (python -m pip",
		evidence: []string{"stderr ModuleNotFoundError: No module named 'mcp'"},
	},
	{
		name: "uv finds nothing", child: dies(2, "error: Failed to spawn: `mysql_mcp_server`", "  Caused by: No such file or directory (os error 2)"),
		sentence: "The server process exited with code 2 after ⋯, before responding to ⋯: it reports \"error: Failed to spawn: `mysql_mcp_server`\".",
		cause:    "The package is not installed in this project, or its", try: "Run it by its package (uvx PACKAGE), or add it",
	},
	{
		name: "a help text", child: func() {
			fmt.Println("Usage: server [options] <command>\n\nCommands:\n  stdio   speak over stdio")
			os.Exit(2)
		},
		sentence: "The server process exited with code 2 after ⋯, before responding to ⋯: it printed a help text.",
		cause:    "An argument may be missing or wrong: the server printed a help text.", try: "Look in its help for its arguments, and for the one that selects stdio.",
		evidence: []string{"stdout Usage: server"},
	},
	{
		// Frameworks for commands print the help text after any error.
		name: "an error before a help text", child: dies(1, slices.Concat([]string{"Error: unable to find the kettle", "Usage:", "  server [flags]", "", "Flags:"}, slices.Repeat([]string{"      --port int   the port"}, 9))...),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "Error: unable to find the kettle".`,
		cause:    `does not find "kettle", which it needs`, try: "Install or create it", evidence: []string{"stderr Error: unable to find the kettle"}, absent: []string{"An argument may be missing"},
	},
	{
		name: "the JSON of a logger", child: dies(1, `{"level":"info","message":"starting"}`, `{"level":"fatal","message":"no tea","error":"lookup tea.example.com: no such host","stacktrace":"main.go:71"}`),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "no tea: lookup tea.example.com: no such host".`,
		cause:    `cannot resolve the host "tea.example.com"`, try: "Check the name, the network",
	},
	{
		name: "the heap is full", target: runs("/bin/sh", "-c", "echo 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory' >&2; kill -ABRT $$"),
		sentence: `The server process was terminated by SIGABRT after ⋯, before responding to ⋯: it reports "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory".`,
		cause:    "Node.js ran out of heap memory: the server uses more than the heap limit, or leaks memory.", try: "Give it more (-e",
		evidence: []string{"stderr FATAL ERROR", "process pid ⋯, terminated by SIGABRT"},
	},
	{
		name: "an unknown reason", child: dies(1, "Error: the kettle is missing"),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "Error: the kettle is missing".`,
		try:      "Fix the error shown on stderr. If it does not say enough, run the command",
	},
	{
		name: "a syntax error", child: dies(1, "file:///srv/server.mjs:10", "const x = ;", "          ^", "", "SyntaxError: Unexpected token ';'", nodeStack),
		sentence: `The server process exited with code 1 after ⋯, before responding to ⋯: it reports "SyntaxError: Unexpected token ';'".`,
		try:      "Correct the line that stderr names.",
	},
	{
		name: "exits at once", child: dies(0),
		sentence: "The server process exited with code 0 after ⋯, before responding to ⋯, without an error.",
		cause:    "It may have finished normally: it printed a help text, started a background process, or does not support the stdio transport.", try: "Check whether it needs an argument for stdio,",
		evidence: []string{"stderr (nothing)", "process pid ⋯, exited with code 0"},
	},
	{
		name: "exits with an error and no word", child: dies(1),
		sentence: "The server process exited with code 1 after ⋯, before responding to ⋯, without an error message.",
		cause:    "", try: "Run the command in this directory without mcptea; it",
	},
	{
		name: "segmentation fault", target: runs("/bin/sh", "-c", "kill -SEGV $$"),
		sentence: "The server process was terminated by SIGSEGV after ⋯, before responding to ⋯.",
		cause:    "The signal reports a crash in native code", try: "Run it outside mcptea with the same input; update or",
		evidence: []string{"process pid ⋯, terminated by SIGSEGV"},
	},
	{
		name: "a crash in Go", child: kills(syscall.SIGSEGV),
		sentence: `The server process exited with code 2 after ⋯, before responding to ⋯: it reports "SIGSEGV: segmentation violation".`,
		cause:    "The server crashed in native code (segmentation fault): its own, that of a library, or that of its runtime.", try: "Run it outside mcptea with the same input; update or",
	},
	{
		name: "killed", child: kills(syscall.SIGKILL),
		sentence: "The server process was terminated by SIGKILL after ⋯, before responding to ⋯.",
		cause:    "The out-of-memory killer or a container limit may have terminated it; kill -9 does the same.", try: "Search the system log (dmesg, journalctl -k) for",
		evidence: []string{"process pid ⋯, terminated by SIGKILL"},
	},
})
