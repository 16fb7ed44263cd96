package main

import (
	"context"
	"encoding/json"

	"mcptea/client"
)

// plain are the scenarios that any revision may have.
var plain = map[string]scenario{
	"initialize": func(ctx context.Context, t task) error {
		return with(ctx, t, client.Config{}, func(c *client.Client) error { return list(ctx, c, client.Tools) })
	},
	"tools_call": func(ctx context.Context, t task) error {
		return with(ctx, t, client.Config{}, func(c *client.Client) error {
			if err := list(ctx, c, client.Tools); err != nil {
				return err
			}
			return tool(ctx, c, "add_numbers", `{"a":5,"b":3}`)
		})
	},
	"elicitation-sep1034-client-defaults": func(ctx context.Context, t task) error {
		return asking(ctx, t, []byte(`{"action":"accept","content":{}}`), func(c *client.Client) error {
			if err := list(ctx, c, client.Tools); err != nil {
				return err
			}
			return tool(ctx, c, "test_client_elicitation_defaults", `{}`)
		})
	},
	"sse-retry": func(ctx context.Context, t task) error {
		return with(ctx, t, client.Config{}, func(c *client.Client) error {
			if err := list(ctx, c, client.Tools); err != nil {
				return err
			}
			return tool(ctx, c, "test_reconnection", `{}`)
		})
	},
}

// with connects, does something and closes the connection.
func with(ctx context.Context, t task, cfg client.Config, do func(*client.Client) error) error {
	c, err := connect(ctx, t, cfg)
	if err != nil {
		return err
	}
	defer hangUp(c)
	return do(c)
}

func list(ctx context.Context, c *client.Client, kind client.ListKind) error {
	_, err := c.List(ctx, kind)
	return err
}

// tool calls a tool with arguments in JSON.
func tool(ctx context.Context, c *client.Client, name, arguments string) error {
	params := client.Params(map[string]any{"name": name, "arguments": json.RawMessage(arguments)})
	answer, err := c.Call(ctx, "tools/call", params)
	if err == nil {
		err = answer.Err()
	}
	return err
}
