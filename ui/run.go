package ui

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/ui/graphics"
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
func Run(ctx context.Context, s *session.Session, o Options) (*ConnectTo, error) {
	m, unsubscribe := newModel(ctx, s, o)
	defer unsubscribe()
	var settings []tea.ProgramOption
	if m.pictures != nil {
		settings = append(settings, tea.WithOutput(&graphics.Output{File: os.Stdout, Screen: m.pictures}))
		defer func() { _, _ = os.Stdout.WriteString(m.pictures.Close()) }()
	}
	go m.begin() // the server starts while the terminal is prepared; closing the session waits for it
	err := m.program.run(m, settings...)
	m.intercept.Detach()
	m.pins.Wait()
	m.second.End()
	m.checker.Close()
	m.removeTemporary()
	return m.chosen, err
}
