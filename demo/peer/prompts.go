package peer

import "context"

type promptListing struct {
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Arguments   []argumentListing `json:"arguments,omitempty"`
	Icons       []Icon            `json:"icons,omitempty"`
}

type argumentListing struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// listing describes the prompt with what the revision has.
func (p *Prompt) listing(r Revision) promptListing {
	l := promptListing{Name: p.Name, Description: p.Description}
	for _, a := range p.Arguments {
		al := argumentListing{Name: a.Name, Description: a.Description, Required: a.Required}
		if r.Has(Titles) {
			al.Title = a.Title
		}
		l.Arguments = append(l.Arguments, al)
	}
	if r.Has(Titles) {
		l.Title = p.Title
	}
	if r.Has(Icons) {
		l.Icons = p.Icons
	}
	return l
}

func listPrompts(_ context.Context, c *Call) (any, error) {
	r := c.Revision()
	var all []promptListing
	for i := range c.session.server.Prompts {
		all = append(all, c.session.server.Prompts[i].listing(r))
	}
	return list(c, "prompts", all)
}

func (s *Server) prompt(name string) (*Prompt, error) {
	for i := range s.Prompts {
		if s.Prompts[i].Name == name {
			return &s.Prompts[i], nil
		}
	}
	return nil, invalidParams("unknown prompt: %s", name)
}

func getPrompt(_ context.Context, c *Call) (any, error) {
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
	p, err := c.session.server.prompt(*params.Name)
	if err != nil {
		return nil, err
	}
	for _, a := range p.Arguments {
		if _, ok := params.Arguments[a.Name]; a.Required && !ok {
			return nil, invalidParams("argument %s is required", a.Name)
		}
	}
	r := c.Revision()
	messages := p.Get(params.Arguments)
	for i := range messages {
		messages[i].Content = messages[i].Content.fit(r)
	}
	return struct {
		Description string          `json:"description,omitempty"`
		Messages    []PromptMessage `json:"messages"`
	}{p.Description, messages}, nil
}
