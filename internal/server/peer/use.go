package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Result is the result of a tool.
type Result struct {
	Content    []json.RawMessage `json:"content"`
	Structured any               `json:"structuredContent,omitempty"`
	IsError    bool              `json:"isError,omitempty"`
	Meta       json.RawMessage   `json:"_meta,omitempty"`
}

// PromptMessage is a message of a prompt.
type PromptMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// Textf returns a content block of formatted text.
func Textf(format string, args ...any) json.RawMessage {
	return Encode(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", fmt.Sprintf(format, args...)})
}

// Said returns a result with one text.
func Said(format string, args ...any) Result {
	return Result{Content: []json.RawMessage{Textf(format, args...)}}
}

// failure is the error of a tool that ran and failed.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// Failf returns an error that is sent as the result of a tool that ran and failed.
func Failf(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...)} }

// fitBlock returns a content block in a form that a revision has.
func fitBlock(block json.RawMessage, r revision.Revision) json.RawMessage {
	text := func(name string) string { return jsonrpc.Text(block, name) }
	switch kind := text("type"); {
	case kind == "audio" && !audioContent.In(r):
		return Textf("(%s: audio content came with %s)", text("mimeType"), revision.R20250326)
	case kind == "resource_link" && !resourceLinks.In(r):
		return Textf("%s: %s (resource links came with %s)", text("name"), text("uri"), revision.R20250618)
	}
	return block
}

// declared returns the arguments that the schema names. Decoding a struct takes
// "LIMIT" for "limit", which the check of the schema has not seen.
func (e *Entry) declared(args json.RawMessage) json.RawMessage {
	properties, ok := jsonrpc.Member(e.Wire, "inputSchema", "properties")
	if !ok || e.Unchecked {
		return args
	}
	return jsonrpc.Only(args, func(name string, value []byte) []byte {
		if _, ok := jsonrpc.Member(properties, name); !ok {
			return nil
		}
		return value
	})
}

// defaults returns the values of the schema for the arguments of a tool.
func (e *Entry) defaults() []byte {
	return jsonrpc.Only(jsonrpc.Get(e.Wire, "inputSchema", "properties"), func(_ string, property []byte) []byte {
		return jsonrpc.Get(property, "default")
	})
}

func callTool(ctx context.Context, c *Call) (any, error) {
	name, err := c.param("name")
	if err != nil {
		return nil, err
	}
	var params struct {
		Arguments json.RawMessage `json:"arguments"`
		Task      *taskWish       `json:"task"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	e := c.entry(revision.Tools, name)
	if e == nil {
		return nil, invalidParams("unknown tool: %s", name)
	}
	c.used, c.Args = e, params.Arguments
	switch {
	case len(c.Args) == 0, string(c.Args) == "null":
		c.Args = json.RawMessage("{}")
	case !isObject(c.Args):
		return nil, invalidParams("arguments must be an object")
	}
	if err := e.checkArguments(c.Args); err != nil {
		if !argumentErrorsInResult.In(c.Revision()) {
			return nil, invalidParams("invalid arguments: %v", err)
		}
		r := Said("invalid arguments: %v", err)
		r.IsError = true
		return r, nil
	}
	c.Args = e.declared(c.Args)
	if answer, err := c.asTask(params.Task); answer != nil || err != nil {
		return answer, err
	}
	if err := c.resume(); err != nil {
		return nil, err
	}
	result, err := c.runTool(ctx)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// runTool runs the tool, and returns the result in a form that the revision has.
func (c *Call) runTool(ctx context.Context) (result Result, err error) {
	v, err := c.used.Run(ctx, c)
	var f *failure
	if errors.As(err, &f) {
		result = Said("%s", f.text)
		result.IsError = true
		return result, nil
	}
	if raw, ok := v.(json.RawMessage); ok {
		var structured json.RawMessage // raw, as written
		result.Structured = &structured
		if err = json.Unmarshal(raw, &result); structured == nil {
			result.Structured = nil
		}
	} else if err == nil {
		result = v.(Result)
	}
	if err != nil {
		return Result{}, err
	}
	for i, block := range result.Content {
		result.Content[i] = fitBlock(block, c.Revision())
	}
	if !structured.In(c.Revision()) {
		result.Structured = nil
	}
	return result, nil
}

func getPrompt(ctx context.Context, c *Call) (any, error) {
	name, err := c.param("name")
	if err != nil {
		return nil, err
	}
	var params struct {
		Arguments map[string]string `json:"arguments"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	e := c.entry(revision.Prompts, name)
	if e == nil {
		return nil, invalidParams("unknown prompt: %s", name)
	}
	for argument := range jsonrpc.Elements(jsonrpc.Get(e.Wire, "arguments")) {
		name := jsonrpc.Text(argument, "name")
		if _, ok := params.Arguments[name]; !ok && string(jsonrpc.Get(argument, "required")) == "true" {
			return nil, invalidParams("argument %s is required", name)
		}
	}
	c.used, c.Args = e, Encode(params.Arguments)
	v, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	var messages []PromptMessage
	if err := json.Unmarshal(Encode(v), &messages); err != nil {
		return nil, err
	}
	for i := range messages {
		messages[i].Content = fitBlock(messages[i].Content, c.Revision())
	}
	return struct {
		Description string          `json:"description,omitempty"`
		Messages    []PromptMessage `json:"messages"`
	}{jsonrpc.Text(e.Wire, "description"), messages}, nil
}

func readResource(ctx context.Context, c *Call) (any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return nil, err
	}
	e, values := c.resource(uri)
	if e == nil {
		if f := c.skillFiles()[uri]; f != nil {
			return map[string][]json.RawMessage{"contents": {f.contents(uri)}}, nil
		}
		return nil, c.NotFound("resource not found")
	}
	c.used, c.Args = e, values
	contents, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	return map[string][]json.RawMessage{"contents": {prepend(Encode(contents), struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
	}{uri, jsonrpc.Text(e.Wire, "mimeType")})}}, nil
}

// run runs a prompt or a resource. Only entries that wait may ask the client.
func (c *Call) run(ctx context.Context) (any, error) {
	if c.used.Waits {
		if err := c.resume(); err != nil {
			return nil, err
		}
	}
	return c.used.Run(ctx, c)
}

// NotFound returns the error for a resource that there is not.
func (c *Call) NotFound(message string) *Error {
	uri, _ := c.param("uri")
	code := int64(revision.CodeResourceNotFound)
	if c.terms.modern {
		code = jsonrpc.CodeInvalidParams
	}
	return &Error{Code: code, Message: message, Data: map[string]string{"uri": uri}}
}

// waits reports whether the entry that a request uses takes time.
func (c *Call) waits() bool {
	param, _ := revision.NameParam(c.message.Method)
	key := jsonrpc.Text(c.message.Params, param)
	return slices.ContainsFunc(revision.Lists, func(l revision.List) bool {
		if l.Use != c.message.Method {
			return false
		}
		e := c.entry(l, key)
		return e != nil && e.Waits
	})
}
