package target

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client/hosts"
	"mcptea/client/hosts/syntax"
	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/system/sourcefile"
)

// ownServer returns a server of the configuration file: a command line, a URL or FILE#NAME.
func (p *Target) ownServer(name string) (*hosts.Server, error) {
	line, _ := p.Configured.Line("servers." + name)
	s := &hosts.Server{
		Host: settings.OwnHost, Name: name, Scope: hosts.User, Source: hosts.Source{File: p.ConfigPath, Format: syntax.YAML, Pointer: "/servers/" + jsonrpc.EscapePointer(name), Line: line, Column: 1},
		Transport: hosts.Stdio, Loaded: true, Effective: true,
	}
	place := fmt.Sprintf("%s:%d", p.ConfigPath, line)
	launch := func(lookup func(string) (string, bool)) (l hosts.Launch, err error) {
		words, err := shell.Split(p.Configured.Servers[name], lookup)
		if err != nil || len(words) == 0 {
			return l, app.Usage("Quote as in a shell.", "%s: servers.%s cannot be read: %v", place, name, err)
		}
		if words[0] == "--" {
			words = words[1:]
		}
		switch {
		case len(words) == 0:
			return l, app.Usage("", "%s: servers.%s has no command after --", place, name)
		case len(words) == 1 && IsURL(words[0]):
			l.URL = words[0]
		case len(words) == 1 && !isServerFile(words[0]) && AsURL(words[0]) != "":
			l.URL = AsURL(words[0])
		default:
			l.Command, l.Args = words[0], words[1:]
		}
		return l, nil
	}
	var err error
	if s.Expanded, err = launch(func(name string) (string, bool) {
		value, ok := p.Env.Lookup(name)
		if ok && hosts.IsPrivate(name, value) {
			s.Private = append(s.Private, value)
		}
		return value, ok
	}); err != nil {
		return s, err
	}
	if len(s.Expanded.Args) == 0 && s.Expanded.URL == "" {
		if in, _, err := p.fileServer(s.Expanded.Command); in != nil || err != nil {
			if in != nil {
				s.Transport, s.Written, s.Expanded, s.Required, s.Private = in.Transport, in.Written, in.Expanded, in.Required, in.Private
			}
			return s, err
		}
	}
	if s.Expanded.URL != "" {
		s.Transport = hosts.HTTP
	}
	s.Written, err = launch(func(name string) (string, bool) { return "$" + name, true })
	return s, err
}

// AddOwn adds the servers of mcptea's configuration file to the servers of other applications.
func (p *Target) AddOwn(c *hosts.Configuration) {
	if len(p.Configured.Servers) == 0 {
		return
	}
	c.Files = append([]hosts.File{{Host: settings.OwnHost, Path: p.ConfigPath}}, c.Files...)
	var named []*hosts.Server
	for _, name := range slices.Sorted(maps.Keys(p.Configured.Servers)) {
		s, err := p.ownServer(name)
		if err != nil {
			s.Transport = ""
			s.Problems = []hosts.Problem{{
				ID: "F003", Name: "syntax", Severity: hosts.Error, Host: settings.OwnHost, Server: name,
				File: p.ConfigPath, Line: s.Source.Line, Column: 1, Pointer: s.Source.Pointer, Message: err.Error(),
			}}
		}
		named = append(named, s)
	}
	c.Servers = append(named, c.Servers...)
}

// Redacted returns a URL or a command line with its secrets masked.
func Redacted(text string) string {
	if IsURL(text) {
		return secret.URL(text)
	}
	return strings.Join(secret.Args(strings.Fields(text)), " ")
}

// isServerFile reports whether a word is a file that may configure servers. A project file such as package.json
// does not.
func isServerFile(word string) bool {
	if sourcefile.IsManifest(word) {
		return false
	}
	info, err := os.Stat(word)
	return err == nil && info.Mode().IsRegular() && slices.Contains([]string{".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml"}, filepath.Ext(word))
}

// fileServer returns the server in a file that a word names as FILE#NAME, or as FILE if it has
// one server, and FILE#NAME. It is nil if the word names no such file.
func (p *Target) fileServer(word string) (s *hosts.Server, label string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, "", err
	}
	return p.fileServerFrom(dir, word)
}

// fileServerFrom is like fileServer, but for a word that is relative to a directory.
func (p *Target) fileServerFrom(dir, word string) (s *hosts.Server, label string, err error) {
	named, name := word, ""
	if i := strings.LastIndex(word, "#"); i > 0 {
		named, name = word[:i], word[i+1:]
	}
	path := pathIn(dir, named)
	if hosts.IsBundle(path) {
		return p.bundleServer(dir, path, named)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || name == "" && !isServerFile(path) {
		if name != "" && (filepath.Ext(named) == ".json" || strings.ContainsRune(named, os.PathSeparator)) && !strings.Contains(named, "://") {
			return nil, "", app.Usage("", "%s: %s is not a file", word, named)
		}
		return nil, "", nil
	}
	c, m, err := readServers(dir, named)
	if err != nil {
		return nil, "", err
	}
	file, _, _ := strings.Cut(word, "#")
	if s, err = p.serverIn(c, m, file, name); err != nil {
		return nil, "", err
	}
	return s, file + "#" + s.Name, nil
}

// bundleServer returns the server of a bundle: a file, which is unpacked, or a folder.
func (p *Target) bundleServer(dir, path, named string) (s *hosts.Server, label string, err error) {
	state, err := system.StateDir()
	if err != nil {
		return nil, "", err
	}
	manifest, err := hosts.OpenBundle(filepath.Join(state, "bundles"), path)
	if err != nil {
		return nil, "", app.Usage("mcpb pack writes such a file.", "%s is not a bundle that can be used: %v", named, err)
	}
	c, m, err := readServers(dir, manifest)
	if err != nil {
		return nil, "", err
	}
	if s, err = p.serverIn(c, m, named, ""); err != nil {
		return nil, "", err
	}
	return s, named + "#" + s.Name, nil
}

// ServersIn returns the servers of the file that a word names, or nil if it names none.
func ServersIn(word string) (*hosts.Configuration, *hosts.Machine) {
	if !isServerFile(word) {
		return nil, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil
	}
	c, m, err := readServers(dir, word)
	if err != nil {
		return nil, nil
	}
	return c, m
}

// readServers reads a file with servers, whose name is relative to a directory.
func readServers(dir, name string) (*hosts.Configuration, *hosts.Machine, error) {
	m, err := hosts.LocalMachine(dir)
	if err != nil {
		return nil, nil, err
	}
	c := hosts.ReadFile(m, pathIn(dir, name))
	c.CheckBundles()
	return c, m, nil
}

// pathIn returns a path, made absolute in a directory.
func pathIn(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// NameIn returns the name of a server of a file after the #.
func NameIn(s *hosts.Server) string { return cmp.Or(s.Variant, s.Name) }

// serverIn returns the server of a file with a name, or the only one.
func (p *Target) serverIn(c *hosts.Configuration, m *hosts.Machine, file, name string) (*hosts.Server, error) {
	var found []*hosts.Server
	var lines []string
	for _, s := range c.Servers {
		lines = append(lines, fmt.Sprintf("  %s#%s  %s", file, p.Err.Safe(NameIn(s)), p.Err.Safe(s.Expanded.String())))
		if name == "" || s.Matches(name) {
			found = append(found, s)
		}
	}
	hint := "Name one of them:\n" + strings.Join(lines, "\n")
	for _, q := range c.Problems {
		if q.ID == "F013" { // the server that the user means may be among the others
			hint = ProblemLine(m, &q) + "\n" + hint
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(c.Servers) == 0:
		for _, q := range c.Problems {
			if q.Severity == hosts.Error {
				return nil, app.Usage("", "%s", ProblemLine(m, &q))
			}
		}
		return nil, app.Usage("A file with servers has \"mcpServers\" or \"servers\"; server.json has \"packages\" or \"remotes\".", "%s has no servers", file)
	case len(found) == 0:
		return nil, app.Usage(hint, "%s has no server with the name %q", file, name)
	}
	return nil, app.Usage(hint, "%s has %d servers", file, len(found))
}
