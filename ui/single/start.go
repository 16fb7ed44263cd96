package single

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/session/question"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/pane/start"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
)

// StartOptions configures the start screen.
type StartOptions struct {
	// Dir is the working directory, for display.
	Dir string
	// Groups return the parts of the list, in the order of the screen. Each runs on a separate goroutine and
	// must return when its context ends.
	Groups []func(context.Context) start.Group
	// OfTaps lists the indexes of the groups that change when a tap starts or ends; see
	// [StartScreen.TapsChanged].
	OfTaps []int
	// Selected is the entry that is selected at first, by [start.Group.KeyOf]; empty for the first one.
	Selected string
	// Line is in the field at first.
	Line start.Line
	// Inputs returns the values that the user must enter before an entry is opened.
	Inputs func(e *start.Entry) []start.Input
	// Meaning returns the entries that a typed line may open. It runs on a separate goroutine.
	Meaning func(text string) []start.Entry
}

// Chosen holds the chosen arguments of mcptea and the directory to run them in, or "" for the current one. Key
// and Name identify the entry.
type Chosen struct {
	Args           []string
	Dir, Key, Name string
	Agreed         question.Agreement // agreement to what the entry starts
	Inputs         map[string]string  // values that the user has given, by the ids of inputs
	Line           start.Line         // content of the field
}

// Start shows the start screen on a terminal, and returns the user's choice, or nil if the user quits. sections
// are the commands of all screens.
func Start(ctx context.Context, h *sessions.Host, p program.Options, o StartOptions, sections func() ([]keys.Section, error)) (*Chosen, error) {
	s := NewStart(ctx, &p, &o, sections)
	if err := s.Prepare(); err != nil {
		return nil, err
	}
	err := h.Show(s.Program)
	return s.Chosen, err
}

// Opens reports whether something was chosen, which takes the place of the screen.
func (s *StartScreen) Opens() bool { return s.Chosen != nil }

// above reports whether the screen is above a session.
func (s *StartScreen) above() bool { return len(s.Around.Sessions()) > 0 }

// TapsChanged implements [sessions.Follower].
func (s *StartScreen) TapsChanged() { s.Pane.(*start.Pane).LoadTaps() }

// StartScreen is the start screen.
type StartScreen struct {
	single
	Chosen *Chosen // nil until the user has chosen
}

// NewStart returns the start screen; [Start] shows it.
func NewStart(ctx context.Context, p *program.Options, o *StartOptions, sections func() ([]keys.Section, error)) *StartScreen {
	s := &StartScreen{single: single{Program: program.New(ctx, p, sections), name: "mcptea"}}
	var list *start.Pane
	list = start.New(s, start.Options{Groups: o.Groups, OfTaps: o.OfTaps, Meaning: o.Meaning, Inputs: o.Inputs, Selected: o.Selected, Line: o.Line, Above: s.above, Leave: func() { s.Do(tea.Quit) }, Run: func(e *start.Entry, agreed question.Agreement, given map[string]string) {
		line := list.Line()
		line.Key = e.Key
		s.Chosen = &Chosen{e.Args, e.Dir, e.Key, e.Name, agreed, given, line}
		s.Do(tea.Quit)
	}})
	s.Pane, s.load = list, list.Load
	version := p.Version
	s.header = func(r *paint.Row, p *paint.Palette) {
		r.Right(paint.Span{Style: p.Muted, Text: p.Cut(display.Sanitize(o.Dir), s.W/2) + " "})
		r.Gap(1)
		r.Put(p.AccentBold, "mcptea")
		r.Put(p.Muted, " "+version)
		r.Gap(2)
		r.Put(p.Text, "MCP client and wire inspector")
	}
	s.Screen = s
	return s
}
