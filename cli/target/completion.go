package target

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/revision"
	"mcptea/internal/words/display"
)

// completeServers completes the names of servers, for --server.
func (p *Target) completeServers(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return p.serverNames(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
}

// CompleteTargets completes the words of a command with a target: first the words of the command itself, then
// the names of servers.
func (p *Target) CompleteTargets(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if wordsOf[cmd.Name()].files && len(args) == 0 {
		return CompleteFiles("jsonl", "txtar")(cmd, args, word)
	}
	at, word := targetWord(cmd, args)
	named := slices.ContainsFunc([]string{"server", "attach"}, func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Changed
	})
	switch {
	case len(args) < firstWords(cmd) && wordsOf[cmd.Name()].methods:
		return methodNames(cmd), cobra.ShellCompDirectiveNoFileComp
	case len(args) < firstWords(cmd):
		return p.recordedNames(cmd, wordsOf[cmd.Name()].names), cobra.ShellCompDirectiveNoFileComp
	case word != "", slices.ContainsFunc(args, IsURL), named:
		return nil, cobra.ShellCompDirectiveDefault // the target is given, or the word is not a name
	}
	var names []string
	if isList(cmd) && at == 0 {
		for _, k := range client.ListKinds {
			names = append(names, k.Name)
		}
	}
	return append(names, p.serverNames(cmd.Context())...), cobra.ShellCompDirectiveDefault
}

// methodNames returns the methods that a client sends in some protocol version: requests, or with --notification
// notifications.
func methodNames(cmd *cobra.Command) (names []string) {
	f := cmd.Flags().Lookup("notification")
	notifications := f != nil && f.Changed
	for _, version := range slices.Backward(revision.All()) {
		for _, m := range revision.Methods(version, revision.Client) {
			if m.IsNotification() == notifications && !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// serverNames returns the names of the user's own servers and of configured ones, each with the command or URL
// that it starts.
func (p *Target) serverNames(ctx context.Context) (names []string) {
	count := map[string]int{}
	if config, err := settings.Read(ctx, settings.Path("", p.Env.Get)); err == nil {
		for _, name := range slices.Sorted(maps.Keys(config.Servers)) {
			names = append(names, display.Sanitize(name)+"\t"+display.Sanitize(Redacted(config.Servers[name])))
			count[name]++
		}
	}
	c, _, err := Discover(ctx)
	if err != nil {
		return names
	}
	for _, s := range c.Servers {
		if s.Effective {
			count[s.Name]++
		}
	}
	for _, s := range c.Servers {
		if !s.Effective || !s.Usable() || s.Scope == hosts.Manifest {
			continue
		}
		name := s.Name
		if count[name] > 1 {
			name = s.ID()
		}
		names = append(names, display.Sanitize(name)+"\t"+display.Sanitize(s.Written.String()))
	}
	return names
}
