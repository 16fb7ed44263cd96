package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/secret"
	"mcptea/session"
	"mcptea/session/filter"
	"mcptea/session/recordings"
	"mcptea/session/shell"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/pane/intercept"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/pane/start"
)

// StartOptions are those of the start screen.
type StartOptions struct {
	Options
	// Dir is the working directory, for display.
	Dir string
	// Groups read the parts of the list, in the order of the screen. Each runs on a
	// goroutine of its own and must return when its context ends.
	Groups []func(context.Context) start.Group
	// Meaning returns what a typed line opens; nil if it is empty. It runs on a goroutine
	// of its own.
	Meaning func(text string) *start.Entry
}

// Chosen are the arguments of mcptea that the user has chosen, and the directory in which
// they are run; empty for the current one.
type Chosen struct {
	Args []string
	Dir  string
}

// Start shows the start screen, and returns what the user has chosen; nil if the user
// quits.
func Start(ctx context.Context, o StartOptions) (*Chosen, error) {
	s := newStart(ctx, &o)
	err := s.run(s)
	return s.chosen, err
}

// startScreen is the start screen.
type startScreen struct {
	*program
	start  *StartOptions
	list   *start.Pane
	chosen *Chosen
}

func newStart(ctx context.Context, o *StartOptions) *startScreen {
	s := &startScreen{program: newProgram(ctx, &o.Options), start: o}
	s.list = start.New(s, start.Options{Groups: o.Groups, Meaning: o.Meaning, Run: func(args []string, dir string) {
		s.chosen = &Chosen{args, dir}
		s.do(tea.Quit)
	}})
	s.screen = s
	return s
}

// opened implements [screen], as does what follows: it starts to read the list.
func (s *startScreen) opened() tea.Cmd {
	s.list.Load()
	queue := s.queue
	s.queue = nil
	return tea.Batch(queue...)
}

func (s *startScreen) title() string            { return "mcptea" }
func (s *startScreen) commands() []keys.Command { return nil }
func (s *startScreen) places() []place          { return nil }
func (s *startScreen) focused() app.Part        { return s.list }
func (s *startScreen) quit(bool)                { s.do(tea.Quit) }
func (s *startScreen) leave(keys.Motion)        {}
func (s *startScreen) press(int, int)           {}
func (s *startScreen) paste(string)             {}
func (s *startScreen) settle()                  {}
func (s *startScreen) changed() <-chan struct{} { return nil }
func (s *startScreen) refresh(t app.Tick) pace  { return pace{next: moves(s.list.Refresh(t), 0)} }

// receive implements [screen]. A file that was edited may have changed.
func (s *startScreen) receive(msg tea.Msg) {
	if _, ok := msg.(editorClosed); ok {
		s.list.Load()
	}
}

// paint implements [screen].
func (s *startScreen) paint(c *app.Canvas) []string {
	return append([]string{s.header()}, c.Show(s.list, 0, 1, c.W, c.H-2, true)...)
}

func (s *startScreen) header() string {
	p := s.pal
	r := p.Row()
	r.Start(s.w, p.Header)
	r.Right(paint.Span{Style: p.Muted, Text: p.Cut(paint.Sanitize(s.start.Dir), s.w/2) + " "})
	r.Gap(1)
	r.Put(p.AccentBold, "mcptea")
	r.Put(p.Muted, " "+s.start.Version)
	r.Gap(2)
	r.Put(p.Text, "MCP client and wire inspector")
	return r.String()
}

// ChooseRecording shows the list of recordings and returns the path of the one that the
// user opens; empty if the user quits. The recording of the path selected is selected
// first. The error is about the terminal or the options.
func ChooseRecording(ctx context.Context, c *recordings.Catalog, selected string, o Options) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	reading.Go(func() { c.Follow(ctx) })
	s := newRecordings(ctx, c, selected, &o)
	err := s.run(s)
	return s.chosen, err
}

// recordingsScreen is the list of recordings.
type recordingsScreen struct {
	*program
	catalog catalog
	list    *recordingspane.Pane
	chosen  string // path to open
}

// catalog is what the screen needs of a [recordings.Catalog].
type catalog interface {
	recordingspane.Catalog
	Changed() <-chan struct{}
}

func newRecordings(ctx context.Context, c catalog, selected string, o *Options) *recordingsScreen {
	s := &recordingsScreen{program: newProgram(ctx, o), catalog: c}
	s.list = recordingspane.New(s, recordingspane.Program{Open: s.open, Compare: s.compare, Ask: s.askToDelete}, c, selected)
	s.screen = s
	return s
}

func (s *recordingsScreen) open(path string) {
	s.chosen = path
	s.do(tea.Quit)
}

func (s *recordingsScreen) compare(paths, names [2]string) {
	diff.Open(s, diff.Comparing, diff.Recordings(paths, names))
}

func (s *recordingsScreen) askToDelete(path, what string, yes func()) {
	dialog.Consent{
		Title: "Delete this recording?", Facts: []dialog.Fact{{Label: "recording", Text: what}, {Label: "file", Text: path}},
		Yes: "delete", No: "cancel", Accept: yes,
	}.Open(s)
}

// title implements [screen], as does what follows.
func (s *recordingsScreen) title() string            { return "mcptea recordings" }
func (s *recordingsScreen) opened() tea.Cmd          { return nil }
func (s *recordingsScreen) commands() []keys.Command { return nil }
func (s *recordingsScreen) places() []place          { return nil }
func (s *recordingsScreen) focused() app.Part        { return s.list }
func (s *recordingsScreen) quit(bool)                { s.do(tea.Quit) }
func (s *recordingsScreen) leave(keys.Motion)        {}
func (s *recordingsScreen) press(int, int)           {}
func (s *recordingsScreen) paste(string)             {}
func (s *recordingsScreen) settle()                  {}
func (s *recordingsScreen) receive(tea.Msg)          {}
func (s *recordingsScreen) changed() <-chan struct{} { return s.catalog.Changed() }

// refresh implements [screen]. The times of day get older.
func (s *recordingsScreen) refresh(t app.Tick) pace {
	return pace{next: moves(s.list.Refresh(t), 10*time.Second)}
}

// paint implements [screen].
func (s *recordingsScreen) paint(c *app.Canvas) []string {
	return append([]string{s.header()}, c.Show(s.list, 0, 1, c.W, c.H-2, true)...)
}

// header is the first row: the directory and what is in it.
func (s *recordingsScreen) header() string {
	p := s.pal
	files, live, size := s.list.Total()
	r := p.Row()
	r.Start(s.w, p.Header)
	if live > 0 {
		r.Right(paint.Span{Style: p.OK, Text: p.Dot + " " + paint.HumanCount(live) + " live "})
	}
	r.Gap(1)
	r.Put(p.AccentBold, "mcptea")
	r.Gap(2)
	r.Put(p.Strong, "recordings")
	r.Gap(2)
	r.Put(p.Text, paint.Plural(files, "file")+", "+paint.HumanSize(size))
	r.Gap(2)
	r.Put(p.Muted, s.catalog.Dir())
	return r.String()
}

// Draft is a request, by its method and params, or a frame with exact bytes.
type Draft struct {
	Method        string
	Params, Frame []byte
}

// ConnectTo is a target that the user has chosen in the place of a recording: a command
// line or a URL, and what is put into the composer of the connection.
type ConnectTo struct {
	Target string
	Draft  Draft
}

// online does what needs a server: at once, or not where a recording has none; the user is
// then asked for one. what may be empty for what happens by itself.
func (m *model) online(what string, draft Draft, do func()) {
	rec, recorded := m.session.Recording()
	switch {
	case !recorded:
		do()
	case what != "":
		m.askForTarget(what, rec.Target, draft)
	}
}

// connectTo ends the view of the recording.
func (m *model) connectTo(to ConnectTo) {
	m.chosen = &to
	m.do(tea.Quit)
}

// askForTarget asks for a server where a recording has none. What the recording names
// is shown in full, by a [consent], before it is used.
func (m *model) askForTarget(what, named string, draft Draft) {
	own := m.options.Target
	recorded := own == "" // the target is the recording's, until the user has removed it
	text := "This needs a server, and a recording has none. Connect to:"
	if draft.Method != "" || draft.Frame != nil {
		text += " It is put into the composer; you send it there."
	}
	dialog.Prompt{
		Title: what, Verb: "connect", Text: text, Value: cmp.Or(own, named), AtStart: recorded,
		Hint: func(target string) string {
			recorded = recorded && target != "" // what follows is typed
			switch redacted := redactedParts(target); {
			case len(redacted) > 0:
				return "Redacted: " + strings.Join(redacted, ", ") + ". Type the value, or $NAME for an environment variable."
			case recorded:
				return "The recording names it; ctrl+k removes it. It is shown in full before anything is started."
			}
			return "A command line or a URL; $NAME is the value of an environment variable."
		},
		Accept: func(target string) (func(), error) {
			redacted := redactedParts(target)
			_, _, err := wordsOf(target)
			switch {
			case target == "":
				return nil, errors.New("type a command line or a URL")
			case len(redacted) > 0:
				return nil, errors.New("replace " + strings.Join(redacted, ", ") + ": the recording has no secrets")
			case err != nil:
				return nil, errors.New("write it as in a shell: " + err.Error())
			}
			to := ConnectTo{target, draft}
			if recorded {
				return func() { m.askToConnect(to) }, nil
			}
			return func() { m.connectTo(to) }, nil
		},
	}.Open(m.app())
}

// wordsOf are the words of a target, with the names of environment variables in the place
// of their values.
func wordsOf(target string) (words, variables []string, err error) {
	words, err = shell.Split(target, func(name string) (string, bool) {
		variables = append(variables, name)
		return "$" + name, true
	})
	return words, variables, err
}

// askToConnect shows what a recording names as its server, and asks whether to use it.
func (m *model) askToConnect(to ConnectTo) {
	rec, _ := m.session.Recording()
	words, variables, err := wordsOf(to.Target)
	if err != nil {
		m.Fail("Write it as in a shell: " + err.Error() + ".")
		return
	}
	from := "recording " + filepath.Base(rec.Path)
	if !rec.Made.IsZero() {
		from += " of " + paint.HumanDate(rec.Made, m.now)
	}
	next := "connect"
	if to.Draft.Method != "" || to.Draft.Frame != nil {
		next = "connect, and put the request into the composer"
	}
	o := dialog.Consent{
		Title: "Start this command?", Facts: []dialog.Fact{{Label: "from", Text: from}, {Label: "to", Text: next}, {Label: "runs", Text: "on this machine, with your rights, without a shell"}},
		Name: "command, a line for each argument", Lines: words, Blanks: true, Yes: "start", No: "do not start", After: "the recording stays open",
		Accept: func() { m.connectTo(to) },
	}
	if len(words) == 1 && strings.Contains(words[0], "://") {
		o.Title, o.Name, o.Yes, o.No = "Connect to this URL?", "address", "connect", "do not connect"
		o.Facts = o.Facts[:2]
	} else if dir, err := os.Getwd(); err == nil {
		o.Facts = append(o.Facts, dialog.Fact{Label: "directory", Text: dir})
	}
	for i, word := range words {
		if strings.ContainsAny(word, " \t\n") && strings.ContainsAny(word, "|;&`$<>\n") {
			o.Warnings = append(o.Warnings, fmt.Sprintf("Line %d is a command line for a shell: the program may run it.", i+1))
		}
	}
	if len(variables) > 0 {
		slices.Sort(variables)
		o.Warnings = append(o.Warnings, "The values of these environment variables are inserted: "+strings.Join(slices.Compact(variables), ", ")+".")
	}
	o.Open(m.app())
}

// redactedParts are the words of a target that a recording has without their
// secret.
func redactedParts(target string) []string {
	var parts []string
	for _, word := range strings.Fields(target) {
		if secret.IsRedacted(word) {
			parts = append(parts, paint.Cut(word, 40))
		}
	}
	return parts
}

// attach attaches to the tap that writes a recording.
func (m *model) attach(ctx context.Context, recording string) (*intercept.Attached, error) {
	if m.options.Attach == nil {
		return nil, errors.New("A recording has no frames to hold: only a connection has, or an active tap.") //nolint:revive,staticcheck // a sentence for the last line
	}
	return m.options.Attach(ctx, recording)
}

// breakpointFor is the filter that a new breakpoint begins with: one that passes the
// selected frame.
func (m *model) breakpointFor() string {
	if m.inTraffic() {
		if text := filter.Propose(m.session.Store(), m.wire.traffic.Selected()); text != "" {
			return text
		}
	}
	return "method:tools/call dir:out"
}

// afterUser does what may open a window when the user has finished.
func (m *model) afterUser(run func()) {
	m.later(run)
}

// recordingSpans say in the header that a recording is shown: which one and from
// when.
func (m *model) recordingSpans(rec *session.Recording) []paint.Span {
	p := m.pal
	spans := []paint.Span{{Style: p.WarnBold, Text: "RECORDING"}}
	if !rec.Made.IsZero() {
		spans = append(spans, paint.Span{Style: p.Text, Text: "  " + paint.HumanDate(rec.Made, m.now)})
	}
	if m.w >= wideWidth {
		name := paint.Sanitize(filepath.Base(rec.Path))
		spans = append(spans, paint.Span{Style: p.Muted, Text: "  " + paint.Cut(name, m.w/4)})
	}
	return spans
}

// recordingState is how far a recording was read, and whether it is still written.
func recordingState(p *paint.Palette, rec *session.Recording) []paint.Span {
	switch {
	case rec.Read < rec.Size && !rec.Growing:
		return []paint.Span{{Style: p.Warn, Text: fmt.Sprintf("reading %d%% ", 100*rec.Read/rec.Size)}}
	case rec.Growing:
		return []paint.Span{{Style: p.OK, Text: p.Dot + " being written "}}
	case rec.Skipped != "":
		return []paint.Span{{Style: p.Warn, Text: p.WarnMark + " damaged "}}
	}
	return nil
}
