package reduce

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mcptea/internal/jsontree"
)

// value is a value of a case that the user may have chosen, at all its places.
type value struct {
	original any
	places   []valuePlace
	schema   map[string]any // schema of one of the places, or nil
	number   int            // selects the text that is invented for it
}

// valuePlace is a place in a case; answer is -1 for the params of the step.
type valuePlace struct {
	step, answer int
	at           jsontree.Place
}

// put puts another value at all the places.
func (v *value) put(c *Case, now any) {
	for _, p := range v.places {
		s := &c.Steps[p.step]
		if p.answer < 0 {
			s.Params = jsontree.Set(s.Params, p.at, now)
		} else {
			s.Answers[p.answer].Value = jsontree.Set(s.Answers[p.answer].Value, p.at, now)
		}
	}
}

func (v *value) isEnum() bool { _, ok := v.schema["enum"]; return ok }

// chosen returns the values of a case that the user may have chosen, each once.
func (r *runner) chosen(c *Case) (all []*value) {
	known := map[string]*value{}
	add := func(p valuePlace, original any, schema map[string]any) {
		switch original.(type) {
		case string, json.Number, bool:
		default:
			return
		}
		key := fmt.Sprintf("%T %v", original, original)
		v := known[key]
		if v == nil {
			if r.values[key] == 0 {
				r.values[key] = len(r.values) + 1
			}
			v = &value{original: original, number: r.values[key] - 1}
			known[key] = v
			all = append(all, v)
		}
		if v.schema == nil {
			v.schema = schema
		}
		v.places = append(v.places, p)
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		for _, leaf := range jsontree.Leaves(s.Params) {
			if s.isChosen(leaf.At) {
				add(valuePlace{i, -1, leaf.At}, leaf.Value, r.schemaOf(s, leaf.At))
			}
		}
		for k := range s.Answers {
			for _, leaf := range jsontree.Leaves(s.Answers[k].Value) {
				if text, _ := leaf.Value.(string); len(leaf.At) > 0 && !isVocabulary(text) {
					add(valuePlace{i, k, leaf.At}, leaf.Value, nil)
				}
			}
		}
	}
	return all
}

// isChosen reports whether the value at a place of the params may be the user's own.
func (s *Step) isChosen(at jsontree.Place) bool {
	if len(at) == 0 {
		return false
	}
	switch s.Method {
	case "tools/call", "prompts/get":
		return at[0] == "arguments"
	case "completion/complete":
		return at[0] != "ref" && at.Pointer() != "/argument/name"
	case "logging/setLevel":
		return false
	}
	return true
}

// schemaOf returns the schema of a place in the arguments of a call, or nil.
func (r *runner) schemaOf(s *Step, at jsontree.Place) map[string]any {
	if s.Method != "tools/call" || len(at) == 0 || at[0] != "arguments" {
		return nil
	}
	return schemaAt(r.Schemas[s.Subject()], at[1:])
}

// schemaAt returns the schema of a place below a schema, following only properties and items.
func schemaAt(schema any, at jsontree.Place) map[string]any {
	for _, step := range at {
		m, _ := schema.(map[string]any)
		switch x := step.(type) {
		case string:
			properties, _ := m["properties"].(map[string]any)
			schema = properties[x]
		case int:
			schema = m["items"]
		}
	}
	m, _ := schema.(map[string]any)
	return m
}

// invent replaces all texts by invented ones of the same shape, in as few runs as possible.
func (r *runner) invent(c *Case) *Case {
	values := slices.DeleteFunc(r.chosen(c), func(v *value) bool {
		text, isText := v.original.(string)
		return !isText || v.isEnum() || shape(text, v.number) == text
	})
	put := func(leave []int) *Case {
		now := c.clone()
		for i, v := range values {
			if !slices.Contains(leave, i) {
				v.put(now, shape(v.original.(string), v.number))
			}
		}
		return now
	}
	keep := minimize(len(values), func(leave []int) bool { return r.fails(put(leave)) })
	c = put(keep)
	for _, i := range keep {
		c = r.characters(c, values[i])
	}
	return c
}

// maxCharacters is the maximum length of a text whose single characters are replaced or left out.
const maxCharacters = 400

// characters finds the characters of a text that the failure needs, and replaces the others.
func (r *runner) characters(c *Case, v *value) *Case {
	text := []rune(v.original.(string))
	if len(text) > maxCharacters {
		r.needed[string(text)] = true
		return c
	}
	invented := func(keep []int) string {
		now := []rune(shape(string(text), v.number))
		for _, i := range keep {
			now[i] = text[i]
		}
		return string(now)
	}
	keep := minimize(len(text), func(keep []int) bool {
		now := c.clone()
		v.put(now, invented(keep))
		return r.fails(now)
	})
	now := c.clone()
	v.put(now, invented(keep))
	kept := []rune(invented(keep))
	for _, i := range keep {
		from, to := i, i+1
		for from > 0 && kept[from-1] == text[from-1] {
			from--
		}
		for to < len(text) && kept[to] == text[to] {
			to++
		}
		r.needed[strings.TrimSpace(string(text[from:to]))] = true
	}
	return now
}

// simplify makes values simpler, one after the other.
func (r *runner) simplify(c *Case) *Case {
	for _, v := range r.chosen(c) {
		simpler, done := r.simpler(c, v)
		if done {
			c = simpler
			continue
		}
		text, isText := v.original.(string)
		chars := []rune(text)
		if !isText || v.isEnum() || len(chars) > maxCharacters {
			continue
		}
		without := func(keep []int) *Case {
			short := make([]rune, len(keep))
			for i, k := range keep {
				short[i] = chars[k]
			}
			now := c.clone()
			v.put(now, string(short))
			return now
		}
		c = without(minimize(len(chars), func(keep []int) bool { return r.fails(without(keep)) }))
	}
	return c
}

// simpler returns the case with the simplest value that fails.
func (r *runner) simpler(c *Case, v *value) (*Case, bool) {
	for _, to := range simplerValues(v.original, v.schema, v.number) {
		if to == v.original {
			return c, true
		}
		now := c.clone()
		v.put(now, to)
		if r.fails(now) {
			return now, true
		}
	}
	return c, false
}

// formatExamples are values of the formats of JSON Schema.
var formatExamples = map[string]string{
	"email": "a@example.com", "uri": "https://example.com/a", "uri-reference": "/a", "uuid": "00000000-0000-4000-8000-000000000000",
	"date": "2000-01-01", "date-time": "2000-01-01T00:00:00Z", "time": "00:00:00Z", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
}

// simplerValues returns values to try instead of one, the simplest first. A value of the schema stays one.
func simplerValues(v any, schema map[string]any, n int) (all []any) {
	if enum, ok := schema["enum"].([]any); ok {
		return slices.DeleteFunc(slices.Clone(enum), func(e any) bool { return !jsontree.IsLeaf(e) })
	}
	if _, ok := schema["const"]; ok {
		return nil
	}
	switch x := v.(type) {
	case string:
		if format, _ := schema["format"].(string); formatExamples[format] != "" {
			return []any{formatExamples[format]}
		}
		letter := string(rune('a' + n%26))
		return []any{"", letter, strings.Repeat(letter, 3), shape(x, n)}
	case json.Number:
		for _, name := range []string{"minimum", "maximum"} {
			if limit, ok := schema[name].(json.Number); ok {
				all = append(all, limit)
			}
		}
		ones := strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '1'
			}
			return r
		}, x.String())
		nines := strings.ReplaceAll(ones, "1", "9")
		return append(all, json.Number("0"), json.Number("1"), json.Number("-1"), json.Number(ones), json.Number(nines))
	case bool:
		if x {
			all = append(all, false)
		}
	}
	return all
}
