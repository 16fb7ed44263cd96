package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/checks"
	"mcptea/cli/manual"
)

// helpCommand changes the help command of Cobra. After the change, a word names a page, a command
// or a topic. Any other word is a usage error.
func (p *program) helpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	cmd := commandNamed(root, "help")
	if cmd == nil {
		return
	}
	cmd.Use = "help [TOPIC]"
	cmd.Short = "Print a page of the documentation"
	cmd.Long = `Print a page of the documentation, the help of a command that has no page, or one of these: flags, environment, exit-codes, faults. "mcptea help topics" lists the pages. mcptea COMMAND --help prints only the help of the command.`
	cmd.Example = "  mcptea help topics\n  mcptea help check\n  mcptea help filter | less"
	commands := cmd.ValidArgsFunction
	cmd.ValidArgsFunction = func(c *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
		words, directive := commands(c, args, begin)
		if len(args) == 0 {
			words = append(words, completedTopics(root, begin)...)
		}
		return words, directive
	}
	run := cmd.Run
	cmd.Run = nil
	cmd.RunE = p.RunE(func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			if args[0] == topicsName {
				return p.listTopics()
			}
			if t, ok := manual.Find(args[0]); ok {
				return p.printTopic(root, t)
			}
		}
		command, rest, err := root.Find(args)
		if err != nil || command == nil {
			command, rest = root, args
		}
		switch {
		case len(rest) > 0 && command == root:
			if len(args) == 1 && checks.HasCard(rest[0]) {
				return app.Usage("Write: mcptea explain "+rest[0], "%q is a topic of mcptea explain, not a page", rest[0])
			}
			hint := "Type mcptea help topics for the pages, or mcptea --help for the commands."
			return app.Usage(app.Suggest(rest[0], topicNames(root), hint), "unknown topic %q", rest[0])
		case len(rest) > 0 && !command.HasAvailableSubCommands():
			return app.Usage("Write: "+"mcptea help "+strings.TrimPrefix(command.CommandPath(), "mcptea "), "help takes one command, found %q after it", rest[0])
		case len(rest) > 0:
			return unknownAmong(command, "command", rest[0], "Type mcptea --help for the commands.")
		}
		run(cmd, args)
		return nil
	})
}

// topicsName is the topic that lists the pages.
const topicsName = "topics"

// listTopics prints the pages in their groups.
func (p *program) listTopics() error {
	h := app.HelpPage{Out: p.Out, Width: min(p.Readable(), 100)}
	h.Text("mcptea help TOPIC prints a page of the documentation.")
	group := ""
	var rows [][2]string
	for _, t := range append(manual.Topics(), manual.Topic{}) {
		if t.Group != group && len(rows) > 0 {
			h.Heading(group)
			h.Rows(rows)
			rows = nil
		}
		group = t.Group
		rows = append(rows, [2]string{t.Name, t.About})
	}
	_, err := p.Out.Write([]byte(h.B.String()))
	return err
}

// printTopic prints a page. The page of a command starts with its usage. The page about
// authorization ends with its flags.
func (p *program) printTopic(root *cobra.Command, t manual.Topic) error {
	if t.Name == manual.Rules || t.Name == manual.Probes {
		explain, _, err := root.Find([]string{"explain"})
		if err != nil {
			return err
		}
		return explain.RunE(explain, []string{t.Name})
	}
	if command, rest, err := root.Find([]string{t.Name}); err == nil && command != root && len(rest) == 0 && command.Annotations[topic] == "" {
		usage, _, _ := strings.Cut(usageLine(command), "\n")
		_ = p.Out.Line(p.Out.Name(usage))
		_ = p.Out.Line(p.Out.Faint("The flags are in mcptea "+t.Name+" --help.") + "\n")
	}
	err := manual.Print(p.Out, t, min(p.Readable(), 100))
	if err == nil && t.Name == app.TopicAuthorization {
		h := app.HelpPage{Out: p.Out, Width: min(p.Readable(), 100)}
		h.Flags(root.Flags(), []string{app.GroupAuthorization}, anyFlag)
		_, err = p.Out.Write([]byte(h.B.String()))
	}
	return err
}

// topicNames returns the words that mcptea help accepts: pages, commands, and other topics.
func topicNames(root *cobra.Command) []string {
	names := []string{topicsName}
	for _, t := range manual.Topics() {
		names = append(names, t.Name)
	}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Annotations[topic] != "" {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// completedTopics returns the topics that begin with a text and are not commands.
func completedTopics(root *cobra.Command, begin string) []string {
	var words []string
	add := func(name, summary string) {
		if strings.HasPrefix(name, begin) {
			words = append(words, cobra.CompletionWithDesc(name, summary))
		}
	}
	add(topicsName, "all pages")
	commands := make(map[string]bool)
	for _, c := range root.Commands() {
		switch {
		case c.IsAvailableCommand():
			commands[c.Name()] = true
		case c.Annotations[topic] != "":
			commands[c.Name()] = true
			add(c.Name(), c.Short)
		}
	}
	for _, t := range manual.Topics() {
		if !commands[t.Name] {
			add(t.Name, t.About)
		}
	}
	return words
}
