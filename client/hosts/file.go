package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mcptea/client/hosts/syntax"
	"mcptea/internal/words/phrase"
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

	deviations int // number of deviations from strict JSON

	choose func(root *syntax.Node) // selects how the file is read, once it is parsed; nil if known before
	at     place                   // place of the newest problem

	unloaded bool // the host does not read the file, or rejects it
	named    bool // the user has named or pasted it: mcptea starts its servers, in its working directory
	problems []Problem
	servers  []*Server
	grown    int // number of bytes that references have added to values; at most maxGrown

	indexInputs sync.Once
	inputsByID  map[string]int // index of each definition; of the first one of an id
}

// maxQuoted bounds each text that the message of a problem quotes, in bytes.
const maxQuoted = 1000

// report adds a problem of the file; of an entry, if server is not nil. at is the value
// that it is about, or a [syntax.Node] with an offset.
func (f *file) report(server *Server, id string, severity Severity, at *syntax.Node, format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = phrase.Clip(text, maxQuoted)
		}
	}
	p := Problem{ID: id, Name: slug(id), Severity: severity, Host: f.host.ID, File: f.path, Pointer: at.Pointer(), Message: fmt.Sprintf(format, args...)}
	p.Line, p.Column = f.at.move(f.data, at.At)
	if server != nil {
		p.Server = server.Name
		server.Problems = append(server.Problems, p)
		return
	}
	f.problems = append(f.problems, p)
}

// top is the place of problems of a whole file.
var top = &syntax.Node{}

// load reads the file and its servers.
func (f *file) load() {
	data, mode, err := f.machine.Read(f.path, maxFileBytes)
	if err != nil {
		var perr *fs.PathError
		if errors.As(err, &perr) {
			err = perr.Err
		}
		f.unreadable(err)
		return
	}
	f.data, f.mode = data, mode
	if f.location.Format == syntax.Shell {
		f.report(nil, "F012", Info, top, "%s is a shell script. mcptea does not run it; %s itself lists the servers.", f.machine.short(f.path), f.host.ID)
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
		at := f.root.Get(strings.TrimPrefix(f.location.MovedAt, "/"))
		if at == nil {
			at = top
		}
		f.report(nil, "F010", Info, at, "%s has moved this to %s.", f.host.Name, f.location.Moved)
		f.problems[len(f.problems)-1].Pointer = f.location.MovedAt
	}
}

// unreadable reports that the file cannot be read.
func (f *file) unreadable(err error) {
	f.report(nil, "F001", Error, top, "Cannot read %s: %v.", f.machine.short(f.path), err)
	f.problems[len(f.problems)-1].Line, f.problems[len(f.problems)-1].Column = 0, 0
	f.unloaded = true
}

// place is a place in a file. The next problem is usually after it, so the lines before it need not be counted
// again, which matters for large files with many problems.
type place struct {
	offset       int
	line, column int // numbers from 1
}

// move moves the place to an offset, and returns its line and column as [syntax.Position] does.
func (p *place) move(data []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(data))
	if offset < p.offset || p.line == 0 {
		*p = place{line: 1, column: 1}
	}
	passed := data[p.offset:offset]
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		p.line, p.column = p.line+bytes.Count(passed, []byte("\n")), 1
		passed = passed[i+1:]
	}
	p.offset, p.column = offset, p.column+utf8.RuneCount(passed)
	return p.line, p.column
}

// parse parses the file and reports the parts that its host does not accept. It returns false if there is no
// tree.
func (f *file) parse() bool {
	strict := f.location.Format == syntax.JSON || f.location.Format == syntax.JSONComments
	if bytes.HasPrefix(f.data, []byte("\xff\xfe")) || bytes.HasPrefix(f.data, []byte("\xfe\xff")) {
		f.report(nil, "F002", Error, top, "The file is UTF-16, which %s rejects. Save it as UTF-8 without BOM.", f.host.Name)
		return false
	}
	if bytes.HasPrefix(f.data, syntax.BOM) {
		severity := Info
		if strict {
			severity, f.unloaded = Error, true
		}
		f.report(nil, "F002", severity, top, "The file begins with a byte order mark, which %s may reject as invalid %s. Save it as UTF-8 without BOM.", f.host.Name, formatName(f.location.Format))
	}
	tree, err := syntax.Parse(f.location.Format, f.data)
	var e *syntax.Error
	if errors.As(err, &e) {
		if e.Large {
			f.unreadable(e)
			return false
		}
		p := Problem{ID: "F003", Name: slug("F003"), Severity: Error, Host: f.host.ID, File: f.path, Line: e.Line, Column: max(e.Column, 1)}
		p.Message = fmt.Sprintf("Not valid %s: %s. %s ignores the whole file.%s", formatName(f.location.Format), phrase.Clip(strings.TrimSuffix(e.Message, "."), maxSyntax), f.host.Name, f.syntaxHint(e))
		f.problems = append(f.problems, p)
		return false
	}
	f.root, f.deviations = tree.Root, len(tree.Deviations)
	if f.choose != nil {
		f.choose(tree.Root)
	}
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

// maxSyntax bounds the message of a parser, which may repeat text of the file, and maxHinted the name
// that a hint repeats, both in bytes.
const maxSyntax, maxHinted = 300, 60

// syntaxHint returns a sentence about a common cause of an error, or an empty string.
func (f *file) syntaxHint(e *syntax.Error) string {
	line := lineOf(f.data, e.Line)
	isJSON := f.location.Format != syntax.TOML && f.location.Format != syntax.YAML
	name, unclosed := syntax.Unclosed(f.data, e)
	switch {
	case len(bytes.TrimSpace(f.data)) == 0:
		return " The file is empty."
	case isJSON && bytes.HasPrefix(bytes.TrimSpace(f.data), []byte(`"`)):
		return " The braces around the entries are missing: { … }."
	case isJSON && unclosed && name != "":
		return fmt.Sprintf(" A quotation mark is missing after %s, before the colon.", strings.TrimSuffix(phrase.Quote(name, maxHinted), `"`))
	case isJSON && unclosed:
		return " A quotation mark is missing at the end of a value before this place."
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
			f.report(nil, "F005", Error, &syntax.Node{At: d.Offset}, "Comment in strict JSON. %s rejects the file. Remove the comment.", f.host.Name)
		case !d.Comment && (format == syntax.JSON || format == syntax.JSONComments) && !comma:
			comma, f.unloaded = true, true
			closing := "}"
			if i := bytes.IndexAny(f.data[d.Offset:], "]}"); i >= 0 {
				closing = string(f.data[d.Offset+i])
			}
			around := *d.Around
			around.At = d.Offset
			f.report(nil, "F004", Error, &around, "Trailing comma before %q. %s does not allow it and rejects the file. Remove the comma.", closing, f.host.Name)
		}
	}
}

// RootKeys are the keys under which hosts have their servers.
var RootKeys = []string{"mcpServers", "servers", "context_servers", "mcp_servers"}

// readRoot reads the servers below the root key of the host.
func (f *file) readRoot() {
	roots := f.location.Roots
	for _, root := range roots {
		value := f.root.Get(root...)
		if value == nil || len(root) == 0 && !holdsServers(value) {
			continue
		}
		if inner := value.Get("servers"); f.host.ID == "opencode" && holdsServers(inner) {
			value = inner
		}
		f.readServers(value, f.location.Scope, "")
		return
	}
	if f.wrongRoot(roots[0]) || f.withoutRoot(roots[0]) || f.location.Optional || f.root.Kind == syntax.Object && len(f.root.Members) == 0 {
		return
	}
	want := roots[0][len(roots[0])-1]
	if f.root.Kind != syntax.Object && f.root.Kind != syntax.Null {
		f.report(nil, "F007", Error, top, "The file must contain an object with %q, not %s.", want, f.root.Kind)
	}
}

// holdsServers reports whether a value is an object of entries.
func holdsServers(n *syntax.Node) bool {
	return n != nil && slices.ContainsFunc(n.Members, func(m *syntax.Node) bool { return m.Get("command") != nil || m.Get("url") != nil })
}

// onlyServers reports whether an object consists only of entries.
func onlyServers(n *syntax.Node) bool {
	return holdsServers(n) && !slices.ContainsFunc(n.Members, func(m *syntax.Node) bool { return m.Get("command") == nil && m.Get("url") == nil })
}

// withoutRoot reports entries without a root key around them.
func (f *file) withoutRoot(want []string) bool {
	if f.location.Optional || !onlyServers(f.root) {
		return false
	}
	f.report(nil, "F006", Error, top, "The entries are at the top of the file, but %s reads %q. Put them into it.", f.host.Name, strings.Join(want, "."))
	f.unloaded = true
	f.readServers(f.root, f.location.Scope, "")
	return true
}

// wrongRoot reports servers under the root key of another host.
func (f *file) wrongRoot(want []string) bool {
	for _, key := range RootKeys {
		m := f.root.Get(key)
		if !holdsServers(m) {
			continue
		}
		f.report(nil, "F006", Error, m, "Servers are under %q, but %s reads %q. Rename the key.", key, f.host.Name, strings.Join(want, "."))
		f.unloaded = true
		f.readServers(m, f.location.Scope, "")
		return true
	}
	return false
}

// countServers reports a file with more servers than are read.
func (f *file) countServers(value *syntax.Node, n int) {
	if n > maxEntries {
		f.report(nil, "F013", Warning, value, "The file has %s servers. mcptea reads the first %s.", phrase.Digits(n), phrase.Digits(maxEntries))
	}
}

// readServers reads the entries of an object or a list, and reports names that are
// defined twice.
func (f *file) readServers(value *syntax.Node, scope Scope, project string) {
	want := syntax.Object
	if f.location.List {
		want = syntax.List
	}
	if value.Kind != want {
		if value.Kind != syntax.Null {
			f.report(nil, "F007", Error, value, "%q must be %s, not %s.", value.Key, want, value.Kind)
		}
		return
	}
	if f.location.Instead != "" {
		f.unloaded = true
		f.report(nil, "F009", Warning, value, "%s does not read MCP servers from this file. Move the entry to %s.", f.host.Name, f.location.Instead)
	}
	f.countServers(value, len(value.Items)+len(value.Members))
	for _, item := range value.Items[:min(len(value.Items), maxEntries)] {
		f.readEntry(syntax.TextOf(item.Get("name")), item, scope, project)
	}
	members := value.Members[:min(len(value.Members), maxEntries)]
	last := map[string]*syntax.Node{} // definitions of a name
	for _, m := range members {
		last[m.Key] = m
	}
	for _, m := range members {
		if last[m.Key] == m {
			f.readEntry(m.Key, m, scope, project)
		}
	}
	first := map[string]bool{}
	for _, m := range members {
		if !first[m.Key] {
			first[m.Key] = true
			continue
		}
		var server *Server
		if i := slices.IndexFunc(f.servers, func(s *Server) bool { return s.node == last[m.Key] }); i >= 0 {
			server = f.servers[i]
		}
		f.report(server, "F008", Warning, m, "%q is defined twice in this object; the last definition wins. Remove or rename one.", m.Key)
	}
}
