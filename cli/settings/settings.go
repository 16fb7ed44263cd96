// Package settings has the commands about the settings of the program.
package settings

import (
	"github.com/spf13/cobra"

	"mcptea/cli/target"
)

// Commands makes the commands.
func Commands(c *target.Connection) []*cobra.Command {
	p := &commands{c}
	return []*cobra.Command{p.configCommand()}
}

type commands struct{ *target.Connection }
