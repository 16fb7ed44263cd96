package inspector

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/recordings"
	"mcptea/session/question"
	"mcptea/session/session"
	"mcptea/session/state"
	"mcptea/session/tap/control"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/start"
)

// recentFile returns the list of recent targets, or nil if nothing may be kept.
func (p *Inspector) recentFile() *state.Recent {
	if record, _ := p.Recording(); record == "off" {
		return nil
	}
	dir, err := system.StateDir()
	if err != nil {
		return nil
	}
	return state.NewRecent(filepath.Join(dir, "recent.jsonl"))
}

// recent returns the recent targets, or none if they are not kept or cannot be read.
func (p *Inspector) recent() (list []state.Target) {
	if file := p.recentFile(); file != nil {
		list, _ = file.Load()
	}
	return list
}

// remember keeps the target of a session for the start screen. Errors are ignored: the
// list is a convenience.
func (p *Inspector) remember(s *session.Session, last lived) {
	file := p.recentFile()
	if file == nil {
		return
	}
	command, dir := p.repeats(s)
	if command == "" {
		return
	}
	if entry := p.Flags.Entry; entry != nil && !entry.Pasted {
		p.Remember(entry) // the entry is opened again without a question
	}
	_, left := p.Repeated()
	e := state.Target{Time: time.Now(), Command: command, Dir: dir, Server: last.state.Handshake.Server.Name, Last: last.sentences, Left: left}
	e.Outcome, e.Failed = outcomeOf(last.state)
	_ = file.Add(e)
}

// repeats returns the flags and the target that open the server of a session again, quoted for Bash with variables for
// secrets, and the directory. It returns "" if a command line cannot do this, and for recordings and the demo.
func (p *Inspector) repeats(s *session.Session) (command, dir string) {
	entry := p.Flags.Entry
	if entry != nil && entry.Pasted {
		if l := &entry.Expanded; len(l.Env) > 0 || l.EnvFile != "" || len(l.Headers) > 0 {
			return "", "" // a command line cannot contain its variables and headers
		}
		entry = nil
	}
	if _, recorded := s.Recording(); recorded || p.isDemo(s) {
		return "", ""
	}
	var l shell.Line
	flags, _ := p.Repeated()
	if entry != nil {
		l.Add(entryFlag + p.Flags.EntryName)
		l.AddFlags(flags, s.Config().Target)
	} else {
		l.AddTarget(flags, s.Config().Target)
	}
	line, err := l.For(shell.Bash)
	dir = p.dir
	if dir == "" && err == nil {
		dir, err = os.Getwd()
	}
	if err != nil {
		return "", ""
	}
	return line, dir
}

// rememberConnected stores the target when it is connected. So the target is known even if the
// program is killed, and to programs that start in the meantime.
func (p *Inspector) rememberConnected(s *session.Session) (stop func()) {
	ctx, cancel := context.WithCancel(p.Ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := s.Until(ctx, func() bool {
			st := s.State()
			tools := st.Lists["tools"]
			return st.Phase == session.Ready && (!st.Handshake.Offers(client.Tools) || !tools.Loaded.IsZero() || tools.Err != nil)
		})
		if err == nil {
			p.remember(s, livedIn(s))
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// isDemo reports whether a session is with the built-in server.
func (p *Inspector) isDemo(s *session.Session) bool {
	argv := s.Config().Target.Argv
	self, err := os.Executable()
	return err == nil && len(argv) > 1 && argv[0] == self && argv[1] == "demo"
}

// outcomeOf returns the outcome of a connection, in a few words. One that mcptea has closed, as it does
// when its terminal is closed, has not failed.
func outcomeOf(st session.State) (text string, failed bool) {
	switch {
	case st.Phase == session.Ready, st.Phase == session.Ended && st.Err == nil:
		if n := len(st.Lists["tools"].Items); n > 0 {
			return "connected, " + phrase.Count(n, "tool"), false
		}
		return "connected", false
	case st.Phase == session.Failed:
		return "not connected", true
	case st.Phase == session.Ended:
		return "connection ended", true
	}
	return "", false
}

// recentGroup lists the recent targets.
func (p *Inspector) recentGroup(ctx context.Context, listed *listedServers) start.Group {
	g := start.Group{Title: "Recent", Kind: "recent"}
	file := p.recentFile()
	if file == nil {
		return g
	}
	entries, err := file.Load()
	if err != nil {
		g.Entries = unread("recent", err)
		return g
	}
	// What could be opened last time is looked for more often.
	slices.SortStableFunc(entries, func(a, b state.Target) int {
		switch {
		case a.Failed == b.Failed:
			return 0
		case b.Failed:
			return -1
		}
		return 1
	})
	named := map[string]*hosts.Server{}
	for _, r := range entries[:min(len(entries), maxRecent)] {
		e, s := p.recentEntry(ctx, listed, r)
		g.Entries = append(g.Entries, e)
		if s != nil {
			named[e.Key] = s
		}
	}
	listed.mu.Lock()
	listed.again = named
	listed.mu.Unlock()
	return g
}

// unread returns a part of the start screen that cannot be read.
func unread(what string, err error) []start.Entry {
	return []start.Entry{{Key: "error", Mark: start.MarkError, Name: what, Launch: err.Error()}}
}

// maxRecent and maxListed are the maximum numbers of recent targets and recordings that the start screen
// lists.
const (
	maxRecent = 8
	maxListed = 3
)

// entryFlag names a server of a configuration.
const entryFlag = "--server="

// recentEntry returns a recent target and, if it is an entry of a configuration, its server: the user is asked
// about what the entry starts now.
func (p *Inspector) recentEntry(ctx context.Context, listed *listedServers, r state.Target) (start.Entry, *hosts.Server) {
	shown := strings.TrimPrefix(strings.TrimPrefix(r.Command, "-- "), "--url ")
	words, err := shell.Split(r.Command, p.Env.Lookup)
	name := r.Server
	if name == "" {
		name = shortName(reachedBy(words, shown))
	}
	e := start.Entry{
		Last: lastFacts(r), Key: r.Dir + "\x00" + r.Command, Name: name, Where: phrase.Date(r.Time, time.Now()), Launch: shown, Note: r.Outcome,
		Facts:   []start.Fact{{Label: "command", Text: "mcptea " + r.Command}, {Label: "directory", Text: r.Dir}},
		Foreign: true, // the name is from the server
		Verb:    "open it again", Command: "mcptea " + r.Command, Dir: r.Dir,
	}
	for _, name := range r.Left {
		e.Problems = append(e.Problems, start.Problem{Mark: start.MarkInfo, Text: "Without --" + name + ": " + cmp.Or(settings.Unrepeated[name], "it is not repeated") + "."})
	}
	if r.Failed {
		e.Mark = start.MarkError
	}
	entry, configured := "", len(words) > 0 && strings.HasPrefix(words[0], entryFlag) // only an entry of a configuration is the first word
	if configured {                                                                   // name that the user gave the server in the configuration
		entry = strings.TrimPrefix(words[0], entryFlag)
		e.Launch, e.Name = strings.TrimPrefix(r.Command, entryFlag), cmp.Or(r.Server, entry)
	}
	if err == nil && !isDir(r.Dir) {
		err = errors.New("the directory no longer exists")
	}
	if err != nil {
		e.Problems = []start.Problem{{Mark: start.MarkError, Text: phrase.Capital(err.Error()) + "."}}
		return e, nil
	}
	e.Args = words
	if !configured {
		e.Ask = typedQuestion("command", "mcptea "+r.Command)
		e.Ask.Facts = []question.Fact{{Label: "directory", Text: r.Dir}}
		return e, nil
	}
	s, label, err := p.Find(ctx, r.Dir, entry)
	if err != nil {
		e.Args, e.Problems = nil, []start.Problem{{Mark: start.MarkError, Text: dialog.Sentence(err)}}
		return e, nil
	}
	l := s.Expanded.Redacted()
	e.Facts = append(launchFacts(&l), e.Facts[1:]...)
	listed.ask(ctx, s, &e, label)
	if len(words) > 1 { // flags, which the entry does not have
		e.Facts = append([]start.Fact{{Label: "run as", Text: "mcptea " + r.Command}}, e.Facts...)
		if e.Ask == nil {
			e.Ask = typedQuestion("run as", "mcptea "+r.Command)
		} else {
			e.Ask.Facts = append([]question.Fact{{Label: "run as", Text: "mcptea " + r.Command, Strong: true}}, e.Ask.Facts...)
		}
	}
	return e, s
}

// reachedBy returns the command or the URL in a command line of mcptea, or the line itself if it has neither.
func reachedBy(words []string, line string) string {
	if i := slices.Index(words, "--"); i >= 0 {
		return strings.Join(words[i+1:], " ")
	}
	if i := slices.Index(words, "--url"); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return line
}

func isDir(path string) bool {
	at, err := os.Stat(path)
	return err == nil && at.IsDir()
}

// runners start the program that a later word of a command names, verbs are the words before that word.
const (
	runners = " node deno bun bunx npx pnpm npm yarn tsx python python3 uv uvx ruby php java dotnet go "
	verbs   = " run exec x dlx tool "
)

// shortName returns a name for a target: the host of a URL, or the program without its launcher.
func shortName(target string) string {
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return u.Host
	}
	first, rest, _ := strings.Cut(target, " ")
	if first = filepath.Base(first); !strings.Contains(runners, " "+first+" ") {
		return first
	}
	for _, word := range strings.Fields(rest) {
		if !strings.HasPrefix(word, "-") && !strings.Contains(verbs, " "+word+" ") {
			return filepath.Base(word)
		}
	}
	return first
}

// recordingsGroup lists the newest recordings.
func (p *Inspector) recordingsGroup(ctx context.Context) start.Group {
	g := start.Group{Title: "Recordings", Kind: "recording"}
	dir, err := p.RecordingDir()
	if err != nil {
		return g
	}
	list, _ := recordings.List(dir)
	list = slices.DeleteFunc(list, p.ofTaps(ctx))
	total := int64(0)
	for _, r := range list {
		total += r.Size
	}
	for _, r := range list[:min(len(list), maxListed)] {
		if ctx.Err() != nil {
			break
		}
		g.Entries = append(g.Entries, recordingEntry(r))
	}
	if len(list) > 0 {
		g.Note = phrase.Count(len(list), "file") + ", " + phrase.Size(total)
	}
	if len(list) > maxListed {
		g.Entries = append(g.Entries, start.Entry{
			Key: "recordings", Name: "all recordings", Launch: "filter, open, delete", Args: []string{"open"}, Verb: "show the list", Command: "mcptea open",
		})
	}
	if dir := p.HostRecordings(); dir != "" {
		g.Entries = append(g.Entries, start.Entry{
			Key: dir, Name: "of hosts", Launch: "taps that hosts start without your XDG_STATE_HOME", Args: []string{"open", dir}, Verb: "show the list", Place: dir,
		})
	}
	return g
}

// ofTaps reports whether the entry of an active tap opens a recording: only the newest of each tap.
func (p *Inspector) ofTaps(ctx context.Context) func(recordings.Recording) bool {
	taps, _ := control.Active(ctx)
	var paths []string
	for _, t := range taps {
		paths = append(paths, newestRecording(t))
	}
	return func(r recordings.Recording) bool { return slices.Contains(paths, r.Path) }
}

func recordingEntry(r recordings.Recording) start.Entry {
	e := start.Entry{
		Key: r.Path, Name: "recording", Where: phrase.Date(r.Modified, time.Now()), Note: phrase.Size(r.Size),
		Foreign: true, Verb: "open it", Args: []string{"open", r.Path}, Place: filepath.Base(r.Path),
	}
	if line, err := shell.Bash.Join(shell.Literals("mcptea", "open", r.Path)); err == nil {
		e.Command = line
	}
	if r.Live {
		e.Mark, e.Note = start.MarkLive, "being written, "+e.Note
	}
	if h, err := headerOf(r.Path); err == nil {
		e.Name, e.Launch = shortName(h.Target), h.Target
	}
	e.Facts = []start.Fact{{Label: "target", Text: e.Launch}, {Label: "file", Text: r.Path}}
	if words := strings.Fields(e.Launch); len(words) == 3 && filepath.Base(words[0]) == "mcptea" && words[1] == "demo" && words[2] == "--serve" {
		e.Name, e.Launch = "demo", "built-in server" // the user has not typed this command
	}
	return e
}

// headerOf reads the first line of a recording.
func headerOf(path string) (record.Header, error) {
	f, _, err := system.OpenRegular(path)
	if err != nil {
		return record.Header{}, err
	}
	defer func() { _ = f.Close() }()
	const maxHeader = 64 << 10
	head := make([]byte, maxHeader)
	n, _ := f.Read(head)
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return record.ParseHeader([]byte(line))
}

// tapsGroup lists the active taps. Their newest recording is opened.
func (p *Inspector) tapsGroup(ctx context.Context) start.Group {
	g := start.Group{Title: "Active taps", Kind: "tap"}
	taps, err := control.Active(ctx)
	if err != nil {
		g.Entries = unread("taps", err)
		return g
	}
	for _, t := range taps {
		e := start.Entry{
			Key: t.Socket, Mark: start.MarkLive, Name: cmp.Or(t.Name, shortName(t.Target)), Where: phrase.Date(t.Since, time.Now()), Launch: t.Target,
			Foreign: true, Note: phrase.Count(len(t.Sessions), "session"), Verb: "follow it", Facts: []start.Fact{{Label: "target", Text: t.Target}},
		}
		if t.Listen != "" {
			e.Facts = append(e.Facts, start.Fact{Label: "listens", Text: t.Listen})
		}
		if path := newestRecording(t); path != "" {
			e.Args = []string{"open", path}
			e.Facts = append(e.Facts, start.Fact{Label: "file", Text: path})
		} else {
			e.Problems = []start.Problem{{Mark: start.MarkInfo, Text: "No session is being recorded."}}
		}
		g.Entries = append(g.Entries, e)
	}
	return g
}
