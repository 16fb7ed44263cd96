package hosts

import (
	"path/filepath"
	"strings"

	"mcptea/client/hosts/syntax"
)

// fileForms are the forms of files with servers: the key that tells them from others, and
// how their entries are written.
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
	{[]string{"server", "mcp_config"}, "described", "bundle"},
	{[]string{"mcp"}, "opencode", ""},
}

// ReadFile reads the servers of a file that the user has named, wherever it is: the
// configuration of any host, server.json of the MCP registry, or the manifest of a bundle.
// A file of JSON may have comments.
func ReadFile(m *Machine, path string) *Configuration {
	f := &file{machine: m, path: path, host: &host{ID: filepath.Base(path), Name: "mcptea"}, location: &location{Format: syntax.JSONC, Scope: Manifest}}
	switch filepath.Ext(path) {
	case ".toml":
		f.location.Format = syntax.TOML
	case ".yaml", ".yml":
		f.location.Format = syntax.YAML
	}
	f.dialect = allDialects()["any"]
	if data, _, err := m.Read(path, maxFileBytes); err == nil {
		if tree, err := syntax.Parse(f.location.Format, data); err == nil {
			f.chooseForm(tree.Root)
		}
	}
	f.location.Roots = append(f.location.Roots, []string{"mcpServers"})
	f.load()
	return &Configuration{Servers: f.servers, Problems: f.problems, Files: []File{{f.host.ID, path}}}
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

// Matches reports whether a server of a file is the one that is meant by a name: that of its
// entry, or of a manifest the last part of its name or its variant.
func (s *Server) Matches(name string) bool {
	return s.Name == name || s.Variant == name && name != "" || s.Scope == Manifest && strings.HasSuffix(s.Name, "/"+name)
}
