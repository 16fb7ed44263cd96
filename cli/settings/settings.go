// Package settings has the commands about the settings of the program.
package settings

import (
	"mcptea/cli/app"
	"mcptea/cli/target"
)

// Commands makes the commands.
func Commands(c *target.Connection) app.Commands {
	p := &commands{c}
	return app.Commands{
		"config": p.configCommand,
	}
}

type commands struct{ *target.Connection }
