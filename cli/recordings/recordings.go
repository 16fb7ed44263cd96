// Package recordings implements the commands that write, read and repeat recordings.
package recordings

import (
	"mcptea/cli/app"
	"mcptea/cli/inspector"
)

// Commands makes the commands.
func Commands(i *inspector.Inspector) app.Commands {
	return app.Commands{
		"open":   (&openCommand{i}).command,
		"tap":    (&tapCommand{i.Link, i.Target}).command,
		"export": (&exportCommand{i.Settings}).command,
		"diff":   (&diffCommand{i.App}).command,
		"mock":   (&mockCommand{i.Link}).command,
		"replay": (&replayCommand{i.Link, i.Target}).command,
		"reduce": (&reduceCommand{i.Link, i.Target}).command,
	}
}
