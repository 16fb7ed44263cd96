package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/arguments"
	"mcptea/session/schema"
	"mcptea/ui/paint"
)

func (p *Use) promptCommand() *cobra.Command {
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
	p.addRequest(cmd)
	return cmd
}

func (p *Use) prompt(cmd *cobra.Command, args []string) error {
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
	return p.send(s, request{
		method: "prompts/get", params: params, name: name, lists: []client.ListKind{client.Prompts},
		afterError: func() { p.nameMissing(s, name, given.Names()) },
	})
}

// nameMissing prints the required arguments of a prompt that were not given.
func (p *Use) nameMissing(s *session.Session, name string, given []string) {
	var missing []string
	for _, a := range p.promptArguments(s, name) {
		if a.Required && !slices.Contains(given, a.Name) {
			missing = append(missing, paint.Sanitize(a.Name)+"=…")
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(p.err, "The prompt %s requires %s\n", p.err.safe(name), strings.Join(missing, " "))
	}
}

// promptArguments fetches the list of prompts, and returns the arguments of one; nil if it
// is not in the list.
func (p *Use) promptArguments(s *session.Session, name string) []schema.Argument {
	if s.State().Lists[client.Prompts.Name].Loaded.IsZero() {
		s.Fetch(client.Prompts)
	}
	lists, err := p.loadLists(s, nothing, client.Prompts)
	prompt, ok := itemNamed(lists[client.Prompts.Name], name)
	if err != nil || !ok {
		return nil
	}
	var all []schema.Argument
	for raw := range jsonrpc.Elements(prompt.Member("arguments")) {
		var a schema.Argument
		if json.Unmarshal(raw, &a) == nil && a.Name != "" {
			all = append(all, a)
		}
	}
	return all
}
