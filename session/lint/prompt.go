package lint

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
)

// promptRules judge prompts and completion.
var promptRules = []rule{
	{id: "P001", limit: perMessage(someEntries), methods: []string{"prompts/list"}, message: promptListShape},
	{id: "P002", limit: perMessage(someEntries), methods: []string{"prompts/get"}, message: func(c *Context) {
		for name, value := range jsonrpc.Members(Member(c.M.Params, "arguments")) {
			if c.M.IsRequest() && Kind(value) != "string" {
				c.Report(At("params", "arguments", string(name)), "name", escaped(name), "got", kindOf(value))
			}
		}
	}},
	{methods: []string{"prompts/list", "notifications/prompts/list_changed"}, after: func(c *Context) {
		Own[promptList](c.St).stale = c.M.IsNotification()
	}},
	{id: "P003", limit: perMessage(someEntries), methods: []string{"prompts/get"}, message: missingArgument},
	{id: "P004", limit: perMessage(someEntries), methods: []string{"prompts/get"}, message: promptMessagesShape},
	{id: "P005", limit: perMessage(someEntries), methods: []string{"prompts/get"}, message: promptRole},
	{id: "P006", methods: []string{"prompts/get"}, message: promptErrorCode},
	{id: "P007", limit: perMessage(someEntries), methods: []string{"prompts/list"}, message: func(c *Context) {
		c.twice("prompts", "name", func(at Place, name string) { c.Report(at, "name", escaped(name)) })
	}},
	{id: "P010", methods: []string{"completion/complete"}, message: completionParams},
	{id: "P011", methods: []string{"completion/complete"}, message: completionResult},
}

func promptListShape(c *Context) {
	if !c.M.done() {
		return
	}
	prompts := Member(c.M.Result, "prompts")
	if Kind(prompts) != "array" {
		c.Report(At("result", "prompts"), "path", `the array "prompts" of the result`)
		return
	}
	wrong := func(what string, at ...any) {
		c.Report(At(append([]any{"result", "prompts"}, at...)...), "path", what)
	}
	for i, prompt := range numbered(prompts) {
		if Kind(Member(prompt, "name")) != "string" {
			wrong(fmt.Sprintf("the text \"name\" of prompts[%d]", i), i, "name")
		}
		arguments := Member(prompt, "arguments")
		if arguments != nil && Kind(arguments) != "array" {
			wrong(fmt.Sprintf("the array \"arguments\" of prompts[%d]", i), i, "arguments")
		}
		for j, argument := range numbered(arguments) {
			if Kind(Member(argument, "name")) != "string" {
				wrong(fmt.Sprintf("the text \"name\" of prompts[%d].arguments[%d]", i, j), i, "arguments", j, "name")
			}
			if required := Member(argument, "required"); required != nil && Kind(required) != "boolean" {
				wrong(fmt.Sprintf("the boolean \"required\" of prompts[%d].arguments[%d]", i, j), i, "arguments", j, "required")
			}
		}
	}
}

// promptList says whether the server has announced another list since the one
// that is known.
type promptList struct{ stale bool }

func missingArgument(c *Context) {
	l := c.St.Lists["prompts/list"]
	if !c.M.IsRequest() || l == nil || !l.Complete || Own[promptList](c.St).stale {
		return
	}
	name := Text(c.M.Params, "name")
	for argument := range jsonrpc.Elements(Member(l.Named(name), "arguments")) {
		arg, ok := jsonrpc.Unquote(Member(argument, "name"))
		required := string(Member(argument, "required")) == "true"
		if ok && required && !has(Member(c.M.Params, "arguments"), arg) {
			c.Report(At("params", "arguments", arg), "name", escaped(name), "arg", escaped(arg))
		}
	}
}

func promptMessagesShape(c *Context) {
	if !c.M.done() {
		return
	}
	messages := Member(c.M.Result, "messages")
	if Kind(messages) != "array" {
		c.Report(At("result", "messages"), "index", "list", "reason", `the result has no array "messages"`)
		return
	}
	wrong := func(i int, reason string, at ...any) {
		c.Report(At(append([]any{"result", "messages", i}, at...)...), "index", i, "reason", reason)
	}
	for i, message := range numbered(messages) {
		if Kind(message) != "object" {
			wrong(i, "it is "+kindOf(message)+", not an object")
			continue
		}
		if Kind(Member(message, "role")) != "string" {
			wrong(i, `it has no text "role"`, "role")
		}
		switch content := Member(message, "content"); Kind(content) {
		case "object":
		case "":
			wrong(i, `it has no "content"`, "content")
		default:
			wrong(i, "content is "+kindOf(content)+", not one block", "content")
		}
	}
}

func promptRole(c *Context) {
	if !c.M.done() {
		return
	}
	for i, message := range numbered(Member(c.M.Result, "messages")) {
		role, ok := jsonrpc.Unquote(Member(message, "role"))
		if ok && role != "user" && role != "assistant" {
			c.Report(At("result", "messages", i, "role"), "got", escaped(role))
		}
	}
}

// promptErrorCode goes by the words of the error, as R006 does.
func promptErrorCode(c *Context) {
	code := c.M.Envelope.Code
	if !c.M.IsError() || code == jsonrpc.CodeInvalidParams {
		return
	}
	text := strings.ToLower(Text(c.M.Error, "message"))
	unknown := strings.Contains(text, "prompt") && saysMissing(text, "prompt")
	argument := containsAny(text, "missing", "required") && strings.Contains(text, "argument")
	if unknown || argument {
		c.Report(At("error", "code"), "got", code)
	}
}

func completionParams(c *Context) {
	if k := Kind(c.M.Params); !c.M.IsRequest() || k != "" && k != "object" {
		return
	}
	reason, at := completionFault(c.M.Params)
	if reason != "" {
		c.Report(At(append([]any{"params"}, at...)...), "reason", reason)
	}
}

// completionFault is the first thing that is wrong with the params, and where.
func completionFault(params []byte) (reason string, at []any) {
	ref, argument := Member(params, "ref"), Member(params, "argument")
	if Kind(ref) != "object" {
		return "ref is " + kindOf(ref), []any{"ref"}
	}
	member := map[string]string{"ref/prompt": "name", "ref/resource": "uri"}[Text(ref, "type")]
	switch {
	case Kind(Member(ref, "type")) != "string":
		return "ref.type is " + kindOf(Member(ref, "type")), []any{"ref", "type"}
	case member == "":
		return "ref.type is " + shownValue(Member(ref, "type")), []any{"ref", "type"}
	case Kind(Member(ref, member)) != "string":
		return "ref." + member + " is " + kindOf(Member(ref, member)), []any{"ref", member}
	case Kind(argument) != "object":
		return "argument is " + kindOf(argument), []any{"argument"}
	}
	for _, member := range []string{"name", "value"} {
		if v := Member(argument, member); Kind(v) != "string" {
			return "argument." + member + " is " + kindOf(v), []any{"argument", member}
		}
	}
	return "", nil
}

func completionResult(c *Context) {
	if !c.M.done() {
		return
	}
	const most = 100
	values := Member(c.M.Result, "completion", "values")
	if Kind(values) != "array" {
		c.Report(At("result", "completion", "values"), "reason", "lacks the array completion.values")
		return
	}
	count := 0
	for i, v := range numbered(values) {
		count++
		if Kind(v) != "string" {
			c.Report(At("result", "completion", "values", i), "reason", fmt.Sprintf("has %s in completion.values", kindOf(v)))
			return
		}
	}
	if count > most {
		c.Report(At("result", "completion", "values"), "reason", fmt.Sprintf("has %d values", count))
	}
}
