package hosts

import "slices"

// Severity is the severity of a problem.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the host does not load the file or entry, or the server cannot start
	Warning Severity = "warning" // works by luck, on one computer, or unsafely
	Info    Severity = "info"    // a state worth knowing
)

// Problem is a problem of a configuration file or an entry.
type Problem struct {
	ID       string   `json:"id"`                // F001 … F071
	Name     string   `json:"name"`              // the id in words, such as "unknown-key"
	Severity Severity `json:"severity"`          // "error", "warning" or "info"
	Host     string   `json:"host"`              // id of the host
	Server   string   `json:"server,omitempty"`  // name of the entry; empty for a problem of the file
	File     string   `json:"file"`              // path of the configuration file
	Line     int      `json:"line,omitempty"`    // line, from 1; 0 if the file was not read
	Column   int      `json:"column,omitempty"`  // column in bytes, from 1
	Pointer  string   `json:"pointer,omitempty"` // JSON Pointer of the value; list items by index
	Message  string   `json:"message"`           // problem and fix; secrets are not quoted
}

// Kind is a kind of problem.
type Kind struct {
	ID, Name string // id and name, as in [Problem]
	Means    string // description of the problem, in Markdown
}

// Kinds lists the kinds of problems. The caller must not change it.
func Kinds() []Kind { return kinds }

var kinds = []Kind{
	{"F001", "unreadable", "the file cannot be read, or has more than 16 MB or 400,000 values"},
	{"F002", "byte-order-mark", "the file begins with a byte order mark, or is UTF-16"},
	{"F003", "syntax", "the file does not parse"},
	{"F004", "trailing-comma", "a comma before `}` or `]` in strict JSON"},
	{"F005", "comment", "a comment in strict JSON"},
	{"F006", "wrong-root-key", "the servers are under the key of another host, such as `servers` for `mcpServers`"},
	{"F007", "root-type", "a list instead of an object, or the other way round"},
	{"F008", "duplicate-key", "a key or a name twice in one object"},
	{"F009", "not-read", "the host does not read servers from this file"},
	{"F010", "old-location", "the host has moved the file or the key"},
	{"F011", "bad-fragment", "merging files gives an invalid entry"},
	{"F012", "not-evaluated", "the file is a program"},
	{"F013", "many-servers", "the file has more than 1,000 servers; the first ones are read"},
	{"F020", "unknown-key", "the host ignores the key; the nearest known one is named"},
	{"F021", "no-command", "neither a command nor a URL"},
	{"F022", "command-and-url", "both a command and a URL"},
	{"F023", "wrong-type", "a value of the wrong type"},
	{"F024", "unsupported-transport", "the host does not support the transport"},
	{"F025", "type-missing", "a URL without `type`"},
	{"F026", "type-mismatch", "`type` does not fit the entry"},
	{"F027", "invalid-name", "the host does not accept the name"},
	{"F028", "reserved-name", "the name is reserved"},
	{"F029", "invalid-url", "not an http or https URL"},
	{"F030", "deprecated-key", "the key has a newer name"},
	{"F031", "rejected-key", "the host rejects the key for this transport"},
	{"F032", "timeout-unit", "seconds instead of milliseconds, or the other way round"},
	{"F033", "disabled", "the file, the state of the host or a policy disables the entry"},
	{"F034", "duplicate-name", "the name is also defined in another file"},
	{"F040", "undefined-variable", "an environment variable is not set"},
	{"F041", "foreign-variable", "a reference to a variable in the syntax of another host"},
	{"F042", "undefined-input", "an input that is not defined, or not used"},
	{"F043", "command-not-found", "the command is not on `PATH`"},
	{"F044", "command-is-line", "a whole command line in `command`"},
	{"F045", "relative-path", "a relative path although the working directory is unknown"},
	{"F046", "path-not-found", "a file or directory that does not exist"},
	{"F047", "npx-without-yes", "`npx` without `-y`"},
	{"F048", "windows-cmd", "a `.cmd` file that the host does not start"},
	{"F049", "shell-syntax", "`~`, `*`, `|` or `>` without a shell"},
	{"F050", "docker-stdin", "`docker run`, `exec` or `start` without `-i`, or with `-t` (also podman, nerdctl, kubectl)"},
	{"F051", "wsl-env", "variables that `wsl.exe` does not pass to Linux, since `WSLENV` does not name them"},
	{"F052", "not-expanded", "a value with more than 1,000 references to variables, or one that becomes longer than 128 KiB; mcptea does not expand it"},
	{"F060", "secret-in-clear", "a secret in the file"},
	{"F061", "secret-shared", "a secret in a file under version control"},
	{"F062", "placeholder", "a value such as `YOUR_API_KEY`"},
	{"F063", "whitespace", "spaces around a value"},
	{"F064", "secret-over-http", "a secret header without TLS"},
	{"F070", "wrapped", "the entry runs through `mcptea tap`"},
	{"F071", "wrap-stale", "the entry runs an `mcptea` that does not exist"},
}

// slug returns the name of a kind of problem.
func slug(id string) string {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.ID == id })
	if i < 0 {
		return ""
	}
	return kinds[i].Name
}

// Worst returns the highest severity, or "" if there are no problems.
func Worst(problems []Problem) Severity {
	worst := Severity("")
	for _, p := range problems {
		if p.Severity == Error || p.Severity == Warning && worst != Error || worst == "" {
			worst = p.Severity
		}
	}
	return worst
}
