package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// root builds the tree of commands.
func (p *program) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcptea [TARGET]",
		Short: "A terminal client and wire inspector for MCP servers",
		Long: `A terminal client and wire inspector for MCP servers.

TARGET is a URL, or -- and the command that starts a server. Without a subcommand the inspector opens on it.`,
		Example: `  # the inspector on the server that is built in
  mcptea demo
  # on a command, spoken to over its stdin and stdout
  mcptea -- npx -y @modelcontextprotocol/server-everything
  # on a server over HTTP
  mcptea --url http://127.0.0.1:3000/mcp -H "Authorization: Bearer …"
  # from a script
  mcptea call echo message=hello -- ./my-server | jq`,
		Args: cobra.ArbitraryArgs,
		RunE: p.does(p.inspect),
	}
	cmd.SuggestionsMinimumDistance = 2
	p.flags.addTo(cmd)
	cmd.AddCommand(p.demoCommand(), p.listCommand(), p.callCommand(), p.versionCommand())
	return cmd
}

// unknown says that a word is no command.
func unknown(cmd *cobra.Command, word string) error {
	hint := "To run a program that is called so, write: mcptea -- " + word
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "?\n" + hint
	}
	return usage(hint, "unknown command %s", fmt.Sprintf("%q", word))
}
