package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/arguments"
	"mcptea/session/schema"
	"mcptea/session/schema/check"
	"mcptea/ui/paint"
)

func (p *Use) callCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call {TOOL | --tool TOOL} [ARG…] TARGET",
		Short: "Call a tool",
		Long: `Call a tool and print its result. An ARG is one of:

  key=value   encoded by the tool's input schema: a number if the type is number
  key:=JSON   JSON, sent unchanged
  {…}         a JSON object with several arguments
  @file       a JSON object from a file
  -           a JSON object from stdin

If the name of the tool looks like a flag or a URL, write --tool=NAME.

A tool that requires a task is called as a task; --task does so for a tool that allows it. The command ends when the task ends; an interrupt sends tasks/cancel.

With --json the result is printed as received, or {"error":…}. Arguments that do not match the input schema are not sent, unless with --no-validate.

The exit code is 1 for an error response and for a tool error (isError).`,
		Example: `  mcptea call add a=1 b=2 -- ./my-server
  mcptea call search 'filter:={"year":1979}' --url http://127.0.0.1:3000/mcp
  mcptea call index --task --ttl 10m -- ./my-server
  echo '{"message":"hello"}' | mcptea call echo - -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.runE(p.call),
	}
	declare(cmd, groupOwn, func(fs *pflag.FlagSet) {
		fs.String("tool", "", "name of the `TOOL`; all words are then arguments")
		p.flags.declareNoValidate(fs)
		fs.BoolVar(&p.flags.task, "task", false, "call the tool as a task")
		fs.DurationVar(&p.flags.ttl, "ttl", 0, "call the tool as a task and request this `TIME` to live (0: the server decides)")
	})
	p.addRequest(cmd)
	return cmd
}

// nameOf returns the name of a tool or a prompt: the value of its flag, or the first
// word.
func nameOf(cmd *cobra.Command, what string, words []string) (name string, rest []string, err error) {
	if flag := cmd.Flags().Lookup(what); flag.Changed {
		return flag.Value.String(), words, nil
	}
	if len(words) == 0 {
		return "", nil, usage("mcptea list "+what+"s lists them.", "%s requires the name of a %s", cmd.Name(), what)
	}
	return words[0], words[1:], nil
}

func (p *Use) call(cmd *cobra.Command, args []string) error {
	t, rest, err := p.needTarget(cmd, args)
	if err != nil {
		return err
	}
	name, rest, err := nameOf(cmd, "tool", rest)
	if err != nil {
		return err
	}
	given, err := p.readArguments(rest)
	if err != nil {
		return err
	}
	var lists []client.ListKind
	if given.NeedSchema() || !p.flags.noValidate {
		lists = append(lists, client.Tools)
	}
	s, err := p.connect(t, lists...)
	if err != nil {
		return err
	}
	defer p.closeSession(s)
	tools, err := p.loadLists(s, nothing, lists...)
	if err != nil {
		return err
	}
	task, err := p.asTask(s, name, tools)
	if err != nil {
		return err
	}
	object, err := p.encode(given, name, tools[client.Tools.Name])
	if err != nil {
		return err
	}
	return p.callTool(s, name, object, task)
}

// encode encodes the arguments by the input schema of the tool, if it is known.
func (p *Use) encode(given arguments.Arguments, name string, tools session.List) (json.RawMessage, error) {
	form := schema.Form{}
	if tool, ok := itemNamed(tools, name); ok {
		form = schema.Parse(tool.Member("inputSchema"))
	} else if given.NeedSchema() && tools.Err != nil {
		fmt.Fprintf(p.err, "%s tools/list failed, arguments are encoded without the input schema: %s\n",
			p.err.warn("warning:"), p.err.safe(tools.Err.Error()))
	}
	raw, warnings, err := given.Encode(form)
	for _, d := range warnings {
		fmt.Fprintf(p.err, "%s %s\n", p.err.warn("warning:"), p.err.safe(d))
	}
	if err != nil {
		return nil, argumentError(err)
	}
	return raw, p.validateArguments(raw, name, tools)
}

// validateArguments explains what in the arguments does not match the input schema of
// the tool, before they are sent. Without a schema, or one that cannot be checked, they
// are sent.
func (p *Use) validateArguments(object []byte, name string, tools session.List) error {
	tool, ok := itemNamed(tools, name)
	if !ok || p.flags.noValidate {
		return nil
	}
	wrong, known := check.Compile(tool.Member("inputSchema"), check.Options{Dialectless: true}).Check(object)
	if !known || wrong == nil {
		return nil
	}
	about := strings.TrimPrefix(wrong.About, "/")
	if about == "" {
		about = "the object"
	}
	return usage("To send them anyway, add --no-validate.",
		"the arguments do not match the input schema of %s: %s %s", paint.Sanitize(name), paint.Sanitize(about), paint.Sanitize(wrong.Reason))
}

func (p *Use) callTool(s *session.Session, name string, object json.RawMessage, task bool) error {
	params := arguments.Params(name, object)
	if task {
		params = client.AsTask(params, p.flags.ttl)
	}
	return p.send(s, request{method: "tools/call", params: params, name: name, lists: []client.ListKind{client.Tools}})
}
