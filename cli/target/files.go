package target

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/secret"
	"mcptea/session/shell"
	"mcptea/ui/paint"
)

// ownTarget is a server of the configuration file.
func (p *Connection) ownTarget(name string) (t client.Target, err error) {
	line, _ := p.Configured.Line("servers." + name)
	place := fmt.Sprintf("%s:%d", p.ConfigPath, line)
	words, err := shell.Split(p.Configured.Servers[name], os.LookupEnv)
	if err != nil || len(words) == 0 {
		return t, app.Usage("Quotes are those of a shell.", "%s: servers.%s cannot be read: %v", place, name, err)
	}
	if words[0] == "--" {
		words = words[1:]
	}
	found := false
	switch {
	case len(words) == 0:
		return t, app.Usage("", "%s: servers.%s has no command after --", place, name)
	case len(words) > 1:
		t.Argv = words
	case IsURL(words[0]):
		t.URL = words[0]
	default:
		if t, found, err = p.fileTarget(words[0]); found || err != nil {
			return t, err
		}
		if t.URL = AsURL(words[0]); t.URL == "" {
			t.Argv = words
		}
	}
	what := "starts"
	if t.URL != "" {
		what = "connects to"
	}
	p.Launch = fmt.Sprintf("%s (%s) %s %s", name, place, what, paint.Cut(t.String(), 300))
	return t, p.Complete(&t)
}

// Redacted is a URL or a command line with its secrets masked.
func Redacted(text string) string {
	if IsURL(text) {
		return secret.URL(text)
	}
	return strings.Join(secret.Args(strings.Fields(text)), " ")
}

// isServerFile reports whether a word is a file that may have servers.
func isServerFile(word string) bool {
	info, err := os.Stat(word)
	return err == nil && info.Mode().IsRegular() && slices.Contains([]string{".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml"}, filepath.Ext(word))
}

// fileTarget is the server in a file that a word names as FILE#NAME, or as FILE if it has
// one server. It is not found if the word names no such file.
func (p *Connection) fileTarget(word string) (t client.Target, found bool, err error) {
	path, name := word, ""
	if i := strings.LastIndex(word, "#"); i > 0 {
		path, name = word[:i], word[i+1:]
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || name == "" && !isServerFile(path) {
		if name != "" && (filepath.Ext(path) == ".json" || strings.ContainsRune(path, os.PathSeparator)) && !strings.Contains(path, "://") {
			return t, false, app.Usage("", "%s: %s is not a file", word, path)
		}
		return t, false, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return t, false, err
	}
	m, err := hosts.LocalMachine(dir)
	if err != nil {
		return t, false, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	c := hosts.ReadFile(m, path)
	file, _, _ := strings.Cut(word, "#")
	s, err := p.serverIn(c, m, file, name)
	if err != nil {
		return t, false, err
	}
	t, err = p.entryTarget(s, file+"#"+s.Name)
	return t, err == nil, err
}

// serverIn is the server of a file with a name, or the only one.
func (p *Connection) serverIn(c *hosts.Configuration, m *hosts.Machine, file, name string) (*hosts.Server, error) {
	var found []*hosts.Server
	var lines []string
	for _, s := range c.Servers {
		label := s.Name
		if s.Variant != "" {
			label = s.Variant
		}
		lines = append(lines, fmt.Sprintf("  %s#%s  %s", file, p.Err.Safe(label), p.Err.Safe(s.Expanded.String())))
		if name == "" || s.Matches(name) {
			found = append(found, s)
		}
	}
	hint := "Name one of them:\n" + strings.Join(lines, "\n")
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(c.Servers) == 0:
		for _, q := range c.Problems {
			if q.Severity == hosts.Error {
				return nil, app.Usage("", "%s: %s", PlaceIn(m, q.File, q.Line), q.Message)
			}
		}
		return nil, app.Usage("A file with servers has \"mcpServers\" or \"servers\"; server.json has \"packages\" or \"remotes\".", "%s has no servers", file)
	case len(found) == 0:
		return nil, app.Usage(hint, "%s has no server with the name %q", file, name)
	}
	return nil, app.Usage(hint, "%s has %d servers", file, len(found))
}
