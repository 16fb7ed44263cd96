package use

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/internal/words/display"
	ruletools "mcptea/lint/rules/tools"
	"mcptea/offer"
	"mcptea/offer/invoke"
	"mcptea/session/session"
)

func (p *commands) callCommand() *cobra.Command {
	var tool nameFlag
	var as taskFlags
	var meta metaFlags
	cmd := &cobra.Command{
		Use:   "call {TOOL | --tool TOOL} [ARG…] TARGET",
		Short: "Call a tool",
		Long: `Call a tool and print its result. An ARG is one of:

  key=value   encoded by the tool's input schema: a number if the type is number
` + argumentForms + `
If the name of the tool looks like a flag or a URL, write --tool=NAME.

A tool that requires a task is called as a task; --task does the same for a tool that allows it. The command ends when the task ends; an interrupt sends tasks/cancel.

With --json the result is printed as received, or {"error":…}. Calls of unlisted tools, and arguments that do not match the input schema, are sent only with --no-validate.

The exit code is 1 for an error response and for a tool error (isError).`,
		Example: `  mcptea call add a=1 b=2 -- ./my-server
  mcptea call search 'filter:={"year":1979}' --url http://127.0.0.1:3000/mcp
  mcptea call index --task --ttl 10m -- ./my-server
  echo '{"message":"hello"}' | mcptea call echo - -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.call(cmd, args, &tool, as, &meta) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		tool.declare(fs, "tool")
		p.Flags.DeclareNoValidate(fs)
		as.declare(fs)
	})
	meta.declare(cmd)
	p.target.AddRequest(cmd)
	return cmd
}

func (p *commands) call(cmd *cobra.Command, args []string, tool *nameFlag, as taskFlags, meta *metaFlags) error {
	members, err := meta.read(p)
	if err != nil {
		return err
	}
	var name string
	var given invoke.Arguments
	var lists []client.ListKind
	return p.withSession(cmd, args, func(words []string) (_ []client.ListKind, err error) {
		name, given, err = tool.read(p, cmd, words)
		if given.NeedSchema() || !p.Flags.NoValidate {
			lists = append(lists, client.Tools)
		}
		return lists, err
	}, func(s *session.Session) error {
		tools, err := p.LoadLists(s, link.Nothing, lists...)
		if err != nil {
			return err
		}
		task, err := p.asTask(s, as, name, tools)
		if err != nil {
			return err
		}
		object, err := p.encode(s, given, client.Tools, name, tools[client.Tools.Name])
		if err != nil {
			return err
		}
		params := invoke.Params(name, object)
		if task {
			params = client.AsTask(params, as.ttl)
		}
		printed := func(result []byte) (failed bool, err error) {
			failed = p.PrintResult("tools/call", result)
			p.warnOfOutput(tools[client.Tools.Name], name, result, failed)
			if !failed {
				p.warnOfFailure(result)
			}
			return failed, nil
		}
		return p.Send(s, link.Request{Method: "tools/call", Params: withMeta(params, members), Name: name, Lists: []client.ListKind{client.Tools}, Print: printed})
	})
}

// warnOfFailure prints a warning if the only text of a result reads like a failure, and isError is missing.
func (p *commands) warnOfFailure(result []byte) {
	blocks, _ := jsonrpc.Member(result, "content")
	all := slices.Collect(jsonrpc.Elements(blocks))
	if len(all) == 1 && ruletools.ReportsFailure(jsonrpc.Get(all[0], "text")) {
		p.Warning("the text reads like a failure, and the result has no isError: clients and models take it for a success")
	}
}

// warnOfOutput prints a warning if a result does not fit the outputSchema of its tool: clients that check it refuse the
// result. Of an error result, they then hide the message.
func (p *commands) warnOfOutput(tools offer.List, name string, result []byte, failed bool) {
	tool, ok := tools.Find(name)
	declared := tool.Member("outputSchema")
	if !ok {
		return
	}
	problems := invoke.OutputOf(declared).Problems(result, failed)
	if len(problems) == 0 {
		return
	}
	consequence := "many clients refuse such a result"
	if failed {
		consequence = "some clients refuse such a result and hide its message"
	}
	p.Warning(fmt.Sprintf("%s; %s", problems[0], consequence))
}

// encode encodes the arguments by the input schema of a tool or an event type, if it is known. One or an
// argument that the list of the server does not have is an error, unless with --no-validate.
func (p *commands) encode(s *session.Session, given invoke.Arguments, kind client.ListKind, name string, tools offer.List) (json.RawMessage, error) {
	form := schema.Form{}
	tool, ok := tools.Find(name)
	switch {
	case !ok && !p.Flags.NoValidate && isWhole(tools):
		var names []string
		for _, i := range tools.Items {
			names = append(names, display.Sanitize(i.Name))
		}
		hint := "mcptea list " + kind.Name + " shows its " + kind.Noun + "s."
		const few = 5
		if len(names) > 0 && len(names) <= few {
			hint = "It has " + strings.Join(names, ", ") + "."
		}
		if more := p.MayGetMore(); more != "" {
			hint += "\n" + more
		}
		return nil, app.Usage(cmp.Or(app.DidYouMean(name, names), hint)+sentAnyway, "the server has no %s %s", kind.Noun, display.Sanitize(name))
	case ok:
		form = schema.Parse(tool.Member("inputSchema"))
	case given.NeedSchema() && tools.Err != nil:
		p.Warning(fmt.Sprintf("%s failed, arguments are encoded without the input schema: %s", kind.Method, link.SentenceIn(s, tools.Err)))
	}
	for _, argument := range given.Names() {
		switch {
		case !form.Refutes(argument):
		case !p.Flags.NoValidate:
			return nil, noParameter(argument, kind, name, form)
		default:
			p.Warning(fmt.Sprintf("the input schema of the %s has no property %q", kind.Noun, argument))
		}
	}
	raw, err := given.Encode(form)
	if err != nil {
		return nil, settings.ArgumentError(err)
	}
	return raw, p.validateArguments(raw, name, tools)
}

// sentAnyway explains how to send a request that contradicts the server's list.
const sentAnyway = "\nTo send the request anyway, add --no-validate."

// isWhole reports whether a list has all that the server lists.
func isWhole(l offer.List) bool { return l.Offered && !l.Loaded.IsZero() && l.Err == nil }

// noParameter reports an argument that the input schema of a tool or an event type does not have.
func noParameter(argument string, kind client.ListKind, name string, form schema.Form) error {
	var names []string
	for _, f := range form.Fields {
		names = append(names, display.Sanitize(f.Name))
	}
	hint := cmp.Or(app.DidYouMean(argument, names), "Its parameters are "+strings.Join(names, ", ")+".")
	if len(names) == 0 {
		hint = "It has no parameters."
	}
	return app.Usage(hint+sentAnyway, "the %s %s has no parameter %q", kind.Noun, display.Sanitize(name), argument)
}

// validateArguments explains what in the arguments does not match the input schema of
// the tool, before they are sent. Without a schema, or one that cannot be checked, they
// are sent.
func (p *commands) validateArguments(object []byte, name string, tools offer.List) error {
	tool, ok := tools.Find(name)
	if !ok || p.Flags.NoValidate {
		return nil
	}
	wrong, known := check.Compile(tool.Member("inputSchema"), check.Options{Dialectless: true}).Check(object)
	if !known || wrong == nil {
		return nil
	}
	place := strings.TrimPrefix(wrong.About, "/")
	reason := wrong.Reason
	if place == "" {
		place = "the object"
	} else if absent := absentArguments(tool.Member("inputSchema"), object); len(absent) > 1 && slices.Contains(absent, place) {
		place, reason = strings.Join(absent, ", "), "are missing"
	}
	return app.Usage("To send them anyway, add --no-validate.",
		"the arguments do not match the input schema of %s: %s %s", display.Sanitize(name), display.Sanitize(place), display.Sanitize(reason))
}

// absentArguments returns the required arguments of a schema that an object does not have.
func absentArguments(schema, object []byte) (absent []string) {
	required, _ := jsonrpc.Member(schema, "required")
	for _, argument := range jsonrpc.Strings(required) {
		if _, has := jsonrpc.Member(object, argument); !has {
			absent = append(absent, argument)
		}
	}
	return absent
}
