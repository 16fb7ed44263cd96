package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/schema"
)

func (p *program) callCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call TOOL [ARG…] [URL | -- COMMAND…]",
		Short: "Call a tool",
		Long: `Call a tool and print what it answers. An ARG is one of:

  key=value   typed by the tool's schema: a number where it wants a number
  key:=JSON   any JSON, sent as it is
  {…}         an object with several arguments
  @file       the same, from a file
  -           the same, from stdin

A tool that requires it is called as a task, and any other that allows it with --task. The command ends when the task does; an interrupt has the server cancel it.

With --json the result is printed as it came, or {"error":…}. The exit code is 1 when the server answers with an error or the tool fails.`,
		Example: `  mcptea call add a=1 b=2 -- ./my-server
  mcptea call search 'filter:={"year":1979}' --url http://127.0.0.1:3000/mcp
  mcptea call index --task --ttl 10m -- ./my-server
  echo '{"message":"hello"}' | mcptea call echo - -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.does(p.call),
	}
	cmd.Flags().BoolVar(&p.flags.task, "task", false, "call the tool as a task")
	cmd.Flags().DurationVar(&p.flags.ttl, "ttl", 0, "ask the server to keep the task for so long; it decides when this is 0")
	return cmd
}

func (p *program) call(cmd *cobra.Command, args []string) error {
	t, rest, err := p.needTarget(cmd, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return usage("Type mcptea list tools to see what there is.", "call needs the name of a tool")
	}
	name := rest[0]
	given, err := p.readArguments(rest[1:])
	if err != nil {
		return err
	}
	var lists []client.ListKind
	if given.typed() {
		lists = append(lists, client.Tools)
	}
	s, err := p.connect(t, lists...)
	if err != nil {
		return err
	}
	defer p.shut(s)
	tools, err := p.loadLists(s, nothing, lists...)
	if err != nil {
		return err
	}
	task, err := p.asTask(s, name, tools)
	if err != nil {
		return err
	}
	arguments, err := p.encode(given, name, tools[client.Tools.Name])
	if err != nil {
		return err
	}
	return p.callTool(s, name, arguments, task, tools[client.Tools.Name])
}

// encode types the arguments by the schema of the tool, as far as it is known.
func (p *program) encode(given arguments, name string, tools session.List) (json.RawMessage, error) {
	form := schema.Form{}
	if tool, ok := toolNamed(tools, name); ok {
		form = schema.Parse(tool.Member("inputSchema"))
	} else if given.typed() && tools.Err != nil {
		fmt.Fprintf(p.err, "%s the tools could not be listed, so that the arguments are typed by their looks: %s\n",
			p.err.warn("warning:"), p.err.safe(tools.Err.Error()))
	}
	raw, doubts, err := given.encode(form)
	for _, d := range doubts {
		fmt.Fprintf(p.err, "%s %s\n", p.err.warn("warning:"), p.err.safe(d))
	}
	return raw, err
}

func toolNamed(tools session.List, name string) (session.Item, bool) {
	i := slices.IndexFunc(tools.Items, func(i session.Item) bool { return i.Name == name })
	if i < 0 {
		return session.Item{}, false
	}
	return tools.Items[i], true
}

func (p *program) callTool(s *session.Session, name string, arguments json.RawMessage, task bool, tools session.List) error {
	params := client.Params(map[string]string{"name": name})
	params = append(append(append(params[:len(params)-1], `,"arguments":`...), arguments...), '}')
	if task {
		params = client.AsTask(params, p.flags.ttl)
	}
	w := p.watch(s)
	answer, err := p.ask(s, "tools/call", params, w.show)
	w.end()
	p.warnOfAnswers(s)
	if err != nil {
		failure := p.outcome(s, err)
		if p.flags.json && answer.Result() != nil {
			_ = p.printAnswerJSON(answer) // what the server asked for
		}
		return failure
	}
	p.warnOfStrayText(s)
	if p.flags.json {
		return p.printAnswerJSON(answer)
	}
	if err := answer.Err(); err != nil {
		failure := p.outcome(s, err)
		if _, ok := toolNamed(tools, name); !ok && len(tools.Items) > 0 {
			p.suggestTools(name, tools)
		}
		return failure
	}
	if p.printResult(answer.Result()) {
		return silent(ExitError)
	}
	return nil
}

// printAnswerJSON prints the bytes of the server, on one line.
func (p *program) printAnswerJSON(answer client.Answer) error {
	raw, code := answer.Result(), ExitOK
	if answer.Err() != nil {
		raw, code = answer.Envelope.Error.Of(answer.Frame), ExitError
	} else if v, _ := jsonrpc.Member(raw, "isError"); string(v) == "true" {
		code = ExitError
	}
	if bytes.ContainsAny(raw, "\r\n") {
		// A line end stands between tokens only; without it all else is as it
		// was.
		var one bytes.Buffer
		if json.Compact(&one, raw) == nil {
			raw = one.Bytes()
		}
	}
	text := string(raw)
	if answer.Err() != nil {
		text = `{"error":` + text + `}`
	}
	if err := p.out.line(p.out.json(text)); err != nil {
		return err
	}
	if code != ExitOK {
		return silent(code)
	}
	return nil
}

// suggestTools names the tools whose names are like one that is not there.
func (p *program) suggestTools(name string, tools session.List) {
	var names []string
	for _, i := range tools.Items {
		names = append(names, i.Name)
	}
	near := nearest(name, names)
	if len(near) == 0 {
		fmt.Fprintf(p.err, "The server has %d tools; mcptea list tools shows them.\n", len(names))
		return
	}
	fmt.Fprintf(p.err, "Did you mean %s?\n", p.err.safe(strings.Join(near, ", ")))
}
