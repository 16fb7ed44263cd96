package failure

import (
	"strings"
	"testing"

	"mcptea/session/stderr"
)

// TestWordsOfServers looks for the reason in lines as servers and their
// launchers write them.
func TestWordsOfServers(t *testing.T) {
	for line, want := range map[string]string{
		"npm error 404  '@acme/mcp-sever@*' is not in this registry.":                                                              `npm: package "@acme/mcp-sever" not found`,
		"npm error 404  The requested resource '@acme/mcp-sever@*' could not be found or you do not have permission to access it.": `npm: package "@acme/mcp-sever" not found`,
		"npm ERR! 404 Not Found - GET https://registry.invalid/mcp-sever - Not found":                                              `npm: "https://registry.invalid/mcp-sever" not found`,
		"npm error notarget No matching version found for mcp-server@9.9.9.":                                                       `npm: version "mcp-server@9.9.9" not found`,
		"npm error could not determine executable to run":                                                                          "npx cannot determine the command of the package",
		"  ╰─▶ Because mcp-logseq was not found in the package registry and you require":                                           `uv: package "mcp-logseq" not found`,
		"  ╰─▶ Because there is no version of mcp-server-port==0.1.8 and you require":                                              `uv: version "mcp-server-port==0.1.8" not found`,
		"  × No solution found when resolving tool dependencies:":                                                                  "uv cannot resolve the dependencies",
		"env: ‘node’: No such file or directory":                                                                                   `env: interpreter "node" not found`,
		"/usr/bin/env: 'python3\\r': No such file or directory":                                                                    `env: interpreter "python3`,
		"/bin/sh: line 1: mcp-server: command not found":                                                                           `a shell did not find the command "mcp-server"`,
		"zsh: command not found: npx":                                                                                              `a shell did not find the command "npx"`,
		"'npx' is not recognized as an internal or external command,":                                                              `cmd did not find the command "npx"`,
		"Error: spawn uvx ENOENT":                                                                                                  `did not find the command "uvx"`,
		"docker: Error response from daemon: pull access denied for mcp/tea, repository does not exist or may require":             `Docker: image "mcp/tea" not found`,
		"permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock":                     "no permission for the Docker socket",
		`Error: Cannot find module 'C:\Users\ada\npm-cache\_npx\b70\node_modules\sdk\index.js' imported from C:\x`:                 "which npx should have installed",
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /root/.npm/_npx/1/node_modules/x/index.js":          `cannot find "zod", which npx`,
		"SyntaxError: Cannot use import statement outside a module":                                                                "loads it as CommonJS",
		"SyntaxError: Unexpected token '??='":                                                                                      "this version of Node.js is too old",
		"Error: this server requires Node.js >= 20":                                                                                "the server requires Node.js >= 20",
		"npm warn EBADENGINE   required: { node: '>=22' },":                                                                        "another version of Node.js",
		"RuntimeError: Python 3.10 or higher is required":                                                                          "the server requires Python 3.10",
		"/usr/bin/python3: No module named mcp_server_fetch":                                                                       `cannot find the module "mcp_server_fetch"`,
		"ImportError: cannot import name 'FastMCP' from 'mcp.server'":                                                              "cannot import a dependency",
		"java -jar: Error: Unable to access jarfile server.jar":                                                                    `no such file: "server.jar"`,
		"./server: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./server)":                         `it has no "GLIBC_2.34"`,
		"listen tcp 127.0.0.1:8080: bind: address already in use":                                                                  "the port that it wants is in use",
		"KeyError: 'GITHUB_TOKEN'":                                                                                                 `variable "GITHUB_TOKEN" is not set`,
		"Please set BRAVE_API_KEY":                                                                                                 `variable "BRAVE_API_KEY" is not set`,
		"GITHUB_PERSONAL_ACCESS_TOKEN environment variable is not set":                                                             `variable "GITHUB_PERSONAL_ACCESS_TOKEN" is not set`,
		"usage: server [-h] --db DB":                                                                                               "it printed a help text",
		"server.py: error: the following arguments are required: --db":                                                             `missing argument "--db"`,
		"flag provided but not defined: -stdio":                                                                                    `unknown argument "-stdio"`,
		"Error: getaddrinfo ENOTFOUND registry.npmjs.invalid":                                                                      `cannot resolve host "registry.npmjs.invalid"`,
		"Error: connect ECONNREFUSED 127.0.0.1:5432":                                                                               `cannot connect to 127.0.0.1:5432`,
		"panic: runtime error: SIGSEGV: segmentation violation":                                                                    "segmentation fault",
		"INFO NODE_ENV is production":                                                                                              "",
		"INFO set LOG_LEVEL to debug":                                                                                              "",
		"code: 'ERR_MODULE_NOT_FOUND',":                                                                                            "",
		"Server running on stdio":                                                                                                  "",
		"":                                                                                                                         "",
	} {
		why, ok := known([]string{"starting", line, "done"}, "stderr")
		if ok != (want != "") || !strings.Contains(why.what, want) {
			t.Errorf("%q: %q, want %q", line, why.what, want)
		}
	}
}

// TestWhereServersListen tells servers that serve HTTP from those that name a
// page.
func TestWhereServersListen(t *testing.T) {
	for line, want := range map[string]string{
		"INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)": "--url http://127.0.0.1:8000 ",
		"Server listening on port 3000":                                             "--url http://127.0.0.1:3000/mcp ",
		"listening on :8080":                                                        "--url http://127.0.0.1:8080/mcp ",
		"Server running on stdio, see https://example.com/docs":                     "",
		"listening for messages on stdio":                                           "",
	} {
		why, ok := known([]string{line}, "listening")
		if ok != (want != "") || !strings.Contains(why.try, want) {
			t.Errorf("%q: %q, want %q", line, why.try, want)
		}
	}
}

// TestTellingLine finds the line that says most where no reason is known.
func TestTellingLine(t *testing.T) {
	for text, want := range map[string]string{
		"starting\nError: no kettle\n    at boil (tea.js:3)\n\nNode.js v22.1.0":          "Error: no kettle",
		"panic: no kettle\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:3 +0x1": "panic: no kettle",
		"Traceback (most recent call last):\n  File \"x.py\", line 1\nTeaError: cold":    "TeaError: cold",
		"the kettle is cold": "the kettle is cold",
		"\n  \n}":            "",
	} {
		if got := stderr.Decisive(strings.Split(text, "\n")); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
