package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/checks"
	"mcptea/cli/recordings"
	"mcptea/cli/servers"
	"mcptea/cli/target"
	"mcptea/cli/use"
	"mcptea/internal/words/phrase"
)

// The headings in the help of the program, above lists of commands.
const (
	groupInspect = "inspect"
	groupScript  = "script"
	groupReplay  = "recordings"
	groupServer  = "server"
	groupOther   = "other"
)

// listByUse makes the help list commands by use instead of by name. The setting applies to all
// command lines.
var listByUse = sync.OnceFunc(func() { cobra.EnableCommandSorting = false })

// root builds the tree of commands. If only is not empty, it builds only that command, the first
// word of the command line: building all takes longer than a call. Words after -- are the command
// of a server.
func (p *program) root(only string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcptea [TARGET]",
		Short: "Terminal client and wire inspector for MCP servers",
		Long: `mcptea is a terminal client and wire inspector for MCP servers.

With a TARGET and without a command it opens the inspector. TARGET is a URL, the name of a server in config.yaml or in another application, FILE#NAME of an mcp.json or a server.json, or the command of a server; -- before the command separates its flags from the flags of mcptea. Without a TARGET, on a terminal, it lists configured servers, recent targets and recordings to choose from.`,
		Example: `  mcptea demo
  mcptea -- npx -y @modelcontextprotocol/server-everything
  mcptea http://127.0.0.1:3000/mcp -H "Authorization: Bearer $TOKEN"
  mcptea call echo message=hello --json -- ./my-server | jq
  mcptea lint session.mcptea.jsonl`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: p.CompleteTargets,
		PersistentPreRunE: p.Validate,
		SilenceErrors:     true,
		SilenceUsage:      true,
	}
	version := cmd.Flags().Bool("version", false, "print the version")
	cmd.RunE = p.RunE(func(cmd *cobra.Command, args []string) error {
		if *version {
			return p.Out.Line(p.Version.Line())
		}
		return p.inspector.Inspect(cmd, args)
	})
	cmd.SetOut(p.Out)
	cmd.SetErr(p.Err)
	listByUse()
	cmd.SetFlagErrorFunc(p.wrongFlag)
	cmd.SetHelpFunc(p.help)
	p.inspector.AddInspectorFlags(cmd)
	p.AddReload(cmd)
	// A flag of the subcommand may come before the subcommand: mcptea --json list.
	p.Flags.AddTrace(cmd)
	_ = cmd.Flags().MarkHidden("trace")
	app.Declare(cmd, app.GroupOutput, p.DeclareJSON)
	_ = cmd.Flags().MarkHidden("json")
	cmd.AddGroup(
		&cobra.Group{ID: groupInspect, Title: "Inspect"}, &cobra.Group{ID: groupScript, Title: "Script"},
		&cobra.Group{ID: groupReplay, Title: "Recordings"}, &cobra.Group{ID: groupServer, Title: "Server"}, &cobra.Group{ID: groupOther, Title: "Other"},
	)
	commands := app.Commands{"demo": p.demoCommand, "auth": (&authCommand{p.Link, p.Target}).command, "mcp": recordings.MCP(p.inspector), "config": (&configCommand{p.Settings}).command, "version": p.VersionCommand}
	for _, more := range []app.Commands{
		recordings.Commands(p.inspector), use.Commands(p.Target, p.Link), servers.Commands(p.Target, p.Link), checks.Commands(p.Target, p.Link),
	} {
		maps.Copy(commands, more)
	}
	for _, g := range []struct{ group, names string }{ // in the order of the help
		{groupInspect, "open demo info tap servers"},
		{groupScript, "list call app read prompt skill complete send listen task run bench lint check"},
		{groupReplay, "export diff mock replay reduce"},
		{groupServer, "auth mcp"},
		{groupOther, "explain config version"},
	} {
		for _, name := range strings.Fields(g.names) {
			if name != only && (only == "--" || commands[only] != nil) {
				continue
			}
			c := commands[name]()
			c.GroupID = g.group
			cmd.AddCommand(c)
		}
	}
	cmd.SetHelpCommandGroupID(groupOther)
	cmd.SetCompletionCommandGroupID(groupOther)
	p.addTopics(cmd)
	p.helpCommand(cmd)
	p.completionCommand(cmd)
	return cmd
}

// commandWithoutDashes returns the command line from its first word if that may be the command of a
// server without "--", as in mcptea npx -y some-server. Otherwise it returns nil.
func (p *program) commandWithoutDashes() []string {
	if len(p.Args) == 0 || p.Args[0] == "" || strings.HasPrefix(p.Args[0], "-") || target.IsURL(p.Args[0]) || target.AsURL(p.Args[0]) != "" {
		return nil
	}
	return p.Args
}

// wrongFlag returns an error that says what is wrong with a flag, and names the most similar flag.
func (p *program) wrongFlag(cmd *cobra.Command, err error) error {
	var appError *app.Error
	if errors.As(err, &appError) { // error of a value; see [pflag.FlagSet.Func]
		p.Report(app.At(wrongWord(err), appError))
		return nil
	}
	hint := fmt.Sprintf("Type %s --help for its flags.", cmd.CommandPath())
	if !cmd.HasParent() {
		hint = "Type mcptea help flags for the flags, or mcptea --help for the commands."
		if command := p.commandWithoutDashes(); command != nil {
			switch line := target.SourceLine(command); {
			case line != "" && p.Interactive():
				p.source = command
				return nil
			case line != "":
				p.Report(target.AsSource(cmd, command))
				return nil
			}
			if meant := target.Proposal(cmd, command, command); meant != "" {
				p.Report(app.Usage(meant, "unknown command %q", command[0]))
				return nil
			}
			if !slices.Contains(command, "--") && target.Starts(command[0]) {
				p.withoutDashes = command // the unknown flag belongs to the command of the server
				return nil
			}
			hint = "To start a server with this command, write: " + target.StartCommand(command)
		}
	}
	var missing *pflag.NotExistError
	unknown := errors.As(err, &missing)
	ofOthers := unknown && target.OtherFlag(cmd, missing) != ""
	if cmd.HasParent() || ofOthers {
		hint = p.FlagHint(cmd, err, hint)
	}
	if unknown && !cmd.HasParent() && missing.GetSpecifiedName() == "attach" {
		hint = "Only commands use a running connection, as in mcptea list tools --attach. To see an active tap, open its recording: mcptea lists it under Active taps, and mcptea tap --list prints its file."
	}
	if unknown && missing.GetSpecifiedShortnames() == "" && !ofOthers {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if f := cmd.Root().Flags().Lookup(missing.GetSpecifiedName()); f != nil && !f.Hidden {
			hint = fmt.Sprintf("--%s is a flag of the inspector, mcptea TARGET, and of other commands.\n%s", f.Name, hint)
		} else if near := withoutInner(phrase.Nearest(missing.GetSpecifiedName(), names), missing.GetSpecifiedName()); len(near) > 0 {
			hint = "Did you mean --" + strings.Join(near, " or --") + "?\n" + hint
		}
	}
	p.Report(app.At(wrongWord(err), app.Usage(hint, "%s", err.Error())))
	return nil
}

// withoutInner removes names that have a word only inside one of their own: --rows is not --open-browser.
func withoutInner(names []string, word string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		at := strings.Index(name, word)
		return at > 0 && name[at-1] != '-'
	})
}

// wrongWord returns the word of the command line that an error about a flag is about, or the value of the flag.
func wrongWord(err error) string {
	var (
		missing *pflag.NotExistError
		empty   *pflag.ValueRequiredError
		value   *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	flag := func(name, short string) string {
		if short != "" {
			return "-" + short
		}
		return "--" + name
	}
	switch {
	case errors.As(err, &missing):
		return flag(missing.GetSpecifiedName(), missing.GetSpecifiedShortnames())
	case errors.As(err, &empty):
		return flag(empty.GetSpecifiedName(), empty.GetSpecifiedShortnames())
	case errors.As(err, &value):
		return value.GetValue()
	case errors.As(err, &syntax):
		return syntax.GetSpecifiedFlag()
	}
	return ""
}
