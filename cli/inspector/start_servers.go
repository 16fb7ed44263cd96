package inspector

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mcptea/cli/servers"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/internal/shell"
	"mcptea/internal/words/phrase"
	"mcptea/session/state"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/start"
)

// listedServers holds the configured servers that the start screen has shown, and those in pasted texts. It is
// safe for concurrent use.
type listedServers struct {
	addOwn func(*hosts.Configuration) // adds the servers of mcptea's own configuration file
	recent func() []state.Target
	sent   func(*hosts.Server) []string // see [settings.Settings.Sent]
	tap    func(dir string, s *hosts.Server) *start.Tap

	mu      sync.Mutex
	servers map[string]*hosts.Server            // servers by the key of their entry
	again   map[string]*hosts.Server            // servers of recent targets, by the key of their entry
	typed   map[string]map[string]*hosts.Server // servers of recent pasted texts, by the text and the key of their entry
}

// listedServers returns an empty list of the servers that this command line may open.
func (p *Inspector) listedServers() *listedServers {
	return &listedServers{addOwn: p.AddOwn, recent: p.recent, sent: p.Sent, tap: func(dir string, s *hosts.Server) *start.Tap { return servers.Tap(p.App, dir, s) }}
}

// named returns the server that an entry opens by its arguments; nil if it opens something else.
func (l *listedServers) named(key string, args []string) *hosts.Server {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1: // a recent one with flags
		return l.again[key]
	}
	return cmp.Or(l.typed[args[0]][key], l.servers[key], l.again[key])
}

// group lists the configured servers and the files that cannot be read, with the project's first.
func (l *listedServers) group(ctx context.Context) start.Group {
	g := start.Group{Title: "Configured servers", Kind: "server"}
	c, m, err := target.Discover(ctx)
	if err != nil {
		g.Entries = unread("configuration", fmt.Errorf("cannot read the configuration of other applications: %w", err))
		return g
	}
	servers.CheckTaps(ctx, c)
	l.addOwn(c)
	recent := l.recent()
	byKey := map[string]*hosts.Server{}
	apps := map[string]bool{}
	for _, file := range c.Files {
		found, problems := servers.ContentOf(c, file)
		broken := false
		if i := slices.IndexFunc(problems, func(q hosts.Problem) bool { return q.Severity == hosts.Error }); i >= 0 {
			g.Entries = append(g.Entries, fileEntry(m, file, problems[i:]))
			broken = true
		}
		for _, s := range found {
			// If several entries have the same name, the host uses one of them, and the name opens that one.
			used := target.ServersNamed(c, s.ID())
			if s.Scope == hosts.Catalog || s.Scope == hosts.Manifest || s.Fragment || s.Loaded && !slices.Contains(used, s) || !s.Loaded && broken {
				continue
			}
			apps[s.Host] = true
			e := serverEntry(m, s)
			e.Foreign = s.InProject()
			l.ask(ctx, s, &e, s.ID())
			e.Tap = l.tap(m.Dir, s)
			e.Last = lastOf(recent, m.Dir, e.Args)
			// Several hosts may read the same file.
			if i := slices.IndexFunc(g.Entries, func(o start.Entry) bool { return o.Key == e.Key }); i >= 0 && byKey[e.Key].Launches(s) {
				g.Entries[i].Where += ", " + e.Where
				continue
			} else if i >= 0 {
				e.Key += " " + s.Host
			}
			byKey[e.Key] = s
			g.Entries = append(g.Entries, e)
		}
	}
	slices.SortStableFunc(g.Entries, func(a, b start.Entry) int {
		return cmp.Compare(rank(m, a), rank(m, b))
	})
	if n := len(byKey); n > 0 {
		g.Note = fmt.Sprintf("%s in %s", phrase.Count(n, "server"), phrase.Count(len(apps), "application"))
	}
	l.mu.Lock()
	l.servers = byKey
	l.mu.Unlock()
	return g
}

// ask makes the screen ask the user before it opens an entry, once for each entry and content. For the user's
// own entries it is enough that they are visible.
func (l *listedServers) ask(ctx context.Context, s *hosts.Server, e *start.Entry, name string) {
	if e.Args == nil {
		return
	}
	if err := settings.TakeEnvFile(ctx, s); err != nil {
		e.Args, e.Problems = nil, append([]start.Problem{{Mark: start.MarkError, Text: dialog.Sentence(err)}}, e.Problems...)
		return
	}
	if sent := l.sent(s); s.Host == settings.OwnHost || !target.IsAgreed(s, sent) {
		e.Ask = consentTo(s, name, sent)
		e.Ask.Own = s.Host == settings.OwnHost
	}
}

// rank orders the entries: entries of project files come first, and entries that cannot be opened last.
func rank(m *hosts.Machine, e start.Entry) int {
	if e.Args == nil {
		return 2
	}
	if strings.HasPrefix(e.Where, settings.OwnHost) {
		return 0
	}
	if rel, err := filepath.Rel(m.Project, e.File); err == nil && filepath.IsLocal(rel) {
		return 0
	}
	return 1
}

// fileEntry returns the entry of a file that a host rejects as a whole.
func fileEntry(m *hosts.Machine, file hosts.File, problems []hosts.Problem) start.Entry {
	q := problems[0]
	return start.Entry{
		Key: "file " + file.Host + " " + file.Path, Mark: start.MarkError, Name: filepath.Base(file.Path), Where: hosts.HostName(file.Host),
		Launch: target.ShortPath(m, file.Path), NoteID: q.ID, Note: spaced(q.Name), Place: target.PlaceOf(m, &q),
		Problems: startProblems(problems), File: file.Path, Line: max(q.Line, 1),
	}
}

func spaced(slug string) string { return strings.ReplaceAll(slug, "-", " ") }

// serverEntry returns a configured server.
func serverEntry(m *hosts.Machine, s *hosts.Server) start.Entry {
	l := s.Expanded.Redacted()
	e := start.Entry{
		Key: s.Source.File + "#" + s.Source.Pointer, Name: s.Name, Where: hosts.HostName(s.Host), Launch: l.String(),
		Place: target.PlaceIn(m, s.Source.File, s.Source.Line), Problems: startProblems(s.Problems), Facts: launchFacts(&l),
		File: s.Source.File, Line: max(s.Source.Line, 1), Verb: "connect",
	}
	if at := fmt.Sprintf("%s:%d", filepath.Base(s.Source.File), s.Source.Line); len(at) < 20 {
		e.Note = at
	}
	if s.Transport == hosts.Stdio {
		e.Verb = "start it and connect"
	}
	if argv, err := shell.Bash.Join(shell.Literals("mcptea", entryFlag+s.ID())); err == nil {
		e.Command = argv
	}
	if why := cannotOpen(s); why != "" {
		e.Problems = append(e.Problems, start.Problem{Mark: start.MarkError, Text: why})
	} else {
		e.Args = []string{entryFlag + s.ID()}
	}
	switch worst := hosts.Worst(s.Problems); {
	case !s.Loaded:
		e.Mark, e.Note = start.MarkOff, "not loaded"
		if q, ok := s.NotLoaded(); ok {
			e.NoteID = q.ID
			e.Problems = append(startProblems([]hosts.Problem{q}), e.Problems...)
		}
	case s.Disabled:
		e.Mark, e.Note = start.MarkOff, "disabled"
	case worst == hosts.Error, worst == hosts.Warning:
		i := slices.IndexFunc(s.Problems, func(q hosts.Problem) bool { return q.Severity == worst })
		e.Mark, e.NoteID, e.Note = markOf(worst), s.Problems[i].ID, spaced(s.Problems[i].Name)
	case e.Args == nil:
		e.Mark, e.Note = start.MarkOff, "not supported"
	case s.Wrapped:
		e.Note = "recorded by mcptea tap"
	}
	return e
}

// cannotOpen explains why mcptea cannot connect to a server as its host does, or returns "".
func cannotOpen(s *hosts.Server) string {
	if why := s.WhyUnknown(); why != "" {
		return "It " + why + "."
	}
	switch {
	case s.Usable():
		return ""
	case s.Transport == hosts.WS || s.Transport == hosts.Builtin:
		return fmt.Sprintf("mcptea does not support the transport %q.", s.Transport)
	case !s.Loaded:
		return fmt.Sprintf("%s does not load the entry.", hosts.HostName(s.Host))
	}
	return "The entry has neither a command nor a URL."
}

func markOf(s hosts.Severity) start.Mark {
	switch s {
	case hosts.Error:
		return start.MarkError
	case hosts.Warning:
		return start.MarkWarning
	}
	return start.MarkInfo
}

// startProblems converts problems for the start screen, most severe first.
func startProblems(problems []hosts.Problem) []start.Problem {
	var found []start.Problem
	for _, q := range problems {
		found = append(found, start.Problem{ID: q.ID, Mark: markOf(q.Severity), Text: q.Message})
	}
	slices.SortStableFunc(found, func(a, b start.Problem) int { return cmp.Compare(b.Mark, a.Mark) })
	return found
}

// launchFacts describes the command that is started or the URL that is connected to, with its settings. Secrets
// are already masked.
func launchFacts(l *hosts.Launch) []start.Fact {
	var facts []start.Fact
	add := func(label, text string) {
		if text != "" {
			facts = append(facts, start.Fact{Label: label, Text: text})
		}
	}
	if l.Command != "" {
		line, err := shell.Bash.Join(shell.Literals(l.Argv()...))
		if err != nil {
			line = l.String()
		}
		add("command", line)
	}
	add("URL", l.URL)
	add("cwd", l.Dir)
	fields := func(label, between string, fields []hosts.Field) {
		var all []string
		for _, f := range fields {
			if !f.Unset {
				all = append(all, f.Name+between+f.Value)
			}
		}
		add(label, strings.Join(all, "  "))
	}
	fields("env", "=", l.Env)
	add("env file", l.EnvFile)
	fields("headers", ": ", l.Headers)
	return facts
}
