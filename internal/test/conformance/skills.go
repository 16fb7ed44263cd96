package main

import (
	"context"
	"fmt"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/offer/skill"
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
	answer, err := c.Call(ctx, revision.Skills.Method, nil)
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		return nil, err
	}
	var entries []skill.Entry
	for item := range jsonrpc.Elements(jsonrpc.Get(answer.Result(), revision.Skills.Member)) {
		entries = append(entries, skill.Parse(item))
	}
	return entries, nil
}

// loadSkills reads every file of every skill, starting with SKILL.md, and stops at the first that does not
// match the list.
func loadSkills(ctx context.Context, t task) error {
	return with(ctx, t, client.Config{}, func(c *client.Client) error {
		entries, err := listSkills(ctx, c)
		if err != nil {
			return err
		}
		for _, e := range entries {
			for _, f := range e.Files {
				verdict, err := read(ctx, c, &e, f.URI)
				if err == nil && verdict.State != skill.Verified {
					err = fmt.Errorf("%s differs from its entry: %v", f.URI, verdict.Failures)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// read reads a file, and compares it with the entry of its skill.
func read(ctx context.Context, c *client.Client, e *skill.Entry, uri string) (skill.Verdict, error) {
	answer, err := c.Call(ctx, "resources/read", client.Params(map[string]string{"uri": uri}))
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		return skill.Verdict{}, err
	}
	_, verdict := e.VerifyResult(uri, answer.Result())
	return verdict, nil
}
