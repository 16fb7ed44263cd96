// Package inspector opens the inspector, and implements mcptea mcp, which serves coding agents.
package inspector

import (
	"io"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/ui"
)

// Inspector opens the inspector.
type Inspector struct {
	*settings.Settings
	*target.Target
	*link.Link
	Execute func(args []string) error // runs the program again
	// Host owns the terminal during all runs.
	Host *ui.Host
	// Fresh returns another run with the settings of this one.
	Fresh func(*app.App) *Inspector

	// Notes receives the messages that are printed once the terminal is free again.
	Notes io.Writer

	hosted bool   // the terminal belongs to another run
	dir    string // working directory of a hosted run, or ""
	leaves func() // leaves it, or nil
	shown  bool   // the screen had a session
	called string // name given by the entry of the start screen, or "" for the server's own name
}
