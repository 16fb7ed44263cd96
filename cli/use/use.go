// Package use has the commands that use a server: list, call, read, send and others.
package use

import (
	"github.com/spf13/cobra"

	"mcptea/cli/target"
)

// Commands makes the commands.
func Commands(c *target.Connection) []*cobra.Command {
	p := &commands{c}
	return []*cobra.Command{p.infoCommand(), p.listCommand(), p.callCommand(), p.readCommand(), p.promptCommand(), p.completeCommand(), p.sendCommand(), p.benchCommand()}
}

type commands struct{ *target.Connection }
