package use

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/words/display"
	"mcptea/offer/invoke"
	"mcptea/session/session"
)

func (p *commands) promptCommand() *cobra.Command {
	var of nameFlag
	var meta metaFlags
	cmd := &cobra.Command{
		Use:   "prompt {PROMPT | --prompt PROMPT} [ARG…] TARGET",
		Short: "Get a prompt",
		Long: `Get a prompt and print its messages. An ARG is one of:

  key=value   a string, which is the type of prompt arguments
` + argumentForms + `
If the name of the prompt looks like a flag or a URL, write --prompt=NAME.

With --json the result is printed as received, or {"error":…}. The exit code is 1 for an error response.`,
		Example: `  mcptea prompt review language=go -- ./my-server
  mcptea prompt review language=go --json -- ./my-server | jq '.messages'`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.prompt(cmd, args, &of, &meta) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		of.declare(fs, "prompt")
	})
	meta.declare(cmd)
	p.target.AddRequest(cmd)
	return cmd
}

func (p *commands) prompt(cmd *cobra.Command, args []string, of *nameFlag, meta *metaFlags) error {
	members, err := meta.read(p)
	if err != nil {
		return err
	}
	var name string
	var given invoke.Arguments
	return p.withSession(cmd, args, func(words []string) (_ []client.ListKind, err error) {
		name, given, err = of.read(p, cmd, words)
		return nil, err
	}, func(s *session.Session) error {
		params := client.Params(map[string]string{"name": name})
		if len(given) > 0 {
			params = invoke.Params(name, given.Texts())
		}
		return p.Send(s, link.Request{
			Method: "prompts/get", Params: withMeta(params, members), Name: name, Lists: []client.ListKind{client.Prompts},
			AfterError: func() { p.nameMissing(s, name, given.Names()) },
		})
	})
}

// nameMissing prints the required arguments of a prompt that were not given.
func (p *commands) nameMissing(s *session.Session, name string, given []string) {
	var missing []string
	for _, a := range p.promptArguments(s, name) {
		if a.Required && !slices.Contains(given, a.Name) {
			missing = append(missing, display.Sanitize(a.Name)+"=…")
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(p.Err, "The prompt %s requires %s\n", p.Err.Safe(name), strings.Join(missing, " "))
	}
}

// promptArguments fetches the list of prompts, and returns the arguments of one, or nil if the list lacks it.
func (p *commands) promptArguments(s *session.Session, name string) []schema.Argument {
	list, _ := s.List(p.Ctx, client.Prompts) // without the complete list, there is nothing to report
	prompt, ok := list.Find(name)
	if !ok {
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
