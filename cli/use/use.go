// Package use implements the commands that use a server: list, call, read, send and others.
package use

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/offer/invoke"
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

// palette returns the signs for output streams.
func (p *commands) palette() *paint.Palette {
	return paint.NewPalette(themes.ForBackground(true), p.ASCII)
}

// withSession connects to the target of the command line, and calls do. Before a server is started, read is called
// with the words other than the target, and returns the lists to fetch.
func (p *commands) withSession(cmd *cobra.Command, args []string, read func(words []string) ([]client.ListKind, error), do func(*session.Session) error) error {
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

// nameFlag is the flag that names a tool or a prompt, so that all words are arguments.
type nameFlag struct {
	kind string // "tool" or "prompt"
	name string
	flag *pflag.Flag
}

// declare declares the flag.
func (f *nameFlag) declare(fs *pflag.FlagSet, what string) {
	f.kind = what
	fs.StringVar(&f.name, what, "", "name of the `"+strings.ToUpper(what)+"`; all words are then arguments")
	f.flag = fs.Lookup(what)
}

// read reads the name, which is the value of the flag or the first word, and the arguments.
func (f *nameFlag) read(p *commands, cmd *cobra.Command, words []string) (name string, given invoke.Arguments, err error) {
	switch {
	case f.flag.Changed:
		name = f.name
	case len(words) == 0:
		return "", nil, app.Usage("mcptea list "+f.kind+"s lists them.", "%s requires the name of a %s", cmd.Name(), f.kind)
	default:
		name, words = words[0], words[1:]
		if m, known := revision.Lookup(name); known && !m.IsNotification() {
			return "", nil, app.Usage(fmt.Sprintf("The name of the %s is the first word: mcptea %s NAME. To send any method: mcptea send METHOD.", f.kind, cmd.Name()), "%q is a method, not the name of a %s", name, f.kind)
		}
	}
	given, err = p.ReadArguments(words)
	return name, given, err
}
