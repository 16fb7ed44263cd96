package servers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2/tree"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/internal/words/display"
)

func (p *commands) serversCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "servers [HOST|HOST/NAME…]",
		Short: "List the servers that other applications have configured",
		Long: `List the MCP servers in the configuration of editors, desktop applications and command line programs (hosts), with the problems of each entry.

The names of the configuration file of mcptea (servers:) come first. mcptea reads the configuration files and starts nothing. Entries of a project are found from the current directory. Secrets are redacted. Catalogs and manifests, which describe servers and do not configure them, are listed if their host is named: docker, registry, mcpb.

The exit code is 1 if a problem is an error: the host does not load an entry, or its server cannot start.

With --connect it connects to each entry that a host uses, four at a time, and prints the time, the number of tools and the protocol version, or the reason of the failure. No tool is called. Entries that are disabled, have inputs or variables without a value, or require authorization are listed, and do not count as failures. Before an entry in a file of the project starts, the command asks; --yes agrees. The exit code is 1 if connecting to an entry fails.

With --find it connects in the same way, and lists the tools of all entries that contain every word, with an estimate of the tokens of each definition. A tool is marked if another server of the same host has a tool of the same name.`,
		Example: `  mcptea servers
  mcptea servers cursor vscode
  mcptea servers --connect
  mcptea servers --find "read file"
  mcptea servers wrap cursor/files
  mcptea servers --json | jq -r '.servers[].id'
  mcptea list --server cursor/files`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return hosts.IDs(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	connect, timeout, words := false, time.Duration(0), ""
	cmd.RunE = p.RunE(func(cmd *cobra.Command, args []string) error {
		var find *finder
		if cmd.Flags().Changed("find") {
			connect, find = true, newFinder(words)
		}
		if connect {
			return p.connectTo(cmd, args, timeout, find)
		}
		for _, name := range []string{"connect-timeout", "yes", "input"} {
			if cmd.Flags().Changed(name) {
				return app.Usage("Without --connect or --find nothing is started.", "--%s requires --connect or --find", name)
			}
		}
		return p.servers(args)
	})
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&connect, "connect", false, "connect to each of them, and print the outcome")
		fs.StringVar(&words, "find", "", "connect to each of them, and list the tools that contain all `WORDS`: name, title, description, parameters; an empty text lists all tools")
		fs.DurationVar(&timeout, "connect-timeout", connectTimeout, "with --connect or --find: maximum `TIME` without a response while connecting to a server")
		p.Flags.DeclareYes(fs)
		p.Flags.DeclareInput(fs)
	})
	p.AddOutput(cmd)
	p.Flags.AddConfig(cmd)
	e := &edits{p.App}
	cmd.AddCommand(e.wrapCommand(), e.unwrapCommand())
	return cmd
}

// editHints maps words that follow servers in other programs to hints. [target.NoCounterpart] has
// the words that are used in other places, too.
var editHints = map[string]string{
	"remove": "mcptea removes no server from a file of another application. mcptea servers prints the file and the line of each entry.",
	"rm":     "mcptea removes no server from a file of another application. mcptea servers prints the file and the line of each entry.",
	"list":   "mcptea servers lists them.",
	"ls":     "mcptea servers lists them.",
	"show":   "mcptea servers --json prints each entry, and mcptea info HOST/NAME connects to one.",
	"info":   "mcptea servers --json prints each entry, and mcptea info HOST/NAME connects to one.",
	"get":    "mcptea servers --json prints each entry, and mcptea info HOST/NAME connects to one.",
	"test":   "mcptea servers --connect connects to each of them.",
	"check":  "mcptea servers lists the problems of all files, and mcptea servers --connect connects to each server.",
}

func (p *commands) servers(ids []string) error {
	for _, id := range ids {
		if slices.Contains(hosts.IDs(), id) {
			continue
		}
		return unknownHost(id)
	}
	c, m, err := target.Discover(p.Ctx, ids...)
	if p.Ctx.Err() != nil {
		return context.Cause(p.Ctx)
	}
	if err != nil {
		return app.Failed("cannot read the configuration of other applications: %v", err)
	}
	CheckTaps(p.Ctx, c)
	if len(ids) == 0 {
		p.AddOwn(c)
		c.Servers = slices.DeleteFunc(c.Servers, func(s *hosts.Server) bool { return s.Scope == hosts.Catalog || s.Scope == hosts.Manifest })
	}
	if p.JSON {
		err = p.printServersJSON(c)
	} else {
		err = p.printServers(c, m)
	}
	if err != nil {
		return err
	}
	problems := slices.Clone(c.Problems)
	for _, s := range c.Servers {
		problems = append(problems, s.Problems...)
	}
	if hosts.Worst(problems) == hosts.Error {
		return app.Silent(app.ExitError)
	}
	return nil
}

func unknownHost(id string) error {
	if hint := cmp.Or(editHints[id], target.NoCounterpart(id)); hint != "" {
		return app.Usage(hint, "servers has no command %q", id)
	}
	return app.Usage(app.Suggest(id, hosts.IDs(), "The hosts are "+strings.Join(hosts.IDs(), ", ")+"."), "unknown host %q", id)
}

// printServers prints the servers below their hosts and files.
func (p *commands) printServers(c *hosts.Configuration, m *hosts.Machine) error {
	width := 0
	for _, s := range c.Servers {
		width = max(width, min(display.Width(s.Name), 24))
	}
	var trees []*tree.Tree // trees of the hosts
	host := ""
	for _, file := range c.Files {
		servers, problems := ContentOf(c, file)
		if len(servers) == 0 && len(problems) == 0 {
			continue
		}
		if file.Host != host {
			host = file.Host
			trees = append(trees, tree.Root(p.Out.Strong(hostName(host))+" "+p.Out.Faint(host)))
		}
		files := tree.Root(p.Out.Faint(p.Out.Safe(target.ShortPath(m, file.Path))))
		for _, q := range problems {
			files.Child(p.problem(q, 2))
		}
		for _, s := range servers {
			files.Child(p.server(c, s, width))
		}
		trees[len(trees)-1].Child(files)
	}
	for i, t := range trees {
		if i > 0 {
			p.Out.Line("")
		}
		p.Out.Tree(t)
	}
	if len(trees) == 0 {
		return p.Out.Prose("No configured servers. mcptea help hosts lists the files that mcptea reads.")
	}
	return nil
}

// hostName names a host above its servers.
func hostName(id string) string {
	if id == settings.OwnHost {
		return "Your own names"
	}
	return hosts.HostName(id)
}

// ContentOf returns the servers and the problems of a file for a host.
func ContentOf(c *hosts.Configuration, file hosts.File) (servers []*hosts.Server, problems []hosts.Problem) {
	for _, s := range c.Servers {
		if s.Host == file.Host && s.Source.File == file.Path {
			servers = append(servers, s)
		}
	}
	for _, q := range c.Problems {
		if q.Host == file.Host && q.File == file.Path {
			problems = append(problems, q)
		}
	}
	return servers, problems
}

// ServerState returns the effect of an entry in its host, in one word; docs/hosts.md lists the words. It is an
// error, too, if the host rejects the whole file.
func ServerState(c *hosts.Configuration, s *hosts.Server) string {
	switch {
	case !s.Loaded && slices.ContainsFunc(c.Problems, func(q hosts.Problem) bool {
		return q.Host == s.Host && q.File == s.Source.File && q.Severity == hosts.Error
	}):
		return "error"
	case !s.Loaded:
		return "unread"
	case s.Fragment:
		return "override"
	case s.Disabled:
		return "disabled"
	case !s.Effective:
		return "replaced"
	case hosts.Worst(s.Problems) == hosts.Error:
		return "error"
	case hosts.Worst(s.Problems) == hosts.Warning:
		return "warning"
	}
	return "ok"
}

// server returns the line of a server, with its problems below it.
func (p *commands) server(c *hosts.Configuration, s *hosts.Server, width int) *tree.Tree {
	state := ServerState(c, s)
	mark, style := "✓", p.Out.Good
	switch state {
	case "error", "unread":
		mark, style = "✗", p.Out.Bad
	case "warning":
		mark, style = "⚠", p.Out.Warn
	case "disabled", "replaced", "override":
		mark, style = "·", p.Out.Faint
	}
	name := display.Cut(display.Sanitize(s.Name), 24)
	line := style(mark) + " " + p.Out.Name(name) + strings.Repeat(" ", max(0, width-display.Width(name))+2)
	line += fmt.Sprintf("%-7s ", s.Transport)
	launch := display.Sanitize(s.Written.String())
	switch {
	case !s.Loaded:
		launch = "(not loaded) " + launch
	case state != "ok" && state != "error" && state != "warning":
		launch = "(" + state + ") " + launch
	}
	if p.Out.Width > 0 {
		launch = display.Cut(launch, max(20, p.Out.Width-p.Out.Branch(2)-width-12))
	}
	t := tree.Root(strings.TrimRight(line+launch, " "))
	for _, q := range s.Problems {
		if q.Severity != hosts.Info || q.ID == "F070" {
			t.Child(p.problem(q, 3))
		}
	}
	return t
}

// problem returns a problem at a depth of the tree: severity, id, line, and the sentence.
func (p *commands) problem(q hosts.Problem, depth int) string {
	style := p.Out.Faint
	switch q.Severity {
	case hosts.Error:
		style = p.Out.Bad
	case hosts.Warning:
		style = p.Out.Warn
	}
	label := fmt.Sprintf("%-7s %s", q.Severity, q.ID)
	place := ""
	if q.Line > 0 {
		place = fmt.Sprintf(" %d:%d", q.Line, q.Column)
	}
	return p.Out.Labeled(style(label)+p.Out.Faint(place)+" ", display.Sanitize(q.Message), max(0, p.Out.Width-p.Out.Branch(depth)))
}
