package probes

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// A fuzzFailure is the reason why a call failed. The zero value means no failure.
type fuzzFailure struct {
	kind     string
	message  string
	severity lint.Severity
	fix      string // advice instead of the advice of the probe
}

// The bounds for a tool.
const (
	maxShrink   = 40 // calls to make a failing one smaller
	maxFailures = 5
)

func fuzzTools(r *probe.Run) {
	found := false
	for _, s := range r.Callables() {
		if !r.Fuzzes(s.Name) {
			continue
		}
		found = true
		f := &fuzzer{r: r, s: s, c: r.Fresh(), output: check.Compile(s.Output, check.Options{Dialectless: true})}
		f.run()
		r.Close(f.c)
	}
	r.SkipIf(!found, "no callable tool")
}

// fuzzer calls one tool.
type fuzzer struct {
	r      *probe.Run
	s      probe.Subject
	c      *probe.Conn
	output *check.Schema
	seen   []string // kinds of failures
	calls  int
	newest probe.Outcome // newest failed outcome
}

func (f *fuzzer) run() {
	start := time.Now()
	for _, arguments := range cases(f.s, f.r.Rand()) {
		if time.Since(start) > f.r.FuzzTime() || len(f.seen) >= maxFailures {
			f.r.Case("the fuzzing").About(lint.Info, "tool:"+f.s.Name, "The fuzzing of %s ended early, after %d calls.", f.s.Name, f.calls)
			break
		}
		if bad := f.call(arguments); bad.kind != "" && !slices.Contains(f.seen, bad.kind) {
			f.seen = append(f.seen, bad.kind)
			f.report(arguments, bad)
		}
	}
	f.parallel()
	f.cancelled()
	f.r.Measure("calls "+f.s.Name, float64(f.calls))
}

func (f *fuzzer) frame(arguments string) []byte {
	return f.c.Request("tools/call", `{"name":`+probe.JSON(f.s.Name)+`,"arguments":`+arguments+`}`)
}

// call calls the tool and judges the outcome.
func (f *fuzzer) call(arguments object) fuzzFailure {
	f.calls++
	o := f.r.Attempt(f.c, "a call of "+f.s.Name+" with "+phrase.Clip(arguments.encode(), 100), f.frame, arguments.encode(), f.r.CallTime())
	bad := f.judge(o)
	if bad.kind != "" {
		f.newest = o
	}
	return bad
}

var stackTrace = lazyregexp.New(`\\n\s+at .+:\d+:\d+|Traceback \(most recent call last\)|goroutine \d+ \[|panicked at |\.java:\d+\)|\.cs:line \d+`)

func (f *fuzzer) judge(o probe.Outcome) fuzzFailure {
	switch {
	case o.Kind == probe.Dead:
		return fuzzFailure{"crash", "ends the server", lint.Error, ""}
	case o.Kind == probe.Silent && o.Status < 400, o.Kind == probe.Hang:
		return fuzzFailure{"hang", fmt.Sprintf("gets no response within %s", shown(f.r.CallTime())), lint.Warn, ""}
	case stackTrace().Match(o.Frame):
		return fuzzFailure{"trace", "returns a stack trace", lint.Info, "Log the stack trace, and return a short text."}
	case o.IsError(jsonrpc.CodeInternalError):
		return fuzzFailure{"internal", "returns the internal error -32603 instead of a tool error", lint.Info, ""}
	case o.Kind == probe.Result && !o.ToolError() && len(f.s.Output) > 0:
		value := o.Member("structuredContent")
		if m, ok := f.output.Check(value); value != nil && ok && m != nil {
			return fuzzFailure{"output", "returns structuredContent that violates its outputSchema: " + m.About + " " + m.Reason, lint.Error, "Return structuredContent as outputSchema promises it, for all arguments."}
		}
	}
	return fuzzFailure{}
}

// report shrinks a failing call and reports it with a script that repeats it.
func (f *fuzzer) report(arguments object, bad fuzzFailure) {
	smallest := f.shrink(arguments, bad.kind)
	f.r.Of(f.newest).Scripted(script(f.s.Name, smallest.encode(), bad, f.r.Server.Revision)).Advise(bad.fix).About(bad.severity, "tool:"+f.s.Name, "The call of %s with %s %s.", f.s.Name, phrase.Clip(smallest.encode(), 100), bad.message)
}

func (f *fuzzer) shrink(arguments object, kind string) object {
	left := maxShrink
	if kind == "hang" {
		left = 5 // each attempt takes a whole timeout
	}
	for again := true; again; {
		again = false
		for _, candidate := range simpler(arguments) {
			if left--; left < 0 {
				return arguments
			}
			if len(candidate.encode()) < len(arguments.encode()) && f.call(candidate).kind == kind {
				arguments, again = candidate, true
				break
			}
		}
	}
	return arguments
}

// parallel makes two concurrent calls.
func (f *fuzzer) parallel() {
	if slices.Contains(f.seen, "crash") || slices.Contains(f.seen, "hang") {
		return
	}
	b := f.r.Burst(f.c, "two calls of "+f.s.Name+" at once", [][]byte{f.frame(f.s.Arguments), f.frame(f.s.Arguments)})
	missing := func(_ int, o probe.Outcome) bool { return o.Kind > probe.Refused && o.Kind != probe.Dead }
	if b.Count(missing) > 0 {
		f.r.OfBurst(b, missing).About(lint.Warn, "tool:"+f.s.Name, "Of two calls of %s at once, one gets no response.", f.s.Name)
	}
}

// cancelled cancels a call immediately, and checks whether the server is alive.
func (f *fuzzer) cancelled() {
	if slices.Contains(f.seen, "crash") {
		return
	}
	f.r.Cancelled(f.c, "a call of "+f.s.Name+" that is cancelled at once", f.frame(f.s.Arguments), 1, f.r.Brief())
	f.r.Ask(f.c, "a ping after the cancelled call of "+f.s.Name, f.c.Ping())
}

// script returns a script for mcptea run that repeats a failure. It fails as long as the fault exists.
func script(tool, arguments string, bad fuzzFailure, version revision.Revision) string {
	alive := "send ping"
	if version.IsStateless() {
		alive = "send server/discover"
	}
	name := tool
	if strings.ContainsAny(tool, " '\"#@!&{[") {
		name = "'" + strings.ReplaceAll(tool, "'", "''") + "'"
	}
	lines := []string{"# The call of " + phrase.OneLine(tool) + " " + bad.message + ".", "connect --protocol " + string(version), "timeout 5s"}
	switch bad.kind {
	case "output":
		lines = append(lines, "call "+name+" @arguments.json", "lint error")
	case "trace":
		lines = append(lines, "! call "+name+" @arguments.json", `! text '\n\s+at '`)
	case "internal":
		lines = append(lines, "! call "+name+" @arguments.json", `expect {"isError": true}`)
	default:
		lines = append(lines, "! call "+name+" @arguments.json", alive)
	}
	return strings.Join(lines, "\n") + "\n-- arguments.json --\n" + arguments + "\n"
}

// object is the arguments of a call: raw fuzzValues by name.
type object map[string]json.RawMessage

func (o object) encode() string {
	b, err := json.Marshal(o)
	if err != nil {
		return "{}"
	}
	return string(b)
}

func (o object) with(name, value string) object {
	c := o.without("")
	c[name] = json.RawMessage(value)
	return c
}

func (o object) without(name string) object {
	c := object{}
	for n, v := range o {
		if n != name {
			c[n] = v
		}
	}
	return c
}

func parse(text string) object {
	o := object{}
	_ = json.Unmarshal([]byte(text), &o) // arguments are made from a schema, or checked by the caller
	return o
}

// fuzzValues lists values for any property.
var fuzzValues = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `9007199254740993`, `1e308`, `-0`, `""`, `" "`, `"mcptea"`, `[]`, `[null]`, `{}`,
	`{"__proto__":{"x":1}}`, `"é😀\u202e\u0000"`, `"\ufeff"`, `"%s%n%x"`, `"'\";--"`, `"../../mcptea"`, `"NaN"`,
	`"` + strings.Repeat("m", 10_000) + `"`, strings.Repeat("[", 100) + strings.Repeat("]", 100),
}

// edges returns the fuzzValues at and beyond the bounds of a property.
func edges(f *schema.Field) []string {
	var all []string
	if f.Min != nil {
		all = append(all, fmt.Sprint(*f.Min), fmt.Sprint(*f.Min-1))
	}
	if f.Max != nil {
		all = append(all, fmt.Sprint(*f.Max), fmt.Sprint(*f.Max+1))
	}
	const longest = 100_000
	if f.MaxLen != nil && *f.MaxLen < longest {
		all = append(all, probe.JSON(strings.Repeat("m", *f.MaxLen)), probe.JSON(strings.Repeat("m", *f.MaxLen+1)))
	}
	if f.MinLen != nil && *f.MinLen > 0 && *f.MinLen < longest {
		all = append(all, probe.JSON(strings.Repeat("m", *f.MinLen)), probe.JSON(strings.Repeat("m", *f.MinLen-1)))
	}
	for _, o := range f.Options {
		all = append(all, string(o.Value))
	}
	return all
}

// randomCases is the number of calls of a tool with random fuzzValues.
const randomCases = 20

// cases returns the arguments to call a tool with. Their order is fixed for a seed.
func cases(s probe.Subject, random *rand.Rand) []object {
	base := parse(s.Arguments)
	all := []object{base, {}, base.with("mcpteaExtra", `{"__proto__":{"x":1}}`)}
	for i := range s.Form.Fields {
		f := &s.Form.Fields[i]
		all = append(all, base.without(f.Name))
		for _, v := range append(edges(f), fuzzValues...) {
			all = append(all, base.with(f.Name, v))
		}
	}
	for range randomCases {
		o := object{}
		for _, f := range s.Form.Fields {
			if random.IntN(5) > 0 {
				o[f.Name] = json.RawMessage(fuzzValues[random.IntN(len(fuzzValues))])
			}
		}
		all = append(all, o)
	}
	return all
}

// simpler returns smaller variants of arguments: without a member, or with a simpler value.
func simpler(o object) []object {
	var all []object
	for name, value := range o {
		all = append(all, o.without(name))
		var text string
		switch {
		case json.Unmarshal(value, &text) == nil && len(text) > 1:
			all = append(all, o.with(name, probe.JSON(text[:len(text)/2])), o.with(name, `"a"`))
		case len(value) > 2 && value[0] == '[':
			all = append(all, o.with(name, `[]`))
		case len(value) > 2 && value[0] == '{':
			all = append(all, o.with(name, `{}`))
		}
	}
	return all
}
