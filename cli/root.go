package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// root builds the tree of commands.
func (p *program) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcptea [URL | -- COMMAND…]",
		Short: "A terminal client and wire inspector for MCP servers",
		Long: `A terminal client and wire inspector for MCP servers.

The server is named by its URL, or by the command that starts it, behind two dashes. Without a subcommand the inspector opens on it.`,
		Example: `  # the inspector on the server that is built in
  mcptea demo
  # on a command, spoken to over its stdin and stdout
  mcptea -- npx -y @modelcontextprotocol/server-everything
  # on a server over HTTP
  mcptea --url http://127.0.0.1:3000/mcp -H "Authorization: Bearer …"
  # from a script
  mcptea call echo message=hello -- ./my-server | jq`,
		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: p.validate,
		RunE:              p.runE(p.inspect),
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.SetFlagErrorFunc(p.wrongFlag)
	p.flags.addTo(cmd)
	cmd.AddCommand(p.demoCommand(), p.listCommand(), p.callCommand(), p.readCommand(), p.promptCommand(), p.infoCommand(), p.compareCommand(), p.lintCommand(), p.explainCommand(), p.authCommand(), p.versionCommand())
	p.helpCommand(cmd)
	p.completionCommand(cmd)
	return cmd
}

// wrongFlag reports what is wrong with a flag, and how it can be put right. The
// error ends here: fang would ask the terminal for its colours first.
func (p *program) wrongFlag(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("Type %s --help for the flags there are.", cmd.CommandPath())
	var missing *pflag.NotExistError
	if errors.As(err, &missing) && missing.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest(missing.GetSpecifiedName(), names); len(near) > 0 {
			hint = "Did you mean --" + strings.Join(near, " or --") + "?\n" + hint
		}
	}
	p.report(usage(hint, "%s", err.Error()))
	return nil
}

// noArguments refuses words behind a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage(fmt.Sprintf("Type %s --help for what it takes.", cmd.CommandPath()), "%s takes no arguments, and there is %q", cmd.Name(), args[0])
}

// unknown says that a word is no command.
func unknown(cmd *cobra.Command, word string) error {
	if word == "" {
		return usage("Type mcptea --help for the commands there are.", "the first argument is empty")
	}
	hint := "To run a program that is called so, write: mcptea -- " + word
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "?\n" + hint
	}
	return usage(hint, "unknown command %s", fmt.Sprintf("%q", word))
}
