package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mcptea/client/hosts/syntax"
)

// file is a configuration file while it is read.
type file struct {
	machine  *Machine
	host     *host
	location *location
	dialect  *dialect
	path     string
	data     []byte
	mode     fs.FileMode
	root     *syntax.Node

	unloaded bool // the host does not read the file, or rejects it
	problems []Problem
	servers  []*Server
}

// report adds a problem of the file at a byte offset; of an entry, if server is not nil.
func (f *file) report(server *Server, id string, severity Severity, pointer string, offset int, format string, args ...any) {
	p := Problem{ID: id, Severity: severity, Host: f.host.ID, File: f.path, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
	p.place(f.data, offset)
	if server != nil {
		p.Server = server.Name
		server.Problems = append(server.Problems, p)
		return
	}
	f.problems = append(f.problems, p)
}

// load reads the file and its servers.
func (f *file) load() {
	data, mode, err := f.machine.Read(f.path, maxFileBytes)
	if err != nil {
		var perr *fs.PathError
		if errors.As(err, &perr) {
			err = perr.Err
		}
		f.report(nil, "F001", Error, "", 0, "Cannot read %s: %v.", f.machine.short(f.path), err)
		f.problems[len(f.problems)-1].Line, f.problems[len(f.problems)-1].Column = 0, 0
		f.unloaded = true
		return
	}
	f.data, f.mode = data, mode
	if f.location.Format == syntax.Shell {
		f.report(nil, "F012", Info, "", 0, "%s is a shell script. mcptea does not run it; %s itself lists the servers.", f.machine.short(f.path), f.host.ID)
		return
	}
	if !f.parse() {
		f.unloaded = true
		return
	}
	read := (*file).readRoot
	if f.location.Reader != "" {
		read = readers[f.location.Reader]
	}
	read(f)
	f.applySettings()
	f.checkUnusedInputs()
	if f.location.Moved != "" && (f.location.MovedAt == "" || len(f.servers) > 0) {
		offset := 0
		if m := f.root.Get(strings.TrimPrefix(f.location.MovedAt, "/")); m != nil {
			offset = m.KeyStart
		}
		f.report(nil, "F010", Info, f.location.MovedAt, offset, "%s has moved this to %s.", f.host.Name, f.location.Moved)
	}
}

// parse parses the file and reports what its host does not accept. It returns false
// if there is no tree.
func (f *file) parse() bool {
	strict := f.location.Format == syntax.JSON || f.location.Format == syntax.JSONComments
	if bytes.HasPrefix(f.data, []byte("\xff\xfe")) || bytes.HasPrefix(f.data, []byte("\xfe\xff")) {
		f.report(nil, "F002", Error, "", 0, "The file is UTF-16, which %s rejects. Save it as UTF-8 without BOM.", f.host.Name)
		return false
	}
	if bytes.HasPrefix(f.data, syntax.BOM) {
		severity := Info
		if strict {
			severity, f.unloaded = Error, true
		}
		f.report(nil, "F002", severity, "", 0, "The file begins with a byte order mark, which %s may reject as invalid %s. Save it as UTF-8 without BOM.", f.host.Name, formatName(f.location.Format))
	}
	tree, err := syntax.Parse(f.location.Format, f.data)
	var e *syntax.Error
	if errors.As(err, &e) {
		p := Problem{ID: "F003", Severity: Error, Host: f.host.ID, File: f.path, Line: e.Line, Column: max(e.Column, 1)}
		p.Message = fmt.Sprintf("Not valid %s: %s. %s ignores the whole file.%s", formatName(f.location.Format), strings.TrimSuffix(e.Message, "."), f.host.Name, f.syntaxHint(e))
		f.problems = append(f.problems, p)
		return false
	}
	f.root = tree.Root
	f.reportDeviations(tree)
	return true
}

func formatName(format syntax.Format) string {
	switch format {
	case syntax.TOML, syntax.YAML:
		return strings.ToUpper(string(format))
	}
	return "JSON"
}

// syntaxHint returns a sentence about a common cause of an error, or an empty string.
func (f *file) syntaxHint(e *syntax.Error) string {
	line := lineOf(f.data, e.Line)
	switch {
	case len(bytes.TrimSpace(f.data)) == 0:
		return " The file is empty."
	case f.location.Format == syntax.TOML && strings.Contains(e.Message, "expected"):
		return " Strings need quotes."
	case f.location.Format == syntax.YAML && strings.Contains(line, "\t"):
		return " Indent with spaces, not with tabs."
	case f.location.Format != syntax.YAML && strings.Contains(line, `\`) && strings.Contains(line, `:\`):
		return ` Write each backslash of a Windows path twice: a single backslash begins an escape.`
	case strings.Contains(e.Message, "EOF"):
		return " The file ends too early."
	}
	return ""
}

func lineOf(data []byte, n int) string {
	for i := 1; ; i++ {
		line, rest, ok := bytes.Cut(data, []byte("\n"))
		if i == n || !ok {
			return string(line)
		}
		data = rest
	}
}

// reportDeviations reports the first comment and the first trailing comma that the
// host does not accept.
func (f *file) reportDeviations(tree *syntax.Tree) {
	format := f.location.Format
	var comment, comma bool
	for _, d := range tree.Deviations {
		switch {
		case d.Comment && format == syntax.JSON && !comment:
			comment, f.unloaded = true, true
			f.report(nil, "F005", Error, "", d.Offset, "Comment in strict JSON. %s rejects the file. Remove the comment.", f.host.Name)
		case !d.Comment && (format == syntax.JSON || format == syntax.JSONComments) && !comma:
			comma, f.unloaded = true, true
			closing := "}"
			if i := bytes.IndexAny(f.data[d.Offset:], "]}"); i >= 0 {
				closing = string(f.data[d.Offset+i])
			}
			f.report(nil, "F004", Error, d.Pointer, d.Offset, "Trailing comma before %q. %s does not allow it and rejects the file. Remove the comma.", closing, f.host.Name)
		}
	}
}

// rootKeys are the keys under which hosts have their servers.
var rootKeys = []string{"mcpServers", "servers", "context_servers", "mcp_servers"}

// readRoot reads the servers below the root key of the host.
func (f *file) readRoot() {
	roots := f.location.Roots
	for _, root := range roots {
		value := f.root.Value(root...)
		if value == nil || len(root) == 0 && !f.holdsServers(value) {
			continue
		}
		pointer := syntax.Pointer("", root...)
		if f.host.ID == "opencode" && f.holdsServers(value.Value("servers")) {
			value, pointer = value.Value("servers"), syntax.Pointer(pointer, "servers")
		}
		f.readServers(value, pointer, f.location.Scope, "")
		return
	}
	if f.wrongRoot(roots[0]) || f.location.Optional || f.root.Kind == syntax.Object && len(f.root.Members) == 0 {
		return
	}
	want := roots[0][len(roots[0])-1]
	if f.root.Kind != syntax.Object && f.root.Kind != syntax.Null {
		f.report(nil, "F007", Error, "", 0, "The file must contain an object with %q, not %s.", want, f.root.Kind)
	}
}

// holdsServers reports whether a value is an object of entries.
func (f *file) holdsServers(n *syntax.Node) bool {
	if n == nil || n.Kind != syntax.Object {
		return false
	}
	for _, m := range n.Members {
		if m.Value.Get("command") != nil || m.Value.Get("url") != nil {
			return true
		}
	}
	return false
}

// wrongRoot reports servers under the root key of another host.
func (f *file) wrongRoot(want []string) bool {
	for _, key := range rootKeys {
		m := f.root.Get(key)
		if m == nil || !f.holdsServers(m.Value) {
			continue
		}
		f.report(nil, "F006", Error, syntax.Pointer("", key), m.KeyStart, "Servers are under %q, but %s reads %q. Rename the key.", key, f.host.Name, strings.Join(want, "."))
		f.unloaded = true
		f.readServers(m.Value, syntax.Pointer("", key), f.location.Scope, "")
		return true
	}
	return false
}

// readServers reads the entries of an object or a list.
func (f *file) readServers(value *syntax.Node, pointer string, scope Scope, project string) {
	key := pointer[strings.LastIndexByte(pointer, '/')+1:]
	offset := value.Start
	if m := f.memberAt(pointer); m != nil {
		offset = m.KeyStart
	}
	want := syntax.Object
	if f.location.List {
		want = syntax.List
	}
	if value.Kind != want {
		if value.Kind != syntax.Null {
			f.report(nil, "F007", Error, pointer, offset, "%q must be %s, not %s.", key, want, value.Kind)
		}
		return
	}
	if f.location.Instead != "" {
		f.unloaded = true
		f.report(nil, "F009", Warning, pointer, offset, "%s does not read MCP servers from this file. Move the entry to %s.", f.host.Name, f.location.Instead)
	}
	if value.Kind == syntax.List {
		for i, item := range value.Items[:min(len(value.Items), maxEntries)] {
			name := item.Value("name")
			if name == nil {
				name = &syntax.Node{}
			}
			f.readEntry(name.Text, item, syntax.Index(pointer, i), item.Start, scope, project)
		}
		return
	}
	seen := map[string]int{}
	for i := range value.Members {
		seen[value.Members[i].Key] = i
	}
	for i, m := range value.Members[:min(len(value.Members), maxEntries)] {
		if seen[m.Key] != i {
			continue // the last definition wins
		}
		f.readEntry(m.Key, m.Value, syntax.Pointer(pointer, m.Key), m.KeyStart, scope, project)
	}
	f.duplicates(value, pointer)
}

// duplicates reports names that are defined twice.
func (f *file) duplicates(value *syntax.Node, pointer string) {
	first := map[string]bool{}
	for _, m := range value.Members {
		if !first[m.Key] {
			first[m.Key] = true
			continue
		}
		var server *Server
		for _, s := range f.servers {
			if s.Name == m.Key && s.Source.Pointer == syntax.Pointer(pointer, m.Key) {
				server = s
			}
		}
		f.report(server, "F008", Warning, syntax.Pointer(pointer, m.Key), m.KeyStart, "%q is defined twice in this object; the last definition wins. Remove or rename one.", m.Key)
	}
}

// memberAt returns the member of a pointer; nil for the root and for list items.
func (f *file) memberAt(pointer string) *syntax.Member {
	n := f.root
	var m *syntax.Member
	for _, key := range strings.Split(pointer, "/")[1:] {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		if m = n.Get(key); m == nil {
			return nil
		}
		n = m.Value
	}
	return m
}
