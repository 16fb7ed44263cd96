package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The headings under which the help of the program lists commands.
const (
	groupInspect = "inspect"
	groupScript  = "script"
	groupReplay  = "recordings"
	groupServer  = "server"
	groupOther   = "other"
)

// root builds the tree of commands.
func (p *program) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcptea [TARGET]",
		Short: "Terminal client and wire inspector for MCP servers",
		Long: `mcptea is a terminal client and wire inspector for MCP servers.

With a TARGET and without a command it opens the inspector. TARGET is a URL, a command after --, or the name of a server that another application has configured, for other commands as --server NAME: mcptea servers lists them. Without a TARGET, on a terminal, it lists configured servers, recent targets and recordings to choose from.`,
		Example: `  mcptea demo
  mcptea -- npx -y @modelcontextprotocol/server-everything
  mcptea http://127.0.0.1:3000/mcp -H "Authorization: Bearer $TOKEN"
  mcptea call echo message=hello --json -- ./my-server | jq
  mcptea lint session.mcptea.jsonl`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeServers,
		PersistentPreRunE: p.validate,
		RunE:              p.runE(p.inspect),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           p.version.String(),
	}
	cmd.SetOut(p.out)
	cmd.SetErr(p.err)
	cobra.EnableCommandSorting = false // the help lists commands by use
	cmd.SetFlagErrorFunc(p.wrongFlag)
	cmd.SetHelpFunc(p.help)
	p.addInspectorFlags(cmd)
	p.flags.addReload(cmd)
	// A flag of the subcommand may come before it: mcptea --json list.
	declare(cmd, groupOutput, func(fs *pflag.FlagSet) { fs.BoolVar(&p.json, "json", false, "print JSON") })
	_ = cmd.Flags().MarkHidden("json")
	cmd.AddGroup(
		&cobra.Group{ID: groupInspect, Title: "Inspect"}, &cobra.Group{ID: groupScript, Title: "Script"},
		&cobra.Group{ID: groupReplay, Title: "Recordings"}, &cobra.Group{ID: groupServer, Title: "Server"}, &cobra.Group{ID: groupOther, Title: "Other"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			cmd.AddCommand(c)
		}
	}
	// One command a line, in the order of the help.
	add(groupInspect,
		p.openCommand(),
		p.demoCommand(),
		p.infoCommand(),
		p.compareCommand(),
		p.tapCommand(),
		p.serversCommand(),
	)
	add(groupScript,
		p.listCommand(),
		p.callCommand(),
		p.readCommand(),
		p.promptCommand(),
		p.completeCommand(),
		p.pingCommand(),
		p.sendCommand(),
		p.runCommand(),
		p.benchCommand(),
		p.lintCommand(),
		p.checkCommand(),
	)
	add(groupReplay,
		p.exportCommand(),
		p.diffCommand(),
		p.mockCommand(),
		p.replayCommand(),
	)
	add(groupServer, p.authCommand(), p.mcpCommand())
	add(groupOther, p.explainCommand(), p.configCommand(), p.themesCommand(), p.versionCommand())
	cmd.SetHelpCommandGroupID(groupOther)
	cmd.SetCompletionCommandGroupID(groupOther)
	p.addTopics(cmd)
	p.helpCommand(cmd)
	p.completionCommand(cmd)
	return cmd
}

// commandWithoutDashes is the rest of the command line from its first word on, if
// that may be the command of a server that "--" is missing before, as in
// mcptea npx -y some-server; nil otherwise.
func (p *program) commandWithoutDashes() []string {
	if len(p.args) == 0 || p.args[0] == "" || strings.HasPrefix(p.args[0], "-") || isURL(p.args[0]) || asURL(p.args[0]) != "" {
		return nil
	}
	return p.args
}

// wrongFlag reports what is wrong with a flag, and names the nearest one.
func (p *program) wrongFlag(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("Type %s --help for its flags.", cmd.CommandPath())
	if !cmd.HasParent() {
		hint = "Type mcptea help flags for the flags, or mcptea --help for the commands."
		if command := p.commandWithoutDashes(); command != nil {
			if !slices.Contains(command, "--") && len(nearCommands(cmd, command[0])) == 0 && isProgram(command[0]) {
				p.command = command // the flag is one of the program
				return nil
			}
			hint = "To start a server with this command, write: " + startCommand(command)
		}
	}
	if cmd.HasParent() {
		hint = p.flagHint(cmd, err, hint)
	}
	var missing *pflag.NotExistError
	if errors.As(err, &missing) && missing.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if f := cmd.Root().Flags().Lookup(missing.GetSpecifiedName()); f != nil && !f.Hidden {
			hint = fmt.Sprintf("--%s is a flag of the inspector, mcptea TARGET, and of other commands.\n%s", f.Name, hint)
		} else if near := nearest(missing.GetSpecifiedName(), names); len(near) > 0 {
			hint = "Did you mean --" + strings.Join(near, " or --") + "?\n" + hint
		}
	}
	p.report(usage(hint, "%s", err.Error()))
	return nil
}
