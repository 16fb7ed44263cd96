//go:build unix

package explain_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"mcptea/client"
)

// unstarted are servers that do not come up.
var unstarted = register([]broken{
	// Nothing runs.
	{
		name: "a command misspelt", target: onPath("node", "nod"),
		sentence: `The command "nod" was not found on the PATH, but "node" is there.`,
		cause:    "It is misspelt, or not installed.", try: "Write node if that was meant.",
		evidence: []string{"command nod server.js", "PATH /", "steps find command"},
	},
	{
		name: "no such command", target: runs("nosuchcommand-of-anybody"),
		sentence: `The command "nosuchcommand-of-anybody" was not found on the PATH.`,
		cause:    "It is not installed, or it is installed in a folder", try: "Check the spelling, or write the whole path.",
	},
	{
		name: "a whole line as one word", target: runs("npx -y server"),
		sentence: `The command "npx -y server" was not found on the PATH.`,
		cause:    "It is not installed, or it is installed in a folder", try: "Do not quote the whole command line: after --,",
		evidence: []string{"command 'npx -y server'"},
	},
	{
		name: "no such file", target: runs("./nosuchfile"),
		sentence: `There is no file "./nosuchfile".`,
		cause:    "A command with a slash in it is taken for a path, from", try: "Write the whole path, or build the server first.",
		evidence: []string{"command ./nosuchfile"},
	},
	{
		name: "not executable", target: aFile("#!/bin/sh\n", 0o644),
		sentence: `The file "⋯" cannot be executed.`,
		cause:    "It lacks the permission to be executed.", try: "For a script, name its interpreter first",
	},
	{
		name: "a directory", target: func(t *testing.T) client.Target { return client.Target{Argv: []string{t.TempDir()}, Env: os.Environ()} },
		sentence: `"⋯" is a directory, not a command.`,
		cause:    "What is run must be a program or a script.", try: "Name the program in it, or run it with --cwd.",
	},
	{
		name: "no interpreter", target: aFile("#!/usr/bin/nonexistent -x\nprint(1)\n", 0o755),
		sentence: `The script "⋯" wants to be run with "/usr/bin/nonexistent", which does not exist.`,
		cause:    "Its first line names an interpreter that is not", try: "Correct the line (#!/usr/bin/env python3), or",
		evidence: []string{"first line #!/usr/bin/nonexistent", "steps start process⋯failed"},
	},
	{
		name: "an interpreter with CR", target: aFile("#!/bin/sh\r\nexit 0\r\n", 0o755),
		sentence: `The script "⋯" wants to be run with "/bin/sh\r", which does not exist.`,
		cause:    "The script has Windows line ends, and the system takes", try: `Write its lines with \n alone (dos2unix).`,
	},
	{
		name: "not a program", target: aFile("\x00\x01 no machine runs this", 0o755),
		sentence: `The file "⋯" is not a program that this machine can run.`,
		cause:    "It is a script without a #! line, or it was built for", try: "Name its interpreter first (python server.py,",
	},
	{
		name: "no such cwd", target: func(t *testing.T) client.Target {
			target := self(t, "exits at once")
			target.Dir = "/nowhere/to/be/found"
			return target
		},
		sentence: `There is no directory "/nowhere/to/be/found", in which the server was to run.`,
		cause:    "It is misspelt or gone, or it is a file; a relative one", try: "Correct --cwd, or leave it out.",
		evidence: []string{"cwd /nowhere/to/be/found"},
	},

	// It starts and says why it does not go on.
	{
		name: "npx asks", child: says("Need to install the following packages:\nmcp-server@1.0.0\nOk to proceed? (y) "), within: soon,
		sentence: "The server never answered initialize: npx asks whether it may install the package, and nobody can answer.",
		cause:    "npx asks before it installs what it does not have yet;", try: "Put -y behind npx, or install the package first.",
		evidence: []string{"stdout Ok to proceed? (y)"},
	},
	{
		name: "npx 404", child: dies(1, "npm error code E404", "npm error 404 Not Found - GET https://registry.invalid/mcp-sever - Not found", "npm error 404", "npm error 404  'mcp-sever@*' is not in this registry.", "npm error 404", "npm error 404 Note that you can also install from a", "npm error 404 tarball, folder, http url, or git folder.", "npm error A complete log of this run can be found in: /root/.npm/_logs/x.log"),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: npm knows no package "mcp-sever".`,
		cause:    "The package does not exist, or is not public.", try: "Check how the package is spelt; a package of a",
		evidence: []string{"stderr npm error 404  'mcp-sever@*' is not in this registry"},
	},
	{
		name: "node lacks a module", child: dies(1, "node:internal/modules/cjs/loader:1228", "  throw err;", "  ^", "", "Error: Cannot find module '/srv/dist/index.js'", nodeStack+"  code: 'MODULE_NOT_FOUND',", "  requireStack: []", "}", "", "Node.js v20.11.0"),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: Node.js does not find the file "/srv/dist/index.js".`,
		cause:    "The server has not been built, or the path is not the", try: "Build the server first, or correct the path; a",
		evidence: []string{"stderr Error: Cannot find module '/srv/dist/index.js'", "stderr …", "stderr Node.js v20.11.0", "process pid ⋯, exited with code 1 after"},
	},
	{
		name: "node lacks a package", child: dies(1, "node:internal/modules/esm/resolve:275", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@modelcontextprotocol/sdk' imported from /srv/index.js", nodeStack),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: Node.js does not find the package "@modelcontextprotocol/sdk".`,
		cause:    "What the server depends on is not installed.", try: "Run npm install in the server's directory.",
		evidence: []string{"stderr Error [ERR_MODULE_NOT_FOUND]: Cannot find package"},
	},
	{
		name: "node runs TypeScript", child: dies(1, `TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for /srv/src/index.ts`, nodeStack),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: Node.js does not run files that end in ".ts".`,
		cause:    "The server is TypeScript, or needs a loader, and has", try: "Build it and run the JavaScript that comes of",
	},
	{
		name: "node too old", child: dies(1, "npm warn EBADENGINE Unsupported engine {", "npm warn EBADENGINE   required: { node: '>=20' },", "npm warn EBADENGINE   current: { node: 'v16.1.0' }", "ReferenceError: ReadableStream is not defined"),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: this Node.js is too old for the server: it has no "ReadableStream".`,
		cause:    "The Node.js that runs it is older than the server wants.", try: "Run the server with a newer Node.js: write its",
		evidence: []string{"stderr ReferenceError: ReadableStream is not defined"},
	},
	{
		name: "python too old", child: dies(1, "ERROR: Package 'mcp-server' requires a different Python: 3.8.10 not in '>=3.10'"),
		sentence: "The server process exited with code 1 after ⋯, before it answered ⋯: the server does not run with Python 3.8.10.",
		cause:    "The package names the versions of Python that it runs", try: "Run the server with a newer Python: write its",
		evidence: []string{"stderr ERROR: Package"},
	},
	{
		name: "python lacks a module", child: dies(1, "Traceback (most recent call last):", `  File "/srv/server.py", line 1, in <module>`, "    from mcp.server import FastMCP", "ModuleNotFoundError: No module named 'mcp'"),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: Python does not find the module "mcp".`,
		cause:    "It is not installed for the Python that runs the", try: "Install it for that Python (python -m pip",
		evidence: []string{"stderr ModuleNotFoundError: No module named 'mcp'"},
	},
	{
		name: "no right to a file", child: dies(1, "PermissionError: [Errno 13] Permission denied: '/var/lib/tea.db'"),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: it may not use "/var/lib/tea.db".`,
		cause:    "The user that mcptea runs as has no right to it.", try: "Look at its owner and permissions, or have the",
		evidence: []string{"stderr PermissionError: [Errno 13]"},
	},
	{
		name: "port in use", child: dies(1, "Error: listen EADDRINUSE: address already in use :::3000", nodeStack),
		sentence: "The server process exited with code 1 after ⋯, before it answered ⋯: the port 3000 is in use.",
		cause:    "Another process listens there, perhaps an earlier run", try: "End the other one, or give this one another",
		evidence: []string{"stderr Error: listen EADDRINUSE"},
	},
	{
		name: "no key", child: dies(1, "Error: BRAVE_API_KEY environment variable is required"),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: it misses the variable "BRAVE_API_KEY".`,
		cause:    "The server takes a setting from its environment.", try: "Give it: -e BRAVE_API_KEY=VALUE, or --env-file.",
		evidence: []string{"stderr Error: BRAVE_API_KEY"},
	},
	{
		name: "a launcher finds nothing", child: dies(127, "sh: 1: mcp-server: not found"),
		sentence: `The server process exited with code 127 after ⋯, before it answered ⋯: a shell did not find the command "mcp-server".`,
		cause:    "It is not installed, or not on the PATH that the server", try: "Install mcp-server, or write its whole path.",
		evidence: []string{"stderr sh: 1: mcp-server: not found", "process pid ⋯, exited with code 127"},
	},
	{
		name: "uv finds nothing", child: dies(2, "error: Failed to spawn: `mysql_mcp_server`", "  Caused by: No such file or directory (os error 2)"),
		sentence: `The server process exited with code 2 after ⋯, before it answered ⋯: uv finds no command "mysql_mcp_server".`,
		cause:    "The package is not installed in this project, or its", try: "Run it by its package (uvx PACKAGE), or add it",
	},
	{
		name: "docker is down", child: dies(125, "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?."),
		sentence: "The server process exited with code 125 after ⋯, before it answered ⋯: Docker does not run.",
		cause:    "The command docker is there, and its daemon does not", try: "Start Docker (Docker Desktop, or systemctl",
	},
	{
		name: "a missing file", child: dies(2, "python: can't open file '/srv/sever.py': [Errno 2] No such file or directory"),
		sentence: `The server process exited with code 2 after ⋯, before it answered ⋯: there is no file "/srv/sever.py".`,
		cause:    "The path is not the one of the server's script.", try: "Correct the path; a relative one counts from",
	},
	{
		name: "a missing library", child: dies(127, "./server: error while loading shared libraries: libssl.so.1.1: cannot open shared object file: No such file or directory"),
		sentence: `The server process exited with code 127 after ⋯, before it answered ⋯: the library "libssl.so.1.1" is missing.`,
		cause:    "The server was built for a system that has it.", try: "Install the library, or build the server on",
	},
	{
		name: "a help text", child: func() {
			fmt.Println("Usage: server [options] <command>\n\nCommands:\n  stdio   speak over stdio")
			os.Exit(2)
		},
		sentence: "The server process exited with code 2 after ⋯, before it answered ⋯: it printed a help text.",
		cause:    "The server was not told what to do, or not in a way", try: "Look in its help for the argument that has it",
		evidence: []string{"stdout Usage: server"},
	},
	{
		name: "the heap is full", target: runs("/bin/sh", "-c", "echo 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory' >&2; kill -ABRT $$"),
		sentence: "The server process was ended by SIGABRT after ⋯, before it answered ⋯: the memory that Node.js may use was not enough.",
		cause:    "The server keeps too much, or in a circle.", try: "Give it more (-e",
		evidence: []string{"stderr FATAL ERROR", "process pid ⋯, ended by SIGABRT"},
	},
	{
		name: "an unknown reason", child: dies(1, "Error: the kettle is missing"),
		sentence: `The server process exited with code 1 after ⋯, before it answered ⋯: it says "Error: the kettle is missing".`,
		cause:    "The server gave up; its last lines on stderr say why.", try: "Mend what they name: a missing variable (-e",
	},
	{
		name: "exits at once", child: dies(0),
		sentence: "The server process exited with code 0 after ⋯, before it answered ⋯, without an error.",
		cause:    "It ran to its end like a program that has done its", try: "Check whether it wants an argument to speak",
		evidence: []string{"stderr (nothing)", "process pid ⋯, exited with code 0"},
	},
	{
		name: "exits with an error and no word", child: dies(1),
		sentence: "The server process exited with code 1 after ⋯, before it answered ⋯, and did not say why.",
		cause:    "The server could not start, and did not say why.", try: "Run the command by itself in this directory; it",
	},
	{
		name: "segmentation fault", target: runs("/bin/sh", "-c", "kill -SEGV $$"),
		sentence: "The server process was ended by SIGSEGV after ⋯, before it answered ⋯.",
		cause:    "The server crashed in native code: its own, that of a", try: "Run it by itself with the same input; update or",
		evidence: []string{"process pid ⋯, ended by SIGSEGV"},
	},
	{
		name: "a crash in Go", child: kills(syscall.SIGSEGV),
		sentence: "The server process exited with code 2 after ⋯, before it answered ⋯: it crashed at an address that it may not use (segmentation fault).",
		cause:    "The server crashed in native code: its own, that of a", try: "Run it by itself with the same input; update or",
	},
	{
		name: "killed", child: kills(syscall.SIGKILL),
		sentence: "The server process was ended by SIGKILL after ⋯, before it answered ⋯: the system may have run out of memory.",
		cause:    "The system's memory killer ends processes like this,", try: "Look into the system's log (dmesg, journalctl",
		evidence: []string{"process pid ⋯, ended by SIGKILL"},
	},
})
