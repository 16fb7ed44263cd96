// Package prompts checks prompts and completion.
package prompts

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/checks/lint"
)

// Rules check prompts and completion.
var Rules = []lint.Rule{
	{ID: "P003", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"prompts/get"}, When: lint.Request, Message: missingArgument},
	{ID: "P004", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"prompts/get"}, When: lint.Complete, Message: promptMessagesShape},
	{ID: "P006", Methods: []string{"prompts/get"}, Message: promptErrorCode},
	{ID: "P007", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"prompts/list"}, Message: func(c *lint.Context) {
		c.Duplicates(func(at lint.Place, name string) { c.Report(at, "name", lint.Escaped(name)) })
	}},
	{ID: "P010", Methods: []string{"completion/complete"}, Message: completionParams},
	{ID: "P011", Methods: []string{"completion/complete"}, When: lint.Complete, Message: completionResult},
	{ID: "P012", Methods: []string{"completion/complete"}, When: lint.Complete, Message: completionTotal},
}

func missingArgument(c *lint.Context) {
	l := c.St.Lists["prompts/list"]
	if !l.Known() {
		return
	}
	name := c.M.Text(c.M.Params, "name")
	for argument := range jsonrpc.Elements(jsonrpc.Get(l.Named(name), "arguments")) {
		arg, ok := jsonrpc.Unquote(jsonrpc.Get(argument, "name"))
		required := string(jsonrpc.Get(argument, "required")) == "true"
		if ok && required && !lint.Has(c.M.Get(c.M.Params, "arguments"), arg) {
			c.Report(lint.At("params", "arguments", arg), "name", lint.Escaped(name), "arg", lint.Escaped(arg))
		}
	}
}

func promptMessagesShape(c *lint.Context) {
	messages := c.M.Get(c.M.Result, "messages")
	if jsonrpc.TypeOf(messages) != "array" {
		c.Report(lint.At("result", "messages"), "index", "list", "reason", `the result has no array "messages"`)
		return
	}
	wrong := func(i int, reason string, at ...any) {
		c.Report(lint.At(append([]any{"result", "messages", i}, at...)...), "index", i, "reason", reason)
	}
	for i, message := range lint.Indexed(messages) {
		if jsonrpc.TypeOf(message) != "object" {
			wrong(i, "it is "+lint.KindOf(message)+", not an object")
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
			wrong(i, "content is "+lint.KindOf(content)+", not one block", "content")
		}
	}
}

// promptErrorCode goes by the words of the error, as R006 does.
func promptErrorCode(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if !ok || code == jsonrpc.CodeInvalidParams {
		return
	}
	text := strings.ToLower(c.M.Text(c.M.Error, "message"))
	unknown := strings.Contains(text, "prompt") && lint.DescribesMissing(text, "prompt")
	argument := lint.ContainsAny(text, "missing", "required") && strings.Contains(text, "argument")
	if unknown || argument {
		c.Report(lint.At("error", "code"), "got", code)
	}
}

func completionParams(c *lint.Context) {
	if k := jsonrpc.TypeOf(c.M.Params); !c.M.IsRequest() || k != "" && k != "object" {
		return
	}
	reason, at := completionFault(c.M.Params)
	if reason != "" {
		c.Report(lint.At(append([]any{"params"}, at...)...), "reason", reason)
	}
}

// completionFault says why the params are invalid, and where.
func completionFault(params []byte) (reason string, at []any) {
	ref, argument := jsonrpc.Get(params, "ref"), jsonrpc.Get(params, "argument")
	if jsonrpc.TypeOf(ref) != "object" {
		return "ref is " + lint.KindOf(ref), []any{"ref"}
	}
	member := map[string]string{"ref/prompt": "name", "ref/resource": "uri"}[jsonrpc.Text(ref, "type")]
	switch {
	case jsonrpc.TypeOf(jsonrpc.Get(ref, "type")) != "string":
		return "ref.type is " + lint.KindOf(jsonrpc.Get(ref, "type")), []any{"ref", "type"}
	case member == "":
		return "ref.type is " + lint.ShownValue(jsonrpc.Get(ref, "type")), []any{"ref", "type"}
	case jsonrpc.TypeOf(jsonrpc.Get(ref, member)) != "string":
		return "ref." + member + " is " + lint.KindOf(jsonrpc.Get(ref, member)), []any{"ref", member}
	case jsonrpc.TypeOf(argument) != "object":
		return "argument is " + lint.KindOf(argument), []any{"argument"}
	}
	for _, member := range []string{"name", "value"} {
		if v := jsonrpc.Get(argument, member); jsonrpc.TypeOf(v) != "string" {
			return "argument." + member + " is " + lint.KindOf(v), []any{"argument", member}
		}
	}
	return "", nil
}

func completionResult(c *lint.Context) {
	const maxValues = 100
	values := jsonrpc.Get(c.M.Result, "completion", "values")
	if jsonrpc.TypeOf(values) != "array" {
		c.Report(lint.At("result", "completion", "values"), "reason", "lacks the array completion.values")
		return
	}
	count := 0
	for i, v := range lint.Indexed(values) {
		count++
		if jsonrpc.TypeOf(v) != "string" {
			c.Report(lint.At("result", "completion", "values", i), "reason", fmt.Sprintf("has %s in completion.values", lint.KindOf(v)))
			return
		}
	}
	if count > maxValues {
		c.Report(lint.At("result", "completion", "values"), "reason", fmt.Sprintf("has %d values", count))
	}
}

// completionTotal finds a total that is smaller than what is there.
func completionTotal(c *lint.Context) {
	var count int64
	for range jsonrpc.Elements(jsonrpc.Get(c.M.Result, "completion", "values")) {
		count++
	}
	if total, ok := jsonrpc.Integer(jsonrpc.Get(c.M.Result, "completion", "total")); ok && total < count {
		c.Report(lint.At("result", "completion", "total"), "total", total, "count", count)
	}
}
