package probes

import (
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// argument is an argument of a prompt.
type argument struct {
	name     string
	required bool
}

func argumentsOf(prompt []byte) []argument {
	var all []argument
	list, _ := jsonrpc.Member(prompt, "arguments")
	for a := range jsonrpc.Elements(list) {
		required, _ := jsonrpc.Member(a, "required")
		all = append(all, argument{jsonrpc.Text(a, "name"), string(required) == "true"})
	}
	return all
}

func promptRefusals(r *probe.Run) {
	c := r.Shared()
	try(r, ask, named("prompts/get of the unknown prompt ", []string{"mcptea-no-such-prompt", "constructor"}, func(name string) sample {
		return sample{method: "prompts/get", params: `{"name":` + probe.JSON(name) + `,"arguments":{}}`}
	}),
		verdict{hasMessages, lint.Error, "prompts/get of the unknown prompt \"{what}\" returns messages."},
		verdict{errorBut(jsonrpc.CodeInvalidParams), lint.Info, "prompts/get of an unknown prompt returns error {code}; -32602 is expected."})
	for _, p := range r.Server.Items(client.Prompts) {
		name := jsonrpc.Text(p, "name")
		required := ""
		for _, a := range argumentsOf(p) {
			if a.required {
				required = a.name
			}
		}
		if required == "" {
			continue
		}
		o := r.Ask(c, "prompts/get of "+name+" without the argument "+required, c.Request("prompts/get", `{"name":`+probe.JSON(name)+`,"arguments":{}}`))
		if o.Member("messages") != nil {
			r.About(lint.Warn, "prompt:"+name, "The prompt %q returns messages without its required argument %q.", name, required)
		}
		return
	}
}

// hasMessages is the result of prompts/get.
func hasMessages(_ *probe.Run, _ sample, o probe.Outcome) bool { return o.Member("messages") != nil }

const maxPrompts = 5

// promptArguments are arguments for a prompt: the first completion, or a word.
func promptArguments(r *probe.Run, c *probe.Conn, prompt []byte) string {
	var parts []string
	name := jsonrpc.Text(prompt, "name")
	for _, a := range argumentsOf(prompt) {
		value := probe.TextFor(a.name)
		if r.Server.Has("completions") {
			o := r.Ask(c, "completion of "+a.name+" of "+name, c.Request("completion/complete", completion(`{"type":"ref/prompt","name":`+probe.JSON(name)+`}`, a.name, "")))
			for v := range jsonrpc.Elements(o.Member("completion", "values")) {
				if text, ok := jsonrpc.Unquote(v); ok {
					value = text
				}
				break
			}
		}
		parts = append(parts, probe.JSON(a.name)+":"+probe.JSON(value))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func getValid(r *probe.Run) {
	items := r.Server.Items(client.Prompts)
	if r.SkipIf(len(items) == 0, "no prompts") {
		return
	}
	c := r.Shared()
	for _, p := range items[:min(len(items), maxPrompts)] {
		name := jsonrpc.Text(p, "name")
		arguments := promptArguments(r, c, p)
		o := r.Ask(c, "prompts/get of "+name, c.Request("prompts/get", `{"name":`+probe.JSON(name)+`,"arguments":`+arguments+`}`))
		subject := "prompt:" + name
		switch messages := o.Member("messages"); {
		case o.Kind == probe.Error:
			r.About(lint.Info, subject, "prompts/get of %s fails with error %s: %s", name, o.ShownCode(), o.Message)
		case o.Kind == probe.Result && string(o.Member("resultType")) == `"input_required"`:
		case o.Kind == probe.Result && (messages == nil || messages[0] != '['):
			r.About(lint.Error, subject, "The result of prompts/get of %s has no array of messages.", name)
		}
		for m := range jsonrpc.Elements(o.Member("messages")) {
			if role := jsonrpc.Text(m, "role"); role != "user" && role != "assistant" {
				r.About(lint.Error, subject, "A message of the prompt %s has the role %q; only user and assistant exist.", name, role)
			}
			if content, ok := jsonrpc.Member(m, "content"); !ok || content[0] != '{' {
				r.About(lint.Error, subject, "A message of the prompt %s has no object as content.", name)
			}
		}
	}
}

func completion(ref, name, value string) string {
	return `{"ref":` + ref + `,"argument":{"name":` + probe.JSON(name) + `,"value":` + probe.JSON(value) + `}}`
}

var templateName = lazyregexp.New(`\{[+#./;?&]?([A-Za-z0-9_.%]+)[*:,0-9]*\}`)

const maxCompletions = 10

func completionValid(r *probe.Run) {
	c := r.Shared()
	type request struct{ ref, name, subject string }
	var all []request
	for _, p := range r.Server.Items(client.Prompts) {
		for _, a := range argumentsOf(p) {
			name := jsonrpc.Text(p, "name")
			all = append(all, request{`{"type":"ref/prompt","name":` + probe.JSON(name) + `}`, a.name, "prompt:" + name})
		}
	}
	for _, t := range r.Server.Items(client.Templates) {
		template := jsonrpc.Text(t, "uriTemplate")
		for _, m := range templateName().FindAllStringSubmatch(template, -1) {
			all = append(all, request{`{"type":"ref/resource","uri":` + probe.JSON(template) + `}`, m[1], "resource:" + template})
		}
	}
	if r.SkipIf(len(all) == 0, "no arguments of prompts or templates") {
		return
	}
	for _, q := range all[:min(len(all), maxCompletions)] {
		o := r.Ask(c, "completion of "+q.name, c.Request("completion/complete", completion(q.ref, q.name, "")))
		list := o.Member("completion", "values")
		switch {
		case o.Kind == probe.Error:
			r.About(lint.Info, q.subject, "completion/complete of %s fails with error %s: %s", q.name, o.ShownCode(), o.Message)
			continue
		case o.Kind != probe.Result:
			continue
		case list == nil || list[0] != '[':
			r.About(lint.Error, q.subject, "The completion of %s has no array of values.", q.name)
			continue
		}
		n := 0
		for v := range jsonrpc.Elements(list) {
			n++
			if _, ok := jsonrpc.Unquote(v); !ok {
				r.About(lint.Error, q.subject, "The completion of %s has a value that is not a string.", q.name)
				break
			}
		}
		if n > 100 {
			r.About(lint.Error, q.subject, "The completion of %s has %d values; at most 100 are allowed.", q.name, n)
		}
	}
}

var completionRefusals = table{provoke, []sample{
	{name: "completion with an unknown prompt", method: "completion/complete", params: completion(`{"type":"ref/prompt","name":"mcptea-no-such-prompt"}`, "x", "")},
	{name: "completion with an unknown template", method: "completion/complete", params: completion(`{"type":"ref/resource","uri":"mcptea-probe://no-such/{x}"}`, "x", "")},
	{name: "completion with an unknown type of reference", method: "completion/complete", params: completion(`{"type":"ref/bogus","name":"x"}`, "x", "")},
	{name: "completion with no argument", method: "completion/complete", params: `{"ref":{"type":"ref/prompt","name":"mcptea-no-such-prompt"}}`},
}, []verdict{
	{hasValues, lint.Warn, "The server returns values for a {case}."},
	{isResult, lint.Info, "The server returns an empty completion for a {case}; error -32602 is expected."},
	{errorBut(jsonrpc.CodeInvalidParams), lint.Info, "A {case} returns error {code}; -32602 is expected."},
}}

// hasValues is a completion with at least one value.
func hasValues(_ *probe.Run, _ sample, o probe.Outcome) bool {
	return hasElements(o.Member("completion", "values"))
}
