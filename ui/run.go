package ui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/themes"
	"mcptea/ui/paint"
)

// Run shows the inspector on a session, connects, and returns when the person
// leaves. The session is the caller's to close. The error is about the terminal
// or the options; that the server could not be reached is on the screen and no
// error.
func Run(ctx context.Context, s *session.Session, o Options) error {
	if o.Theme != "" {
		if _, err := themes.Load(o.Theme); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m, unsubscribe := newModel(ctx, s, o)
	defer unsubscribe()
	paint.UseASCII(o.ASCII)
	paint.UseGraphemes(false) // until the terminal says otherwise
	// Signals end the context, which is the caller's; a handler of Bubble Tea's
	// own can block when both happen at once. Keys echo at the renderer's pace, so that is as fast as it goes; what
	// follows the wire repaints at a pace of its own.
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithFPS(120), tea.WithoutSignalHandler())
	_, err := program.Run()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the terminal: %w", err)
	}
	return nil
}
