package cli

import (
	"github.com/spf13/cobra"

	"mcptea/client"
)

func (p *program) promptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prompt {NAME | --prompt NAME} [ARG…] [URL | -- COMMAND…]",
		Short: "Get a prompt",
		Long: `Get a prompt and print its messages. An ARG is one of:

  key=value   a text, which is what the arguments of prompts are
  key:=JSON   any JSON, sent as it is
  {…}         an object with several arguments
  @file       the same, from a file
  -           the same, from stdin

A prompt with a name that looks like a flag or a URL is named with --prompt=NAME.

With --json the result is printed as it came, or {"error":…}. The exit code is 1 when the server returns an error.`,
		Example: `  mcptea prompt review language=go -- ./my-server
  mcptea prompt review language=go --json --url http://127.0.0.1:3000/mcp | jq '.messages[].content.text'`,
		Args: cobra.ArbitraryArgs,
		RunE: p.runE(p.prompt),
	}
	cmd.Flags().String("prompt", "", "the name of the prompt, whatever it looks like; all words are arguments then")
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
		params = append(append(append(params[:len(params)-1], `,"arguments":`...), given.texts()...), '}')
	}
	s, err := p.connect(t)
	if err != nil {
		return err
	}
	defer p.closeSession(s)
	return p.send(s, request{method: "prompts/get", params: params, name: name, lists: []client.ListKind{client.Prompts}})
}
