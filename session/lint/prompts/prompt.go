// Package prompts checks prompts and completion.
package prompts

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint/rule"
)

// Rules check prompts and completion.
var Rules = []rule.Rule{
	{ID: "P001", Limit: rule.PerMessage(rule.SomeEntries), Methods: []string{"prompts/list"}, When: rule.Complete, Message: promptListShape},
	{ID: "P002", Limit: rule.PerMessage(rule.SomeEntries), Methods: []string{"prompts/get"}, Message: func(c *rule.Context) {
		for name, value := range jsonrpc.Members(jsonrpc.Get(c.M.Params, "arguments")) {
			if c.M.IsRequest() && jsonrpc.TypeOf(value) != "string" {
				c.Report(rule.At("params", "arguments", string(name)), "name", rule.Escaped(name), "got", rule.KindOf(value))
			}
		}
	}},
	{ID: "P003", Limit: rule.PerMessage(rule.SomeEntries), Methods: []string{"prompts/get"}, When: rule.Request, Message: missingArgument},
	{ID: "P004", Limit: rule.PerMessage(rule.SomeEntries), Methods: []string{"prompts/get"}, When: rule.Complete, Message: promptMessagesShape},
	{ID: "P005", Limit: rule.PerMessage(rule.SomeEntries), Methods: []string{"prompts/get"}, When: rule.Complete, Message: promptRole},
	{ID: "P006", Methods: []string{"prompts/get"}, Message: promptErrorCode},
	{ID: "P007", Limit: rule.PerMessage(rule.SomeEntries), Methods: []string{"prompts/list"}, Message: func(c *rule.Context) {
		c.Duplicates(func(at rule.Place, name string) { c.Report(at, "name", rule.Escaped(name)) })
	}},
	{ID: "P010", Methods: []string{"completion/complete"}, Message: completionParams},
	{ID: "P011", Methods: []string{"completion/complete"}, When: rule.Complete, Message: completionResult},
}

func promptListShape(c *rule.Context) {
	prompts := jsonrpc.Get(c.M.Result, "prompts")
	if jsonrpc.TypeOf(prompts) != "array" {
		c.Report(rule.At("result", "prompts"), "path", `the array "prompts" of the result`)
		return
	}
	wrong := func(what string, at ...any) {
		c.Report(rule.At(append([]any{"result", "prompts"}, at...)...), "path", what)
	}
	for i, prompt := range rule.Indexed(prompts) {
		if jsonrpc.TypeOf(jsonrpc.Get(prompt, "name")) != "string" {
			wrong(fmt.Sprintf("the text \"name\" of prompts[%d]", i), i, "name")
		}
		arguments := jsonrpc.Get(prompt, "arguments")
		if arguments != nil && jsonrpc.TypeOf(arguments) != "array" {
			wrong(fmt.Sprintf("the array \"arguments\" of prompts[%d]", i), i, "arguments")
		}
		for j, argument := range rule.Indexed(arguments) {
			if jsonrpc.TypeOf(jsonrpc.Get(argument, "name")) != "string" {
				wrong(fmt.Sprintf("the text \"name\" of prompts[%d].arguments[%d]", i, j), i, "arguments", j, "name")
			}
			if required := jsonrpc.Get(argument, "required"); required != nil && jsonrpc.TypeOf(required) != "boolean" {
				wrong(fmt.Sprintf("the boolean \"required\" of prompts[%d].arguments[%d]", i, j), i, "arguments", j, "required")
			}
		}
	}
}

func missingArgument(c *rule.Context) {
	l := c.St.Lists["prompts/list"]
	if !l.Known() {
		return
	}
	name := jsonrpc.Text(c.M.Params, "name")
	for argument := range jsonrpc.Elements(jsonrpc.Get(l.Named(name), "arguments")) {
		arg, ok := jsonrpc.Unquote(jsonrpc.Get(argument, "name"))
		required := string(jsonrpc.Get(argument, "required")) == "true"
		if ok && required && !rule.Has(jsonrpc.Get(c.M.Params, "arguments"), arg) {
			c.Report(rule.At("params", "arguments", arg), "name", rule.Escaped(name), "arg", rule.Escaped(arg))
		}
	}
}

func promptMessagesShape(c *rule.Context) {
	messages := jsonrpc.Get(c.M.Result, "messages")
	if jsonrpc.TypeOf(messages) != "array" {
		c.Report(rule.At("result", "messages"), "index", "list", "reason", `the result has no array "messages"`)
		return
	}
	wrong := func(i int, reason string, at ...any) {
		c.Report(rule.At(append([]any{"result", "messages", i}, at...)...), "index", i, "reason", reason)
	}
	for i, message := range rule.Indexed(messages) {
		if jsonrpc.TypeOf(message) != "object" {
			wrong(i, "it is "+rule.KindOf(message)+", not an object")
			continue
		}
		if jsonrpc.TypeOf(jsonrpc.Get(message, "role")) != "string" {
			wrong(i, `it has no text "role"`, "role")
		}
		switch content := jsonrpc.Get(message, "content"); jsonrpc.TypeOf(content) {
		case "object":
		case "":
			wrong(i, `it has no "content"`, "content")
		default:
			wrong(i, "content is "+rule.KindOf(content)+", not one block", "content")
		}
	}
}

func promptRole(c *rule.Context) {
	for i, message := range rule.Indexed(jsonrpc.Get(c.M.Result, "messages")) {
		role, ok := jsonrpc.Unquote(jsonrpc.Get(message, "role"))
		if ok && role != "user" && role != "assistant" {
			c.Report(rule.At("result", "messages", i, "role"), "got", rule.Escaped(role))
		}
	}
}

// promptErrorCode goes by the words of the error, as R006 does.
func promptErrorCode(c *rule.Context) {
	code := c.M.Envelope.Code
	if !c.M.IsError() || code == jsonrpc.CodeInvalidParams {
		return
	}
	text := strings.ToLower(jsonrpc.Text(c.M.Error, "message"))
	unknown := strings.Contains(text, "prompt") && rule.DescribesMissing(text, "prompt")
	argument := rule.ContainsAny(text, "missing", "required") && strings.Contains(text, "argument")
	if unknown || argument {
		c.Report(rule.At("error", "code"), "got", code)
	}
}

func completionParams(c *rule.Context) {
	if k := jsonrpc.TypeOf(c.M.Params); !c.M.IsRequest() || k != "" && k != "object" {
		return
	}
	reason, at := completionFault(c.M.Params)
	if reason != "" {
		c.Report(rule.At(append([]any{"params"}, at...)...), "reason", reason)
	}
}

// completionFault says why the params are invalid, and where.
func completionFault(params []byte) (reason string, at []any) {
	ref, argument := jsonrpc.Get(params, "ref"), jsonrpc.Get(params, "argument")
	if jsonrpc.TypeOf(ref) != "object" {
		return "ref is " + rule.KindOf(ref), []any{"ref"}
	}
	member := map[string]string{"ref/prompt": "name", "ref/resource": "uri"}[jsonrpc.Text(ref, "type")]
	switch {
	case jsonrpc.TypeOf(jsonrpc.Get(ref, "type")) != "string":
		return "ref.type is " + rule.KindOf(jsonrpc.Get(ref, "type")), []any{"ref", "type"}
	case member == "":
		return "ref.type is " + rule.ShownValue(jsonrpc.Get(ref, "type")), []any{"ref", "type"}
	case jsonrpc.TypeOf(jsonrpc.Get(ref, member)) != "string":
		return "ref." + member + " is " + rule.KindOf(jsonrpc.Get(ref, member)), []any{"ref", member}
	case jsonrpc.TypeOf(argument) != "object":
		return "argument is " + rule.KindOf(argument), []any{"argument"}
	}
	for _, member := range []string{"name", "value"} {
		if v := jsonrpc.Get(argument, member); jsonrpc.TypeOf(v) != "string" {
			return "argument." + member + " is " + rule.KindOf(v), []any{"argument", member}
		}
	}
	return "", nil
}

func completionResult(c *rule.Context) {
	const maxValues = 100
	values := jsonrpc.Get(c.M.Result, "completion", "values")
	if jsonrpc.TypeOf(values) != "array" {
		c.Report(rule.At("result", "completion", "values"), "reason", "lacks the array completion.values")
		return
	}
	count := 0
	for i, v := range rule.Indexed(values) {
		count++
		if jsonrpc.TypeOf(v) != "string" {
			c.Report(rule.At("result", "completion", "values", i), "reason", fmt.Sprintf("has %s in completion.values", rule.KindOf(v)))
			return
		}
	}
	if count > maxValues {
		c.Report(rule.At("result", "completion", "values"), "reason", fmt.Sprintf("has %d values", count))
	}
}
