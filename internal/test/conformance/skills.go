package main

import (
	"context"
	"fmt"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/skill"
)

// skills are the scenarios of the skills extension.
var skills = map[string]scenario{
	"sep-2640-client-no-prefetch": func(ctx context.Context, t task) error {
		return with(ctx, t, client.Config{}, func(c *client.Client) error {
			_, err := listSkills(ctx, c)
			return err
		})
	},
	"sep-2640-client-verify-digest":      loadSkills,
	"sep-2640-client-verify-size":        loadSkills,
	"sep-2640-client-verify-frontmatter": loadSkills,
}

func listSkills(ctx context.Context, c *client.Client) ([]skill.Entry, error) {
	answer, err := c.Call(ctx, skill.Method, nil)
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		return nil, err
	}
	return skill.List(answer.Result())
}

// loadSkills reads every file of every skill, the SKILL.md first, and stops at
// the first that is not what the list says.
func loadSkills(ctx context.Context, t task) error {
	return with(ctx, t, client.Config{}, func(c *client.Client) error {
		entries, err := listSkills(ctx, c)
		if err != nil {
			return err
		}
		for _, e := range entries {
			for _, f := range e.Files {
				content, err := read(ctx, c, f.URI)
				if err == nil {
					err = e.Verify(f.URI, content)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// read returns the text of a resource.
func read(ctx context.Context, c *client.Client, uri string) ([]byte, error) {
	answer, err := c.Call(ctx, "resources/read", client.Params(map[string]string{"uri": uri}))
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		return nil, err
	}
	contents, _ := jsonrpc.Member(answer.Result(), "contents")
	for item := range jsonrpc.Elements(contents) {
		value, _ := jsonrpc.Member(item, "text")
		if text, ok := jsonrpc.Unquote(value); ok {
			return []byte(text), nil
		}
	}
	return nil, fmt.Errorf("%s has no text", uri)
}
