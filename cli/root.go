package cli

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/session/shell"
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

// isProgram reports whether a word names a program that can be started.
func isProgram(word string) bool {
	_, err := exec.LookPath(word)
	return err == nil
}

// hasPort reports an address of this machine, or one with a port: a word like that is
// hardly a tool or a URI.
func hasPort(word string) bool {
	host, _, _ := strings.Cut(word, "/")
	name, _, found := strings.Cut(host, ":")
	return found || name == "localhost" || net.ParseIP(name) != nil
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

// noArguments reports arguments of a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage(fmt.Sprintf("Type %s --help for its usage.", cmd.CommandPath()), "%s takes no arguments, found %q", cmd.Name(), args[0])
}

// unknownCommand reports words that are neither a command nor a target.
func unknownCommand(cmd *cobra.Command, words []string) error {
	word := words[0]
	if word == "" {
		return usage("Type mcptea --help for the commands.", "the first argument is empty")
	}
	if address := asURL(word); address != "" {
		return usage("Did you mean "+address+"?", "%q is not a command, and a URL begins with http:// or https://", word)
	}
	hint := "To start a server with this command, write: " + startCommand(words)
	if near := nearCommands(cmd, word); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "?\n" + hint
	}
	return usage(hint, "unknown command %q", word)
}

// nearCommands are the commands that have a name similar to a word. One that only
// contains the name of a command is that of a program.
func nearCommands(cmd *cobra.Command, word string) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && len(word) <= len(c.Name())+2 {
			names = append(names, c.Name())
		}
	}
	return nearest(word, names)
}

// startCommand is the command line that starts a server and inspects it.
func startCommand(argv []string) string {
	line, err := shell.Bash.Join(append(shell.Literals("mcptea", "--"), shell.Literals(argv...)...))
	if err != nil {
		return "mcptea -- COMMAND"
	}
	return line
}

// asURL is the URL that a host with a port or a path may be short for, such as
// localhost:3000/mcp; empty for other words.
func asURL(word string) string {
	host, path, _ := strings.Cut(word, "/")
	name, port, hasPort := strings.Cut(host, ":")
	if _, err := strconv.ParseUint(port, 10, 16); hasPort && err != nil || name == "" || strings.ContainsAny(word, "= \\@") {
		return ""
	}
	local := name == "localhost" || net.ParseIP(name) != nil
	switch {
	case !local && !hasPort && (!strings.Contains(name, ".") || path == ""):
		return ""
	case local || hasPort:
		return "http://" + word
	}
	return "https://" + word
}
