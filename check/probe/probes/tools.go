package probes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// executed reports whether the outcome is a result without a tool error.
func executed(o probe.Outcome) bool {
	return o.Kind == probe.Result && !o.ToolError() && !jsonrpc.IsText(o.Member("resultType"), "input_required")
}

const noTool = "mcptea-no-such-tool"

func toolUnknown(r *probe.Run) {
	o, ok := r.Call(r.Shared(), "a call of an unknown tool", noTool, "{}")
	if !ok {
		r.Of(o).Named("no-response").Error("The call of an unknown tool gets no response.")
	}
	job{Run: r}.judge("P-050", o)
}

func toolOddNames(r *probe.Run) {
	c := r.Shared()
	unknown, _ := r.Call(c, "a call of an unknown tool", noTool, "{}")
	if r.SkipIf(executed(unknown), "the call of any unknown tool returns a result, see P-050") {
		return
	}
	listed := map[string]bool{}
	for _, t := range r.Server.Tools {
		listed[t.Name] = true
	}
	names := []string{"constructor", "__proto__", "toString", "", " ", "../x", "a\x00b", strings.Repeat("a", 10_240)}
	if subjects := r.Callables(); len(subjects) > 0 {
		for _, variant := range []string{strings.ToUpper(subjects[0].Name), strings.ToLower(subjects[0].Name)} {
			if !listed[variant] {
				names = append(names, variant)
			}
		}
	}
	for i, name := range names {
		shown := probe.JSON(name)
		if len(shown) > 60 {
			shown = "of 10,240 letters"
		}
		arguments := "{}"
		if i > 7 {
			arguments = r.Callables()[0].Arguments
		}
		o, _ := r.Call(c, "a call of the tool "+shown, name, arguments)
		switch {
		case executed(o) && i > 7:
			r.Of(o).Against("the same call of an unknown tool", unknown).Named("other-case").Warn("The tool %s is executed under the name %s: names are case-sensitive.", r.Callables()[0].Name, shown)
		case executed(o):
			r.Of(o).Executes().Error("The call of the tool %s, which is not listed, returns a result without isError.", shown)
		}
	}
}

const (
	// maxCases bounds the calls of a probe.
	maxCases = 20
	// maxShownValues bounds the values that a finding names.
	maxShownValues = 3
)

func toolMissingRequired(r *probe.Run) {
	c := r.Shared()
	cases, found := 0, false
	for _, s := range r.Callables() {
		var required []string
		for _, f := range s.Form.Fields {
			if f.Required {
				required = append(required, f.Name)
			}
		}
		if len(required) == 0 {
			continue
		}
		found = true
		missing := []string{"all required arguments"}
		arguments := []string{"{}"}
		if len(required) > 1 {
			for _, name := range required[:min(len(required), 10)] {
				missing, arguments = append(missing, "the required argument "+name), append(arguments, parse(s.Arguments).without(name).encode())
			}
		}
		for i, a := range arguments {
			if cases++; cases > maxCases {
				return
			}
			if o, _ := r.Call(c, s.Name+" without "+missing[i], s.Name, a); executed(o) {
				r.Of(o).Executes().About(lint.Error, "tool:"+s.Name, "The tool %s is executed without %s: its inputSchema is not checked.", s.Name, missing[i])
			}
		}
	}
	r.SkipIf(!found, "no callable tool with required arguments")
}

// wrong returns a value that a property does not accept, whatever is converted.
func wrong(f schema.Field) string {
	switch f.Kind {
	case schema.String, schema.Enum:
		return `{"a":1}`
	case schema.Number, schema.Integer:
		return `"x"`
	case schema.Boolean:
		return `"maybe"`
	case schema.Multi:
		return `{}`
	}
	if strings.HasPrefix(f.Type, "array") {
		return `{}`
	}
	if f.Type == "object" {
		return `[]`
	}
	return ""
}

// outside returns a value beyond a bound of a property, or "" if it has no bound.
func outside(f schema.Field) string {
	switch {
	case f.Kind == schema.Enum:
		return `"mcptea-no-such-value"`
	case (f.Kind == schema.Number || f.Kind == schema.Integer) && f.Min != nil:
		return fmt.Sprint(*f.Min - 1)
	case (f.Kind == schema.Number || f.Kind == schema.Integer) && f.Max != nil:
		return fmt.Sprint(*f.Max + 1)
	case f.Kind == schema.String && f.MaxLen != nil && *f.MaxLen < 10_000:
		return probe.JSON(strings.Repeat("m", *f.MaxLen+1))
	}
	return ""
}

func toolWrongValue(r *probe.Run) {
	c := r.Shared()
	cases := 0
	for _, s := range r.Callables() {
		compiled := check.Compile(s.Input, check.Options{Dialectless: true})
		var taken [2][]wrongValue // accepted values with a wrong type, and beyond bounds
		for _, f := range s.Form.Fields {
			for i, value := range []string{wrong(f), outside(f)} {
				arguments := parse(s.Arguments).with(f.Name, value).encode()
				if value == "" || cases == maxCases {
					continue
				}
				if m, ok := compiled.Check([]byte(arguments)); !ok || m == nil {
					continue // the schema accepts it after all
				}
				cases++
				shown := f.Name + " = " + value
				if len(value) > 60 {
					shown = f.Name + " = a string that is too long"
				}
				if o, _ := r.Call(c, s.Name+" with "+shown, s.Name, arguments); executed(o) {
					taken[i] = append(taken[i], wrongValue{o, shown})
				}
			}
		}
		tookWrongValues(r, s.Name, taken)
	}
	r.SkipIf(cases == 0, "no callable tool with typed arguments")
}

// wrongValue is an argument that a tool has accepted against its schema.
type wrongValue struct {
	o     probe.Outcome
	shown string
}

// tookWrongValues reports a tool that does not compare its arguments with its schema. There is one finding for
// all accepted values. A wrong type is worse than a value beyond a bound.
func tookWrongValues(r *probe.Run, tool string, taken [2][]wrongValue) {
	first := slices.Concat(taken[0], taken[1])
	for i := range taken { // a result that valid arguments get, too, proves nothing
		taken[i] = slices.DeleteFunc(taken[i], func(v wrongValue) bool { return !r.IsTold(v.o) })
	}
	all := slices.Concat(taken[0], taken[1])
	if len(first) == 0 {
		return
	}
	if len(all) == 0 {
		all = first[:1] // the examination explains the missing result
	}
	severity := lint.Error
	if len(taken[0]) == 0 {
		severity = lint.Warn
	}
	var shown []string
	for _, v := range all[:min(len(all), maxShownValues)] {
		shown = append(shown, v.shown)
	}
	if more := len(all) - len(shown); more > 0 {
		shown = append(shown, phrase.Count(more, "other value"))
	}
	r.Of(all[0].o).Executes().About(severity, "tool:"+tool, "The tool %s is executed with %s, which its inputSchema rejects.", tool, strings.Join(shown, ", with "))
}

func toolExtraArguments(r *probe.Run) {
	s, c := r.Callables()[0], r.Shared()
	plain, _ := r.Call(c, s.Name+" with valid arguments", s.Name, s.Arguments)
	o, ok := r.Call(c, s.Name+" with an extra argument", s.Name, parse(s.Arguments).with("mcpteaExtra", `{"__proto__":{"x":1}}`).encode())
	switch {
	case !executed(plain) || !ok || o.Kind == probe.Dead:
	case s.Form.Closed && executed(o):
		takesForbidden(r, c, s, o)
	case !s.Form.Closed && !executed(o):
		r.Of(o).Against(s.Name+" with valid arguments", plain).Named("rejects-argument").About(lint.Warn, "tool:"+s.Name, "The tool %s rejects an extra argument that its inputSchema allows; additionalProperties is not false.", s.Name)
	}
}

// takesForbidden reports a tool that takes an argument which its schema forbids. A tool that returns the same for a
// value of a wrong type may not have looked at its arguments yet.
func takesForbidden(r *probe.Run, c *probe.Conn, s probe.Subject, o probe.Outcome) {
	about := r.Of(o).Executes()
	if i := slices.IndexFunc(s.Form.Fields, func(f schema.Field) bool { return wrong(f) != "" }); i >= 0 {
		f := s.Form.Fields[i]
		name := s.Name + " with " + f.Name + " = " + wrong(f)
		if other, ok := r.Call(c, name, s.Name, parse(s.Arguments).with(f.Name, wrong(f)).encode()); ok && (!executed(other) || r.IsTold(other)) {
			about = r.Of(o).Against(name, other)
		}
	}
	about.Named("accepts-argument").About(lint.Warn, "tool:"+s.Name, "The tool %s accepts an argument that its inputSchema forbids (additionalProperties is false).", s.Name)
}

func toolAbsentArguments(r *probe.Run) {
	i := slices.IndexFunc(r.Callables(), func(s probe.Subject) bool { return s.Arguments == "{}" })
	if r.SkipIf(i < 0, "no callable tool without required arguments") {
		return
	}
	s, c := r.Callables()[i], r.Shared()
	plain, _ := r.Call(c, s.Name+" with empty arguments", s.Name, "{}")
	if o, _ := r.Call(c, s.Name+" without arguments", s.Name, ""); executed(plain) && !executed(o) && o.Kind <= probe.Error {
		r.Of(o).Against(s.Name+" with empty arguments", plain).About(lint.Warn, "tool:"+s.Name, "The tool %s rejects a call without arguments, which are optional; with {} it works.", s.Name)
	}
	if o, _ := r.Call(r.Dirty(), s.Name+" with null as arguments", s.Name, "null"); executed(plain) && !executed(o) && o.Kind <= probe.Error {
		r.Of(o).Against(s.Name+" with empty arguments", plain).Info("The tool %s rejects null as arguments.", s.Name)
	}
}

func toolCallValid(r *probe.Run) {
	c := r.Calling()
	var called []probe.Outcome
	for _, s := range r.Callables() {
		o, ok := r.CallWithProgress(c, s.Name+" with valid arguments", s)
		if ok && o.Kind <= probe.Error {
			called = append(called, o)
		}
		what := []string{"what", s.Name, "subject", "tool:" + s.Name, "schema", string(s.Output)}
		job{Run: r}.judge("P-058", o, what...)
		if jsonrpc.IsText(o.Member("resultType"), "task") {
			what = append(what, "task", s.Name)
		}
		if value := o.Member("structuredContent"); len(s.Output) > 0 && value != nil {
			if m, ok := check.Compile(s.Output, check.Options{Dialectless: true}).Check(value); ok && m != nil {
				what = append(what, "violated", cmp.Or(m.About, "the value")+" "+m.Reason)
			}
		}
		job{Run: r}.judge("P-058 content", o, what...)
	}
	oneFailure(r, called)
}

// fewCalls is the minimum number of tools whose equal failures are one finding.
const fewCalls = 3

// oneFailure reports that different tools return the same failure, so that its cause is outside the tools. At
// most one tool may work.
func oneFailure(r *probe.Run, called []probe.Outcome) {
	same := map[string][]probe.Outcome{}
	for _, o := range called {
		if o.Kind == probe.Error || o.ToolError() {
			text := failureText(o)
			same[text] = append(same[text], o)
		}
	}
	for text, all := range same {
		if len(all) >= fewCalls && len(all) >= len(called)-1 && text != "" {
			r.Case("calls with valid arguments", all...).Advise("Look at what the tools have in common: how the name of a tool leads to its code, and what they need at their start.").
				Info("%d of the %d called tools return the same failure: %s", len(all), len(called), text)
		}
	}
}

// failureText returns the first line of a call's error.
func failureText(o probe.Outcome) string {
	if o.Kind == probe.Error {
		return firstLine(o.Message)
	}
	for block := range jsonrpc.Elements(o.Member("content")) {
		return firstLine(jsonrpc.Text(block, "text"))
	}
	return ""
}
