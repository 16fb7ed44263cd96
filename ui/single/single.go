// Package single provides the screens that consist of one pane: the start screen and the list of recordings.
//
// Tests: ui/inspector/start_test.go, ui/inspector/recordings_test.go
package single

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/pane/start"
	statisticspane "mcptea/ui/pane/statistics"
	"mcptea/ui/program"
)

// single is a screen with one pane below a row about it.
type single struct {
	*program.Program
	Pane   app.Part
	name   string // name of the terminal window
	header func(r *paint.Row, p *paint.Palette)
	load   func()          // loads the content of the screen; nil if it updates by itself
	news   <-chan struct{} // receives a value when something is new
	ages   time.Duration   // interval at which the displayed age changes; 0 for never
}

// Opened implements [program.Screen], as does what follows.
func (s *single) Opened() tea.Cmd {
	s.Receive(program.EditorClosed{})
	return s.Queued()
}

func (s *single) Title() string                 { return s.name }
func (s *single) Commands() []keys.Command      { return nil }
func (s *single) Routes() []program.Route       { return nil }
func (s *single) Focused() app.Part             { return s.Pane }
func (s *single) Quit(bool)                     { s.Do(tea.Quit) }
func (s *single) Leave(keys.Motion)             {}
func (s *single) Press(int, int)                {}
func (s *single) Paste(string)                  {}
func (s *single) Waiting() (int, *keys.Command) { return 0, nil }
func (s *single) Acts()                         {}
func (s *single) Settle()                       {}
func (s *single) Changed() <-chan struct{}      { return s.news }
func (s *single) Refresh(t app.Tick) program.Pace {
	return program.Pace{Next: program.Moves(s.Pane.Refresh(t), s.ages)}
}

// Receive implements [program.Screen]. A file that was edited may have changed.
func (s *single) Receive(msg tea.Msg) {
	if _, ok := msg.(program.EditorClosed); ok && s.load != nil {
		s.load()
	}
}

// Paint implements [program.Screen].
func (s *single) Paint(c *app.Canvas) []string {
	r := s.Pal.Row()
	r.Start(s.W, s.Pal.Header)
	if s.Around.PutChips(s.Program, c, r, s.W-1) {
		r.Gap(1)
	}
	s.header(r, s.Pal)
	return append([]string{r.String()}, c.Show(s.Pane, 0, 1, c.W, c.H-2, s.HasKeys() && s.Window() == nil)...)
}

// Sections returns the commands of the screens, for docs/keys.md and for the user's key bindings.
func Sections() []keys.Section {
	return slices.Concat(start.New(nil, start.Options{}).Sections(), recordingspane.New(nil, recordingspane.Program{}, nil, "").Sections(),
		statisticspane.New(nil, statisticspane.Program{}).Sections())
}
