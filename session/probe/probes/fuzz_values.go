package probes

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"mcptea/session/probe"
	"mcptea/session/schema"
)

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

// fuzzValues are for any property.
var fuzzValues = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `9007199254740993`, `1e308`, `-0`, `""`, `" "`, `"mcptea"`, `[]`, `[null]`, `{}`,
	`{"__proto__":{"x":1}}`, `"é😀\u202e\u0000"`, `"\ufeff"`, `"%s%n%x"`, `"'\";--"`, `"../../mcptea"`, `"NaN"`,
	`"` + strings.Repeat("m", 10_000) + `"`, strings.Repeat("[", 100) + strings.Repeat("]", 100),
}

// edges are the fuzzValues at and beyond the bounds of a property.
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

// randomCases is how many calls with random fuzzValues there are for a tool.
const randomCases = 20

// cases are the arguments to call a tool with, in a fixed order for a seed.
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

// simpler are smaller variants of arguments: without a member, or with a simpler
// value.
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
