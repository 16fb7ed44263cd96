package hosts

// Severity is how much a problem matters.
type Severity string

// The severities.
const (
	Error   Severity = "error" // the host does not load the file or entry, or the server cannot start
	Warning Severity = "warn"  // works by luck, on one computer, or unsafely
	Info    Severity = "info"  // a state worth knowing
)

// Problem is what is wrong with a configuration file or an entry.
type Problem struct {
	ID       string   `json:"id"`                // F001 … F071
	Name     string   `json:"name"`              // the id in words, such as "unknown-key"
	Severity Severity `json:"severity"`          // "error", "warn" or "info"
	Host     string   `json:"host"`              // id of the host
	Server   string   `json:"server,omitempty"`  // name of the entry; empty for a problem of the file
	File     string   `json:"file"`              // path of the configuration file
	Line     int      `json:"line,omitempty"`    // from 1; 0 if the file was not read
	Column   int      `json:"column,omitempty"`  // from 1, in bytes
	Pointer  string   `json:"pointer,omitempty"` // JSON Pointer of the value; list items by index
	Message  string   `json:"message"`           // what is wrong and what to do; secrets are not quoted
}

// The names of the problems.
var slugs = map[string]string{
	"F001": "unreadable", "F002": "byte-order-mark", "F003": "syntax", "F004": "trailing-comma", "F005": "comment", "F006": "wrong-root-key",
	"F007": "root-type", "F008": "duplicate-key", "F009": "not-read", "F010": "old-location", "F011": "bad-fragment", "F012": "not-evaluated",
	"F020": "unknown-key", "F021": "no-command", "F022": "command-and-url", "F023": "wrong-type", "F024": "unsupported-transport",
	"F025": "type-missing", "F026": "type-mismatch", "F027": "invalid-name", "F028": "reserved-name", "F029": "invalid-url",
	"F030": "deprecated-key", "F031": "rejected-key", "F032": "timeout-unit", "F033": "disabled", "F034": "duplicate-name",
	"F040": "undefined-variable", "F041": "foreign-variable", "F042": "undefined-input", "F043": "command-not-found", "F044": "command-is-line",
	"F045": "relative-path", "F046": "path-not-found", "F047": "npx-without-yes", "F048": "windows-cmd", "F049": "shell-syntax",
	"F050": "docker-stdin", "F060": "secret-in-clear", "F061": "secret-shared", "F062": "placeholder", "F063": "whitespace",
	"F064": "secret-over-http", "F070": "wrapped", "F071": "wrap-stale",
}

// Worst returns the most severe of the severities; empty if there are no problems.
func Worst(problems []Problem) Severity {
	worst := Severity("")
	for _, p := range problems {
		if p.Severity == Error || p.Severity == Warning && worst != Error || worst == "" {
			worst = p.Severity
		}
	}
	return worst
}
