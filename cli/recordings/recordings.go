// Package recordings has the commands that make recordings, or work on them.
package recordings

import (
	"mcptea/cli/app"
	"mcptea/cli/inspector"
)

// Commands makes the commands.
func Commands(i *inspector.Inspector) app.Commands {
	p := &commands{i}
	return app.Commands{
		"open":   p.openCommand,
		"tap":    p.tapCommand,
		"export": p.exportCommand,
		"diff":   p.diffCommand,
		"mock":   p.mockCommand,
		"replay": p.replayCommand,
	}
}

type commands struct{ *inspector.Inspector }
