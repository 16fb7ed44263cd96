package use

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/offer/invoke"
	"mcptea/session/session"
)

func (p *commands) completeCommand() *cobra.Command {
	var ref completionRef
	cmd := &cobra.Command{
		Use:   "complete {PROMPT | TEMPLATE} ARG=PREFIX [NAME=VALUE…] TARGET",
		Short: "Complete an argument of a prompt or of a URI template",
		Long: `Request values of an argument that start with PREFIX from the server, and print one per line. The first word is the name of a prompt or a URI template. More words are arguments that already have a value, which help the server to choose (since 2025-06-18).

With --json the result is printed as received, or {"error":…}. The exit code is 1 for an error response.`,
		Example: `  mcptea complete review language=g -- ./my-server
  mcptea complete 'file:///logs/{day}/{host}' host=w day=monday -- ./my-server
  mcptea complete --prompt review language= --json -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.completeArgument(cmd, args, ref) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&ref.prompt, "prompt", "", "name of the `PROMPT`; all words are then arguments")
		fs.StringVar(&ref.template, "template", "", "URI template or `URI` of the resource; all words are then arguments")
	})
	p.target.AddRequest(cmd)
	return cmd
}

// completionRef identifies the owner of the argument: a prompt or a URI template.
type completionRef struct{ prompt, template string }

// read reads the first word, unless a flag names the reference.
func (r *completionRef) read(cmd *cobra.Command, words []string) ([]string, error) {
	switch {
	case r.prompt != "" && r.template != "":
		return nil, app.Usage("Omit one of them.", "--prompt and --template exclude each other")
	case r.prompt != "" || r.template != "":
		return words, nil
	case len(words) == 0 || cmd.ArgsLenAtDash() == 0:
		return nil, app.Usage("mcptea list prompts and mcptea list templates list them.", "complete requires the name of a prompt or a URI template")
	case strings.Contains(words[0], "{"):
		r.template = words[0]
	default:
		r.prompt = words[0]
	}
	return words[1:], nil
}

// params returns the params of completion/complete for the first word.
func (r completionRef) params(words []string, version revision.Revision) ([]byte, error) {
	if len(words) == 0 {
		return nil, app.Usage("Write ARG=PREFIX; the prefix may be empty.", "complete requires an argument")
	}
	var names, values []string
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, app.Usage("Write ARG=PREFIX; the prefix may be empty.", "%q is not an argument", w)
		}
		names, values = append(names, name), append(values, value)
	}
	ref := map[string]string{"type": "ref/prompt", "name": r.prompt}
	if r.template != "" {
		ref = map[string]string{"type": "ref/resource", "uri": r.template}
	}
	params := map[string]any{"ref": ref, "argument": map[string]string{"name": names[0], "value": values[0]}}
	if len(names) > 1 {
		if version.Before(revision.R20250618) {
			return nil, app.Usage("Omit the other arguments.", "protocol version %s has no context for completions; it was added in %s", version, revision.R20250618)
		}
		others := map[string]string{}
		for i := 1; i < len(names); i++ {
			others[names[i]] = values[i]
		}
		params["context"] = map[string]any{"arguments": others}
	}
	return client.Params(params), nil
}

func (p *commands) completeArgument(cmd *cobra.Command, args []string, ref completionRef) error {
	var words []string
	return p.withSession(cmd, args, func(given []string) (_ []client.ListKind, err error) {
		if words, err = ref.read(cmd, given); err == nil {
			_, err = ref.params(words, revision.NewestStateless)
		}
		return nil, err
	}, func(s *session.Session) error {
		params, err := ref.params(words, s.State().Handshake.Revision)
		if err != nil {
			return err
		}
		r := link.Request{Method: "completion/complete", Params: params, Name: ref.prompt + ref.template, Lists: []client.ListKind{client.Prompts}}
		if ref.template != "" {
			r.Lists = []client.ListKind{client.Templates, client.Resources}
		}
		argument, _, _ := strings.Cut(words[0], "=")
		r.Print = func(result []byte) (bool, error) {
			if p.printCompletion(result) > 0 {
				return false, nil
			}
			err := p.noArgument(s, ref, argument)
			if err == nil {
				fmt.Fprintln(p.Err, "The server has no values for this prefix.")
			}
			return false, err
		}
		r.AfterError = func() {
			if err := p.noArgument(s, ref, argument); err != nil {
				p.Report(err)
			}
		}
		return p.Send(s, r)
	})
}

// printCompletion prints the values, one per line, and reports on stderr whether there are more.
func (p *commands) printCompletion(result []byte) (n int) {
	completion, _ := jsonrpc.Member(result, "completion")
	list, _ := jsonrpc.Member(completion, "values")
	for raw := range jsonrpc.Elements(list) {
		n++
		text, ok := jsonrpc.Unquote(raw)
		if !ok {
			text = string(raw)
		}
		p.Out.Line(p.Out.Untrusted(text))
	}
	total, _ := jsonrpc.Member(completion, "total")
	more, _ := jsonrpc.Member(completion, "hasMore")
	switch known, ok := jsonrpc.Integer(total); {
	case ok && known > int64(n):
		fmt.Fprintf(p.Err, "%d of %d values\n", n, known)
	case string(more) == "true":
		fmt.Fprintf(p.Err, "%d values, and there are more\n", n)
	}
	return n
}

// noArgument returns an error if the prompt or template has no argument with a name. It returns nil if it has
// one, or is unknown.
func (p *commands) noArgument(s *session.Session, ref completionRef, argument string) error {
	what, name, names := "prompt", ref.prompt, []string{}
	if ref.template != "" {
		what, name = "URI template", ref.template
		names, _ = invoke.TemplateVariables(name) // the server decides about an invalid one
	} else {
		for _, a := range p.promptArguments(s, name) {
			names = append(names, a.Name)
		}
	}
	if len(names) == 0 || slices.Contains(names, argument) {
		return nil
	}
	return app.FailedWith("Its arguments are "+display.Sanitize(strings.Join(names, ", "))+".", "the %s %s has no argument %s", what, display.Sanitize(name), display.Sanitize(argument))
}
