package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/internal/phrase"
	"mcptea/ui/paint"
)

// flagGroups are the headings of the flags, in the order of the help.
var flagGroups = []string{groupOwn, groupTarget, groupProtocol, groupAuthorization, groupLint, groupReload, groupHosts, groupFaults, groupRecording, groupOutput}

// topic is the annotation of a command that is only a page of the help.
const topic = "mcptea_topic"

// help prints the help of a command: usage, commands or flags by heading, and
// examples. That of the program has no flags, since the inspector takes nearly
// all of them: they are on a page of their own.
func (p *program) help(cmd *cobra.Command, _ []string) {
	h := helpPage{out: p.out, width: min(p.readable(), 100)}
	h.text(cmp.Or(cmd.Long, cmd.Short))
	switch {
	case cmd.Annotations[topic] == topicFlags:
		h.flags(cmd.Root(), flagGroups, false)
	case cmd.Annotations[topic] == topicAuthorization:
		h.flags(cmd.Root(), []string{groupAuthorization}, false)
	case cmd.Annotations[topic] != "":
	default:
		h.heading("Usage")
		h.line("  " + usageLine(cmd))
		if strings.Contains(cmd.Use, "TARGET") {
			h.heading("TARGET")
			h.rows([][2]string{{"URL", "a server over HTTP"}, {"-- COMMAND [ARG…]", "a server over stdio: the command that starts it"}, {"--server NAME", "a server that another application has configured"}})
		}
		h.commands(cmd)
		if cmd.HasParent() {
			h.flags(cmd, flagGroups, true)
		}
		h.examples(cmd)
		if !cmd.HasParent() {
			h.heading("More help")
			h.rows([][2]string{
				{"mcptea COMMAND --help", "arguments and flags of a command"},
				{"mcptea help flags", "flags of the inspector"},
				{"mcptea help authorization", "how to obtain tokens for a server over HTTP"},
				{"mcptea help environment", "environment variables"},
				{"mcptea help exit-codes", "exit codes"},
				{"mcptea help faults", "faults of --fault"},
			})
		}
	}
	_, _ = p.out.Write([]byte(strings.TrimLeft(h.b.String(), "\n")))
}

func usageLine(cmd *cobra.Command) string {
	line := cmd.UseLine()
	if cmd.HasAvailableSubCommands() && cmd.HasParent() {
		line = cmd.CommandPath() + " COMMAND"
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

// helpPage is a page under construction.
type helpPage struct {
	out    *screen
	width  int
	column int // minimum width of the first column of rows
	b      strings.Builder
}

func (h *helpPage) line(text string) { h.b.WriteString(strings.TrimRight(text, " ") + "\n") }

func (h *helpPage) heading(text string) { h.line("\n" + h.out.strong(text)) }

// text writes paragraphs. Lines that are indented are tables and stay as they are.
func (h *helpPage) text(text string) {
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t") {
			h.line(l)
			continue
		}
		for _, w := range paint.Wrap(l, h.width) {
			h.line(w)
		}
	}
}

// maxKey is the maximum width of the first column, in cells.
const maxKey = 30

// rows writes names and what they mean in two columns.
func (h *helpPage) rows(rows [][2]string) {
	column := h.column
	for _, r := range rows {
		if w := paint.Width(r[0]); w <= maxKey {
			column = max(column, w)
		}
	}
	indent := strings.Repeat(" ", column+4)
	for _, r := range rows {
		key, w := r[0], paint.Width(r[0])
		lines := paint.Wrap(r[1], max(20, h.width-len(indent)))
		if w > column {
			h.line("  " + h.out.name(key))
			h.line(indent + lines[0])
		} else {
			h.line("  " + h.out.name(key) + strings.Repeat(" ", column-w+2) + lines[0])
		}
		for _, l := range lines[1:] {
			h.line(indent + l)
		}
	}
}

func (h *helpPage) commands(cmd *cobra.Command) {
	groups := slices.Clone(cmd.Groups())
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, c := range cmd.Commands() { // one column for all groups
		h.column = max(h.column, paint.Width(c.Name()))
	}
	defer func() { h.column = 0 }()
	for _, g := range groups {
		var rows [][2]string
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && (c.IsAvailableCommand() || c.Name() == "help") {
				rows = append(rows, [2]string{c.Name(), c.Short})
			}
		}
		if len(rows) > 0 {
			h.heading(g.Title)
			h.rows(rows)
		}
	}
}

func (h *helpPage) examples(cmd *cobra.Command) {
	if cmd.Example != "" {
		h.heading("Examples")
		h.line(cmd.Example)
	}
}

// rareFlags are left out of the help of commands: they are for few servers, and on a
// page of their own.
var rareFlags = []string{
	"client-secret", "client-key", "client-metadata", "issuer", "assertion", "id-token", "idp-token-endpoint", "idp-client-id", "auth-timeout",
}

// flags lists the flags of groups, with a reference in the place of the rare ones if
// short is set.
func (h *helpPage) flags(cmd *cobra.Command, groups []string, short bool) {
	for _, group := range groups {
		var rows [][2]string
		rare := false
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			switch {
			case cmp.Or(annotation(f, groupAnnotation), groupOwn) != group || f.Hidden || f.Name == "help" || f.Name == "version":
			case short && group == groupAuthorization && slices.Contains(rareFlags, f.Name):
				rare = true
			default:
				rows = append(rows, [2]string{flagName(f), flagUsage(f)})
			}
		})
		if rare {
			rows = append(rows, [2]string{"…", "More: mcptea help " + topicAuthorization})
		}
		if len(rows) > 0 {
			h.heading(group)
			h.rows(rows)
		}
	}
}

func annotation(f *pflag.Flag, name string) string {
	if values := f.Annotations[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

func flagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value := annotation(f, valueAnnotation); value != "" {
		name += " " + strings.ToUpper(value)
	}
	return name
}

// flagUsage is the usage of a flag and its default, if it has one that says
// something.
func flagUsage(f *pflag.Flag) string {
	usage := phrase.Capital(f.Usage)
	switch f.DefValue {
	case "", "false", "[]", "0", "0s", "auto":
		return usage
	}
	def := f.DefValue
	if f.Value.Type() == "duration" {
		if d, err := time.ParseDuration(def); err == nil {
			def = durationText(d)
		}
	}
	return fmt.Sprintf("%s (default %s)", usage, def)
}

// helpCommand changes the help command of Cobra: an unknown topic is a usage error.
func (p *program) helpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" {
			continue
		}
		cmd.Short = "Help for a command or topic"
		cmd.Long = "Print the help of a command, or of a topic: flags, authorization, environment, exit-codes, faults."
		run := cmd.Run
		cmd.Run = nil
		cmd.RunE = p.runE(func(cmd *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			if err != nil || topic == nil {
				topic, rest = root, args
			}
			if len(rest) > 0 {
				return unknownAmong(topic, "command", rest[0], "Type mcptea --help for the commands.")
			}
			run(cmd, args)
			return nil
		})
	}
}

// completionCommand changes the completion command of Cobra: an unknown shell is a
// usage error.
func (p *program) completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Generate a shell completion script"
		cmd.Long = "Print the completion script for a shell. The help of each shell says how to install it."
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = p.runE(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownAmong(cmd, "shell", args[0], "The shells are bash, zsh, fish and powershell.")
			}
			return cmd.Help()
		})
	}
}

// unknownAmong returns the error for a word that is not a subcommand of a command.
func unknownAmong(cmd *cobra.Command, what, word, hint string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := nearest(word, names); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "?\n" + hint
	}
	return usage(hint, "unknown %s %q", what, word)
}
