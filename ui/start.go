package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
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
func (s *startScreen) places() []listed         { return nil }
func (s *startScreen) focused() app.Pane        { return s.list }
func (s *startScreen) section() string          { return "start" }
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
