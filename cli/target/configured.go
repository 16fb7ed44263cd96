package target

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
)

// Discover reads the configuration of other applications.
func Discover(ctx context.Context, ids ...string) (*hosts.Configuration, *hosts.Machine, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	return DiscoverFrom(ctx, dir, ids...)
}

// DiscoverFrom is like discover, but for the project of a directory.
func DiscoverFrom(ctx context.Context, dir string, ids ...string) (*hosts.Configuration, *hosts.Machine, error) {
	m, err := hosts.LocalMachine(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; set it to your home directory", err)
	}
	c, err := hosts.Discover(ctx, m, ids...)
	if c != nil {
		c.CheckBundles()
	}
	if state, none := system.StateDir(); none == nil {
		JournalIn(state).Mark(c)
	}
	return c, m, err
}

// ServersNamed returns the servers with a name, NAME or HOST/NAME, that their hosts use.
// Of entries that start the same command or connect to the same URL, the first is
// returned.
func ServersNamed(c *hosts.Configuration, name string) []*hosts.Server {
	var found []*hosts.Server
	for _, s := range c.Servers {
		if !s.Effective || s.ID() != name && s.Name != name || s.Scope == hosts.Catalog || s.Scope == hosts.Manifest {
			continue
		}
		if s.ID() == name { // the host uses the last one
			found = slices.DeleteFunc(found, func(other *hosts.Server) bool { return other.ID() == name })
		}
		if !slices.ContainsFunc(found, s.Launches) {
			found = append(found, s)
		}
	}
	return found
}

// overridden returns the entries of the user with the name of one in a file of a project that
// precedes them, and that starts something else: the name alone does not say which is meant.
func overridden(c *hosts.Configuration, name string, found []*hosts.Server) (all []*hosts.Server) {
	if !slices.ContainsFunc(found, (*hosts.Server).InProject) {
		return nil
	}
	for _, s := range c.Servers {
		if s.Name == name && !s.Effective && s.Loaded && !s.Disabled && s.Usable() && !s.InProject() && s.Scope != hosts.Catalog && s.Scope != hosts.Manifest &&
			!slices.ContainsFunc(found, s.Launches) && !slices.ContainsFunc(all, s.Launches) {
			all = append(all, s)
		}
	}
	return all
}

// oneOf returns the only server with a name, or nil if there are none. hidden are the servers that another
// entry overrides.
func (p *Target) oneOf(m *hosts.Machine, name string, found, hidden []*hosts.Server) (*hosts.Server, error) {
	switch len(found) + len(hidden) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	var list strings.Builder
	list.WriteString("Name one of them:")
	for i, s := range slices.Concat(found, hidden) {
		id := s.ID()
		if i >= len(found) {
			id = s.Source.File + "#" + s.Name
		}
		fmt.Fprintf(&list, "\n  %s  %s", p.Err.Safe(id), p.Err.Safe(s.Written.String()))
		if i < len(found) && s.Source.File != "" {
			fmt.Fprintf(&list, "  %s", p.Err.Faint(p.Err.Safe(ShortPath(m, s.Source.File))))
		}
	}
	if len(hidden) > 0 {
		return nil, app.Usage(list.String(), "a file of the project and one of yours have different servers with the name %q", name)
	}
	return nil, app.Usage(list.String(), "%d applications have different servers with the name %q", len(found), name)
}

// maxHints bounds how many files with errors are named.
const maxHints = 5

// notConfigured explains why no server has a name: similar names, an entry that its host does not use, and
// files that hosts reject.
func notConfigured(c *hosts.Configuration, m *hosts.Machine, name string) string {
	var names, lines []string
	for _, s := range c.Servers {
		if s.ID() == name || s.Name == name {
			lines = append(lines, fmt.Sprintf("%s does not use the entry in %s:%d.", hosts.HostName(s.Host), ShortPath(m, s.Source.File), s.Source.Line))
		} else if s.Effective {
			names = append(names, s.Name, s.ID())
		}
	}
	if near := app.DidYouMean(name, names); near != "" && len(lines) == 0 {
		lines = append(lines, near)
	}
	for i := range c.Problems {
		if q := &c.Problems[i]; q.Severity == hosts.Error && len(lines) < maxHints {
			lines = append(lines, ProblemLine(m, q))
		}
	}
	return strings.Join(append(safeLines(lines), "Type mcptea servers for the list."), "\n")
}

// safeLines returns lines with text of files, each as one line that a terminal does not interpret.
func safeLines(lines []string) []string {
	safe := make([]string, len(lines))
	for i, line := range lines {
		safe[i] = display.Sanitize(line)
	}
	return safe
}

// unusable explains why no entry with a name can be used. It returns "" if no entry has the name, or one can be
// used.
func (p *Target) unusable(name string) string {
	c, m, err := Discover(p.Ctx)
	if err != nil || len(ServersNamed(c, name)) > 0 || !slices.ContainsFunc(c.Servers, func(s *hosts.Server) bool { return s.ID() == name || s.Name == name }) {
		return ""
	}
	return notConfigured(c, m, name)
}

// unread returns lines with the files that cannot be searched for entries, or "".
func (p *Target) unread() string {
	c, m, err := Discover(p.Ctx)
	if err != nil {
		return ""
	}
	lines := Unread(c, m)
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return strings.Join(lines[:min(len(lines), maxHints)], "\n")
}

// Unread returns the configuration files that cannot be searched for entries, each with its first
// error.
func Unread(c *hosts.Configuration, m *hosts.Machine) (lines []string) {
	seen := map[string]bool{}
	for i := range c.Problems {
		q := &c.Problems[i]
		if q.Severity != hosts.Error || seen[q.File] {
			continue
		}
		seen[q.File] = true
		if q.Server == "" && !slices.ContainsFunc(c.Servers, func(s *hosts.Server) bool { return s.Source.File == q.File }) {
			lines = append(lines, ProblemLine(m, q))
		}
	}
	return lines
}

// ProblemLine returns the place and the message of a problem in a configuration file.
func ProblemLine(m *hosts.Machine, q *hosts.Problem) string {
	return fmt.Sprintf("%s: %s", PlaceOf(m, q), q.Message)
}

// ShortPath writes a path with ~ for the home directory.
func ShortPath(m *hosts.Machine, path string) string {
	return phrase.ShortPath(m.Home, path)
}

// problemsOf returns the problems of an entry, a line each.
func problemsOf(s *hosts.Server) string {
	home, _ := os.UserHomeDir() // without home, the path is shown in full
	m := &hosts.Machine{Home: home}
	var lines []string
	for i := range s.Problems[:min(len(s.Problems), maxHints)] {
		lines = append(lines, ProblemLine(m, &s.Problems[i]))
	}
	if len(lines) == 0 {
		return "Add \"command\" or \"url\" to it."
	}
	return strings.Join(safeLines(lines), "\n")
}

// entryTarget makes a target of a configured server, which messages call by its name.
func (p *Target) entryTarget(s *hosts.Server, name string) (t client.Target, err error) {
	switch {
	case s.Transport == hosts.WS || s.Transport == hosts.Builtin:
		return t, app.Usage("mcptea connects to stdio and HTTP servers.", "%s has the transport %q, which mcptea does not support", name, s.Transport)
	case !s.Usable():
		return t, app.Usage(problemsOf(s), "the entry %s has no command and no URL to use", name)
	}
	if p.Shown != nil && !p.Shown.Launches(s) {
		return t, app.Usage("It was not started. Open it again after reading what it starts now.", "the entry %s has changed since it was shown", name)
	}
	if why := s.WhyUnknown(); why != "" {
		hint := "Set the variable, or start the server with its command after --, or with --url and -H."
		if s.IsBundle() {
			hint = "Correct " + hosts.BundleManifest + ", or pack the bundle with the files."
		}
		return t, app.Usage(hint, "%s %s", name, why)
	}
	if len(s.Platforms) > 0 {
		p.Note(p.Err.Safe(fmt.Sprintf("the bundle is for %s, not for this system", strings.Join(s.Platforms, ", "))))
	}
	if missing := p.missing(s); len(missing) > 0 {
		return t, app.Usage("Set variables with -e NAME=VALUE, and headers with -H \"NAME: VALUE\"; for another value write the command after --.", "%s requires %s", name, strings.Join(missing, ", "))
	}
	in, err := p.givenInputs(s, name)
	if err != nil {
		return t, err
	}
	if err := p.agreeTo(s, name); err != nil {
		return t, err
	}
	if err := p.askForInputs(in, name); err != nil {
		return t, err
	}
	p.noteUnset(in)
	s.Fill(in.values)
	p.Flags.Entry, p.Flags.EntryName = s, name
	t.Entry = entryOf(s)
	t.Private = slices.Concat(s.Private, in.private)
	for _, h := range s.HeaderEnv {
		t.Private = append(t.Private, p.Env.Get(h.Value))
	}
	if s.Transport == hosts.Stdio {
		t.Argv = s.Expanded.Argv()
	} else {
		t.URL = s.Expanded.URL
		if s.Transport == hosts.SSE && p.Flags.Transport == "auto" {
			p.Flags.Transport = client.TransportSSE
		}
		if err := p.entryHeaders(s); err != nil {
			return t, err
		}
	}
	if err := p.Complete(&t); err != nil {
		return t, err
	}
	p.Launch = fmt.Sprintf("%s (%s:%d) %s %s", name, s.Source.File, s.Source.Line, starts(s), display.Cut(s.Written.String(), 300))
	return t, nil
}

// entryOf returns the place of a configured server, or nil for pasted text.
func entryOf(s *hosts.Server) *client.Entry {
	if s.Pasted || s.Source.File == "" {
		return nil
	}
	e := &client.Entry{File: s.Source.File, Line: s.Source.Line, Pointer: s.Source.Pointer}
	if s.Host == settings.OwnHost || slices.Contains(hosts.IDs(), s.Host) {
		e.Host = hosts.HostName(s.Host)
	}
	return e
}

// missing returns the values that a manifest requires and that are neither in the environment
// nor on the command line.
func (p *Target) missing(s *hosts.Server) []string {
	return slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool {
		return p.Env.Get(name) != "" || p.Flags.Gives(s, name)
	})
}

// Announce prints the command that a server name or words without -- start on stderr, once.
func (p *Target) Announce() {
	if p.Launch != "" {
		fmt.Fprintln(p.Err, p.Err.Faint(p.Err.Safe(p.Launch)))
		p.Launch = ""
	}
}

// entryHeaders adds the headers of an entry to the headers of the flags, which take precedence.
func (p *Target) entryHeaders(s *hosts.Server) error {
	add := func(name, value string) {
		given := slices.ContainsFunc(p.Flags.Headers, func(h string) bool {
			n, _, _ := strings.Cut(h, ":")
			return strings.EqualFold(n, name)
		})
		if !given {
			p.Flags.Headers = append(p.Flags.Headers, name+": "+value)
		}
	}
	fromEnv := func(header, variable, prefix string) error {
		value, ok := p.Env.Lookup(variable)
		if !ok {
			return app.Usage("Set the variable, or pass the header with -H.", "%s takes the header %s from the environment variable %s, which is not set", s.ID(), header, variable)
		}
		add(header, prefix+value)
		return nil
	}
	for _, h := range s.Expanded.Headers {
		add(h.Name, h.Value)
	}
	for _, h := range s.HeaderEnv {
		if err := fromEnv(h.Name, h.Value, ""); err != nil {
			return err
		}
	}
	if s.BearerEnv != "" {
		if err := fromEnv("Authorization", s.BearerEnv, "Bearer "); err != nil {
			return err
		}
	}
	if s.HeadersHelper != "" && len(p.Flags.Headers) == 0 {
		p.Warning(fmt.Sprintf("%s takes headers from the program %s, which mcptea does not run; pass them with -H.", s.ID(), s.HeadersHelper))
	}
	return nil
}

// JournalIn returns the journal of the entries that were wrapped.
func JournalIn(state string) hosts.Journal {
	return hosts.Journal{Dir: filepath.Join(state, "wrapped")}
}

// PlaceIn returns a place in a configuration file, for display.
func PlaceIn(m *hosts.Machine, file string, line int) string {
	if line < 1 {
		return ShortPath(m, file)
	}
	return fmt.Sprintf("%s:%d", ShortPath(m, file), line)
}

// PlaceOf returns the place of a problem: file, line and column.
func PlaceOf(m *hosts.Machine, q *hosts.Problem) string {
	place := PlaceIn(m, q.File, q.Line)
	if q.Line > 0 && q.Column > 0 {
		place += fmt.Sprintf(":%d", q.Column)
	}
	return place
}
