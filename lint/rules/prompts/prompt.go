// Package prompts checks prompts and completion.
package prompts

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// Rules check prompts and completion.
var Rules = []lint.Rule{
	{ID: "P003", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"prompts/get"}, When: lint.Request, Message: missingArgument},
	{ID: "P004", Limit: lint.PerMessage(lint.SomeEntries)},
	{ID: "P006", Methods: []string{"prompts/get"}, Message: promptErrorCode},
	{ID: "P007", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"prompts/list"}, Message: func(c *lint.Context) {
		c.Duplicates(func(at lint.Place, name string) { c.Report(at, "name", lint.Escaped(name)) })
	}},
	{ID: "P010"},
	{ID: "P011", Limit: lint.PerMessage(1), Methods: []string{"completion/complete"}, When: lint.Complete, Message: tooManyValues},
	{ID: "P012", Methods: []string{"completion/complete"}, When: lint.Complete, Message: completionTotal},
}

func missingArgument(c *lint.Context) {
	l := c.St.Lists["prompts/list"]
	name := c.M.Text(c.M.Params, "name")
	for argument := range jsonrpc.Elements(jsonrpc.Get(c.Listed(l, name), "arguments")) {
		arg, ok := jsonrpc.Unquote(jsonrpc.Get(argument, "name"))
		required := string(jsonrpc.Get(argument, "required")) == "true"
		if ok && required && !lint.Has(c.M.Get(c.M.Params, "arguments"), arg) {
			c.Report(lint.At("params", "arguments", arg), "name", lint.Escaped(name), "arg", lint.Escaped(arg))
		}
	}
}

// promptErrorCode judges by the words of the error, as R006 does.
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

func tooManyValues(c *lint.Context) {
	const maxValues = 100
	count := 0
	for range jsonrpc.Elements(jsonrpc.Get(c.M.Result, "completion", "values")) {
		count++
	}
	if count > maxValues {
		c.Report(lint.At("result", "completion", "values"), "fault", fmt.Sprintf("completion.values has %d elements", count))
	}
}

// completionTotal compares total with the number of values and with hasMore.
func completionTotal(c *lint.Context) {
	result := jsonrpc.Get(c.M.Result, "completion")
	count := int64(jsonrpc.Count(jsonrpc.Get(result, "values")))
	total, ok := jsonrpc.Integer(jsonrpc.Get(result, "total"))
	more := string(jsonrpc.Get(result, "hasMore"))
	switch {
	case !ok:
	case total < count:
		c.Report(lint.At("result", "completion", "total"), "total", total, "count", phrase.Count(int(count), "value"), "more", "")
	case total == count && more == "true", total > count && more == "false":
		c.Report(lint.At("result", "completion", "hasMore"), "total", total, "count", phrase.Count(int(count), "value"), "more", " and hasMore is "+more)
	}
}
