// Package servers has the commands about the servers that other applications have configured.
package servers

import (
	"mcptea/cli/app"
	"mcptea/cli/target"
)

// Commands makes the commands.
func Commands(c *target.Connection) app.Commands {
	p := &commands{c}
	return app.Commands{
		"servers": p.serversCommand,
	}
}

type commands struct{ *target.Connection }
