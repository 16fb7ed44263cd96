package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/client"
	"mcptea/session/arguments"
)

func (p *program) promptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prompt {PROMPT | --prompt PROMPT} [ARG…] TARGET",
		Short: "Get a prompt",
		Long: `Get a prompt and print its messages. An ARG is one of:

  key=value   a string, which is the type of prompt arguments
  key:=JSON   JSON, sent unchanged
  {…}         a JSON object with several arguments
  @file       a JSON object from a file
  -           a JSON object from stdin

If the name of the prompt looks like a flag or a URL, write --prompt=NAME.

With --json the result is printed as received, or {"error":…}. The exit code is 1 for an error response.`,
		Example: `  mcptea prompt review language=go -- ./my-server
  mcptea prompt review language=go --json -- ./my-server | jq '.messages'`,
		Args: cobra.ArbitraryArgs,
		RunE: p.runE(p.prompt),
	}
	declare(cmd, groupOwn, func(fs *pflag.FlagSet) {
		fs.String("prompt", "", "name of the `PROMPT`; all words are then arguments")
	})
	p.flags.addRequest(cmd)
	return cmd
}

func (p *program) prompt(cmd *cobra.Command, args []string) error {
	t, rest, err := p.needTarget(cmd, args)
	if err != nil {
		return err
	}
	name, rest, err := nameOf(cmd, "prompt", rest)
	if err != nil {
		return err
	}
	given, err := p.readArguments(rest)
	if err != nil {
		return err
	}
	params := client.Params(map[string]string{"name": name})
	if len(given) > 0 {
		params = arguments.Params(name, given.Texts())
	}
	s, err := p.connect(t)
	if err != nil {
		return err
	}
	defer p.closeSession(s)
	return p.send(s, request{method: "prompts/get", params: params, name: name, lists: []client.ListKind{client.Prompts}})
}
