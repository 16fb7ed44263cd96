package servers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/ui/paint"
)

func (p *commands) serversCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "servers [HOST…]",
		Short: "List the servers that other applications have configured",
		Long: `List the MCP servers in the configuration of editors, desktop applications and command line programs, which are called hosts, with what is wrong with each entry.

The names of the configuration file of mcptea (servers:) come first. Configuration files are read and nothing is started. Entries of a project are found from the current directory. Secrets are redacted. Catalogs and manifests, which describe servers and do not configure them, are listed if their host is named: docker, registry, mcpb.

The exit code is 1 if a problem is an error: the host does not load an entry, or its server cannot start.`,
		Example: `  mcptea servers
  mcptea servers cursor vscode
  mcptea servers wrap cursor/files
  mcptea servers --json | jq -r '.servers[].id'
  mcptea list --server cursor/files`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return hosts.IDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: p.RunE(func(_ *cobra.Command, args []string) error { return p.servers(args) }),
	}
	p.AddOutput(cmd)
	p.Flags.AddConfig(cmd)
	cmd.AddCommand(p.wrapCommand(), p.unwrapCommand())
	return cmd
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
	return app.Usage(app.Suggest(id, hosts.IDs(), "The hosts are "+strings.Join(hosts.IDs(), ", ")+"."), "unknown host %q", id)
}

// printServers prints the servers below their hosts and files.
func (p *commands) printServers(c *hosts.Configuration, m *hosts.Machine) error {
	width := 0
	for _, s := range c.Servers {
		width = max(width, min(paint.Width(s.Name), 24))
	}
	host, shown := "", 0
	for _, file := range c.Files {
		servers, problems := ContentOf(c, file)
		if len(servers) == 0 && len(problems) == 0 {
			continue
		}
		if file.Host != host {
			if host != "" {
				p.Out.Line("")
			}
			p.Out.Line(p.Out.Strong(hostName(file.Host)) + " " + p.Out.Faint(file.Host))
			host = file.Host
		}
		shown++
		p.Out.Line("  " + p.Out.Faint(p.Out.Safe(target.ShortPath(m, file.Path))))
		for _, q := range problems {
			p.printProblem(q)
		}
		for _, s := range servers {
			p.printServer(c, s, width)
		}
	}
	if shown == 0 {
		return p.Out.Line("No configured servers. Files that were looked for: see mcptea servers --help and docs/hosts.md.")
	}
	return nil
}

// hostName names a host above its servers.
func hostName(id string) string {
	if id == target.OwnHost {
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

// ServerState is what a host does with an entry, in one word; docs/hosts.md lists them. An
// error is also one of the file, for which the host rejects all that is in it.
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

func (p *commands) printServer(c *hosts.Configuration, s *hosts.Server, width int) {
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
	name := paint.Cut(paint.Sanitize(s.Name), 24)
	line := "    " + style(mark) + " " + p.Out.Name(name) + strings.Repeat(" ", max(0, width-paint.Width(name))+2)
	line += fmt.Sprintf("%-7s ", s.Transport)
	launch := paint.Sanitize(s.Written.String())
	switch {
	case !s.Loaded:
		launch = "(not loaded) " + launch
	case state != "ok" && state != "error" && state != "warning":
		launch = "(" + state + ") " + launch
	}
	if p.Out.Width > 0 {
		launch = paint.Cut(launch, max(20, p.Out.Width-width-16))
	}
	p.Out.Line(strings.TrimRight(line+launch, " "))
	for _, q := range s.Problems {
		if q.Severity != hosts.Info || q.ID == "F070" {
			p.printProblem(q)
		}
	}
}

// printProblem prints a problem: severity, id, line, and the sentence.
func (p *commands) printProblem(q hosts.Problem) {
	style := p.Out.Faint
	switch q.Severity {
	case hosts.Error:
		style = p.Out.Bad
	case hosts.Warning:
		style = p.Out.Warn
	}
	label := fmt.Sprintf("%-5s %s", q.Severity, q.ID)
	place := ""
	if q.Line > 0 {
		place = fmt.Sprintf(" %d:%d", q.Line, q.Column)
	}
	p.Out.Beside("      "+style(label)+p.Out.Faint(place)+" ", paint.Sanitize(q.Message), p.Out.Width)
}
