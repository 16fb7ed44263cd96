// Package use has the commands that use a server: list, call, read, send and others.
package use

import (
	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/session/offer/invoke"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/paint"
)

// Commands makes the commands.
func Commands(t *target.Target, l *link.Link) app.Commands {
	p := &commands{l, t}
	return app.Commands{
		"info":     p.infoCommand,
		"list":     p.listCommand,
		"call":     p.callCommand,
		"read":     p.readCommand,
		"prompt":   p.promptCommand,
		"skill":    p.skillCommand,
		"complete": p.completeCommand,
		"send":     p.sendCommand,
		"bench":    p.benchCommand,
		"app":      p.appCommand,
		"listen":   p.listenCommand,
		"task":     p.taskCommand,
	}
}

// commands send requests to the server that the target names.
type commands struct {
	*link.Link
	target *target.Target
}

// palette has the signs for output streams.
func (p *commands) palette() *paint.Palette {
	return paint.NewPalette(themes.ForBackground(true), p.ASCII)
}

// with connects to the target of the command line, and calls do. Before a server is started,
// read gets the words that are not the target, and returns the lists to fetch.
func (p *commands) with(cmd *cobra.Command, args []string, read func(words []string) ([]client.ListKind, error), do func(*session.Session) error) error {
	t, words, err := p.target.NeedTarget(cmd, args)
	if err != nil {
		return err
	}
	lists, err := read(words)
	if err != nil {
		return err
	}
	s, err := p.Connect(t, lists...)
	if err != nil {
		return err
	}
	defer p.CloseSession(s)
	return do(s)
}

// argumentForms are the forms of an ARG that tools and prompts share.
const argumentForms = `  key:=JSON   JSON, sent unchanged
  {…}         a JSON object with several arguments
  @file       a JSON object from a file
  -           a JSON object from stdin
`

// named reads the name of a tool or a prompt, which is the value of its flag or the first
// word, and its arguments.
func (p *commands) named(cmd *cobra.Command, what string, words []string) (name string, given invoke.Arguments, err error) {
	if flag := cmd.Flags().Lookup(what); flag.Changed {
		name = flag.Value.String()
	} else if len(words) == 0 {
		return "", nil, app.Usage("mcptea list "+what+"s lists them.", "%s requires the name of a %s", cmd.Name(), what)
	} else {
		name, words = words[0], words[1:]
	}
	given, err = p.ReadArguments(words)
	return name, given, err
}
