package peer

import (
	"context"
	"encoding/json"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
)

func (c *Call) findTool(name string) *Tool {
	t := c.server().tool(name)
	if t == nil || !c.visible("tools", name, t.Visible) {
		return nil
	}
	return t
}

// listedTool is a tool as a list shows it.
type listedTool struct {
	Tool
	Execution map[string]TaskSupport `json:"execution,omitempty"`
}

// fit is the tool with what the revision has.
func (t Tool) fit(r revision.Revision) listedTool {
	l := listedTool{Tool: t}
	keep(Annotations.In(r), &l.Annotations)
	keep(titles.In(r), &l.Title)
	keep(structured.In(r), &l.Output)
	keep(icons.In(r), &l.Icons)
	if coreTasks.In(r) && t.Task != "" {
		l.Execution = map[string]TaskSupport{"taskSupport": t.Task}
	}
	return l
}

// keep empties a member that a revision does not have.
func keep[T any](has bool, member *T) {
	if !has {
		*member = *new(T)
	}
}

func listTools(_ context.Context, c *Call) (any, error) {
	r := c.Revision()
	var all []listedTool
	for _, t := range c.server().Tools {
		if c.visible("tools", t.Name, t.Visible) {
			all = append(all, t.fit(r))
		}
	}
	return list(c, "tools", all)
}

func toolWaits(c *Call) bool {
	token, _ := jsonrpc.Member(c.message.Params, "name")
	name, _ := jsonrpc.Unquote(token)
	t := c.findTool(name)
	return t != nil && t.Waits
}

// declared returns the arguments that the schema names. Decoding a struct takes
// "LIMIT" for "limit", which the check of the schema has not seen.
func (t *Tool) declared(args json.RawMessage) json.RawMessage {
	properties, ok := jsonrpc.Member(t.Input, "properties")
	if !ok || t.Unchecked {
		return args
	}
	known := map[string]json.RawMessage{}
	for name, value := range jsonrpc.Members(args) {
		if _, ok := jsonrpc.Member(properties, string(name)); ok {
			known[string(name)] = value
		}
	}
	return encode(known)
}

func callTool(ctx context.Context, c *Call) (any, error) {
	var params struct {
		Name      *string         `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Task      *taskWish       `json:"task"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	if params.Name == nil {
		return nil, invalidParams("name is missing")
	}
	t := c.findTool(*params.Name)
	if t == nil {
		return nil, invalidParams("unknown tool: %s", *params.Name)
	}
	c.Args = params.Arguments
	switch {
	case len(c.Args) == 0:
		c.Args = json.RawMessage("{}")
	case !isObject(c.Args):
		return nil, invalidParams("arguments must be an object")
	}
	r := c.Revision()
	if err := t.checkArguments(c.Args); err != nil {
		if argumentErrorsInResult.In(r) {
			return Failed("invalid arguments: %v", err), nil
		}
		return nil, invalidParams("invalid arguments: %v", err)
	}
	c.Args = t.declared(c.Args)
	if answer, err := c.asTask(t, params.Task); answer != nil || err != nil {
		return answer, err
	}
	if err := c.resume(); err != nil {
		return nil, err
	}
	result, err := t.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	return result.fit(r), nil
}

// fit returns the result in a form that the revision has.
func (result Result) fit(r revision.Revision) Result {
	result.Content = fitAll(result.Content, r)
	if !structured.In(r) {
		result.Structured = nil
	}
	return result
}
