package recordings

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/inspector"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/client"
)

// MCP makes mcptea mcp, which serves agents on stdin and stdout, or over HTTP with --listen: then each agent has a process
// of its own, as the hosts of mcptea tap --listen have.
func MCP(i *inspector.Inspector) func() *cobra.Command {
	return func() *cobra.Command {
		cmd := i.Command()
		var f tapFlags
		app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
			link.DeclareListen(fs, &f.listen, "serve agents over HTTP")
		})
		f.serve.declare(cmd)
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			switch err := checkListens(cmd, f.listen); {
			case err != nil:
				i.Report(err)
				return nil
			case f.listen == "":
				return run(cmd, args)
			}
			return i.RunE(func(cmd *cobra.Command, args []string) error {
				if _, _, _, err := i.SplitTarget(cmd, args); err != nil {
					return err // otherwise, only the first agent would be told
				}
				return serveMCP(i, f)
			})(cmd, args)
		}
		return cmd
	}
}

// serveMCP serves the command line without --listen to agents over HTTP.
func serveMCP(i *inspector.Inspector, f tapFlags) error {
	self, err := os.Executable()
	if err != nil {
		return app.Failed("cannot find the mcptea executable: %v", err)
	}
	t := client.Target{Argv: append([]string{self}, withoutServing(i.Args)...), Env: os.Environ()}
	p := &tapCommand{i.Link, i.Target}
	p.Flags = servingFlags()
	gate, err := p.newTapGate(t)
	if err != nil {
		return err
	}
	return p.tapServe(t, f, gate, "mcptea mcp")
}

// servingFlags returns the flags of the process that serves agents. The flags of the command line, such as --record,
// --watch, --fault and --protocol, apply to the server of each agent, and only in the process of the agent.
func servingFlags() settings.Flags { return settings.Flags{Record: "off", Protocol: "auto"} }

// withoutServing returns the words of a command line without --listen and the flags that require it.
func withoutServing(words []string) (kept []string) {
	for i := 0; i < len(words); i++ {
		name, _, hasValue := strings.Cut(strings.TrimPrefix(words[i], "--"), "=")
		switch {
		case words[i] == "--":
			return append(kept, words[i:]...)
		case !strings.HasPrefix(words[i], "--") || name != "listen" && !slices.Contains(serveFlagNames, name):
			kept = append(kept, words[i])
		case !hasValue && name != "shared" && name != "sse":
			i++ // the value
		}
	}
	return kept
}
