package hosts

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/hosts/syntax"
)

// value is a string in an entry, with its place.
type value struct {
	text    string
	pointer string
	offset  int
	role    role
	name    string // of a variable or header; empty for others
}

// entry is the entry of a server while it is read.
type entry struct {
	*Server
	file   *file
	values []value         // the strings, for the checks
	keys   map[role]string // role → pointer
	starts map[role]int    // role → offset of the key
	raw    map[role]*syntax.Node
}

func (e *entry) report(id string, severity Severity, pointer string, offset int, format string, args ...any) {
	e.file.report(e.Server, id, severity, pointer, offset, format, args...)
}

// readEntry reads one server.
func (f *file) readEntry(name string, n *syntax.Node, pointer string, offset int, scope Scope, project string) {
	s := &Server{Host: f.host.ID, Scope: scope, Project: project, Name: name, Loaded: !f.unloaded, dialect: f.dialect, file: f, node: n, prefix: pointer}
	s.Source = Source{File: f.path, Format: f.location.Format, Pointer: pointer}
	s.Source.Line, s.Source.Column = syntax.Position(f.data, offset)
	e := &entry{Server: s, file: f, keys: map[role]string{}, starts: map[role]int{}, raw: map[role]*syntax.Node{}}
	if n.Kind != syntax.Object {
		f.report(nil, "F023", Error, pointer, offset, "%q must be an object, not %s.", name, n.Kind)
		f.problems[len(f.problems)-1].Server = name
		return
	}
	f.servers = append(f.servers, s)
	e.members(n, pointer)
	if s.Name == "" {
		e.report("F023", Error, pointer, offset, `The entry has no "name".`)
	}
	e.transport()
	s.Written, s.Wrapped = e.unwrapped()
	e.expand()
	if s.Loaded {
		e.check(offset)
	} else {
		s.Problems = slices.DeleteFunc(s.Problems, func(p Problem) bool { return p.ID != "F023" })
	}
	s.mapped, s.starts = e.raw, e.starts
}

// members reads the members of an entry by what they mean to the host.
func (e *entry) members(n *syntax.Node, pointer string) {
	d := e.dialect
	for _, m := range n.Members {
		at := syntax.Pointer(pointer, m.Key)
		if n.Get(m.Key).KeyStart != m.KeyStart {
			e.report("F008", Warning, at, n.Get(m.Key).KeyStart, "%q is defined twice in this object; the last definition wins. Remove one.", m.Key)
			continue
		}
		meaning, known := d.keys[m.Key]
		if m.Key == "type" && !known {
			meaning, known = "type", true
		}
		if d.Rejected[m.Key] != "" || known || d.StdioOnly && m.Key == "url" {
			if !known {
				meaning = m.Key
			}
			if d.Deprecated[m.Key] != "" {
				e.report("F030", Info, at, m.KeyStart, "%q is deprecated. Use %q.", m.Key, d.Deprecated[m.Key])
			} else if _, old := d.Deprecated[m.Key]; old {
				e.report("F030", Info, at, m.KeyStart, "%q is deprecated. Remove it.", m.Key)
			}
			if m.Value.Kind == syntax.Null && meaning != "env" {
				continue
			}
			e.keys[meaning], e.starts[meaning], e.raw[meaning] = at, m.KeyStart, m.Value
			e.member(meaning, m.Key, m.Value, at, m.KeyStart)
			continue
		}
		e.unknown(m, at)
	}
}

// member reads one member.
func (e *entry) member(meaning role, key string, n *syntax.Node, at string, offset int) {
	l := &e.Written
	switch meaning {
	case "command":
		e.command(key, n, at, offset)
	case "args":
		l.Args = e.list(n, meaning, at, offset, key)
	case "env":
		l.Env = e.fields(n, meaning, at, offset, key)
	case "headers":
		l.Headers = e.fields(n, meaning, at, offset, key)
	case "cwd":
		l.Dir = e.text(n, meaning, at, offset, key)
	case "envFile":
		l.EnvFile = e.text(n, meaning, at, offset, key)
	case "url":
		l.URL = e.text(n, meaning, at, offset, key)
	case "type":
		e.Declared = e.text(n, "-", at, offset, key)
	case "headersHelper":
		e.HeadersHelper = e.text(n, "-", at, offset, key)
	case "bearerEnv":
		e.BearerEnv = e.text(n, meaning, at, offset, key)
	case "timeout", "timeoutMS", "startup", "startupMS", "request", "requestMS":
		e.duration(meaning, key, n, at, offset)
	case "disabled", "enabled":
		if e.is(n, syntax.Bool, key, at, offset) && (n.Text == "true") == (meaning == "disabled") {
			e.Disabled, e.DisabledBy = true, "entry"
			e.report("F033", Info, at, offset, "Disabled by %q in the entry.", key)
		}
	case "allow":
		e.ToolsAllow = e.list(n, "-", at, offset, key)
	case "deny":
		e.ToolsDeny = e.list(n, "-", at, offset, key)
	case "auto":
		e.ToolsAuto = e.list(n, "-", at, offset, key)
	case "trust":
		if n.Kind == syntax.Bool && n.Text == "true" {
			e.ToolsAuto = []string{"*"}
		}
	case "forward":
		e.forward(n)
	case "headerEnv":
		e.HeaderEnv = e.fields(n, "-", at, offset, key)
	case "oauth", "clientID", "scopes":
		e.oauth(meaning, n)
	case "nested":
		if n.Kind == syntax.String { // the older form: "transport": "sse"
			e.Declared = n.Text
		} else if e.is(n, syntax.Object, key, at, offset) {
			e.prefix = at
			e.members(n, at)
		}
	case "options":
		if h := n.Get("headers"); h != nil {
			e.Written.Headers = e.fields(h.Value, "headers", syntax.Pointer(at, "headers"), h.KeyStart, "headers")
		}
	}
}

// command reads a command: a string, for opencode a list with the arguments, in old
// files of Zed an object.
func (e *entry) command(key string, n *syntax.Node, at string, offset int) {
	switch {
	case e.dialect.CommandList:
		argv := e.list(n, "command", at, offset, key)
		if len(argv) > 0 {
			e.Written.Command, e.Written.Args = argv[0], argv[1:]
			for i := range e.values {
				if e.values[i].role == "command" && e.values[i].pointer != syntax.Index(at, 0) {
					e.values[i].role = "args"
				}
			}
		}
	case e.file.host.ID == "zed" && n.Kind == syntax.Object:
		e.prefix = at
		for _, m := range n.Members {
			pointer := syntax.Pointer(at, m.Key)
			meaning := m.Key
			switch meaning {
			case "path":
				meaning = "command"
				e.Written.Command = e.text(m.Value, "command", pointer, m.KeyStart, m.Key)
			case "args", "env":
				e.member(meaning, m.Key, m.Value, pointer, m.KeyStart)
			}
			e.keys[meaning], e.starts[meaning], e.raw[meaning] = pointer, m.KeyStart, m.Value
		}
	default:
		e.Written.Command = e.text(n, "command", at, offset, key)
	}
}

// is reports whether a value is of a kind, and the problem if it is not.
func (e *entry) is(n *syntax.Node, kind syntax.Kind, key, at string, offset int) bool {
	if n.Kind == kind {
		return true
	}
	want := kind.String()
	if kind == syntax.List {
		want = "a list of strings"
	}
	e.report("F023", Error, at, offset, "%q must be %s, not %s.", key, want, n.Kind)
	return false
}

func (e *entry) text(n *syntax.Node, meaning role, at string, offset int, key string) string {
	if !e.is(n, syntax.String, key, at, offset) {
		return ""
	}
	e.values = append(e.values, value{text: n.Text, pointer: at, offset: offset, role: meaning})
	return n.Text
}

func (e *entry) list(n *syntax.Node, meaning role, at string, offset int, key string) []string {
	if !e.is(n, syntax.List, key, at, offset) {
		return nil
	}
	var out []string
	for i, item := range n.Items {
		if s := e.text(item, meaning, syntax.Index(at, i), item.Start, path.Base(syntax.Index(key, i))); item.Kind == syntax.String {
			out = append(out, s)
		}
	}
	return out
}

func (e *entry) fields(n *syntax.Node, meaning role, at string, offset int, key string) []Field {
	if !e.is(n, syntax.Object, key, at, offset) {
		return nil
	}
	var out []Field
	for _, m := range n.Members {
		if n.Get(m.Key).KeyStart != m.KeyStart {
			continue
		}
		f := Field{Name: m.Key, Value: m.Value.Text}
		pointer := syntax.Pointer(at, m.Key)
		switch {
		case m.Value.Kind == syntax.Null && e.dialect.LooseEnv:
			f.Unset, f.Value = true, ""
		case m.Value.Kind == syntax.Number && (e.dialect.LooseEnv || e.Source.Format == syntax.YAML):
		case !e.is(m.Value, syntax.String, m.Key, pointer, m.KeyStart):
			continue
		}
		out = append(out, f)
		e.values = append(e.values, value{text: f.Value, pointer: pointer, offset: m.KeyStart, role: meaning, name: m.Key})
	}
	return out
}

// forward reads names of variables: strings, or objects with a name.
func (e *entry) forward(n *syntax.Node) {
	for _, item := range n.Items {
		if name := item.Value("name"); name != nil {
			item = name
		}
		e.EnvForward = append(e.EnvForward, item.Text)
	}
}

func (e *entry) oauth(meaning role, n *syntax.Node) {
	o := e.OAuth
	if o == nil {
		o = &OAuth{}
	}
	switch {
	case meaning == "clientID":
		o.ClientID = n.Text
	case meaning == "scopes":
		for _, item := range n.Items {
			o.Scopes = append(o.Scopes, item.Text)
		}
	case n.Kind != syntax.Object:
		return // false: no authorization
	default:
		for _, m := range n.Members {
			switch strings.ToLower(strings.ReplaceAll(m.Key, "_", "")) {
			case "clientid":
				o.ClientID = m.Value.Text
			case "scopes", "scope":
				o.Scopes = strings.Fields(m.Value.Text)
				for _, item := range m.Value.Items {
					o.Scopes = append(o.Scopes, item.Text)
				}
			}
		}
	}
	e.OAuth = o
}

// duration reads a number of the unit of the host.
func (e *entry) duration(meaning role, key string, n *syntax.Node, at string, offset int) {
	if !e.is(n, syntax.Number, key, at, offset) {
		return
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	if err != nil || number < 0 || number > 1e9 {
		return
	}
	unit := e.dialect.unit
	if strings.HasSuffix(meaning, "MS") {
		unit = time.Millisecond
	} else if unit == 0 {
		unit = time.Millisecond
	}
	d := time.Duration(number * float64(unit))
	switch strings.TrimSuffix(meaning, "MS") {
	case "timeout":
		e.Timeout = d
	case "startup":
		e.StartupTimeout = d
	case "request":
		e.RequestTimeout = d
	}
	switch {
	case e.dialect.unit == 0 || meaning != "timeout" && meaning != "request" && meaning != "startup":
	case unit == time.Second && number >= 1000:
		e.report("F032", Warning, at, offset, "%q is %s seconds. %s counts in seconds: did you mean %s?", key, n.Text, e.file.host.Name, strconv.FormatFloat(number/1000, 'f', -1, 64))
	case unit == time.Millisecond && number > 0 && number < 1000:
		e.report("F032", Warning, at, offset, "%q is %s milliseconds. %s counts in milliseconds: did you mean %s?", key, n.Text, e.file.host.Name, strconv.FormatFloat(number*1000, 'f', -1, 64))
	}
}
