package explain

import (
	"strings"

	"mcptea/internal/lazyregexp"
)

func like(pattern, what, cause, try string) sign {
	return sign{pattern: lazyregexp.New(pattern), what: what, cause: cause, try: try}
}

// but leaves out what the pattern catches by mistake.
func (s sign) but(not func(string) bool) sign {
	s.not = not
	return s
}

// signs are what servers and their launchers are known to write.
var signs = append(append(append(append([]sign{}, launcherSigns...), nodeSigns...), pythonSigns...), systemSigns...)

const (
	tryBuild   = "Build the server first, or correct the path; a relative path is resolved from the working directory of the server (--cwd)."
	tryPath    = "Correct the path; a relative path is resolved from the working directory of the server (--cwd)."
	trySpell   = "Check the spelling of the package; a private registry must be configured."
	tryVersion = "Run the server with a newer %s: use its absolute path, or put it first in PATH."
)

var launcherSigns = []sign{
	like(`Ok to proceed\?`, "npx asks whether to install the package, and its stdin is not a terminal",
		"npx prompts before it installs a package; the prompt was written to stdout, which is reserved for messages.",
		"Use npx -y, or install the package first."),
	like(`'?([^'\s]+?)@[^@'\s]*'? (?:is not in this registry|could not be found or you do not have permission)`, "npm: package %s not found", "The package does not exist, or is not public.", trySpell),
	like(`npm (?:error|ERR!) 404\s+Not Found - GET (\S+)`, "npm: %s not found (404)", "The package does not exist, or is not public.", trySpell),
	like(`No matching version found for (\S+?)\.?$`, "npm: version %s not found", "The package exists, but not in this version.", "Omit the version, or use one that exists."),
	like(`could not determine executable to run`, "npx cannot determine the command of the package", "The package has no command, or several and none with its name.", "Specify the command: npx -y -p PACKAGE COMMAND."),
	like("error: Failed to spawn: [`'\"]([^`'\"]+)", "uv: command %s not found", "The package is not installed in this project, or its command has another name.", "Run it by its package (uvx PACKAGE), or add it to the project (uv add)."),
	like("Because (\\S+) was not found in the package registry", "uv: package %s not found", "The package does not exist, or is not public.", trySpell),
	like("Because there is no version of ([^\\s,]+)", "uv: version %s not found", "The package exists, but not in this version.", "Omit the version, or use one that exists."),
	like(`No solution found when resolving`, "uv cannot resolve the dependencies", "The requirements of the server conflict with each other or with the Python version.", "See stderr for the conflicting package; try another version of the server or of Python (uvx --python 3.12)."),
	like("An executable named [`'\"]([^`'\"]+)[`'\"] is not provided", "the package has no command %s", "The command has another name than the package.", "Specify both: uvx --from PACKAGE COMMAND."),
	like(`Cannot connect to the Docker daemon|failed to connect to the docker API|docker daemon is not running`, "Docker is not running",
		"The docker command is installed, but the daemon does not respond.", "Start Docker (Docker Desktop, or systemctl start docker)."),
	like(`permission denied while trying to connect to the (?:Docker|docker)`, "no permission for the Docker socket",
		"The Docker socket belongs to root and the group docker.", "Add the user to the group docker, or use podman."),
	like(`pull access denied for ([^,\s]+)|manifest for (\S+) not found`, "Docker: image %s not found", "The image does not exist, has not been built here, or is not public.", "Check the image's name and tag; docker login if it is private."),
	like(`env: [‘'"]?([^’'":\s]+)\\?r?[’'"]?: No such file`, "env: interpreter %s not found",
		"The interpreter is not in the PATH of the server, or the script has Windows line endings.", "Put the absolute path of the interpreter before the script; convert line endings with dos2unix."),
	like(`(?:^|[/\s])(?:ba|z|da|k)?sh: (?:\d+: |line \d+: |)(?:exec: )?([^\s:]+): (?:command )?not found|command not found: (\S+)`, "a shell did not find the command %s",
		"It is not installed, or not in the PATH of the server.", "Install %s, or use its absolute path."),
	like(`exec: "([^"]+)": executable file not found`, "the command %s was not found", "It is not installed, or not in the PATH of the server.", "Install %s, or use its absolute path."),
	like(`'(\S+)' is not recognized as an internal or external command`, "cmd did not find the command %s", "It is not installed, or not in the PATH of the server.", "Install %s, or use its absolute path."),
	like(`spawn (\S+) ENOENT`, "a launcher did not find the command %s", "It is not installed, or not in the PATH of the server.", "Install %s, or use its absolute path."),
}

var nodeSigns = []sign{
	like(`Unknown file extension "(\.[a-z]+)"`, "Node.js cannot run %s files", "The server is TypeScript and has not been built, or needs a loader.", "Build it and run the resulting JavaScript, or run it with tsx."),
	like(`Cannot use import statement outside a module`, "the file is an ES module, and Node.js loads it as CommonJS", "The package.json beside it lacks \"type\": \"module\", or the file should end in .mjs.", "Correct the package.json, or run the built file."),
	like(`Cannot find (?:module|package) '([^']*[/\\]_npx[/\\][^']*)'|Cannot find package '([^']+)' imported from \S*[/\\]_npx[/\\]`, "Node.js cannot find %s, which npx should have installed", "The npx cache of the package is incomplete, or the package misses a dependency.",
		"Delete the directory _npx in the npm cache (npm config get cache) and reconnect, or use another version of the package."),
	like(`Cannot find (?:module|package) '((?:[./\\]|file:|[A-Za-z]:[\\/])[^']*)'`, "Node.js cannot find the file %s", "The server has not been built, or the path is wrong.", tryBuild),
	like(`Cannot find (?:module|package) '([^']+)'`, "Node.js cannot find the package %s", "A dependency of the server is not installed.", "Run npm install in the server's directory."),
	like(`(?:requires|needs|requirement:?) [Nn]ode(?:\.js|js)? ?(?:version )?([>=^~v]*\s?\d[\w.]*\+?)`, "the server requires Node.js %s", "The installed Node.js is older.", strings.ReplaceAll(tryVersion, "%s", "Node.js")),
	like(`\b(ReadableStream|fetch|Headers|Response|FormData|File|structuredClone|crypto|CustomEvent) is not defined`, "this version of Node.js is too old: %s is not defined", "The server requires a newer Node.js.", strings.ReplaceAll(tryVersion, "%s", "Node.js")),
	like(`SyntaxError: Unexpected token '?(\?\?=|\|\|=|&&=|\?\?|\?\.|\?|\.)'?$`, "this version of Node.js is too old: syntax %s is not supported", "The server requires a newer Node.js.", strings.ReplaceAll(tryVersion, "%s", "Node.js")),
	like(`heap out of memory`, "Node.js ran out of heap memory", "The server uses more memory than the heap limit, or leaks memory.", "Give it more (-e NODE_OPTIONS=--max-old-space-size=4096), or check what it loads at startup."),
}

var pythonSigns = []sign{
	like(`requires a different Python: (\S+) not in`, "the server does not support Python %s", "The package does not support this version of Python.", strings.ReplaceAll(tryVersion, "%s", "Python")),
	like(`(?:[Rr]equires|[Nn]eeds) [Pp]ython ?(?:version )?([>=~v]*\s?\d[\w.]*\+?)|[Pp]ython (\d[\d.]*\+?) or (?:higher|later|newer|above)`, "the server requires Python %s", "The installed Python is older.", strings.ReplaceAll(tryVersion, "%s", "Python")),
	like(`No module named '?([\w.\-]+)'?`, "Python cannot find the module %s", "It is not installed for this Python: the server runs with another one, or outside its virtual environment.",
		"Install it for that Python (python -m pip install), or run the server with the Python of its virtual environment, or with uv run."),
	like(`ImportError: (.+)`, "Python cannot import a dependency: %s", "A package is installed in another version than the server requires.", "Install the versions that the server requires, preferably in a virtual environment."),
	like(`can't open file '([^']+)'`, "no such file: %s", "The path of the server's script is wrong.", tryPath),
	like(`MemoryError`, "out of memory", "The server needs more memory than is available.", "Check what it loads at startup."),
}

var systemSigns = []sign{
	like(`error while loading shared libraries: ([^:\s]+)|Library not loaded: (\S+)`, "the library %s is missing", "The server was built for a system that has it.", "Install the library, or build the server on this machine."),
	like("version [`'](GLIBC\\S+?)' not found", "the C library of this machine is too old: it has no %s", "The server was built on a newer system.", "Build the server on this machine, or run it in a container."),
	like(`EADDRINUSE\b.*?:(\d+)\b`, "the port %s is in use", "Another process listens there, perhaps an earlier run of the same server; and a server on stdio needs no port.", "End the other one, or give this one another port; check that it was told to speak over stdio."),
	like(`(?i)address already in use|Only one usage of each socket address`, "the port that it wants is in use", "Another process listens there, perhaps an earlier run of the same server; and a server on stdio needs no port.", "End the other one, or give this one another port; check that it was told to speak over stdio."),
	like(`ENOENT: no such file or directory, \w+ '([^']+)'|FileNotFoundError: .*: '([^']+)'|\bopen (\S+?): no such file or directory|Unable to access jarfile (\S+)`, "no such file: %s", "The server looks for it from the directory in which it runs, or by an argument.", tryPath),
	like(`EACCES: permission denied, \w+ '([^']+)'|[Pp]ermission denied: '([^']+)'|\b(?:open|mkdir|exec|unlink|fork/exec) (\S+?): permission denied`, "it may not use %s", "The user that mcptea runs as has no right to it.", "Look at its owner and permissions, or have the server use another place."),
	like(`(?i)permission denied|\bEACCES\b|operation not permitted`, "it lacks a permission", "The user that mcptea runs as has no right to what the line names.", "Look at the owner and the permissions of what the line names."),
	like(`(?i)\bSIGSEGV\b|segmentation (?:fault|violation)`, "it crashed at an address that it may not use (segmentation fault)", "The server crashed in native code: its own, that of a library, or that of its runtime.",
		"Run it outside mcptea with the same input; update or rebuild its native modules for this machine."),
	like(`(?i)JavaScript heap|out of memory|cannot allocate memory`, "out of memory", "The server needs more memory than is available.", "Check what it loads at startup."),
	like(`getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S+)|(?i:could not resolve host:?) (\S+)`, "it cannot resolve host %s", "The server, or the launcher that downloads it, needs the network.", "Check the name, the network, and the proxy settings in the server's environment."),
	like(`(?i)unable to get local issuer certificate|self[- ]signed certificate|CERTIFICATE_VERIFY_FAILED`, "it does not trust a certificate", "A proxy, or a server that it connects to, has a certificate that this runtime does not trust.", "Add its authority to the runtime (-e NODE_EXTRA_CA_CERTS=…, -e SSL_CERT_FILE=…)."),
	like(`connect ECONNREFUSED (\S+)|(?i:connection to (?:server at )?"?(\S+?)"?[^:]* (?:failed|refused))`, "it cannot connect to %s", "The server needs another service, such as a database, that is not running.", "Start that service, or correct its address."),
	like(`KeyError: '([A-Z][A-Z0-9]*_[A-Z0-9_]+)'|([A-Z][A-Z0-9]*_[A-Z0-9_]+)\W{1,3}(?:[a-z]+\W+){0,6}?(?:not (?:set|found|defined|provided|configured|given)|missing|required|undefined|unset|empty|must be (?:set|provided|given))\b`, "environment variable %s is not set", "The server reads a setting from its environment.", "Set it: -e %s=VALUE, or --env-file.").but(isCode),
	like(`(?i:missing|(?:please|must) (?:set|provide|define|export)|requires?d?|needs?|specify|without)\b.{0,60}?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)`, "environment variable %s is not set", "The server reads a setting from its environment.", "Set it: -e %s=VALUE, or --env-file.").but(isCode),
	like(`(?i)(?:unrecognized|unknown|unexpected|invalid|not defined:?) (?:arguments?|options?|flags?|commands?)?:? ?['"]?(--?[\w-]+)|flag provided but not defined: (\S+)`, "unknown argument %s", "The server does not support an argument of its command line.", "See its help for the argument that selects stdio."),
	like(`(?i)the following arguments are required: (.+)|missing required (?:argument|option|positional)s?:? ?(.+)`, "missing argument %s", "The server requires an argument on its command line.", "Add it to the command."),
	like(`npm (?:warn|WARN) EBADENGINE +required: (.+?),?$`, "the server requires another version of Node.js: %s", "The package does not support this version of Node.js.", strings.ReplaceAll(tryVersion, "%s", "Node.js")),
	like(`(?i)^\s*usage:?\s`, "it printed a help text", "An argument is missing or wrong.", "See its help for the argument that selects stdio."),
}

// listening are the signs of a server that speaks HTTP. They are no reason to
// end, and so stand by themselves.
var listening = []sign{
	like(`(?i)(?:listening|running|started|serving|available|ready|server|endpoint)\b.*?(https?://(?:localhost|127\.|0\.0\.0\.0|\[)[^\s"'<>\x00-\x1f]*)`, "it serves %s", "The server uses HTTP, not stdio: it waits for requests at that address.",
		"Connect to it there, with --url %s instead of the command; or start it in stdio mode."),
	like(`(?i)listening (?:on|at) (?:port )?(?:[\w.*\[\]:]*:)?(\d{2,5})\b`, "it listens on port %s", "The server uses HTTP, not stdio: it waits for requests at that port.",
		"Connect to it there, with --url http://127.0.0.1:%s/mcp instead of the command; or start it in stdio mode."),
}

// isCode distinguishes error codes from variables.
func isCode(name string) bool {
	return strings.HasPrefix(name, "ERR_") || strings.HasSuffix(name, "_ERR") || strings.Contains(name, "ERROR") ||
		strings.HasSuffix(name, "_FOUND") || strings.HasPrefix(name, "E_")
}
