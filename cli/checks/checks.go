// Package checks has the commands that judge a server, and explain what is found.
package checks

import (
	"github.com/spf13/cobra"

	"mcptea/cli/target"
)

// Commands makes the commands.
func Commands(c *target.Connection) []*cobra.Command {
	p := &commands{c}
	return []*cobra.Command{p.lintCommand(), p.checkCommand(), p.runCommand(), p.explainCommand()}
}

type commands struct{ *target.Connection }
