package peer

import (
	"context"
	"encoding/json"

	"mcptea/client/jsonrpc"
)

// visible returns the tools that the session shows.
func (s *Session) visible() []*Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var tools []*Tool
	for i := range s.server.Tools {
		if t := &s.server.Tools[i]; !t.Hidden || s.shown[t.Name] {
			tools = append(tools, t)
		}
	}
	return tools
}

func (s *Session) findTool(name string) *Tool {
	t := s.server.tool(name)
	if t == nil || !t.Hidden {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shown[name] {
		return nil
	}
	return t
}

// toolListing is a tool as a list shows it.
type toolListing struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations *ToolHints      `json:"annotations,omitempty"`
	Icons       []Icon          `json:"icons,omitempty"`
}

// listing describes the tool with what the revision has.
func (t *Tool) listing(r Revision) toolListing {
	l := toolListing{Name: t.Name, Description: t.Description, Input: json.RawMessage(t.Input)}
	if r.Has(Annotations) {
		l.Annotations = t.Annotations
	}
	if r.Has(Titles) {
		l.Title = t.Title
	}
	if r.Has(Structured) && t.Output != "" {
		l.Output = json.RawMessage(t.Output)
	}
	if r.Has(Icons) {
		l.Icons = t.Icons
	}
	return l
}

func listTools(_ context.Context, c *Call) (any, error) {
	r := c.Revision()
	var all []toolListing
	for _, t := range c.session.visible() {
		all = append(all, t.listing(r))
	}
	return list(c, "tools", all)
}

func toolWaits(s *Session, m Message) bool {
	token, _ := jsonrpc.Member(m.Params, "name")
	name, _ := jsonrpc.Unquote(token)
	t := s.findTool(name)
	return t != nil && t.Waits
}

// declared returns the arguments that the schema names. Decoding a struct takes
// "LIMIT" for "limit", which the check of the schema has not seen.
func (t *Tool) declared(args json.RawMessage) json.RawMessage {
	properties, ok := jsonrpc.Member([]byte(t.Input), "properties")
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
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	if params.Name == nil {
		return nil, invalidParams("name is missing")
	}
	t := c.session.findTool(*params.Name)
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
		if r.Has(ArgumentErrorsInResult) {
			return Failed("invalid arguments: %v", err), nil
		}
		return nil, invalidParams("invalid arguments: %v", err)
	}
	c.Args = t.declared(c.Args)
	result, err := t.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	result.Content = fitAll(result.Content, r)
	if !r.Has(Structured) {
		result.Structured = nil
	}
	return result, nil
}
