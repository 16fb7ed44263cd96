package ui

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/graphics"
	"mcptea/ui/paint"
)

// rendererRate is how often in a second Bubble Tea looks whether the screen has
// changed. A key waits for that, so more is quicker to the eye; each look costs
// a little also when nothing happens, so less is idler. At 75 a key shows well
// within 15 ms and an idle screen stays under 1 % of a core.
const rendererRate = 75

// Run shows the inspector on a session, connects, and returns when the user
// quits. The caller closes the session. In a recording the user may choose to
// connect to a target instead; it is nil otherwise. The error is about the terminal
// or the options; a server that cannot be reached is shown on the screen and is not
// an error.
func Run(ctx context.Context, s *session.Session, o Options) (*action.ConnectTo, error) {
	if _, err := o.Themes.Load(o.Theme, true); err != nil {
		return nil, err
	}
	keys, err := command.NewKeymap(o.Keys)
	if err != nil {
		return nil, err
	}
	command.SetDefault(keys)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m, unsubscribe := newModel(ctx, s, o)
	defer unsubscribe()
	paint.UseASCII(o.ASCII)
	paint.UseGraphemes(false) // until the terminal says otherwise
	// Signals end the context, which is the caller's; a handler of Bubble Tea's
	// own can block when both happen at once.
	settings := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(rendererRate), tea.WithoutSignalHandler(), tea.WithInput(newPasteInput(os.Stdin))}
	if m.pictures != nil {
		settings = append(settings, tea.WithOutput(&graphics.Output{File: os.Stdout, Screen: m.pictures}))
		defer func() { _, _ = os.Stdout.WriteString(m.pictures.Close()) }()
	}
	program := tea.NewProgram(m, settings...)
	go m.begin() // the server starts while the terminal is prepared; closing the session waits for it
	_, err = program.Run()
	m.intercept.Detach()
	stop()
	m.pins.Wait()
	m.second.End()
	m.checker.Close()
	m.working.Wait() // servers that were started for a moment have to end
	m.removeTemporary()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the terminal: %w", err)
	}
	return m.chosen, nil
}
