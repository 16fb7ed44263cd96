package peer

import (
	"context"
	"strings"
)

// maxCompletions is how many values an answer may hold.
const maxCompletions = 100

type completeParams struct {
	Ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"ref"`
	Argument struct {
		Name  *string `json:"name"`
		Value string  `json:"value"`
	} `json:"argument"`
	Context struct {
		Arguments map[string]string `json:"arguments"`
	} `json:"context"`
}

func complete(_ context.Context, c *Call) (any, error) {
	var params completeParams
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	if params.Argument.Name == nil {
		return nil, invalidParams("argument.name is missing")
	}
	completer, err := c.completer(params)
	if err != nil {
		return nil, err
	}
	others := params.Context.Arguments
	if !completionContext.In(c.Revision()) {
		others = nil
	}
	values := []string{}
	if completer != nil {
		for _, v := range completer(others) {
			if strings.HasPrefix(strings.ToLower(v), strings.ToLower(params.Argument.Value)) {
				values = append(values, v)
			}
		}
	}
	total := len(values)
	return map[string]any{"completion": map[string]any{
		"values":  values[:min(total, maxCompletions)],
		"total":   total,
		"hasMore": total > maxCompletions,
	}}, nil
}

// completer returns the completer of an argument, or nil.
func (c *Call) completer(params completeParams) (Completer, error) {
	name := *params.Argument.Name
	switch params.Ref.Type {
	case "ref/prompt":
		p, err := c.prompt(params.Ref.Name)
		if err != nil {
			return nil, err
		}
		for _, a := range p.Arguments {
			if a.Name == name {
				return a.Complete, nil
			}
		}
	case "ref/resource":
		t := c.server().template(params.Ref.URI)
		if t == nil {
			return nil, invalidParams("unknown template: %s", params.Ref.URI)
		}
		if completer, ok := t.Complete[name]; ok {
			return completer, nil
		}
	default:
		return nil, invalidParams("ref.type must be ref/prompt or ref/resource")
	}
	return nil, invalidParams("no such argument: %s", name)
}

func (s *Server) template(uri string) *Template {
	for i := range s.Templates {
		if s.Templates[i].URI == uri {
			return &s.Templates[i]
		}
	}
	return nil
}
