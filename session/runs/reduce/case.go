package reduce

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/jsontree"
	"mcptea/session/runs/script"
)

// Case is a sequence of requests. The last one fails.
type Case struct {
	Protocol string // version to connect with; empty for the newest one
	Steps    []Step
	Assert   []string // lines of the script below the last step
	Timeout  string   // timeout of a response in the form of a script, or "" for the default
	// Asked holds names and fixed values of the schemas in server requests: a valid answer contains them.
	Asked map[string]bool
}

// Step is a request or notification of the client.
type Step struct {
	Row      int32 // row in the recording
	Method   string
	IsNotice bool
	Params   any // a tree, with variables for values of earlier results; or nil
	Answers  []Answer
	Captures []Capture
	Fails    bool   // the step may fail, although the case is not about it
	Response []byte // recorded, or nil
}

// Answer is the result of a request of the server that belongs to a step.
type Answer struct {
	Kind  string // kind as in a script: "elicitation" or "sampling"
	Value any    // a tree
}

// Capture is a value of the result of a step that a later step needs.
type Capture struct{ Name, Expr string }

// variable stands for a captured value in a tree.
type variable struct{ name string }

// Subject returns the tool or prompt of a step, or the empty string.
func (s *Step) Subject() string {
	name, _ := jsontree.Get(s.Params, "name")
	text, _ := name.(string)
	return text
}

// clone returns a copy of the case, which shares no tree with it.
func (c *Case) clone() *Case {
	now := *c
	now.Steps = slices.Clone(c.Steps)
	for i := range now.Steps {
		s := &now.Steps[i]
		s.Params = jsontree.Clone(s.Params)
		s.Answers = slices.Clone(s.Answers)
		for k := range s.Answers {
			s.Answers[k].Value = jsontree.Clone(s.Answers[k].Value)
		}
	}
	return &now
}

// with returns the case with some of its steps, by their numbers, and with those whose values they need.
func (c *Case) with(keep []int) *Case {
	wanted := map[int]bool{}
	var add func(i int)
	add = func(i int) {
		if wanted[i] {
			return
		}
		wanted[i] = true
		for name := range variablesOf(&c.Steps[i]) {
			for k := range c.Steps[:i] {
				if slices.ContainsFunc(c.Steps[k].Captures, func(x Capture) bool { return x.Name == name }) {
					add(k)
				}
			}
		}
	}
	for _, i := range keep {
		add(i)
	}
	now := *c
	now.Steps = nil
	for i := range c.Steps {
		if wanted[i] {
			now.Steps = append(now.Steps, c.Steps[i])
		}
	}
	return &now
}

// alone returns the case with only its last step, and the steps whose values it needs.
func (c *Case) alone() *Case { return c.with([]int{len(c.Steps) - 1}) }

// variablesOf returns the names of the variables of a step.
func variablesOf(s *Step) map[string]bool {
	names := map[string]bool{}
	add := func(_ jsontree.Place, v any) bool {
		if x, ok := v.(variable); ok {
			names[x.name] = true
		}
		return true
	}
	jsontree.Walk(s.Params, add)
	for _, a := range s.Answers {
		jsontree.Walk(a.Value, add)
	}
	return names
}

// NeedsFailed reports whether a step needs a value of a step that failed.
func (c *Case) NeedsFailed(i int, failed map[int]bool) bool {
	names := variablesOf(&c.Steps[i])
	for k := range c.Steps[:i] {
		if failed[k] && slices.ContainsFunc(c.Steps[k].Captures, func(x Capture) bool { return names[x.Name] }) {
			return true
		}
	}
	return false
}

// SectionName returns the name of the section of a step in the script of its case.
func (c *Case) SectionName(i int) string { return fmt.Sprintf("step %d: %s", i+1, c.Steps[i].Method) }

// Script returns the case as a script. comment is its first lines; times is the number of repetitions,
// each on a new connection, for a fault that shows now and then.
func (c *Case) Script(comment string, times int) string {
	var b strings.Builder
	b.WriteString(comment + "connect")
	if c.Protocol != "" {
		b.WriteString(" --protocol " + script.Word(c.Protocol))
	}
	b.WriteString("\n")
	if c.Timeout != "" {
		b.WriteString("timeout " + c.Timeout + "\n")
	}
	used := map[string]bool{}
	for i := range c.Steps {
		maps.Copy(used, variablesOf(&c.Steps[i]))
	}
	for n := range max(times, 1) {
		if n > 0 {
			b.WriteString("\n# again\nrestart\n")
		}
		for i := range c.Steps {
			c.section(&b, i, used)
		}
	}
	return b.String()
}

// section writes the section of a step. used are the names of the variables that steps have.
func (c *Case) section(b *strings.Builder, i int, used map[string]bool) {
	s, isLast := &c.Steps[i], i == len(c.Steps)-1
	fmt.Fprintf(b, "\n# %s\n", c.SectionName(i))
	for _, a := range s.Answers {
		b.WriteString("answer " + a.Kind + " " + valueText(a.Value) + "\n")
	}
	if s.Fails && !isLast {
		b.WriteString("? ")
	}
	b.WriteString(s.line() + "\n")
	for _, x := range s.Captures {
		if used[x.Name] {
			b.WriteString("capture " + x.Name + " " + script.Word(x.Expr) + "\n")
		}
	}
	if isLast {
		for _, line := range c.Assert {
			b.WriteString(line + "\n")
		}
	}
}

// line returns the command of a step.
func (s *Step) line() string {
	params, _ := s.Params.(map[string]any)
	list, isList := revision.ListOf(s.Method)
	uri, hasURI := params["uri"]
	switch {
	case s.IsNotice:
		return strings.TrimSpace("notify " + script.Word(s.Method) + " " + paramsText(s.Params))
	case isList:
		return "list " + list.Name
	case s.Method == "tools/call" && script.IsWord(s.Subject()) && isObject(params["arguments"]):
		return s.namedLine("call", params["arguments"])
	case s.Method == "prompts/get" && script.IsWord(s.Subject()) && isObject(params["arguments"]):
		return s.namedLine("prompt", params["arguments"])
	case s.Method == "resources/read" && hasURI:
		switch x := uri.(type) {
		case variable:
			return "read " + script.Variable(x.name)
		case string:
			if script.IsWord(x) {
				return "read " + script.Word(x)
			}
		}
	}
	return strings.TrimSpace("send " + script.Word(s.Method) + " " + paramsText(s.Params))
}

func (s *Step) namedLine(word string, arguments any) string {
	line := word + " " + script.Word(s.Subject())
	if jsontree.Size(arguments) > 0 {
		line += " " + valueText(arguments)
	}
	return line
}

// isObject reports whether arguments are an object or missing: others need the command send.
func isObject(arguments any) bool {
	_, ok := arguments.(map[string]any)
	return ok || arguments == nil
}

func paramsText(params any) string {
	if jsontree.Size(params) == 0 {
		return ""
	}
	return valueText(params)
}

// valueText returns a tree as a word of a script: variables are written as such, and no other text becomes one.
func valueText(v any) string {
	return jsontree.Encode(v, func(leaf any) string {
		if x, ok := leaf.(variable); ok {
			return script.Variable(x.name)
		}
		return script.WithoutVariables(jsontree.Text(leaf))
	})
}

// WithoutValues returns a text without the values of the case, which an error may quote.
func (c *Case) WithoutValues(text string) string {
	var all []string
	for i := range c.Steps {
		for _, leaf := range jsontree.Leaves(c.Steps[i].Params) {
			if s, ok := leaf.Value.(string); ok && len(s) >= minLeftText {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	for _, s := range all {
		text = strings.ReplaceAll(text, s, " ")
	}
	return text
}

// Schema returns the tree of a schema, nil if it is not an object, with the names of its members and its fixed
// values: a script that is valid has them.
func Schema(raw []byte) (schema map[string]any, names map[string]bool) {
	tree, _ := jsontree.Decode(raw)
	return schemaOfTree(tree)
}

func schemaOfTree(tree any) (schema map[string]any, names map[string]bool) {
	names = map[string]bool{}
	jsontree.Walk(tree, func(at jsontree.Place, v any) bool {
		switch x := v.(type) {
		case map[string]any:
			for name := range x {
				names[name] = true
			}
		case string:
			if n := len(at); n > 1 && (at[n-2] == "enum" || at[n-2] == "required" || at[n-1] == "const") {
				names[x] = true
			}
		}
		return true
	})
	schema, _ = tree.(map[string]any)
	return schema, names
}
