package failure

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/catalog"
	"mcptea/internal/test/raced"
)

// conditionsOf is a situation with the conditions of a row about lines.
func conditionsOf(id string) situation {
	s := situation{}
	for i := range rows()["stderr"] {
		if r := &rows()["stderr"][i]; r.ID == id {
			for name, want := range r.When {
				s[name], _, _ = strings.Cut(want, "|")
			}
		}
	}
	return s
}

// causeOf is what lines are said to report in a situation, and how surely.
func causeOf(s situation, lines []string, where ...string) (cause string, strength Strength) {
	found := candidates(s, lines, where...)
	if len(found) == 0 {
		return "", Hints
	}
	return found[0].Cause + " " + found[0].Remedy.Text, found[0].Strength
}

// known are lines as servers and their launchers write them, each with what it reports. The
// key of a test of each row is the id.
var known = slices.Concat(knownLines, knownStarts)

// A knownLine is a line of [known].
type knownLine struct{ id, line, want string }

var knownLines = []knownLine{
	{"npx-cache-busy", "npm error Error: EBUSY: resource busy or locked, rename '/home/u/.npm/_npx/ab12/node_modules/a'", `npm cannot replace files in its cache, "/home/u/.npm/_npx/ab12"`},
	{"image-permission", `docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "./azmcp": permission denied: unknown`, `The program "./azmcp" of the image is not executable`},
	{"home-missing", "build cache is required, but could not be located: GOCACHE is not defined and neither $XDG_CACHE_HOME nor $HOME are defined", "has no HOME"},
	{"home-missing", "RuntimeError: Could not determine home directory.", "has no HOME"},
	{"php-argument", `  Laravel\Mcp\Server\Tool::schema(): Argument #1 ($schema) must be of type A\JsonSchema, B\TypeFactory given, called in /site/vendor/laravel/framework/src/a.php on line 17`, "in versions that do not fit"},
	{"php-argument", `PHP Fatal error:  Uncaught TypeError: Tea::boil(): Argument #2 ($pot) must be of type Pot, null given, called in /srv/vendor/acme/tea/src/Kettle.php on line 3`, "in versions that do not fit"},
	{"browser-missing", "browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1169/chrome-linux/chrome", "is not installed for this user"},
	{"permission", "  Caused by: failed to canonicalize path `/app/.venv/bin/python3`: Permission denied (os error 13)", "The server lacks a permission"},
	{"permission-port", "Unhandled exception. System.Net.Sockets.SocketException (13): Permission denied", "is not permitted to open the port"},
	{"permission-port", "Error: listen EACCES: permission denied 0.0.0.0:80", "is not permitted to open the port"},
	{"permission-port", "Error: listen tcp :80: bind: permission denied", "is not permitted to open the port"},
	{"dotnet-assembly", "Unhandled exception. System.IO.FileNotFoundException: Could not load file or assembly 'System.ComponentModel, Version=9.0.0.0, Culture=neutral'. The system cannot find the file specified.", `The assembly "System.ComponentModel" was not found`},
	{"dotnet-assembly", " ---> System.IO.FileNotFoundException: Could not load file or assembly 'Acme.Tea, Version=1.0.0.0'. The system cannot find the file specified.", `The assembly "Acme.Tea" was not found`},
	{"dotnet-native", "Unhandled Exception: System.DllNotFoundException: Unable to load shared library 'libtea' or one of its dependencies.", `The native library "libtea" was not found`},
	{"dotnet-native-unnamed", "Unhandled exception. System.DllNotFoundException: Dll was not found.", "A native library (DLL) of the server was not found"},
	{"python-settings-parse", `pydantic_settings.sources.SettingsError: error parsing value for field "genie_space_ids" from source "EnvSettingsSource"`, `The value of the setting "genie_space_ids" cannot be parsed`},
	{"python-settings", "pydantic_core._pydantic_core.ValidationError: 3 validation errors for Settings", "The settings of the server (\"Settings\") lack values"},
	{"python-settings", "pydantic_core._pydantic_core.ValidationError: 1 validation error for ServerConfig", "(\"ServerConfig\") lack values"},
	{"python-loop", "RuntimeError: Already running asyncio in this thread", "inside of a running one"},
	{"python-loop", "RuntimeError: asyncio.run() cannot be called from a running event loop", "inside of a running one"},
	{"npx-prompt", "Ok to proceed? (y) ", "npx asks whether to install the package"},
	{"start-mode", "Failed to start server: Error: this server is not available in the browser. Please use the CLI mode.", `in the mode "CLI"`},
	{"start-mode", "Error: tea-server only works in stdio mode", `in the mode "stdio"`},
	{"ruby-load", "/System/Library/Frameworks/Ruby.framework/Versions/2.6/usr/lib/ruby/2.6.0/rubygems/core_ext/kernel_require.rb:54:in `require': cannot load such file -- mcp (LoadError)", `does not find "mcp"`},
	{"ruby-load", "<internal:/usr/lib/ruby/3.2.0/rubygems/core_ext/kernel_require.rb>:38:in 'Kernel#require': cannot load such file -- ./lib/tea (LoadError)", `does not find "./lib/tea"`},
	{"ruby-bundle", "Could not find mcp-0.4.0 in locally installed gems (Bundler::GemNotFound)", "Bundler does not find"},
	{"container-relative", `docker: Error response from daemon: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "./server": stat ./server: no such file or directory: unknown`, "an option of the command (-w, --workdir)"},
	{"container-missing", "FileNotFoundError: [Errno 2] No such file or directory: 'docker'", "the container does not have it"},
	{"python-part-launched", "ModuleNotFoundError: No module named 'xlsxwriter.test'", "installed incompletely"},
	{"docker-tty", "the input device is not a TTY", "asks for a terminal (-t)"},
	{"node-builtin", "Error: Cannot find module 'node:fs/promises'", `This version of Node.js has no module "node:fs/promises"`},
	{"node-builtin", "Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite", `has no module "node:sqlite"`},
	{"node-export", "SyntaxError: The requested module 'node:util' does not provide an export named 'parseArgs'", `of this version of Node.js lacks what the server imports`},
	{"listening-own-port", "Passthrough MCP Server running with httpStream transport on port 34017, connecting to target at http://127.0.0.1:1/mcp", "wait for requests at port 34017"},
	{"node-exports", `Error [ERR_PACKAGE_PATH_NOT_EXPORTED]: Package subpath './server' is not defined by "exports" in /srv/node_modules/a/package.json`, `"./server", which the package that is installed does not export`},
	{"node-exports", `Error [ERR_PACKAGE_PATH_NOT_EXPORTED]: No "exports" main defined in /srv/node_modules/a/package.json`, "which the package that is installed does not export"},
	{"sdk-capability", "Error: Server does not support tools (required for tools/list)", `a handler of "tools" without the capability`},
	{"python-attribute", "AttributeError: 'FastMCP' object has no attribute '_tool_manager'", "installed in another version"},
	{"python-attribute", "AttributeError: module 'mcp.types' has no attribute 'Tool'", "installed in another version"},
	{"", "AttributeError: 'NoneType' object has no attribute 'name'", ""},
	{"node-require", "Error [ERR_REQUIRE_ESM]: require() of ES Module /srv/node_modules/x/index.js from /srv/index.js not supported.", "loads an ES module with require()"},
	{"node-require", "Error [ERR_REQUIRE_ESM]: Must use import to load ES Module: /srv/node_modules/x/index.js", "loads an ES module with require()"},
	{"node-function", "TypeError: Object.hasOwn is not a function", `This version of Node.js has no "Object.hasOwn"`},
	{"python-stdlib", "ModuleNotFoundError: No module named 'tomllib'", `its standard library has no "tomllib"`},
	{"python-typing", "ImportError: cannot import name 'Self' from 'typing' (/usr/lib/python3.9/typing.py)", `its standard library has no "Self"`},
	{"python-typing", "AttributeError: module 'asyncio' has no attribute 'TaskGroup'", `its standard library has no "TaskGroup"`},
	{"python-union", "TypeError: unsupported operand type(s) for |: 'type' and 'NoneType'", "require 3.10"},
	{"python-generic", "TypeError: 'type' object is not subscriptable", "require 3.9"},
	{"python-future", "SyntaxError: future feature annotations is not defined", `it does not have "annotations"`},
	{"python-two", "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?", "written for Python 2"},
	{"python-codec", "Server error: 'charmap' codec can't decode byte 0x90 in position 97: character maps to <undefined>", `in the encoding "charmap"`},
	{"python-codec", "UnicodeEncodeError: 'ascii' codec can't encode character '\\u0110' in position 3: ordinal not in range(128)", `in the encoding "ascii"`},
	{"java-class", "Exception in thread \"main\" java.lang.UnsupportedClassVersionError: com/example/Server has been compiled by a more recent version of the Java Runtime (class file version 65.0)", `"com/example/Server" was compiled for a newer one`},
	{"dotnet-runtime", "You must install or update .NET to run this application.", "version of .NET"},
	{"ruby-version", "Your Ruby version is 2.7.0, but your Gemfile specified >= 3.2", "does not support Ruby 2.7.0"},
	{"php-version", `Composer detected issues in your platform: Your Composer dependencies require a PHP version ">= 8.2.0".`, "requires PHP >= 8.2.0"},
	{"go-version", "go: go.mod requires go >= 1.24 (running go 1.21.1; GOTOOLCHAIN=local)", "requires Go 1.24"},
	{"npm-package", "npm error 404  '@acme/mcp-sever@*' is not in this registry.", `npm cannot find the package "@acme/mcp-sever"`},
	{"npm-package", "npm error 404  The requested resource '@acme/mcp-sever@*' could not be found or you do not have permission to access it.", `npm cannot find the package "@acme/mcp-sever"`},
	{"npm-404", "npm ERR! 404 Not Found - GET https://registry.invalid/mcp-sever - Not found", `npm cannot find the package "mcp-sever"`},
	{"npm-version", "npm error notarget No matching version found for mcp-server@9.9.9.", `npm cannot find the version "mcp-server@9.9.9"`},
	{"npx-command", "npm error could not determine executable to run", "npx cannot determine the command of the package"},
	{"uv-spawn", "error: Failed to spawn: `mysql_mcp_server`", `uv cannot find the command "mysql_mcp_server"`},
	{"uv-package", "  ╰─▶ Because mcp-logseq was not found in the package registry and you require", `uv cannot find the package "mcp-logseq"`},
	{"uv-version", "  ╰─▶ Because there is no version of mcp-server-port==0.1.8 and you require", `uv cannot find the version "mcp-server-port==0.1.8"`},
	{"uv-resolve", "  × No solution found when resolving tool dependencies:", "uv cannot resolve the dependencies"},
	{"uv-command", "An executable named `tea` is not provided by package `mcp-tea`.", `The package has no command "tea"`},
	{"docker-daemon", "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?.", "Docker is not running"},
	{"docker-daemon", "docker: error during connect: Head \"http://%2F%2F.%2Fpipe%2FdockerDesktopLinuxEngine/_ping\": open //./pipe/dockerDesktopLinuxEngine: The system cannot find the file specified.", "Docker is not running"},
	{"download-network", "npm ERR! code ECONNRESET", "The launcher cannot download the server"},
	{"download-network", "error: Failed to fetch: `https://pypi.org/simple/mcp-server-time/`", "The launcher cannot download the server"},
	{"download-network", `docker: Error response from daemon: Get "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout.`, "The launcher cannot download the server"},
	{"node-attributes", `TypeError [ERR_IMPORT_ASSERTION_TYPE_MISSING]: Module "file:///srv/node_modules/a/b.json" needs an import assertion of type "json"`, "differ in the syntax of imports of JSON"},
	{"node-attributes", "SyntaxError: Unexpected token 'with'", "differ in the syntax of imports of JSON"},
	{"node-directory", "Error [ERR_UNSUPPORTED_DIR_IMPORT]: Directory import '/srv/node_modules/zod/v3' is not supported resolving ES modules imported from /srv/node_modules/b/a.js", `A package imports "/srv/node_modules/zod/v3"`},
	{"node-directory-own", "Error [ERR_UNSUPPORTED_DIR_IMPORT]: Directory import '/srv/dist/tools' is not supported resolving ES modules imported from /srv/dist/index.js", `imports the directory "/srv/dist/tools"`},
	{"node-alias", `TypeError [ERR_INVALID_MODULE_SPECIFIER]: Invalid module "@utils" is not a valid package name imported from /srv/dist/a.js`, `"@utils" is not the name of a package`},
	{"spawn-shell", "Error: spawn EINVAL", "starts a .cmd or .bat file without a shell"},
	{"resolve", "Caused by: java.net.UnknownHostException: repo1.maven.org: Temporary failure in name resolution", `cannot resolve the host "repo1.maven.org"`},
	{"podman", "Error: unable to connect to Podman socket: failed to connect: dial tcp 127.0.0.1:49999: connect: connection refused", "Podman does not respond"},
	{"podman-verify", "Error: Cannot connect to Podman. Please verify your connection to the Linux system", "Podman does not respond"},
	{"python-native", "ImportError: DLL load failed while importing _pydantic_core: The specified module could not be found.", `Python cannot load "_pydantic_core"`},
	{"python-native", "ImportError: /srv/.venv/lib/a.cpython-312-x86_64-linux-gnu.so: undefined symbol: PyX", `Python cannot load "/srv/.venv/lib/a.cpython-312-x86_64-linux-gnu.so"`},
	{"python-fastmcp", "TypeError: FastMCP.__init__() got an unexpected keyword argument 'version'", `"FastMCP" has other parameters than the server passes: the MCP library of Python`},
	{"python-keyword", "TypeError: Teapot.__init__() got an unexpected keyword argument 'version'", `"Teapot.__init__" has other parameters`},
	{"pip-conflict", "ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.", `pip cannot install "a==1 and b==2" together`},
	{"docker-daemon", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "Docker is not running"},
	{"docker-permission", "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock", "The user has no permission for the Docker socket"},
	{"docker-permission", "docker: permission denied while trying to connect to the docker API at unix:///var/run/docker.sock", "The user has no permission for the Docker socket"},
	{"docker-image", "docker: Error response from daemon: pull access denied for mcp/tea, repository does not exist or may require", `Docker cannot find the image "mcp/tea"`},
	{"env-interpreter", "env: ‘node’: No such file or directory", `env cannot find the interpreter "node"`},
	{"env-interpreter", "/usr/bin/env: 'python3\\r': No such file or directory", `env cannot find the interpreter "python3`},
	{"shell-command", "/bin/sh: line 1: mcp-server: command not found", `A shell cannot find the command "mcp-server"`},
	{"shell-command", "zsh: command not found: npx", `A shell cannot find the command "npx"`},
	{"shell-command", "sh: 1: mcp-server: not found", `A shell cannot find the command "mcp-server"`},
	{"shell-command", "./start.sh: line 3: bun: command not found", `A shell cannot find the command "bun"`},
	{"exec-command", `Error: exec: "bun": executable file not found in $PATH`, `The command "bun" cannot be found`},
	{"exec-command", `2026/01/02 03:04:05 ERROR exec: "bun": executable file not found in $PATH`, `The command "bun" cannot be found`},
	{"cmd-command", "'npx' is not recognized as an internal or external command,", `cmd cannot find the command "npx"`},
	{"spawn-command", "Error: spawn uvx ENOENT", `A launcher cannot find the command "uvx"`},
	{"node-extension", `TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for /srv/src/index.ts`, `Node.js cannot run ".ts" files`},
	{"node-import", "SyntaxError: Cannot use import statement outside a module", "Node.js loads the file as CommonJS"},
	{"npx-cache", `Error: Cannot find module 'C:\Users\ada\npm-cache\_npx\b70\node_modules\sdk\index.js' imported from C:\x`, "which npx should have installed"},
	{"npx-cache", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /root/.npm/_npx/1/node_modules/x/index.js", `cannot find "zod", which npx`},
	{"node-dependency", "Fatal error in main(): Cannot find module '/srv/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp' imported from /srv/node_modules/@example/mcp-server/dist/index.js", "a file of an installed package"},
	{"node-imported", "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/dist/tools.js' imported from /srv/dist/index.js", `Node.js cannot find the file "/srv/dist/tools.js", which another file loads`},
	{"node-file", "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/src/index.ts' imported from /srv/", `Node.js cannot find the file "/srv/src/index.ts": the server has not been built`},
	{"node-file", "Error: Cannot find module '/srv/dist/index.js'", `Node.js cannot find the file "/srv/dist/index.js"`},
	{"node-compiled-for", "was compiled against a different Node.js version using", "built for another version of Node.js"},
	{"node-compiled", "Error: Could not locate the bindings file. Tried:", "compiled part of a package is missing"},
	{"node-package", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /srv/index.js", `Node.js cannot find the package "zod"`},
	{"node-version", "Error: this server requires Node.js >= 20", "The server requires Node.js >= 20"},
	{"node-global", "ReferenceError: ReadableStream is not defined", `it does not define "ReadableStream"`},
	{"node-syntax", "SyntaxError: Unexpected token '??='", `it does not support the syntax at "??="`},
	{"node-heap", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", "Node.js ran out of heap memory"},
	{"python-unsupported", "ERROR: Package 'mcp-server' requires a different Python: 3.8.10 not in '>=3.10'", "The server does not support Python 3.8.10"},
	{"python-version", "RuntimeError: Python 3.10 or higher is required", "The server requires Python 3.10"},
	{"python-module-launched", "ModuleNotFoundError: No module named 'server'", `has no module "server": the package imports a part of its own`},
	{"python-module-launched", "/home/u/.cache/uv/archive-v0/ab/bin/python: Error while finding module specification for 'src.tea' (ModuleNotFoundError: No module named 'src')", `has no module "src"`},
	{"python-module", "/usr/bin/python3: No module named mcp_server_fetch", `Python cannot find the module "mcp_server_fetch"`},
	{"python-module", "ModuleNotFoundError: No module named 'mcp'", `Python cannot find the module "mcp"`},
	{"python-hidden", "ModuleNotFoundError: No module named 'mcp.server'; 'mcp' is not a package", `Python has found "mcp" as a single file`},
	{"python-mcp", "ModuleNotFoundError: No module named 'mcp.server.fastmcp'", `"mcp<2"`},
	{"python-mcp", "/usr/bin/python3: No module named mcp.server.fastmcp", "Python has found the package mcp"},
	{"python-part", "ModuleNotFoundError: No module named 'fastmcp.tools.tool'", "installed in another version than the server requires"},
	{"python-module", "ModuleNotFoundError: No module named 'google.cloud'", `Python cannot find the module "google.cloud"`},
	{"python-mcp-renamed", "ImportError: cannot import name 'FastMCP' from 'mcp.server'", "version 2 has another name for it"},
	{"python-import", "ImportError: tea requires pot>=2, found 1.4", "Python cannot import a dependency"},
	{"python-file", "python: can't open file '/srv/sever.py': [Errno 2] No such file or directory", `Python cannot find the file "/srv/sever.py"`},
	{"python-memory", "MemoryError", "Python ran out of memory"},
	{"library", "./server: error while loading shared libraries: libssl.so.1.1: cannot open shared object file: No such file or directory", `The library "libssl.so.1.1" is missing`},
	{"library", "dyld[123]: Library not loaded: @rpath/libtea.dylib", `The library "@rpath/libtea.dylib" is missing`},
	{"glibcxx", "./server: /usr/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by ./server)", `C++ library (libstdc++) of this machine lacks "GLIBCXX_3.4.32"`},
	{"glibc", "./server: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./server)", `lacks "GLIBC_2.34"`},
	{"port-number", "Error: listen EADDRINUSE: address already in use :::3000", "The port 3000 is in use"},
	{"port-number", "2026/01/02 03:04:05 ERROR listen tcp 127.0.0.1:8080: bind: address already in use", "The port 8080 is in use"},
	{"port-number", "2026/01/02 03:04:05 listen tcp 127.0.0.1:8080: bind: address already in use", "The port 8080 is in use"},
	{"port", "OSError: [Errno 98] Address already in use", "A port that the server needs is in use"},
	{"file-relative", "Error: Unable to access jarfile server.jar", `The server cannot find the file "server.jar": its path is relative`},
	{"file", "Error: Unable to access jarfile /srv/server.jar", `The server cannot find the file "/srv/server.jar".`},
	{"go-module", "go: github.com/a/b@latest: module github.com/a/b: reading https://proxy.example.com/github.com/a/b/@v/list: 403 Forbidden", `Go cannot fetch "github.com/a/b@latest"`},
	{"go-module", "go: github.com/a/b@v9.9.9: invalid version: unknown revision v9.9.9", `Go cannot fetch "github.com/a/b@v9.9.9"`},
	{"file", "Error: ENOENT: no such file or directory, open '/srv/config.json'", `The server cannot find the file "/srv/config.json"`},
	{"file", "stat /tmp/nope.go: no such file or directory", `The server cannot find the file "/tmp/nope.go"`},
	{"file-relative", "FileNotFoundError: [Errno 2] No such file or directory: 'tea.db'", `The server cannot find the file "tea.db"`},
	{"permission-of", "PermissionError: [Errno 13] Permission denied: '/var/lib/tea.db'", `The server is not permitted to use "/var/lib/tea.db"`},
	{"permission-of", "Error: EACCES: permission denied, mkdir '/var/lib/tea'", `The server is not permitted to use "/var/lib/tea"`},
	{"permission", "Error: connect to the bus: permission denied", "The server lacks a permission"},
	{"segfault", "panic: runtime error: SIGSEGV: segmentation violation", "segmentation fault"},
	{"segfault", "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a1b2c]", ""}, // below its panic, which is the line
	{"segfault", "Fatal Python error: Segmentation fault", "segmentation fault"},
	{"segfault", "Segmentation fault (core dumped)", "segmentation fault"},
	{"memory", "# Fatal process OOM in Failed to reserve virtual memory for CodeRange", "The server ran out of memory"},
	{"memory", "fatal error: runtime: out of memory", "The server ran out of memory"},
	{"memory", "OSError: [Errno 12] Cannot allocate memory", "The server ran out of memory"},
	{"resolve", "Error: getaddrinfo ENOTFOUND registry.npmjs.invalid", `cannot resolve the host "registry.npmjs.invalid"`},
	{"resolve", `{"level":"fatal","message":"Authentication failed","error":"Post \"https://tea.example.com/auth\": dial tcp: lookup tea.example.com on 127.0.0.53:53: no such host"}`, `cannot resolve the host "tea.example.com"`},
	{"resolve", "requests.exceptions.ConnectionError: Failed to resolve 'tea.example.com'", `cannot resolve the host "tea.example.com"`},
	{"service", "Error: dial tcp 127.0.0.1:5432: connect: connection refused", "The server cannot connect to 127.0.0.1:5432"},
	{"certificate", "npm error code SELF_SIGNED_CERT_IN_CHAIN", ""},
	{"certificate", "npm error self-signed certificate in certificate chain", "does not trust a certificate"},
	{"certificate", "FetchError: request to https://registry.npmjs.org/x failed, reason: unable to get local issuer certificate", "does not trust a certificate"},
	{"service-container", "Details: connect ECONNREFUSED 127.0.0.1:5680", "where 127.0.0.1:5680 is the container itself"},
	{"service-container", "Error: dial tcp [::1]:6379: connect: connection refused", "is the container itself"},
	{"service-container", "psycopg2.OperationalError: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused", "is the container itself"},
	{"python-mcp-renamed", "ImportError: cannot import name 'McpError' from 'mcp' (/srv/.venv/lib/python3.12/site-packages/mcp/__init__.py). Did you mean: 'MCPError'?", "version 2 has another name for it"},
	{"python-mcp-renamed", "ImportError: cannot import name 'streamablehttp_client' from 'mcp.client.streamable_http'", "version 2 has another name for it"},
	{"python-mcp-name", "ImportError: cannot import name 'Kettle' from 'mcp.server' (/srv/.venv/lib/python3.12/site-packages/mcp/server/__init__.py)", "mcp is installed in another version"},
	{"docker-exec", `docker: Error response from daemon: OCI runtime create failed: runc create failed: unable to start container process: exec: "-t": executable file not found in $PATH: unknown`, `The image has no program "-t"`},
	{"spawn-windows", "Error: spawn npm ENOENT", `which is a .cmd file on Windows`},
	{"shell-reads", "sh: 1: {jsonrpc:2.0,method:initialize,id:0}: not found", "A shell reads the messages of mcptea as commands"},
	{"shell-line", "bash: line 1: source /srv/nvm.sh && npx -y tea: No such file or directory", "as the name of one program"},
	{"version-manager", "No version is set for command node", `handles "node"`},
	{"version-manager", "mise ERROR No version is set for shim: node", `handles "node"`},
	{"version-manager", "pyenv: python3.12: command not found", `handles "python3.12"`},
	{"version-manager", "Volta error: Node is not available.", `handles "Node"`},
	{"work-dir", "go: go.mod file not found in current directory or any parent directory; see 'go help modules'", "looks for its project in the working directory"},
	{"work-dir", "error: No `pyproject.toml` found in current directory or any parent directory", "looks for its project in the working directory"},
	{"work-dir", "Couldn't find a project to run. Ensure a project exists in /srv, or pass the path to the project using --project.", "looks for its project in the working directory"},
	{"work-dir", "error: could not find `Cargo.toml` in `/srv` or any parent directory", "looks for its project in the working directory"},
	{"script-no-line", "/root/.npm/_npx/1/node_modules/.bin/tea: 2: *: not found", "no first line such as #!/usr/bin/env node"},
	{"npm-engine", "npm error notsup Required: {\"node\":\">=22.0.0\"}", "requires Node.js or npm >=22.0.0"},
	{"npm-locked", "npm error code EPERM", "another process uses them"},
	{"python-newer", "error: the configured Python interpreter version (3.14) is newer than PyO3's maximum supported version (3.13)", "Python 3.14 is newer"},
	{"uv-link", "error: failed to hardlink file from /a to /b: Invalid cross-device link (os error 18)", "uv cannot link files"},
	{"uv-build", "  × Failed to build `tea==1.9.1`", `"tea==1.9.1" cannot be built`},
	{"npx-old", "npx: installed 4 in 0.633s", "npx is from npm 6 or older"},
	{"java-manifest", "no main manifest attribute, in tea.jar", `The file "tea.jar" is not a program`},
	{"dotnet-runtime", "The specified framework 'Microsoft.NETCore.App', version '10.0.0' was not found.", "another version of .NET"},
	{"unexpanded", "npm ERR! enoent ENOENT: no such file or directory, lstat 'C:\\Users\\u\\${APPDATA}'", `contains "${APPDATA}" as text`},
	{"unexpanded", "Error: Cannot find module '/srv/$TEA_HOME/index.js'", `contains "$TEA_HOME" as text`},
	{"unexpanded", "FileNotFoundError: [Errno 2] No such file or directory: '%LOCALAPPDATA%/tea.db'", `contains "%LOCALAPPDATA%" as text`},
	{"python-name", "ImportError: cannot import name 'url_quote' from 'werkzeug.urls' (/srv/.venv/lib/python3.12/site-packages/werkzeug/urls.py)", "Python has found \"werkzeug.urls\""},
	{"python-name", "ImportError: cannot import name 'Tool' from 'fastmcp.tools'", "Python has found \"fastmcp.tools\""},
	{"service", "Error: connect ECONNREFUSED 127.0.0.1:5432", "The server cannot connect to 127.0.0.1:5432"},
	{"variable", "KeyError: 'GITHUB_TOKEN'", `The server needs the environment variable "GITHUB_TOKEN"`},
	{"variable", "Error: BRAVE_API_KEY environment variable is required", `The server needs the environment variable "BRAVE_API_KEY"`},
	{"variable-plain", "GITHUB_PERSONAL_ACCESS_TOKEN environment variable is not set", `The server needs the environment variable "GITHUB_PERSONAL_ACCESS_TOKEN"`},
	{"variable-required", "Error: missing required environment variable API_KEY", `The server needs the environment variable "API_KEY"`},
	{"variable-required", "Please set BRAVE_API_KEY", `The server needs the environment variable "BRAVE_API_KEY"`},
	{"variable-required", "Error: No API key provided. Set it in the `TEA_API_KEY` environment variable", `The server needs the environment variable "TEA_API_KEY"`},
	{"variable-required", "Error: No API key provided. Please either pass it as an argument --api-key=$KEY or set the TEA_SECRET_KEY environment variable.", `The server needs the environment variable "TEA_SECRET_KEY"`},
	{"variables", "Error: Either TEA_XOXP_TOKEN, TEA_XOXB_TOKEN, or both TEA_XOXC_TOKEN and TEA_XOXD_TOKEN must be provided", `the server names "TEA_XOXP_TOKEN, TEA_XOXB_TOKEN, or both TEA_XOXC_TOKEN and TEA_XOXD_TOKEN"`},
	{"variables", "Error: TEA_URL and TEA_TOKEN are required", `the server names "TEA_URL and TEA_TOKEN"`},
	{"variables", "Error: missing environment variables: TEA_URL, TEA_TOKEN", `the server names "TEA_URL, TEA_TOKEN"`},
	{"argument-undefined", "flag provided but not defined: -stdio", `The server does not support the argument "-stdio"`},
	{"demo-serve", "In a terminal, mcptea demo opens the inspector; mcptea demo --serve runs only the server.", "it is not that server"},
	{"argument-unknown", "error: unknown option '--stdio'", `The server does not support the argument "--stdio"`},
	{"argument-missing", "server.py: error: the following arguments are required: --db", `The server requires the argument "--db"`},
	{"node-engine", "npm warn EBADENGINE   required: { node: '>=22' },", "may require another version of Node.js"},
	{"usage", "usage: server [-h] --db DB", "An argument may be missing or wrong"},
	{"", "INFO NODE_ENV is production", ""},
	{"", "INFO set LOG_LEVEL to debug", ""},
	{"", "code: 'ERR_MODULE_NOT_FOUND',", ""},
	{"", "Server running on stdio", ""},
	{"", "", ""},
	{"listening-framing", "[rpc] invalid header: {\"jsonrpc\":\"2.0\"", "framed with Content-Length"},
	{"listening-framing", "Error: Missing Content-Length header", "framed with Content-Length"},
	{"listening-framing", "ERROR expected 'Content-Length: N', got a line of JSON", "framed with Content-Length"},
	{"listening-consent", "[INFO] Authorize this app by visiting this url: https://accounts.example.com/o/oauth2/v2/auth?a=b", `for an authorization in a browser, at "accounts.example.com"`},
	{"listening-consent", "To sign in, open https://login.example.com/device and enter the code ABC", `for an authorization in a browser, at "login.example.com"`},
	{"", "Authorization is off, see the documentation", ""},
	{"listening-url", "INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)", "--url http://127.0.0.1:8000 "},
	{"listening-url", "Server listening on http://localhost:3000/mcp", "may use HTTP"},
	{"listening-prompt", "Enter passphrase for key '/root/.ssh/id_tea': ", "wait for a person to type"},
	{"listening-prompt", "Password for 'https://tea@git.test': ", "wait for a person to type"},
	{"listening-prompt", "Overwrite the index? [y/N]", "wait for a person to type"},
	{"listening-debugger", "Waiting for the debugger to attach...", "wait for a debugger"},
	{"listening-debugger", "Debugger listening on ws://127.0.0.1:9229/abc", "wait for a debugger"},
	{"listening-lock", "Waiting for lock on /tmp/tea.lock held by pid 77", "lock that another process holds"},
	{"listening-lock", "Waiting to acquire the cache lock", "lock that another process holds"},
	{"listening-port", "Server listening on port 3000", "--url http://127.0.0.1:3000/mcp "},
	{"listening-port", "listening on :8080", "--url http://127.0.0.1:8080/mcp "},
	{"", "Server running on stdio, see https://example.com/docs", ""},
	{"", "listening for messages on stdio", ""},
}

// A line that reports an error is a cause, and the row has the strength that its line earns.
func TestCandidates_Reports(t *testing.T) {
	raced.Never(t, "one goroutine matches each line with each cause")
	seen := map[string]bool{}
	for _, k := range known {
		s := conditionsOf(k.id)
		cause, strength := causeOf(s, []string{"starting", k.line, "done"}, "stderr", "listening")
		if !strings.Contains(cause, k.want) || (cause == "") != (k.want == "") {
			t.Errorf("%q: %q, want %q", k.line, cause, k.want)
		}
		if found := candidates(s, []string{k.line}, "stderr", "listening"); k.want != "" && (len(found) == 0 || found[0].Remedy.Text == "") {
			t.Errorf("%q: no advice", k.line)
		}
		if hint := strings.Contains(cause, " may "); k.want != "" && hint != (strength == Hints) {
			t.Errorf("%q: %q has strength %d", k.line, cause, strength)
		}
		seen[k.id] = true
	}
	for _, where := range [...]string{"stderr", "listening"} {
		for _, r := range rows()[where] {
			if !seen[r.ID] {
				t.Errorf("no line is tried for %s", r.ID)
			}
		}
	}
}

// innocent are places in which the words of an error are no report of one.
var innocent = map[string]func(words string) []string{
	"a log line at info level":    func(w string) []string { return []string{"2026-01-02T03:04:05Z INFO handler installed: " + w} },
	"a log line in brackets":      func(w string) []string { return []string{"[info] " + w} },
	"a log line of a debug level": func(w string) []string { return []string{"DEBUG:root:" + w} },
	"a log line in JSON":          func(w string) []string { return []string{`{"level":30,"msg":` + quoted(w) + `}`} },
	"a log line as pairs":         func(w string) []string { return []string{`time=2026-01-02T03:04:05Z level=INFO msg=` + quoted(w)} },
	"prose":                       func(w string) []string { return []string{"This server handles messages such as " + w + " by itself"} },
	"the middle of a bundle": func(w string) []string {
		return []string{strings.Repeat("var a=1;", 90) + `m="` + w + `";` + strings.Repeat("b();", 90)}
	},
	"a source line with a caret": func(w string) []string {
		return []string{"/srv/start.mjs:1", "if (!k) throw new Error('" + w + "')", "        ^", ""}
	},
	"a bundle without a caret": func(w string) []string {
		return []string{"/srv/start.mjs:1", `var e=["` + w + `"];if(!k)throw new Error("x")`, ""}
	},
	"the source of Python": func(w string) []string {
		return []string{`  File "/srv/a.py", line 3, in main`, "    raise ValueError('" + w + "')", "    ~~~~~~^^^^^"}
	},
	"a quotation in another error": func(w string) []string {
		return []string{`Error: no handler for the message "` + strings.ReplaceAll(w, `"`, "") + `"`}
	},
	"a URL in another error": func(w string) []string {
		return []string{"Error: see https://example.com/errors?of=" + strings.ReplaceAll(w, " ", "+")}
	},
	"a path in another error": func(w string) []string {
		return []string{"Error: bad line in /srv/errors/" + strings.ReplaceAll(strings.ReplaceAll(w, " ", "_"), "/", "_")}
	},
	"an option of a help text":      func(w string) []string { return []string{"  --on-error string   what to do about " + w} },
	"a paragraph of a help text":    func(w string) []string { return []string{"Environment variables:", "  Error: " + w, "  KEY   " + w} },
	"a property of an error object": func(w string) []string { return []string{"  message: '" + w + "',"} },
	"a frame of a stack trace":      func(w string) []string { return []string{"    at handle (" + w + ")"} },
	"a test list":                   func(w string) []string { return []string{"ok 3 - refuses " + w} },
}

func quoted(text string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `\"`) + `"`
}

// Words of an error in an innocent place are no cause: each line that a row knows, in each of the places by night, and
// in each third one by day. Each place is tried with a third of the lines then.
func TestCandidates_InnocentPlaces(t *testing.T) {
	raced.Never(t, "one goroutine matches each line with each cause")
	places := slices.Sorted(maps.Keys(innocent))
	if len(places) < 12 {
		t.Fatal("places are missing")
	}
	for n, k := range known {
		if k.want == "" || strings.HasPrefix(k.id, "listening") {
			continue
		}
		for i, place := range places {
			if (n+i)%3 != 0 && !raced.All() {
				continue
			}
			lines := append([]string{"starting"}, innocent[place](k.line)...)
			lines = append(lines, "Error: the kettle is missing")
			for _, f := range candidates(nil, lines, "stderr") {
				t.Errorf("%s in %s: %q", k.id, place, f.Cause)
			}
		}
	}
}

// Words of each row alone, as they occur in lists, URLs and source code.
func TestCandidates_NearMisses(t *testing.T) {
	for _, line := range []string{
		`var e=["SIGABRT","SIGSEGV"],k=process.env.TOKEN;if(!k)throw new Error("TOKEN must be set");`,
		"Handles SIGSEGV, SIGBUS and SIGILL",
		"INFO  out of memory guard: on",
		"memory: out of memory is handled",
		"docs: https://example.com/permission-denied",
		"See https://nodejs.org/api/errors.html#EADDRINUSE for port 3000",
		"EACCES EADDRINUSE ENOENT are retried",
		"set LOG_LEVEL to debug for more",
		"Loaded 12 tools: requires-python, needs-node, port-in-use",
		"server: checking that MODULE_PATH is set",
		"The following variables are optional: API_KEY, API_URL",
		"--port number   address already in use is retried",
		"tools: segfault_demo, out_of_memory_demo",
		"rule no-unknown-option --fix is enabled",
		"WARN cannot allocate memory for the cache, going on without",
		"warning: GITHUB_TOKEN is not set, only public repositories",
		"[warn] connect ECONNREFUSED 127.0.0.1:6379, retrying",
		"retrying after: getaddrinfo EAI_AGAIN example.com (attempt 1)",
		"Uses SSL: self-signed certificate allowed",
		"usage statistics are off",
		"GET /errors/heap-out-of-memory 200",
		"tests: 'Cannot find module' is caught",
		"fetch is not defined in older versions, using undici",
		"error handler: installed",
	} {
		for _, f := range candidates(nil, []string{line, "Error: the kettle is missing"}, "stderr") {
			t.Errorf("%q: %q", line, f.Cause)
		}
	}
}

// Two causes that are known equally well are both told, as what may be.
func TestCandidates_TwoOfOneStrength(t *testing.T) {
	lines := []string{"Error: connect ECONNREFUSED 127.0.0.1:5432", "Error: DATABASE_URL is not set"}
	e := Explanation{own: Candidate{Cause: "It ended.", Strength: Hints}}.found(candidates(nil, lines, "stderr")).rank()
	want := `It may be that the server cannot connect to 127.0.0.1:5432: it needs another service, such as a database, that is not running, or that the server needs the environment variable "DATABASE_URL".`
	if e.Cause() != want {
		t.Errorf("the cause is\n%s, want\n%s", e.Cause(), want)
	}
	if want := "Start that service, or correct its address; or set it: -e DATABASE_URL=VALUE, or --env-file."; e.Try() != want {
		t.Errorf("the advice is\n%s, want\n%s", e.Try(), want)
	}
}

// What an end itself proves is more than what a line reports, and that more than a hint.
func TestCandidates_Order(t *testing.T) {
	report := candidates(nil, []string{"npm warn EBADENGINE   required: { node: '>=22' },", "Error: DATABASE_URL is not set"}, "stderr")
	for strength, want := range map[Strength]string{Hints: "DATABASE_URL", Reports: "DATABASE_URL", Proves: "It crashed."} {
		e := Explanation{own: Candidate{Cause: "It crashed.", Strength: strength}}.found(report).rank()
		if !strings.Contains(e.Cause(), want) || strings.Contains(e.Cause(), "Node.js") {
			t.Errorf("strength %d: %s", strength, e.Cause())
		}
	}
	if e := (Explanation{own: Candidate{Cause: "The server is starting."}}).rank(); e.Cause() != "It may be that the server is starting." {
		t.Errorf("a hint is told as %q", e.Cause())
	}
}

// A sentence states facts: it has no words of doubt, and no hole for what is concluded.
func TestRows_SentencesAreFacts(t *testing.T) {
	conclusions := map[string]bool{"means": true, "usual_cause": true, "check": true, "paths": true, "try": true}
	for _, r := range catalog.Read[row](failuresText) {
		for _, text := range [...]factText{r.Sentence, r.What} {
			if doubt.MatchString(string(text)) {
				t.Errorf("%s: a sentence of fact with a doubt: %q", r.ID, text)
			}
			catalog.Fill(string(text), func(name string) string {
				if conclusions[name] {
					t.Errorf("%s: a sentence of fact has the conclusion {%s}", r.ID, name)
				}
				return ""
			})
		}
		if r.Match != "" && r.What+r.Sentence != "" && (r.Where == "stderr" || r.Where == "listening") {
			t.Errorf("%s: a word in a line is no fact", r.ID)
		}
		if r.Cause == "" && r.Strength != Hints {
			t.Errorf("%s: a strength without a cause", r.ID)
		}
	}
}
