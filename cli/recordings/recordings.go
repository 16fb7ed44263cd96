// Package recordings has the commands that make recordings, or work on them.
package recordings

import (
	"github.com/spf13/cobra"

	"mcptea/cli/inspector"
)

// Commands makes the commands.
func Commands(i *inspector.Inspector) []*cobra.Command {
	p := &commands{i}
	return []*cobra.Command{p.openCommand(), p.tapCommand(), p.exportCommand(), p.diffCommand(), p.mockCommand(), p.replayCommand()}
}

type commands struct{ *inspector.Inspector }
