package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// stateless maps names to the scenarios about stateless requests.
var stateless = map[string]scenario{
	"request-metadata": func(ctx context.Context, t task) error {
		return with(ctx, t, client.Config{}, func(c *client.Client) error { return list(ctx, c, client.Tools) })
	},
	"sep-2322-client-request-state": rounds,
}

// rounds calls the tools that request input. One of them does so in a way that a client must not accept, so
// errors are expected.
func rounds(ctx context.Context, t task) error {
	return asking(ctx, t, []byte(`{"action":"accept","content":{"confirmed":true}}`), func(c *client.Client) error {
		for _, name := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
			params := client.Params(map[string]any{"name": name, "arguments": map[string]any{}})
			answer, err := c.Do(ctx, c.NewRequest(c.NextID(), "tools/call", params), client.WithInput())
			if err == nil {
				err = answer.Err()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// asking connects with a client that answers each elicitation in the same way.
func asking(ctx context.Context, t task, answer []byte, do func(*client.Client) error) error {
	asked := make(chan client.ServerRequest, 10)
	cfg := client.Config{Elicitation: true, OnServerRequest: func(a client.ServerRequest) { asked <- a }}
	return with(ctx, t, cfg, func(c *client.Client) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go func() {
			for {
				select {
				case a := <-asked:
					_ = c.Respond(ctx, a.ID, withDefaults(answer, a.Params)) // the suite sees whether it came
				case <-ctx.Done():
					return
				}
			}
		}()
		return do(c)
	})
}

// withDefaults adds the form's defaults to the content of an answer, like an unchanged form.
func withDefaults(answer, params []byte) []byte {
	content := map[string]json.RawMessage{}
	given, _ := jsonrpc.Member(answer, "content")
	for name, value := range jsonrpc.Members(given) {
		content[string(name)] = value
	}
	properties, _ := jsonrpc.Member(params, "requestedSchema", "properties")
	for name, schema := range jsonrpc.Members(properties) {
		value, ok := jsonrpc.Member(schema, "default")
		if _, has := content[string(name)]; ok && !has {
			content[string(name)] = value
		}
	}
	return client.Params(map[string]any{"action": "accept", "content": content})
}

// headers maps names to the scenarios about headers that repeat parts of a request.
var headers = map[string]scenario{
	"http-standard-headers":     standardHeaders,
	"http-custom-headers":       customHeaders,
	"http-invalid-tool-headers": invalidTools,
}

func standardHeaders(ctx context.Context, t task) error {
	return with(ctx, t, client.Config{}, func(c *client.Client) error {
		for _, s := range []struct {
			kind                  client.ListKind
			method, member, param string
			more                  map[string]any
		}{
			{client.Tools, "tools/call", "name", "name", map[string]any{"arguments": map[string]any{}}},
			{client.Resources, "resources/read", "uri", "uri", nil},
			{client.Prompts, "prompts/get", "name", "name", map[string]any{"arguments": map[string]any{}}},
		} {
			items, err := c.List(ctx, s.kind)
			if err != nil || len(items) == 0 {
				return fmt.Errorf("%s: %d items, %w", s.kind.Method, len(items), err)
			}
			raw, _ := jsonrpc.Member(items[0], s.member)
			params := map[string]any{s.param: json.RawMessage(raw)}
			for name, value := range s.more {
				params[name] = value
			}
			if _, err := c.Call(ctx, s.method, client.Params(params)); err != nil {
				return err
			}
		}
		return nil
	})
}

// customHeaders makes the calls that the suite names.
func customHeaders(ctx context.Context, t task) error {
	var data struct {
		ToolCalls []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	if err := json.Unmarshal(t.data, &data); err != nil {
		return fmt.Errorf("the calls of the suite: %w", err)
	}
	return with(ctx, t, client.Config{}, func(c *client.Client) error {
		if err := list(ctx, c, client.Tools); err != nil {
			return err
		}
		for _, wanted := range data.ToolCalls {
			if err := tool(ctx, c, wanted.Name, string(wanted.Arguments)); err != nil {
				return err
			}
		}
		return nil
	})
}

// invalidTools calls every tool; the client itself keeps those back that are
// invalid.
func invalidTools(ctx context.Context, t task) error {
	return with(ctx, t, client.Config{}, func(c *client.Client) error {
		tools, err := c.List(ctx, client.Tools)
		if err != nil {
			return err
		}
		for _, raw := range tools {
			value, _ := jsonrpc.Member(raw, "name")
			name, _ := jsonrpc.Unquote(value)
			err := tool(ctx, c, name, `{"region":"us-west1"}`)
			var invalid *client.InvalidToolError
			if errors.As(err, &invalid) {
				fmt.Fprintln(os.Stderr, "# kept back:", invalid)
				continue
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// schemas maps names to the scenarios about the schemas of tools.
var schemas = map[string]scenario{
	"json-schema-ref-no-deref": func(ctx context.Context, t task) error {
		return with(ctx, t, client.Config{}, func(c *client.Client) error { return list(ctx, c, client.Tools) })
	},
	"json-schema-2020-12-preservation": echoSchema,
}

// echoSchema sends a schema back as it came.
func echoSchema(ctx context.Context, t task) error {
	return with(ctx, t, client.Config{}, func(c *client.Client) error {
		tools, err := c.List(ctx, client.Tools)
		if err != nil {
			return err
		}
		for _, raw := range tools {
			name, _ := jsonrpc.Member(raw, "name")
			if !jsonrpc.IsText(name, "json_schema_2020_12_tool") {
				continue
			}
			schema, _ := jsonrpc.Member(raw, "inputSchema")
			return tool(ctx, c, "json_schema_echo", `{"schema":`+string(schema)+`}`)
		}
		return errors.New("there is no tool json_schema_2020_12_tool")
	})
}
