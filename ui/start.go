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
	"mcptea/internal/shell"
	"mcptea/session/record/filter"
	"mcptea/session/record/recordings"
	"mcptea/session/session"
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
	if err := s.prepare(); err != nil {
		return nil, err
	}
	err := s.run(s)
	return s.chosen, err
}

// single is a screen with one pane under a row about it.
type single struct {
	*program
	pane   app.Part
	name   string // of the window of the terminal
	header func(r *paint.Row, p *paint.Palette)
	load   func()          // reads what the screen shows; nil for what follows by itself
	news   <-chan struct{} // has a value when there is something new
	ages   time.Duration   // how often what is shown gets older; 0 for never
}

// opened implements [screen], as does what follows.
func (s *single) opened() tea.Cmd {
	s.receive(editorClosed{})
	queue := s.queue
	s.queue = nil
	return tea.Batch(queue...)
}

func (s *single) title() string            { return s.name }
func (s *single) commands() []keys.Command { return nil }
func (s *single) places() []place          { return nil }
func (s *single) focused() app.Part        { return s.pane }
func (s *single) quit(bool)                { s.do(tea.Quit) }
func (s *single) leave(keys.Motion)        {}
func (s *single) press(int, int)           {}
func (s *single) paste(string)             {}
func (s *single) settle()                  {}
func (s *single) changed() <-chan struct{} { return s.news }
func (s *single) refresh(t app.Tick) pace  { return pace{next: moves(s.pane.Refresh(t), s.ages)} }

// receive implements [screen]. A file that was edited may have changed.
func (s *single) receive(msg tea.Msg) {
	if _, ok := msg.(editorClosed); ok && s.load != nil {
		s.load()
	}
}

// paint implements [screen].
func (s *single) paint(c *app.Canvas) []string {
	r := s.pal.Row()
	r.Start(s.w, s.pal.Header)
	s.header(r, s.pal)
	return append([]string{r.String()}, c.Show(s.pane, 0, 1, c.W, c.H-2, true)...)
}

// startScreen is the start screen.
type startScreen struct {
	single
	chosen *Chosen
}

func newStart(ctx context.Context, o *StartOptions) *startScreen {
	s := &startScreen{single: single{program: newProgram(ctx, &o.Options), name: "mcptea"}}
	list := start.New(s, start.Options{Groups: o.Groups, Meaning: o.Meaning, Run: func(args []string, dir string) {
		s.chosen = &Chosen{args, dir}
		s.do(tea.Quit)
	}})
	s.pane, s.load = list, list.Load
	s.header = func(r *paint.Row, p *paint.Palette) {
		r.Right(paint.Span{Style: p.Muted, Text: p.Cut(paint.Sanitize(o.Dir), s.w/2) + " "})
		r.Gap(1)
		r.Put(p.AccentBold, "mcptea")
		r.Put(p.Muted, " "+o.Version)
		r.Gap(2)
		r.Put(p.Text, "MCP client and wire inspector")
	}
	s.screen = s
	return s
}

// ChooseRecording shows the list of recordings and returns the path of the one that the
// user opens; empty if the user quits. The recording of the path selected is selected
// first. The error is about the terminal or the options.
func ChooseRecording(ctx context.Context, c *recordings.Catalog, selected string, o Options) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	s := newRecordings(ctx, c, selected, &o)
	if err := s.prepare(); err != nil {
		return "", err
	}
	reading.Go(func() { c.Follow(ctx) })
	err := s.run(s)
	return s.chosen, err
}

// recordingsScreen is the list of recordings. The times of day get older.
type recordingsScreen struct {
	single
	list   *recordingspane.Pane
	chosen string // path to open
}

// catalog is what the screen needs of a [recordings.Catalog].
type catalog interface {
	recordingspane.Catalog
	Changed() <-chan struct{}
}

func newRecordings(ctx context.Context, c catalog, selected string, o *Options) *recordingsScreen {
	s := &recordingsScreen{single: single{program: newProgram(ctx, o), name: "mcptea recordings", news: c.Changed(), ages: 10 * time.Second}}
	s.list = recordingspane.New(s, recordingspane.Program{
		Open: func(path string) {
			s.chosen = path
			s.do(tea.Quit)
		},
		Compare: func(paths, names [2]string) { diff.Open(s, diff.Comparing, diff.Recordings(paths, names)) },
		Ask: func(path, what string, yes func()) {
			dialog.Consent{
				Title: "Delete this recording?", Facts: []dialog.Fact{{Label: "recording", Text: what}, {Label: "file", Text: path}},
				Yes: "delete", No: "cancel", Accept: yes,
			}.Open(s)
		},
	}, c, selected)
	s.pane = s.list
	s.header = func(r *paint.Row, p *paint.Palette) {
		files, live, size := s.list.Total()
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
		r.Put(p.Muted, c.Dir())
	}
	s.screen = s
	return s
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
	// Continue goes on from the recording. Until is the number of the first frame that is
	// not sent again; 0 sends all. Without a target it is that of the branch.
	Continue bool
	Until    int
}

// online does what needs a server: at once, or not where a recording has none; the user is
// then asked for one. what may be empty for what happens by itself.
func (m *model) online(what string, draft Draft, do func()) {
	rec, recorded := m.session.Recording()
	switch {
	case !recorded:
		do()
	case what != "":
		m.askForTarget(what, rec.Target, ConnectTo{Draft: draft})
	}
}

// connectTo ends the view of the recording.
func (m *model) connectTo(to ConnectTo) {
	m.chosen = &to
	m.do(tea.Quit)
}

// askForTarget asks for a server where a recording has none. What the recording names
// is shown in full, by a [consent], before it is used.
func (m *model) askForTarget(what, named string, to ConnectTo) {
	own := m.options.Target
	recorded := own == "" // the target is the recording's, until the user has removed it
	text := "This needs a server, and a recording has none. Connect to:"
	draft := to.Draft
	switch {
	case to.Continue:
		text = fmt.Sprintf("This needs a server. The frames before #%d are sent to it again, then the session is live; calls that are not read-only are asked about. Connect to:", to.Until)
	case draft.Method != "" || draft.Frame != nil:
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
			to.Target = target
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
		from += " of " + paint.HumanDate(rec.Made, m.tick.Now)
	}
	next := "connect"
	if to.Continue {
		next = fmt.Sprintf("send the frames before #%d again, and go on", to.Until)
	}
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

// recordingSpans say in the header that a recording is shown: which one and from
// when.
func (m *model) recordingSpans(rec *session.Recording) []paint.Span {
	p := m.pal
	spans := []paint.Span{{Style: p.WarnBold, Text: "RECORDING"}}
	if !rec.Made.IsZero() {
		spans = append(spans, paint.Span{Style: p.Text, Text: "  " + paint.HumanDate(rec.Made, m.tick.Now)})
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
