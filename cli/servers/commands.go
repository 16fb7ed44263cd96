// Package servers implements the commands for the servers that are configured in other applications.
package servers

import (
	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
)

// Commands makes the commands.
func Commands(t *target.Target, l *link.Link) app.Commands {
	p := &commands{t, l}
	return app.Commands{
		"servers": p.serversCommand,
	}
}

// commands read the entries of applications; link connects to them.
type commands struct {
	*target.Target
	link *link.Link
}
