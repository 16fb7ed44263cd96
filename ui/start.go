package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
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
	// Meaning returns what a typed line may open. It runs on a goroutine of its own.
	Meaning func(text string) []start.Entry
}

// Chosen are the arguments of mcptea that the user has chosen, and the directory in which
// they are run; empty for the current one. Key is that of the entry.
type Chosen struct {
	Args     []string
	Dir, Key string
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

// startScreen is the start screen.
type startScreen struct {
	single
	chosen *Chosen
}

func newStart(ctx context.Context, o *StartOptions) *startScreen {
	s := &startScreen{single: single{program: newProgram(ctx, &o.Options, o.sections), name: "mcptea"}}
	list := start.New(s, start.Options{Groups: o.Groups, Meaning: o.Meaning, Run: func(e *start.Entry, args []string) {
		s.chosen = &Chosen{args, e.Dir, e.Key}
		s.do(tea.Quit)
	}})
	s.pane, s.load = list, list.Load
	s.header = func(r *paint.Row, p *paint.Palette) {
		r.Right(paint.Span{Style: p.Muted, Text: p.Cut(display.Sanitize(o.Dir), s.w/2) + " "})
		r.Gap(1)
		r.Put(p.AccentBold, "mcptea")
		r.Put(p.Muted, " "+o.Version)
		r.Gap(2)
		r.Put(p.Text, "MCP client and wire inspector")
	}
	s.screen = s
	return s
}
