package peer

import (
	"context"
	"slices"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
)

// fit is the prompt with what the revision has.
func (p Prompt) fit(r revision.Revision) Prompt {
	keep(titles.In(r), &p.Title)
	keep(icons.In(r), &p.Icons)
	p.Arguments = slices.Clone(p.Arguments)
	for i := range p.Arguments {
		keep(titles.In(r), &p.Arguments[i].Title)
	}
	return p
}

func listPrompts(_ context.Context, c *Call) (any, error) {
	r := c.Revision()
	var all []Prompt
	for _, p := range c.server().Prompts {
		if c.visible("prompts", p.Name, p.Visible) {
			all = append(all, p.fit(r))
		}
	}
	return list(c, "prompts", all)
}

func (c *Call) prompt(name string) (*Prompt, error) {
	for i := range c.server().Prompts {
		if p := &c.server().Prompts[i]; p.Name == name && c.visible("prompts", name, p.Visible) {
			return p, nil
		}
	}
	return nil, invalidParams("unknown prompt: %s", name)
}

func promptWaits(c *Call) bool {
	token, _ := jsonrpc.Member(c.message.Params, "name")
	name, _ := jsonrpc.Unquote(token)
	p, err := c.prompt(name)
	return err == nil && p.Ask != nil
}

func getPrompt(ctx context.Context, c *Call) (any, error) {
	var params struct {
		Name      *string           `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	if params.Name == nil {
		return nil, invalidParams("name is missing")
	}
	p, err := c.prompt(*params.Name)
	if err != nil {
		return nil, err
	}
	for _, a := range p.Arguments {
		if _, ok := params.Arguments[a.Name]; a.Required && !ok {
			return nil, invalidParams("argument %s is required", a.Name)
		}
	}
	r := c.Revision()
	messages, err := c.messages(ctx, p, params.Arguments)
	if err != nil {
		return nil, err
	}
	for i := range messages {
		messages[i].Content = messages[i].Content.fit(r)
	}
	return struct {
		Description string          `json:"description,omitempty"`
		Messages    []PromptMessage `json:"messages"`
	}{p.Description, messages}, nil
}

func (c *Call) messages(ctx context.Context, p *Prompt, args map[string]string) ([]PromptMessage, error) {
	if p.Ask == nil {
		return p.Get(args), nil
	}
	if err := c.resume(); err != nil {
		return nil, err
	}
	return p.Ask(ctx, c, args)
}
