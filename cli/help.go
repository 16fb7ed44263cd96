package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/manual"
	"mcptea/cli/settings"
	"mcptea/cli/target"
)

// flagGroups lists the headings of the flags, in the order of the help.
var flagGroups = []string{app.GroupOwn, app.GroupServe, app.GroupTarget, app.GroupProtocol, app.GroupTLS, app.GroupAuthorization, app.GroupLint, app.GroupReload, settings.GroupFaults, app.GroupRecording, app.GroupOutput}

// topic is the annotation of a command that is only a page of the help.
const topic = "mcptea_topic"

// help prints the help of a command: usage, commands or flags by heading, and examples. The help of
// the program has no flags, because the inspector accepts nearly all of them. They have their own
// page.
func (p *program) help(cmd *cobra.Command, _ []string) {
	h := app.HelpPage{Out: p.Out, Width: min(p.Readable(), 100)}
	h.Text(cmp.Or(cmd.Long, cmd.Short+"."))
	switch {
	case cmd.Annotations[topic] == app.TopicFlags:
		h.Flags(sharedFlags(cmd.Root()), flagGroups, anyFlag)
	case cmd.Annotations[topic] != "":
	default:
		h.Heading("Usage")
		h.Line("  " + usageLine(cmd))
		if strings.Contains(cmd.Use, "TARGET") {
			h.Heading("TARGET")
			h.Rows(target.FormsOf(cmd))
		}
		h.Commands(cmd)
		if cmd.HasParent() {
			flagsOf(&h, cmd)
		}
		h.Examples(cmd)
		pagesOf(&h, cmd)
		if !cmd.HasParent() {
			h.Heading("More help")
			h.Rows([][2]string{
				{"mcptea COMMAND --help", "arguments and flags of a command"},
				{"mcptea help flags", "flags of the inspector, and of all commands with a TARGET"},
				{"mcptea help authorization", "how to obtain tokens for a server over HTTP"},
				{"mcptea help environment", "environment variables"},
				{"mcptea help exit-codes", "exit codes"},
				{"mcptea help file-paths", "files of mcptea"},
				{"mcptea help faults", "faults of --fault"},
				{"mcptea help topics", "all pages of the documentation"},
			})
		}
	}
	_, _ = p.Out.Write([]byte(strings.TrimLeft(h.B.String(), "\n")))
}

// pagesOf adds the names of the pages about a command.
func pagesOf(h *app.HelpPage, cmd *cobra.Command) {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	var rows [][2]string
	for _, t := range manual.Of(cmd.Name()) {
		rows = append(rows, [2]string{"mcptea help " + t.Name, t.About})
	}
	if len(rows) > 0 {
		h.Heading("More help")
		h.Rows(rows)
	}
}

func anyFlag(*pflag.Flag) bool { return true }

// sharedFlags returns the flags of the inspector, and the output flags that other commands with a
// target have.
func sharedFlags(root *cobra.Command) *pflag.FlagSet {
	set := pflag.NewFlagSet("shared", pflag.ContinueOnError)
	set.SortFlags = false
	if list, _, err := root.Find([]string{"list"}); err == nil {
		list.Flags().VisitAll(func(f *pflag.Flag) {
			if app.GroupOf(f) != app.GroupOwn {
				set.AddFlag(f)
			}
		})
	}
	root.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "version" && set.Lookup(f.Name) == nil {
			set.AddFlag(f)
		}
	})
	return set
}

// usualFlags lists the shared flags that the help of a command names.
var usualFlags = []string{"server", "header", "env", "protocol", "timeout", "token", "record", "trace", "json", "jq", "output"}

// flagsOf adds the flags of a command. For a command with a target, one line names the shared
// flags.
func flagsOf(h *app.HelpPage, cmd *cobra.Command) {
	shared := sharedFlags(cmd.Root())
	isShared := func(f *pflag.Flag) bool {
		return strings.Contains(cmd.Use, "TARGET") && app.GroupOf(f) != app.GroupOwn && shared.Lookup(f.Name) != nil
	}
	h.Flags(cmd.Flags(), flagGroups, func(f *pflag.Flag) bool { return !isShared(f) })
	var names []string
	for _, name := range usualFlags {
		f := cmd.Flags().Lookup(name)
		switch {
		case f == nil || f.Hidden || !isShared(f):
		case f.Shorthand != "" && name != "trace":
			names = append(names, "-"+f.Shorthand)
		default:
			names = append(names, "--"+name)
		}
	}
	if len(names) > 0 {
		h.Heading("Shared flags (mcptea help flags)")
		h.Line("  " + strings.Join(names, " ") + " …")
	}
}

func usageLine(cmd *cobra.Command) string {
	line := cmd.UseLine()
	if cmd.HasAvailableSubCommands() && cmd.HasParent() {
		line += "\n  " + cmd.CommandPath() + " COMMAND"
	}
	line = strings.TrimSuffix(line, " [flags]")
	if !cmd.HasParent() {
		return line + "\n  mcptea COMMAND [flags]"
	}
	if cmd.HasAvailableLocalFlags() {
		line += " [flags]"
	}
	return line
}

// completionCommand changes the completion command of Cobra. After the change, an unknown shell is
// a usage error.
func (p *program) completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd := commandNamed(root, "completion")
	if cmd == nil {
		return
	}
	cmd.Short = "Generate a shell completion script"
	cmd.Long = "Print the completion script for a shell. The help of each shell says how to install it."
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = p.RunE(func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownAmong(cmd, "shell", args[0], "The shells are bash, zsh, fish and powershell.")
		}
		return cmd.Help()
	})
}

// commandNamed returns a command of the program, or nil if the tree was built without it.
func commandNamed(root *cobra.Command, name string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// unknownAmong returns the error for a word that is not a subcommand of a command.
func unknownAmong(cmd *cobra.Command, what, word, hint string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint = app.Suggest(word, names, hint)
	return app.Usage(hint, "unknown %s %q", what, word)
}
