package inspector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/agent"
	"mcptea/check/probe"
	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/session/requests"
	filewatch "mcptea/session/runs/watch"
	"mcptea/session/session"
)

// Command makes the command that serves coding agents.
func (p *Inspector) Command() *cobra.Command {
	var allow bool
	var attach string
	cmd := &cobra.Command{
		Use:   "mcp [TARGET]",
		Short: "Be an MCP server, for coding agents",
		Long: `Serve the inspector over MCP on stdin and stdout, so that a coding agent can debug the server that it writes: connect, find out why that fails, call tools, read the frames, and check them against the specification.

With a TARGET, the tool connect uses it. Without --allow-commands, connect starts only the target and the servers that other applications have configured. With --attach, the agent shares the session of a running inspector. The inspector marks the requests of the agent, and asks the user before a call that is not read-only. With --listen, agents connect over HTTP, each to a process of its own; the URL has a token. mcptea help agents has the configuration for common agents.`,
		Example: `  mcptea mcp -- node server.js
  mcptea mcp --watch -- node server.js
  mcptea mcp --allow-commands
  mcptea mcp --attach
  mcptea mcp --listen 3000 -- node server.js
  claude mcp add mcptea -- mcptea mcp -- node server.js`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("attach") {
				return p.mcpAttached(args, allow, attach)
			}
			return p.mcp(cmd, args, allow)
		}),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&allow, "allow-commands", false, "let the agent start any command as a server")
		fs.StringVar(&attach, "attach", "", "share the session of the running inspector, or of the inspector with this `[=ID]`")
		fs.Lookup("attach").NoOptDefVal = target.AnyShared
	})
	p.AddConnection(cmd)
	p.AddReload(cmd)
	p.Flags.AddConfig(cmd)
	return cmd
}

// mcpAttached implements mcptea mcp --attach.
func (p *Inspector) mcpAttached(args []string, allow bool, id string) error {
	if id == target.AnyShared && len(args) == 1 { // written as two words
		id, args = args[0], nil
	}
	switch {
	case len(args) > 0:
		return app.Usage("Omit one of them.", "--attach and a target cannot be used together")
	case p.Watches():
		return app.Usage("Start the inspector with it: mcptea --watch -- COMMAND.", "with --attach, the inspector restarts the server")
	case allow:
		return app.Usage("Omit one of the flags.", "--attach and --allow-commands cannot be used together")
	case p.Out.Terminal:
		return app.Usage("mcptea help agents has the configuration for common agents.", "mcptea mcp is a server for a coding agent, and stdout is a terminal")
	}
	return p.attachAgent(id)
}

func (p *Inspector) mcp(cmd *cobra.Command, args []string, allow bool) error {
	t, rest, found, err := p.SplitTarget(cmd, args)
	switch {
	case err == nil && !found && len(rest) > 1 && slices.Contains([]string{"add", "remove", "list", "install", "get"}, rest[0]):
		return app.Usage("mcptea mcp is itself a server, for coding agents. A host adds it, for example: claude mcp add mcptea -- mcptea mcp\nmcptea servers lists the servers that hosts have.", "mcp has no command %q", rest[0])
	case err != nil:
		return err
	case len(p.TakeWatched(rest)) > 0:
		return p.UnknownCommand(cmd, rest, args)
	case p.Watches() && !found:
		return app.Usage("Add the command of the server: mcptea mcp --watch -- node server.js", "--watch and --build require a server on the command line")
	case p.Out.Terminal:
		return app.Usage("mcptea help agents has the configuration for common agents. To inspect a server yourself: mcptea TARGET", "mcptea mcp is a server for a coding agent, and stdout is a terminal")
	}
	targets := agentTargets{p: p, given: t}
	o := agent.Options{
		Version: p.Version.Version, AllowCommands: allow,
		Resolve: targets.configured, Complete: targets.complete, Open: targets.open,
		OpenRecording: p.recordingForAgent, Probe: targets.probe,
	}
	if found {
		o.Given = &t
	}
	if p.Watches() {
		o.Watch = targets.watch
	}
	err = agent.Serve(p.Ctx, p.In, p.Out.Writer, o)
	switch {
	case context.Cause(p.Ctx) != nil:
		return context.Cause(p.Ctx)
	case err != nil && !errors.Is(err, io.EOF):
		return app.Failed("%v", err)
	}
	return nil
}

// agentTargets makes targets and configurations for an agent, one at a time. The flags of the program are the
// defaults for each, and the changes of one do not affect the next. Headers, tokens and certificates apply only
// to the target of the command line: an agent may connect elsewhere.
type agentTargets struct {
	p     *Inspector
	given client.Target // target of the command line, or the zero Target
	mu    sync.Mutex
}

func (a *agentTargets) alone(do func(p *Inspector) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.p.Flags
	defer func() { a.p.Flags = before }()
	return do(a.p)
}

func (a *agentTargets) configured(name string) (t client.Target, err error) {
	err = a.alone(func(p *Inspector) (err error) {
		p.Flags = p.Flags.Elsewhere()
		t, err = p.ConfiguredTarget(name)
		return err
	})
	return t, err
}

func (a *agentTargets) complete(t client.Target) (client.Target, error) {
	err := a.alone(func(p *Inspector) error {
		if !t.IsStdio() {
			p.Flags = p.Flags.For(a.given, t.URL)
		}
		return p.Complete(&t)
	})
	return t, err
}

// open opens a session whose server requests wait for the agent.
func (a *agentTargets) open(t client.Target, protocol string) (s *session.Session, err error) {
	err = a.alone(func(p *Inspector) error {
		if protocol != "" {
			p.Flags.Protocol = protocol
		}
		if !t.IsStdio() {
			p.Flags = p.Flags.For(a.given, t.URL)
		}
		cfg, err := p.Config(t, "off")
		if err != nil {
			return err
		}
		cfg.Policies = requests.Policies{Sampling: requests.Policy{Mode: requests.PolicyUser}, Elicitation: requests.Policy{Mode: requests.PolicyUser}}
		cfg.Lint = true
		if cfg.Record != "off" {
			cfg.Record = session.UnusedRecording(cfg.Record) // each connection has its own recording
		}
		if s, err = session.Open(cfg); err != nil {
			return fmt.Errorf("cannot record the session: %w", err)
		}
		p.Track(s)
		return nil
	})
	return s, err
}

// watch follows the files of the target of the command line.
func (a *agentTargets) watch(s *session.Session) (run func(ctx context.Context, connected func()), stop func(), err error) {
	err = a.alone(func(p *Inspector) error {
		var loop *filewatch.Loop
		if loop, stop, err = p.Reload(s, s.Target(), s.Store().Notify, s.Store().Note); err == nil {
			run = loop.Run
		}
		return err
	})
	return run, stop, err
}

// probe returns the configuration for probing a target.
func (a *agentTargets) probe(t client.Target) (c probe.Config, err error) {
	err = a.alone(func(p *Inspector) error {
		cfg, err := p.Config(t, "off")
		c = probe.Config{Target: cfg.Target, Client: cfg.Client}
		return err
	})
	return c, err
}

func (p *Inspector) recordingForAgent(path string) (*session.Session, error) {
	cfg, err := p.Config(client.Target{}, "off")
	if err != nil {
		return nil, err
	}
	cfg.Lint = true
	return session.OpenRecording(path, cfg)
}
