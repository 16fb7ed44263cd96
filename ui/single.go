package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

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

func (s *single) title() string                 { return s.name }
func (s *single) commands() []keys.Command      { return nil }
func (s *single) routes() []route               { return nil }
func (s *single) focused() app.Part             { return s.pane }
func (s *single) quit(bool)                     { s.do(tea.Quit) }
func (s *single) leave(keys.Motion)             {}
func (s *single) press(int, int)                {}
func (s *single) paste(string)                  {}
func (s *single) waiting() (int, *keys.Command) { return 0, nil }
func (s *single) acts()                         {}
func (s *single) settle()                       {}
func (s *single) changed() <-chan struct{}      { return s.news }
func (s *single) refresh(t app.Tick) pace       { return pace{next: moves(s.pane.Refresh(t), s.ages)} }

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
