package resources

import (
	"slices"

	"github.com/yosida95/uritemplate/v3"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// completions holds the values that the server has proposed for templates with a single variable.
type completions struct{ of []completedTemplate }

type completedTemplate struct {
	text   string
	parsed *uritemplate.Template
	values []string
}

// The bounds of the memory of completions: the oldest are dropped.
const (
	maxCompleted       = 50
	maxCompletedValues = 200
	maxCompletedText   = 1024 // bytes of a template, and of a value
)

func watchCompletions(c *lint.Context) {
	ref := jsonrpc.Get(c.M.Request.Params, "ref")
	text := jsonrpc.Text(ref, "uri")
	if jsonrpc.Text(ref, "type") != "ref/resource" || text == "" || len(text) > maxCompletedText {
		return
	}
	lint.Own[completions](c.St).add(text, jsonrpc.Get(c.M.Result, "completion", "values"))
}

// add remembers the values for a template.
func (all *completions) add(text string, proposed []byte) {
	i := slices.IndexFunc(all.of, func(t completedTemplate) bool { return t.text == text })
	if i < 0 {
		parsed, err := uritemplate.New(text)
		if err != nil || len(parsed.Varnames()) != 1 {
			return // a value may fit only some of the others
		}
		if len(all.of) >= maxCompleted {
			all.of = slices.Delete(all.of, 0, 1)
		}
		i = len(all.of)
		all.of = append(all.of, completedTemplate{text: text, parsed: parsed})
	}
	t := &all.of[i]
	for _, value := range jsonrpc.Strings(proposed) {
		if value != "" && len(value) <= maxCompletedText && len(t.values) < maxCompletedValues && !slices.Contains(t.values, value) {
			t.values = append(t.values, value)
		}
	}
}

// completedButMissing reports a missing resource whose URI consists of a template and a
// value that the server has proposed for it.
func completedButMissing(c *lint.Context) {
	if !c.M.Envelope.ErrorCode().Is(revision.CodeResourceNotFound) && !isMissing(c) {
		return
	}
	uri := jsonrpc.Text(c.M.Request.Params, "uri")
	for _, t := range lint.Own[completions](c.St).of {
		name := t.parsed.Varnames()[0]
		for _, value := range t.values {
			if expanded, err := t.parsed.Expand(uritemplate.Values{name: uritemplate.String(value)}); err == nil && expanded == uri {
				c.Report(lint.At("error"), "template", lint.ShownURI(t.text), "value", lint.Escaped(value), "name", lint.Escaped(name))
				return
			}
		}
	}
}
