package hosts

import (
	"path"
	"slices"
	"strings"
	"time"

	"mcptea/client/hosts/syntax"
	"mcptea/client/secret"
	"mcptea/internal/words/phrase"
)

// Scope is the part of a system for which an entry is configured, such as a user or a project.
type Scope string

// The scopes.
const (
	Managed   Scope = "managed"   // set by the administrator of the computer
	User      Scope = "user"      // defined for all projects of the user
	Local     Scope = "local"     // defined for one project, in a file of the user
	Project   Scope = "project"   // the project defines it
	Workspace Scope = "workspace" // defined in the workspace of an editor
	Remote    Scope = "remote"    // inside a container
	Plugin    Scope = "plugin"    // a plugin or extension defines it
	Agent     Scope = "agent"     // defined by one agent
	Catalog   Scope = "catalog"   // a server that can be enabled
	Manifest  Scope = "manifest"  // the description of a server
)

// A Transport is the way in which a host connects to a server.
type Transport string

// The transports. Entries without a command and a URL have none.
const (
	Stdio   Transport = "stdio"
	HTTP    Transport = "http" // Streamable HTTP, or HTTP+SSE if the server supports nothing else
	SSE     Transport = "sse"  // HTTP+SSE of 2024-11-05
	WS      Transport = "ws"
	Builtin Transport = "builtin" // a part of the host itself
)

// Field is a name with its value: a variable or a header.
type Field struct {
	Name, Value string
	Unset       bool // the variable is removed from the environment
}

// Launch is the command that a host starts, or the URL that it connects to.
type Launch struct {
	Command string
	Args    []string
	Dir     string
	Env     []Field // environment variables, in the order of the file
	EnvFile string
	URL     string
	Headers []Field
}

// OAuth is the registration of a client in an entry.
type OAuth struct {
	ClientID string
	Scopes   []string
}

// Source is the place of an entry.
type Source struct {
	File    string        `json:"file"`    // path
	Format  syntax.Format `json:"format"`  // "json", "json-comments", "jsonc", "toml" or "yaml"
	Pointer string        `json:"pointer"` // JSON Pointer of the entry; list items by index
	Line    int           `json:"line"`    // line, from 1
	Column  int           `json:"column"`  // column, from 1
}

// Server is a configured server.
type Server struct {
	Host    string // id of the host, as in HOST/NAME
	Scope   Scope
	Project string // directory for which an entry of a user's file is meant
	Name    string // key of the entry
	Source  Source

	Transport Transport
	Declared  string // the transport as written; empty if it is inferred
	// Written is the content of the entry. If the entry runs through mcptea tap, Written is the command that
	// the tap starts.
	Written Launch
	// Expanded is Written with the known variables replaced. References to others are kept as written.
	Expanded Launch

	// FileEnv contains the variables of the env file, after it was read; they are passed to the server.
	FileEnv []Field

	// Private contains the values of the environment variables in Expanded: they may be secrets.
	Private []string

	EnvForward    []string // names of variables that the host forwards
	HeaderEnv     []Field  // headers with the names of the variables of their values
	HeadersHelper string   // program that prints headers
	BearerEnv     string   // name of the variable with the token
	OAuth         *OAuth
	Image         string // container image of a catalog
	// Variant distinguishes several servers of one name in a manifest: the registry of a package, such as npm,
	// or the transport of a remote server.
	Variant string
	// Required lists the variables and headers that a manifest requires without a value.
	Required []string
	// Lacks are the files that the manifest of a bundle refers to and that the bundle does not have.
	Lacks []string
	// Platforms lists the systems for which a bundle is made, if this system is not one of them.
	Platforms []string
	Extension bool // an extension of the host starts the server

	// Timeout applies to everything, if the host has a single value.
	Timeout, StartupTimeout, RequestTimeout time.Duration
	ToolsAllow, ToolsDeny, ToolsAuto        []string // names or patterns
	Extra                                   []string // unknown keys

	Disabled   bool
	DisabledBy string // "entry", "state" or "settings"
	Loaded     bool   // false: the host does not read the entry
	Fragment   bool   // the entry changes an entry of another file, and is not a server itself
	Pasted     bool   // the user has pasted it, see [ReadPasted]
	Wrapped    bool   // the entry runs through mcptea tap, see [Journal.Mark]
	Tap        string // URL of the tap, of a wrapped entry with a URL
	// Effective reports whether the host uses the entry: no other entry of the same
	// name precedes it, and the host reads the file.
	Effective bool
	// Merged is the file of the entry that this one changes, if the host merges entries of the same name.
	Merged   string
	Problems []Problem

	file *file
	node *syntax.Node // the entry
	// unknown are the references of a bundle that no host replaces; at most maxReferences.
	unknown []string
	// notExpanded is the reason why a value is not expanded, or "" if all are. notExpandedAt is the role of the
	// value.
	notExpanded   string
	notExpandedAt role
	body          *syntax.Node          // the object with the command, in the entry or itself
	mapped        map[role]*syntax.Node // values by role
}

// InProject reports whether the entry is in a file of the project at a place where the host reads
// it. Then the author of the project decides what the entry starts. A file that the user has named
// ([ReadFile]) is not in a project.
func (s *Server) InProject() bool { return s.file != nil && s.file.inProject() }

// ID returns HOST/NAME.
func (s *Server) ID() string { return s.Host + "/" + s.Name }

// NotLoaded returns why the host does not read the file of the entry: the most severe problem of the file. ok
// is false if the entry is loaded.
func (s *Server) NotLoaded() (why Problem, ok bool) {
	if s.Loaded || s.file == nil {
		return Problem{}, false
	}
	all := slices.DeleteFunc(slices.Clone(s.file.problems), func(q Problem) bool { return q.Server != "" })
	if i := slices.IndexFunc(all, func(q Problem) bool { return q.Severity == Worst(all) }); i >= 0 {
		return all[i], true
	}
	return Problem{}, false
}

// Usable reports whether the entry contains a command or a URL for its transport.
func (s *Server) Usable() bool {
	l := &s.Expanded
	return s.Loaded && (s.Transport == Stdio && l.Command != "" || (s.Transport == HTTP || s.Transport == SSE) && l.URL != "")
}

// Unresolved returns the references that the host would replace and whose values are unknown here, such as
// unset variables. It does not include [Server.Inputs].
func (s *Server) Unresolved() (all []string) {
	seen := map[string]bool{}
	s.references(func(r reference) {
		if !r.isInput() && !seen[r.text] {
			seen[r.text] = true
			all = append(all, r.text)
		}
	})
	return all
}

// maxNamed bounds the references that a sentence names, and maxShown the length of each, in bytes.
const (
	maxNamed = 5
	maxShown = 60
)

// WhyUnknown returns why the command or URL of the entry is unknown here, as the rest of a sentence: it refers
// to unset variables, or to the names in more, or a value is not expanded. It returns "" if all is known.
func (s *Server) WhyUnknown(more ...string) string {
	if s.notExpanded != "" {
		return "cannot be used: " + s.notExpanded
	}
	switch names := slices.Concat(s.Unresolved(), more); {
	case len(s.unknown) > 0:
		return "refers to " + named(s.unknown, "more reference") + ", which a bundle cannot use"
	case len(s.Lacks) > 0:
		return "refers to files that the bundle does not have: " + named(s.Lacks, "more file")
	case len(names) > 0:
		return "refers to " + named(names, "more reference") + ", whose value is not known here"
	}
	return ""
}

// named returns the first names of a list, and the number of the others, which are called rest.
func named(names []string, rest string) string {
	left := names[min(len(names), maxNamed):]
	names = slices.Clone(names[:len(names)-len(left)])
	for i := range names {
		names[i] = phrase.Clip(names[i], maxShown)
	}
	text := strings.Join(names, ", ")
	if len(left) > 0 {
		text += " and " + phrase.Count(len(left), rest)
	}
	return text
}

// Launches reports whether two entries start the same command or connect to the same
// URL.
func (s *Server) Launches(other *Server) bool {
	a, b := &s.Expanded, &other.Expanded
	if s.Transport == Stdio {
		return other.Transport == Stdio && a.Command == b.Command && a.Dir == b.Dir && a.EnvFile == b.EnvFile && slices.Equal(a.Args, b.Args) && slices.Equal(a.Env, b.Env)
	}
	return other.Transport != Stdio && a.URL == b.URL && slices.Equal(a.Headers, b.Headers) && slices.Equal(s.HeaderEnv, other.HeaderEnv) && s.BearerEnv == other.BearerEnv
}

// Argv returns the command and its arguments, expanded.
func (l *Launch) Argv() []string { return append([]string{l.Command}, l.Args...) }

// Redacted returns a copy with masked secrets, for display.
func (l Launch) Redacted() Launch {
	if l.Command != "" {
		argv := secret.Args(l.Argv())
		l.Command, l.Args = argv[0], argv[1:]
	}
	l.URL = secret.URL(l.URL)
	l.Env, l.Headers = redact(l.Env), redact(l.Headers)
	return l
}

func redact(fields []Field) []Field {
	out := make([]Field, len(fields))
	for i, f := range fields {
		out[i] = f
		if f.Value == "" || hasReference(f.Value) && len(secretIn(f.Name, f.Value)) == 0 {
			continue
		}
		if secret.IsName(f.Name) {
			out[i].Value = secret.Mark
		} else {
			out[i].Value = secret.Text(f.Value)
		}
	}
	return out
}

// String returns the command line or the URL, secrets masked.
func (l Launch) String() string {
	l = l.Redacted()
	if l.Command == "" {
		return l.URL
	}
	return strings.Join(l.Argv(), " ")
}

// program returns the name of a command without its directory and the ending of Windows.
func program(command string) string {
	name := path.Base(strings.ReplaceAll(command, `\`, "/"))
	for _, ending := range []string{".exe", ".cmd", ".bat", ".EXE", ".CMD"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
