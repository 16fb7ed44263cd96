package hosts

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/hosts/syntax"
)

// value is a string in an entry: of a list and of the variables and headers, each one.
type value struct {
	*syntax.Node
	role role
}

// name returns the name of a variable or a header, or "" for other values.
func (v value) name() string {
	if v.role == "env" || v.role == "headers" {
		return v.Key
	}
	return ""
}

// entry is the entry of a server while it is read.
type entry struct {
	*Server
	values []value // the strings, for the checks
}

func (e *entry) report(id string, severity Severity, at *syntax.Node, format string, args ...any) {
	e.file.report(e.Server, id, severity, at, format, args...)
}

// server returns a server that is described by a value.
func (f *file) server(name string, n *syntax.Node, scope Scope) *Server {
	s := &Server{Host: f.host.ID, Scope: scope, Name: name, Loaded: !f.unloaded, file: f, node: n, body: n, mapped: map[role]*syntax.Node{}}
	s.Source = Source{File: f.path, Format: f.location.Format, Pointer: n.Pointer()}
	s.Source.Line, s.Source.Column = syntax.Position(f.data, n.At)
	return s
}

// readEntry reads one server.
func (f *file) readEntry(name string, n *syntax.Node, scope Scope, project string) {
	if n.Kind != syntax.Object {
		f.report(nil, "F023", Error, n, "%q must be an object, not %s.", name, n.Kind)
		f.problems[len(f.problems)-1].Server = name
		return
	}
	e := &entry{Server: f.server(name, n, scope)}
	e.Project = project
	f.servers = append(f.servers, e.Server)
	e.members(n)
	if name == "" {
		e.report("F023", Error, n, `The entry has no "name".`)
	}
	e.transport()
	e.Written, e.Wrapped = e.unwrapped()
	e.Expanded = e.Written.converted(e.expanded)
	if e.Loaded {
		e.check()
	} else {
		e.Problems = slices.DeleteFunc(e.Problems, func(p Problem) bool { return p.ID != "F023" })
	}
}

// members reads the members of an entry by their roles.
func (e *entry) members(n *syntax.Node) {
	d := e.file.dialect
	for _, m := range n.Members {
		if last := n.Get(m.Key); last != m {
			e.report("F008", Warning, last, "%q is defined twice in this object; the last definition wins. Remove one.", m.Key)
			continue
		}
		meaning := d.keys[m.Key]
		if meaning == "" && (m.Key == "type" || d.Rejected[m.Key] != "" || d.StdioOnly && m.Key == "url") {
			meaning = m.Key
		}
		if meaning == "" {
			e.unknown(m)
			continue
		}
		if instead, old := d.Deprecated[m.Key]; instead != "" {
			e.report("F030", Info, m, "%q is deprecated. Use %q.", m.Key, instead)
		} else if old {
			e.report("F030", Info, m, "%q is deprecated. Remove it.", m.Key)
		}
		if m.Kind != syntax.Null || meaning == "env" {
			e.mapped[meaning] = m
			e.member(meaning, m)
		}
	}
}

// member reads one member.
func (e *entry) member(meaning role, n *syntax.Node) {
	l, unit := &e.Written, e.file.dialect.unit
	texts := map[role]*string{
		"cwd": &l.Dir, "envFile": &l.EnvFile, "url": &l.URL, "type": &e.Declared, "headersHelper": &e.HeadersHelper, "bearerEnv": &e.BearerEnv,
	}
	lists := map[role]*[]string{"args": &l.Args, "allow": &e.ToolsAllow, "deny": &e.ToolsDeny, "auto": &e.ToolsAuto}
	fields := map[role]*[]Field{"env": &l.Env, "headers": &l.Headers, "headerEnv": &e.HeaderEnv}
	times := map[role]*time.Duration{"timeout": &e.Timeout, "startup": &e.StartupTimeout, "request": &e.RequestTimeout}
	bare, inMS := strings.CutSuffix(meaning, "MS")
	if inMS {
		unit = 0
	}
	switch {
	case texts[meaning] != nil:
		*texts[meaning] = e.text(n, meaning)
	case lists[meaning] != nil:
		*lists[meaning] = e.list(n, meaning)
	case fields[meaning] != nil:
		*fields[meaning] = e.fields(n, meaning)
	case times[bare] != nil:
		e.duration(times[bare], n, unit)
	default:
		e.special(meaning, n)
	}
}

// special reads a member that needs more than its value.
func (e *entry) special(meaning role, n *syntax.Node) {
	switch meaning {
	case "command":
		e.command(n)
	case "disabled", "enabled":
		if e.is(n, syntax.Bool) && (n.Text == "true") == (meaning == "disabled") {
			e.Disabled, e.DisabledBy = true, "entry"
			e.report("F033", Info, n, "Disabled by %q in the entry.", n.Key)
		}
	case "trust":
		if n.Kind == syntax.Bool && n.Text == "true" {
			e.ToolsAuto = []string{"*"}
		}
	case "forward":
		for _, item := range n.Items { // names, or objects with a name
			if name := item.Get("name"); name != nil {
				item = name
			}
			e.EnvForward = append(e.EnvForward, item.Text)
		}
	case "oauth", "clientID", "scopes":
		e.oauth(meaning, n)
	case "nested":
		if n.Kind == syntax.String { // the older form: "transport": "sse"
			e.Declared = n.Text
		} else if e.is(n, syntax.Object) {
			e.body = n
			e.members(n)
		}
	case "options":
		if h := n.Get("headers"); h != nil {
			e.Written.Headers = e.fields(h, "headers")
		}
	}
}

// command reads a command: a string, for opencode a list with the arguments, in old
// files of Zed an object.
func (e *entry) command(n *syntax.Node) {
	switch {
	case e.file.dialect.CommandList:
		if argv := e.list(n, "args"); len(argv) > 0 {
			e.Written.Command, e.Written.Args = argv[0], argv[1:]
			if i := len(e.values) - len(argv); e.values[i].Node == n.Items[0] {
				e.values[i].role = "command"
			}
		}
	case e.file.host.ID == "zed" && n.Kind == syntax.Object:
		e.body = n
		for _, m := range n.Members {
			meaning := m.Key
			switch meaning {
			case "path":
				meaning = "command"
				e.Written.Command = e.text(m, "command")
			case "args", "env":
				e.member(meaning, m)
			}
			e.mapped[meaning] = m
		}
	default:
		e.Written.Command = e.text(n, "command")
	}
}

// is reports whether a value is of a kind, and the problem if it is not.
func (e *entry) is(n *syntax.Node, kind syntax.Kind) bool {
	if n.Kind == kind {
		return true
	}
	want := kind.String()
	if kind == syntax.List {
		want = "a list of strings"
	}
	e.report("F023", Error, n, "%q must be %s, not %s.", n.Key, want, n.Kind)
	return false
}

// text reads a string. [entry.check] checks it by its role.
func (e *entry) text(n *syntax.Node, meaning role) string {
	if !e.is(n, syntax.String) {
		return ""
	}
	e.values = append(e.values, value{n, meaning})
	return n.Text
}

func (e *entry) list(n *syntax.Node, meaning role) (out []string) {
	if !e.is(n, syntax.List) {
		return nil
	}
	for _, item := range n.Items {
		if s := e.text(item, meaning); item.Kind == syntax.String {
			out = append(out, s)
		}
	}
	return out
}

func (e *entry) fields(n *syntax.Node, meaning role) (out []Field) {
	if !e.is(n, syntax.Object) {
		return nil
	}
	loose := e.file.dialect.LooseEnv
	for _, m := range n.Members {
		switch {
		case n.Get(m.Key) != m: // the last definition counts
		case m.Kind == syntax.Null && loose:
			out = append(out, Field{Name: m.Key, Unset: true})
		case m.Kind == syntax.Number && (loose || e.Source.Format == syntax.YAML), e.is(m, syntax.String):
			out = append(out, Field{Name: m.Key, Value: m.Text})
			e.values = append(e.values, value{m, meaning})
		}
	}
	return out
}

func (e *entry) oauth(meaning role, n *syntax.Node) {
	if meaning == "oauth" && n.Kind != syntax.Object {
		return // false: no authorization
	}
	if e.OAuth == nil {
		e.OAuth = &OAuth{}
	}
	switch meaning {
	case "clientID":
		e.OAuth.ClientID = n.Text
	case "scopes":
		e.OAuth.Scopes = append(e.OAuth.Scopes, syntax.TextsOf(n)...)
	default:
		for _, m := range n.Members {
			switch strings.ToLower(strings.ReplaceAll(m.Key, "_", "")) {
			case "clientid":
				e.OAuth.ClientID = m.Text
			case "scopes", "scope":
				e.OAuth.Scopes = append(strings.Fields(m.Text), syntax.TextsOf(m)...)
			}
		}
	}
}

// duration reads a number in a unit, or in milliseconds if unit is 0. A number that is probably in another unit
// than the host's is reported.
func (e *entry) duration(d *time.Duration, n *syntax.Node, unit time.Duration) {
	if !e.is(n, syntax.Number) {
		return
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	if err != nil || number < 0 || number > 1e9 {
		return
	}
	name := e.file.host.Name
	switch {
	case unit == time.Second && number >= 1000:
		e.report("F032", Warning, n, "%q is %s seconds. %s counts in seconds: did you mean %s?", n.Key, n.Text, name, strconv.FormatFloat(number/1000, 'f', -1, 64))
	case unit == time.Millisecond && number > 0 && number < 1000:
		e.report("F032", Warning, n, "%q is %s milliseconds. %s counts in milliseconds: did you mean %s?", n.Key, n.Text, name, strconv.FormatFloat(number*1000, 'f', -1, 64))
	}
	if unit == 0 {
		unit = time.Millisecond
	}
	*d = time.Duration(number * float64(unit))
}
