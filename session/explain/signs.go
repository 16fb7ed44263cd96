package explain

import (
	"regexp"
	"strings"
)

func like(pattern, what, cause, try string) sign {
	return sign{pattern: regexp.MustCompile(pattern), what: what, cause: cause, try: try}
}

// but leaves out what the pattern catches by mistake.
func (s sign) but(not func(string) bool) sign {
	s.not = not
	return s
}

// signs are what servers and their launchers are known to write.
var signs = append(append(append(append([]sign{}, launcherSigns...), nodeSigns...), pythonSigns...), systemSigns...)

const (
	tryBuild   = "Build the server first, or correct the path; a relative one counts from the directory in which the server runs (--cwd)."
	tryPath    = "Correct the path; a relative one counts from the directory in which the server runs (--cwd)."
	trySpell   = "Check how the package is spelt; a package of a private registry needs that registry's settings."
	tryVersion = "Run the server with a newer %s: write its whole path, or change which one is first on the PATH."
)

var launcherSigns = []sign{
	like(`Ok to proceed\?`, "npx asks whether it may install the package, and nobody can answer",
		"npx asks before it installs what it does not have yet; the question went to stdout, which belongs to the protocol.",
		"Put -y behind npx, or install the package first."),
	like(`'?([^'\s]+?)@[^@'\s]*'? (?:is not in this registry|could not be found or you do not have permission)`, "npm knows no package %s", "The package does not exist, or is not public.", trySpell),
	like(`npm (?:error|ERR!) 404\s+Not Found - GET (\S+)`, "npm finds nothing at %s", "The package does not exist, or is not public.", trySpell),
	like(`No matching version found for (\S+?)\.?$`, "npm knows no version %s", "The package exists, and this version of it does not.", "Leave the version out, or name one that exists."),
	like(`could not determine executable to run`, "npx finds no command in the package", "The package has no command of its own, or several and none of its name.", "Name the command: npx -y -p PACKAGE COMMAND."),
	like("error: Failed to spawn: [`'\"]([^`'\"]+)", "uv finds no command %s", "The package is not installed in this project, or its command has another name.", "Run it by its package (uvx PACKAGE), or add it to the project (uv add)."),
	like("Because (\\S+) was not found in the package registry", "uv knows no package %s", "The package does not exist, or is not public.", trySpell),
	like("Because there is no version of ([^\\s,]+)", "uv knows no version %s", "The package exists, and this version of it does not.", "Leave the version out, or name one that exists."),
	like(`No solution found when resolving`, "uv finds no versions of the packages that go together", "What the server depends on contradicts itself, or the Python that is there.", "Read the lines on stderr for the package that is in the way; another version of the server or of Python (uvx --python 3.12) may do."),
	like("An executable named [`'\"]([^`'\"]+)[`'\"] is not provided", "the package has no command %s", "The command has another name than the package.", "Name both: uvx --from PACKAGE COMMAND."),
	like(`Cannot connect to the Docker daemon|failed to connect to the docker API|docker daemon is not running`, "Docker does not run",
		"The command docker is there, and its daemon does not answer.", "Start Docker (Docker Desktop, or systemctl start docker)."),
	like(`permission denied while trying to connect to the (?:Docker|docker)`, "this user may not speak to Docker",
		"The socket of Docker belongs to root and to the group docker.", "Add the user to the group docker, or use podman."),
	like(`pull access denied for ([^,\s]+)|manifest for (\S+) not found`, "Docker finds no image %s", "The image does not exist, has not been built here, or is not public.", "Check the image's name and tag; docker login if it is private."),
	like(`env: [‘'"]?([^’'":\s]+)\\?r?[’'"]?: No such file`, "env finds no command %s, which the script wants to be run with",
		"The interpreter is not on the PATH that the server gets, or the script has Windows line ends.", "Write the interpreter first, with its whole path; for line ends, dos2unix."),
	like(`(?:^|[/\s])(?:ba|z|da|k)?sh: (?:\d+: |line \d+: |)(?:exec: )?([^\s:]+): (?:command )?not found|command not found: (\S+)`, "a shell did not find the command %s",
		"It is not installed, or not on the PATH that the server gets.", "Install %s, or write its whole path."),
	like(`exec: "([^"]+)": executable file not found`, "the command %s was not found", "It is not installed, or not on the PATH that the server gets.", "Install %s, or write its whole path."),
	like(`'(\S+)' is not recognized as an internal or external command`, "cmd did not find the command %s", "It is not installed, or not on the PATH that the server gets.", "Install %s, or write its whole path."),
	like(`spawn (\S+) ENOENT`, "a launcher did not find the command %s", "It is not installed, or not on the PATH that the server gets.", "Install %s, or write its whole path."),
}

var nodeSigns = []sign{
	like(`Unknown file extension "(\.[a-z]+)"`, "Node.js does not run files that end in %s", "The server is TypeScript, or needs a loader, and has not been built.", "Build it and run the JavaScript that comes of that, or run it with tsx."),
	like(`Cannot use import statement outside a module`, "Node.js takes the file for CommonJS, and it is an ES module", "The package.json beside it lacks \"type\": \"module\", or the file should end in .mjs.", "Correct the package.json, or run the built file."),
	like(`Cannot find (?:module|package) '([^']*[/\\]_npx[/\\][^']*)'|Cannot find package '([^']+)' imported from \S*[/\\]_npx[/\\]`, "Node.js does not find %s, which npx should have installed", "The copy that npx keeps of the package is not whole, or the package leaves out what it needs.",
		"Delete the folder _npx of npm's cache (npm config get cache) and connect again; or name another version of the package."),
	like(`Cannot find (?:module|package) '((?:[./\\]|file:|[A-Za-z]:[\\/])[^']*)'`, "Node.js does not find the file %s", "The server has not been built, or the path is not the one of its entry.", tryBuild),
	like(`Cannot find (?:module|package) '([^']+)'`, "Node.js does not find the package %s", "What the server depends on is not installed.", "Run npm install in the server's directory."),
	like(`(?:requires|needs|requirement:?) [Nn]ode(?:\.js|js)? ?(?:version )?([>=^~v]*\s?\d[\w.]*\+?)`, "the server wants Node.js %s", "The Node.js that runs it is older.", strings.ReplaceAll(tryVersion, "%s", "Node.js")),
	like(`\b(ReadableStream|fetch|Headers|Response|FormData|File|structuredClone|crypto|CustomEvent) is not defined`, "this Node.js is too old for the server: it has no %s", "The Node.js that runs it is older than the server wants.", strings.ReplaceAll(tryVersion, "%s", "Node.js")),
	like(`SyntaxError: Unexpected token '?(\?\?=|\|\|=|&&=|\?\?|\?\.|\?|\.)'?$`, "this Node.js is too old for the server: it does not know %s", "The Node.js that runs it is older than the server wants.", strings.ReplaceAll(tryVersion, "%s", "Node.js")),
	like(`heap out of memory`, "the memory that Node.js may use was not enough", "The server keeps too much, or in a circle.", "Give it more (-e NODE_OPTIONS=--max-old-space-size=4096), or look at what it loads at its start."),
}

var pythonSigns = []sign{
	like(`requires a different Python: (\S+) not in`, "the server does not run with Python %s", "The package names the versions of Python that it runs with, and this is none of them.", strings.ReplaceAll(tryVersion, "%s", "Python")),
	like(`(?:[Rr]equires|[Nn]eeds) [Pp]ython ?(?:version )?([>=~v]*\s?\d[\w.]*\+?)|[Pp]ython (\d[\d.]*\+?) or (?:higher|later|newer|above)`, "the server wants Python %s", "The Python that runs it is older.", strings.ReplaceAll(tryVersion, "%s", "Python")),
	like(`No module named '?([\w.\-]+)'?`, "Python does not find the module %s", "It is not installed for the Python that runs the server: another one, or a virtual environment that is not in use.",
		"Install it for that Python (python -m pip install), or run the server with the Python of its virtual environment, or with uv run."),
	like(`ImportError: (.+)`, "Python cannot import what the server wants: %s", "A package is there in another version than the server wants.", "Install the versions that the server names, best in a virtual environment of its own."),
	like(`can't open file '([^']+)'`, "there is no file %s", "The path is not the one of the server's script.", tryPath),
	like(`MemoryError`, "there was not enough memory", "The server loads more than fits.", "Look at what it loads at its start."),
}

var systemSigns = []sign{
	like(`error while loading shared libraries: ([^:\s]+)|Library not loaded: (\S+)`, "the library %s is missing", "The server was built for a system that has it.", "Install the library, or build the server on this machine."),
	like("version [`'](GLIBC\\S+?)' not found", "the C library of this machine is too old: it has no %s", "The server was built on a newer system.", "Build the server on this machine, or run it in a container."),
	like(`EADDRINUSE\b.*?:(\d+)\b`, "the port %s is in use", "Another process listens there, perhaps an earlier run of the same server; and a server on stdio needs no port.", "End the other one, or give this one another port; check that it was told to speak over stdio."),
	like(`(?i)address already in use|Only one usage of each socket address`, "the port that it wants is in use", "Another process listens there, perhaps an earlier run of the same server; and a server on stdio needs no port.", "End the other one, or give this one another port; check that it was told to speak over stdio."),
	like(`ENOENT: no such file or directory, \w+ '([^']+)'|FileNotFoundError: .*: '([^']+)'|\bopen (\S+?): no such file or directory|Unable to access jarfile (\S+)`, "there is no file %s", "The server looks for it from the directory in which it runs, or by an argument.", tryPath),
	like(`EACCES: permission denied, \w+ '([^']+)'|[Pp]ermission denied: '([^']+)'|\b(?:open|mkdir|exec|unlink|fork/exec) (\S+?): permission denied`, "it may not use %s", "The user that mcptea runs as has no right to it.", "Look at its owner and permissions, or have the server use another place."),
	like(`(?i)permission denied|\bEACCES\b|operation not permitted`, "it lacks a permission", "The user that mcptea runs as has no right to what the line names.", "Look at the owner and the permissions of what the line names."),
	like(`(?i)\bSIGSEGV\b|segmentation (?:fault|violation)`, "it crashed at an address that it may not use (segmentation fault)", "The server crashed in native code: its own, that of a library, or that of its runtime.",
		"Run it by itself with the same input; update or rebuild its native modules for this machine."),
	like(`(?i)JavaScript heap|out of memory|cannot allocate memory`, "there was not enough memory", "The server loads more than fits.", "Look at what it loads at its start."),
	like(`getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S+)|(?i:could not resolve host:?) (\S+)`, "it does not find the host %s", "The server, or the launcher that fetches it, needs the network.", "Check the name, the network, and the proxy settings in the server's environment."),
	like(`(?i)unable to get local issuer certificate|self[- ]signed certificate|CERTIFICATE_VERIFY_FAILED`, "it does not trust a certificate", "A proxy, or a server that it speaks to, has a certificate that this runtime does not trust.", "Name its authority to the runtime (-e NODE_EXTRA_CA_CERTS=…, -e SSL_CERT_FILE=…)."),
	like(`connect ECONNREFUSED (\S+)|(?i:connection to (?:server at )?"?(\S+?)"?[^:]* (?:failed|refused))`, "it cannot reach %s", "The server needs another one, such as a database, which does not run.", "Start what it needs, or correct its address."),
	like(`KeyError: '([A-Z][A-Z0-9]*_[A-Z0-9_]+)'|([A-Z][A-Z0-9]*_[A-Z0-9_]+)\W{1,3}(?:[a-z]+\W+){0,6}?(?:not (?:set|found|defined|provided|configured|given)|missing|required|undefined|unset|empty|must be (?:set|provided|given))\b`, "it misses the variable %s", "The server takes a setting from its environment.", "Give it: -e %s=VALUE, or --env-file.").but(isCode),
	like(`(?i:missing|(?:please|must) (?:set|provide|define|export)|requires?d?|needs?|specify|without)\b.{0,60}?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)`, "it misses the variable %s", "The server takes a setting from its environment.", "Give it: -e %s=VALUE, or --env-file.").but(isCode),
	like(`(?i)(?:unrecognized|unknown|unexpected|invalid|not defined:?) (?:arguments?|options?|flags?|commands?)?:? ?['"]?(--?[\w-]+)|flag provided but not defined: (\S+)`, "it does not know the argument %s", "The server was told something that it does not understand.", "Look at its help for the argument that has it speak over stdio."),
	like(`(?i)the following arguments are required: (.+)|missing required (?:argument|option|positional)s?:? ?(.+)`, "it misses the argument %s", "The server wants to be told more on its command line.", "Put it behind the command."),
	like(`npm (?:warn|WARN) EBADENGINE +required: (.+?),?$`, "the server wants another Node.js: %s", "The Node.js that runs it is not of a version that the package names.", strings.ReplaceAll(tryVersion, "%s", "Node.js")),
	like(`(?i)^\s*usage:?\s`, "it printed a help text", "The server was not told what to do, or not in a way that it understands.", "Look in its help for the argument that has it speak over stdio."),
}

// listening are the signs of a server that speaks HTTP. They are no reason to
// end, and so stand by themselves.
var listening = []sign{
	like(`(?i)(?:listening|running|started|serving|available|ready|server|endpoint)\b.*?(https?://(?:localhost|127\.|0\.0\.0\.0|\[)[^\s"'<>\x00-\x1f]*)`, "it says that it serves %s", "The server speaks HTTP, not stdio: it waits for requests at that address.",
		"Connect to it there, with --url %s in place of the command; or tell it to speak over stdio."),
	like(`(?i)listening (?:on|at) (?:port )?(?:[\w.*\[\]:]*:)?(\d{2,5})\b`, "it says that it listens on port %s", "The server speaks HTTP, not stdio: it waits for requests at that port.",
		"Connect to it there, with --url http://127.0.0.1:%s/mcp in place of the command; or tell it to speak over stdio."),
}

// isCode tells error codes from variables.
func isCode(name string) bool {
	return strings.HasPrefix(name, "ERR_") || strings.HasSuffix(name, "_ERR") || strings.Contains(name, "ERROR") ||
		strings.HasSuffix(name, "_FOUND") || strings.HasPrefix(name, "E_")
}
