// Package servers has the commands about the servers that other applications have configured.
package servers

import (
	"github.com/spf13/cobra"

	"mcptea/cli/target"
)

// Commands makes the commands.
func Commands(c *target.Connection) []*cobra.Command {
	p := &commands{c}
	return []*cobra.Command{p.serversCommand()}
}

type commands struct{ *target.Connection }
