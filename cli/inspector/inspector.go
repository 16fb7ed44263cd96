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
	// Host has the terminal, for all runs.
	Host *ui.Host
	// Fresh makes another run with the settings of this one.
	Fresh func(*app.App) *Inspector

	// Notes is where is printed what is said when the terminal is free again.
	Notes io.Writer

	hosted bool   // the terminal is that of another run
	dir    string // in which a hosted run is; empty for the working directory
	leaves func() // leaves it, or nil
	shown  bool   // it had a session
	called string // by the entry of the start screen; empty for what the server calls itself
}
