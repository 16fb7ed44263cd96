// Package use has the commands that use a server: list, call, read, send and others.
package use

import (
	"github.com/spf13/cobra"

	"mcptea/cli/app"

	"mcptea/cli/target"
)

// Commands makes the commands.
func Commands(c *target.Connection) []*cobra.Command {
	p := &commands{c}
	return []*cobra.Command{p.infoCommand(), p.listCommand(), p.callCommand(), p.readCommand(), p.promptCommand(), p.completeCommand(), p.sendCommand(), p.benchCommand()}
}

// Moved makes the commands that others have taken the place of.
func Moved(c *target.Connection) []*cobra.Command {
	moved := func(name, instead string) *cobra.Command {
		return &cobra.Command{Use: name, Hidden: true, DisableFlagParsing: true, RunE: c.RunE(func(*cobra.Command, []string) error {
			return app.Usage("Write: "+instead, "the command %s was removed", name)
		})}
	}
	return []*cobra.Command{moved("ping", "mcptea bench --requests 10 TARGET"), moved("compare", "mcptea info --protocol all TARGET")}
}

type commands struct{ *target.Connection }
