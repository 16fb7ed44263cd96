package hosts

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
	"mcptea/client/secret"
	"mcptea/internal/words/phrase"
)

// WrapOptions define the command or the URL of a wrapped entry.
type WrapOptions struct {
	Mcptea string // absolute path of the executable
	// Listen is the address HOST:PORT of a tap that the host connects to, for an entry with a URL.
	// If it is "", the host starts the tap, and the tap connects to the URL.
	Listen string
	// Force wraps an entry with OAuth, whose authorization may fail through a tap with Listen.
	Force bool
	// Watch makes the tap of an entry with a command restart the server when its files change.
	// These are the files under the path or, for "auto", files that match the command. "" disables
	// that.
	Watch string
}

// Edit is a change of one entry in a configuration file. Bytes outside of the change
// are the same in Before and After.
type Edit struct {
	Server        *Server
	File          string
	Before, After []byte

	// record is the record that a wrapping writes or that an unwrapping deletes, or nil.
	record  *record
	wraps   bool
	private []string // values in After that are masked in the diff
	edited  *Server
}

// Edited returns the entry after the edit. More edits may be made from it.
func (e *Edit) Edited() *Server { return e.edited }

// IsTracked reports whether the file is under version control.
func (e *Edit) IsTracked() bool { return e.Server.file.machine.Tracked(e.File) }

// RefusedError explains why an entry cannot be wrapped, unwrapped or changed.
type RefusedError struct {
	Server string // HOST/NAME
	Reason string // id of a problem, or a word such as "oauth"
	Text   string // one sentence without its period
	Verb   string // refused action: "wrap", "unwrap" or "change"
	// Snippet holds keys that replace the keys with the same names, or is "" if the entry cannot be changed by
	// hand.
	Snippet string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("cannot %s %s: %s (%s)", e.Verb, e.Server, e.Text, e.Reason)
}

// Wrap returns an edit that makes the host run the server of the entry through mcptea tap. The
// error is a [*RefusedError].
func (s *Server) Wrap(o WrapOptions) (*Edit, error) {
	if err := s.refusal(o); err != nil {
		return nil, err
	}
	if s.Transport != Stdio && o.Listen == "" {
		return s.bridge(o)
	}
	if s.Source.Format == syntax.YAML {
		x := Launch{Command: o.Mcptea, Args: append(s.tapArguments(o), s.Written.Argv()...)}
		if s.Transport != Stdio {
			x = Launch{URL: "http://" + o.Listen + afterHost(s.Written.URL)}
		}
		return nil, s.byHand(x, "wrap")
	}
	w := s.splicer()
	r := &record{Version: recordVersion, File: s.Source.File, Host: s.Host, Name: s.Name, Pointer: s.Source.Pointer, Project: s.Project}
	if s.Transport == Stdio {
		r.Scalar, r.HadArgs = w.written(s.mapped["command"]), s.mapped["args"] != nil
		w.wrapCommand(s, o)
	} else {
		r.Scalar, r.URL, r.Target = w.written(s.mapped["url"]), "http://"+o.Listen+afterHost(s.Written.URL), s.Expanded.URL
		w.replace(s.mapped["url"], w.quote(s.mapped["url"], r.URL))
	}
	e, err := w.edit(s, "wrap", s.Written.Env)
	if err != nil {
		return nil, err
	}
	r.Before, r.After = sum(e.Before), sum(e.After)
	e.record, e.wraps = r, true
	return e, nil
}

// byHand returns the refusal of an entry in a YAML file, with the lines that do the same.
// Secrets are masked.
func (s *Server) byHand(x Launch, verb string) *RefusedError {
	key := func(meaning role) string {
		for _, m := range s.node.Members {
			if s.file.dialect.keys[m.Key] == meaning {
				return m.Key
			}
		}
		return s.file.dialect.keyOf(meaning)
	}
	x = x.Redacted()
	var lines []string
	if x.URL != "" {
		lines = append(lines, key("url")+": "+yamlString(x.URL))
	} else {
		args := make([]string, len(x.Args))
		for i, arg := range x.Args {
			args[i] = yamlString(arg)
		}
		lines = append(lines, key("command")+": "+yamlString(x.Command), key("args")+": ["+strings.Join(args, ", ")+"]")
	}
	return &RefusedError{
		Server: s.ID(), Reason: "yaml", Verb: verb, Snippet: strings.Join(lines, "\n"),
		Text: fmt.Sprintf("mcptea does not edit YAML; the entry is in line %d of %s", s.Source.Line, s.Source.File),
	}
}

// yamlString returns a double-quoted string of YAML, whose escapes equal the escapes of Go. Invisible
// characters are escaped, since the lines are shown and pasted.
func yamlString(text string) string {
	return strings.ReplaceAll(phrase.QuoteAll(text), "\u2800", `\u2800`) // a pattern without dots
}

// afterHost returns the path and query of a URL, as written.
func afterHost(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		return rest[i:]
	}
	return ""
}

// tapArguments returns the arguments for mcptea to run the server of an entry.
func (s *Server) tapArguments(o WrapOptions) []string {
	args := []string{"tap", "--as", s.ID()}
	switch o.Watch {
	case "":
	case "auto":
		args = append(args, "--watch")
	default:
		args = append(args, "--watch="+o.Watch)
	}
	return append(args, "--")
}

// scopeReasons explain why entries of a scope are never edited.
var scopeReasons = map[Scope]string{
	Managed:  "the file is managed by the administrator",
	Plugin:   "updates of the plugin overwrite the file",
	Catalog:  "the file is a catalog of servers",
	Manifest: "the file describes a server and configures none",
}

// unclear returns why no edit of the entry would reliably have the intended effect, or nil.
func (s *Server) unclear(verb string) error {
	refuse := func(reason, text string) error {
		return &RefusedError{Server: s.ID(), Verb: verb, Reason: reason, Text: strings.TrimSuffix(text, ".")}
	}
	if why := scopeReasons[s.Scope]; why != "" {
		return refuse(string(s.Scope), why)
	}
	for _, p := range s.file.problems {
		if p.Severity == Error && p.ID >= "F002" && p.ID <= "F007" {
			return refuse(p.ID, p.Message)
		}
	}
	for _, p := range append(slices.Clone(s.file.problems), s.Problems...) {
		unclear := p.ID == "F008" || p.ID == "F011" || p.ID == "F021" || p.ID == "F022" || p.ID == "F023" && p.Server == s.Name || p.ID == "F029"
		if unclear && (p.Server == s.Name || p.ID == "F008" && strings.HasPrefix(s.Source.Pointer, p.Pointer)) {
			return refuse(p.ID, p.Message)
		}
	}
	switch {
	case s.Extension:
		return refuse("extension", "an extension of the host starts the server")
	case s.Transport == Builtin:
		return refuse("builtin", "the server is a part of the host")
	case s.Fragment || s.Merged != "":
		return refuse("fragment", "the entry is a part of one that is in several files")
	}
	return nil
}

// refusal returns why the entry is not wrapped; nil if it can be.
func (s *Server) refusal(o WrapOptions) error {
	if err := s.unclear("wrap"); err != nil {
		return err
	}
	refuse := func(reason, text string) error {
		return &RefusedError{Server: s.ID(), Verb: "wrap", Reason: reason, Text: text}
	}
	name, command, address, windows := s.file.host.Name, s.Written.Command, s.Written.URL, s.file.machine.OS == "windows"
	expands := s.Host == "amazon-q" && (strings.HasPrefix(command, "~") || strings.Contains(command, "$")) || s.Host == "crush" && strings.HasPrefix(command, "~")
	u, err := url.Parse(s.Expanded.URL)
	stdio, isURL := s.Transport == Stdio, err == nil && (u.Scheme == "http" || u.Scheme == "https")
	runs := stdio || o.Listen == "" // the host starts mcptea
	for _, r := range []struct {
		holds        bool
		reason, text string
	}{
		{s.Transport == WS, "ws", "mcptea tap does not support WebSocket"},
		{s.Wrapped, "F070", "the entry is wrapped already"},
		{!s.Loaded, "not-loaded", name + " does not load the entry"},
		{stdio && command == "" || !stdio && address == "", "F021", "the entry has neither a command nor a URL"},
		{stdio && expands, "command-expansion", name + " expands ~ and variables in the command only, and not in its arguments"},
		{
			runs && windows && (s.Host == "continue" || s.Host == "cline") && strings.Contains(o.Mcptea, " "), "path-with-space",
			fmt.Sprintf("%s starts commands through a shell, and the path %q has a space", name, o.Mcptea),
		},
		{
			runs && s.Host == "claude-code" && s.file.machine.allowsCommands(), "policy",
			"the administrator allows servers by their exact command (allowedMcpServers), and the command of mcptea differs",
		},
		{!stdio && !isURL, "F029", fmt.Sprintf("%q is not an http or https URL", secret.URL(address))},
		{!stdio && hasReference(address), "variable", "the URL has variables"},
		{!runs && s.OAuth != nil && !o.Force, "oauth", "the host authorizes for the URL of the server, not for the URL of the tap"},
	} {
		if r.holds {
			return refuse(r.reason, r.text)
		}
	}
	return nil
}

// allowsCommands reports whether the managed settings of Claude Code allow servers by
// their command.
func (m *Machine) allowsCommands() bool {
	path := "/etc/claude-code/managed-settings.json"
	switch m.OS {
	case "darwin":
		path = "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		path = `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	data, _, err := m.Read(path, maxFileBytes)
	if err != nil {
		return false
	}
	tree, err := syntax.Parse(syntax.JSON, data)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(syntax.ItemsOf(tree.Root.Get("allowedMcpServers")), func(n *syntax.Node) bool { return n.Get("serverCommand") != nil })
}

// edit applies the splices. It checks that they change only the keys of one entry, its launch and the keys in
// more, and that the entry still has the same meaning, with the variables env.
func (w *splicer) edit(s *Server, verb string, env []Field, more ...string) (*Edit, error) {
	after := w.apply()
	refuse := &RefusedError{Server: s.ID(), Verb: verb, Reason: "layout", Text: "the layout of the entry is not one that mcptea edits"}
	if w.failed {
		return nil, refuse
	}
	tree, err := syntax.Parse(s.Source.Format, after)
	if err != nil || len(tree.Deviations) != s.file.deviations {
		return nil, refuse
	}
	entry := tree.Root.Get(s.node.Path()...)
	if entry == nil {
		return nil, refuse
	}
	edited := &file{machine: s.file.machine, host: s.file.host, location: s.file.location, dialect: s.file.dialect, path: s.file.path, data: after, root: tree.Root}
	edited.readEntry(s.Name, entry, s.Scope, s.Project)
	now := edited.servers
	if len(now) != 1 || !now[0].sameLaunch(s, env) {
		return nil, refuse
	}
	now[0].Source = s.Source
	keys := append(more, argsKey(s))
	for _, r := range []role{"command", "args", "url"} {
		if m := s.mapped[r]; m != nil {
			keys = append(keys, m.Key)
		}
	}
	if !s.file.root.Equal(tree.Root, s.body, keys) {
		return nil, refuse
	}
	return &Edit{Server: s, File: s.Source.File, Before: w.data, After: after, edited: now[0]}, nil
}

// sameLaunch reports whether two states of an entry start the same command with the given variables. The
// URL may be the URL of a tap.
func (s *Server) sameLaunch(other *Server, env []Field) bool {
	a, b := s.Written, other.Written
	return a.Command == b.Command && slices.Equal(a.Args, b.Args) && a.Dir == b.Dir && slices.Equal(a.Env, env) && sameFields(a.Headers, b.Headers)
}

// sameFields reports whether two lists have the same fields, in any order.
func sameFields(a, b []Field) bool {
	sorted := func(list []Field) []Field {
		return slices.SortedFunc(slices.Values(list), func(x, y Field) int { return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Value, y.Value)) })
	}
	return slices.Equal(sorted(a), sorted(b))
}

// Diff returns the changed lines with some lines around them, as a unified diff without
// its header. Secrets are masked.
func (e *Edit) Diff() string {
	const around = 2
	a, b := bytes.SplitAfter(e.Before, []byte("\n")), bytes.SplitAfter(e.After, []byte("\n"))
	head := 0
	for head < min(len(a), len(b)) && bytes.Equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	var out strings.Builder
	write := func(sign string, lines [][]byte) {
		for _, line := range lines {
			if text := strings.TrimRight(string(line), "\r\n"); text != "" || len(line) > 0 {
				out.WriteString(sign + e.masked(text) + "\n")
			}
		}
	}
	first := max(0, head-around)
	fmt.Fprintf(&out, "@@ -%d +%d @@\n", first+1, first+1)
	write(" ", a[first:head])
	write("-", a[head:len(a)-tail])
	write("+", b[head:len(b)-tail])
	write(" ", a[len(a)-tail:min(len(a), len(a)-tail+around)])
	return out.String()
}

// masked returns a line with its secrets masked. It may be a line of another entry of the file.
func (e *Edit) masked(line string) string {
	for _, value := range e.private {
		if value != "" {
			line = strings.ReplaceAll(line, value, secret.Mark)
		}
	}
	line = e.Server.masked(secret.Text(line))
	for _, other := range e.Server.file.servers {
		line = other.masked(line)
	}
	return line
}

// masked returns a line of the file with the secrets of the entry masked.
func (s *Server) masked(line string) string {
	for _, l := range []Launch{s.Written, s.Expanded} {
		r := l.Redacted()
		for i, a := range l.Args {
			if r.Args[i] != a && a != "" {
				line = strings.ReplaceAll(line, a, r.Args[i])
			}
		}
		for i, f := range slices.Concat(l.Env, l.Headers) {
			if clean := slices.Concat(r.Env, r.Headers)[i].Value; clean != f.Value && f.Value != "" {
				line = strings.ReplaceAll(line, f.Value, clean)
			}
		}
		if r.URL != l.URL && l.URL != "" {
			line = strings.ReplaceAll(line, l.URL, r.URL)
		}
	}
	return line
}
