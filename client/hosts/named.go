package hosts

import (
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"mcptea/client/hosts/syntax"
)

// fileForms holds the forms of files with servers: the key that identifies a form, and the
// syntax of its entries.
var fileForms = []struct {
	root    []string
	dialect string
	reader  string
}{
	{[]string{"mcpServers"}, "any", ""},
	{[]string{"mcp", "servers"}, "any", ""},
	{[]string{"servers"}, "any", ""},
	{[]string{"context_servers"}, "zed", ""},
	{[]string{"mcp_servers"}, "codex", ""},
	{[]string{"extensions"}, "goose", ""},
	{[]string{"packages"}, "described", "registry"},
	{[]string{"remotes"}, "described", "registry"},
	{[]string{"server", "mcp_config"}, "bundle", "bundle"},
	{[]string{"server", "entry_point"}, "bundle", "bundle"},
	{[]string{"mcp"}, "opencode", ""},
}

// ReadFile reads the servers of a file that the user has named, wherever it is: the
// configuration of any host, server.json of the MCP registry, or the manifest of a bundle.
// A file of JSON may have comments.
func ReadFile(m *Machine, path string) *Configuration {
	f := newNamed(m, path)
	f.choose = func(root *syntax.Node) {
		f.chooseForm(root)
		if len(f.location.Roots) == 0 && onlyServers(root) { // the file has the form of plugins of Claude Code
			f.location.Roots, f.location.Scope = roots{{}}, Project
		}
		f.location.Roots = append(f.location.Roots, []string{"mcpServers"})
	}
	f.load()
	return &Configuration{Servers: f.servers, Problems: f.problems, Files: []File{{f.host.ID, path}}}
}

// PastedFile is the name of the file that the entries of [ReadPasted] have.
const PastedFile = "pasted JSON"

// pastedName is the name of an entry that was pasted without a name.
const pastedName = "server"

// Enclosed returns a text with braces around it, if it is members of an object without them,
// such as "name": {…}, which is copied out of a file.
func Enclosed(text string) (object string, ok bool) {
	object = "{" + text + "\n}"
	if !strings.HasPrefix(strings.TrimSpace(text), `"`) {
		return text, false
	}
	tree, err := syntax.Parse(syntax.JSONC, []byte(object))
	if err != nil || len(tree.Root.Members) == 0 {
		return text, false
	}
	return object, true
}

// ReadPasted reads the servers in JSON that the user has pasted, which may have comments and trailing commas.
// The text is the content of a file of any host, the value of its key with the servers, some of its entries
// with or without the braces around them, or one entry without a name.
func ReadPasted(m *Machine, text string) *Configuration {
	text, _ = Enclosed(text)
	here := *m
	here.Read = func(string, int64) ([]byte, fs.FileMode, error) { return []byte(text), 0o600, nil }
	f := newNamed(&here, PastedFile)
	if tree, err := syntax.Parse(f.location.Format, []byte(text)); err == nil {
		f.chooseForm(tree.Root)
		switch {
		case len(f.location.Roots) > 0:
		case tree.Root.Get("command") != nil || tree.Root.Get("url") != nil:
			text = "{" + strconv.Quote("mcpServers") + ":{" + strconv.Quote(pastedName) + ":" + text + "\n}}"
		case holdsServers(tree.Root):
			text = "{" + strconv.Quote("mcpServers") + ":" + text + "\n}"
		}
	}
	f.location.Roots = append(f.location.Roots, []string{"mcpServers"})
	f.load()
	for _, s := range f.servers {
		s.Pasted = true
	}
	return &Configuration{Servers: f.servers, Problems: f.problems, Files: []File{{f.host.ID, PastedFile}}}
}

// newNamed returns a file that the user has named, of any host.
func newNamed(m *Machine, path string) *file {
	f := &file{machine: m, path: path, host: &host{ID: filepath.Base(path), Name: "mcptea"}, location: &location{Format: syntax.JSONC, Scope: Manifest}, named: true}
	switch filepath.Ext(path) {
	case ".toml":
		f.location.Format = syntax.TOML
	case ".yaml", ".yml":
		f.location.Format = syntax.YAML
	}
	f.dialect = allDialects()["any"]
	return f
}

// chooseForm sets how the entries of the file are read.
func (f *file) chooseForm(root *syntax.Node) {
	for _, form := range fileForms {
		value := root.Get(form.root...)
		if value == nil || form.reader == "" && value.Kind != syntax.Object && value.Kind != syntax.List {
			continue
		}
		f.dialect = allDialects()[form.dialect]
		f.location.Reader, f.location.Roots, f.location.List = form.reader, roots{form.root}, value.Kind == syntax.List
		if form.reader == "" {
			f.location.Scope = Project
		}
		return
	}
}

// Matches reports whether a name means this server of a file: the name of its entry, its
// variant, or, for a manifest, the last part of its name.
func (s *Server) Matches(name string) bool {
	return s.Name == name || s.Variant == name && name != "" || s.Scope == Manifest && strings.HasSuffix(s.Name, "/"+name)
}
