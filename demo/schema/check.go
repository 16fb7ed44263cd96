package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how far a schema may refer to itself.
const maxDepth = 64

// Check compares a JSON value with a JSON Schema. The error names the place and
// what is wrong there, as a sentence. It also fails when the schema is
// broken.
func Check(schema, value []byte) error {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return fmt.Errorf("the schema is not a JSON object: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	c := checker{root: root}
	return c.check(root, v, "", 0)
}

type checker struct{ root map[string]any }

func (c *checker) check(s map[string]any, v any, at string, depth int) error {
	if depth > maxDepth {
		return errors.New("the schema refers to itself without end")
	}
	if ref, ok := s["$ref"].(string); ok {
		target, err := c.resolve(ref)
		if err != nil {
			return err
		}
		return c.check(target, v, at, depth+1)
	}
	if want, ok := s["type"]; ok && !isOfType(want, v) {
		return complain(at, "want %s, got %s", typeText(want), typeOf(v))
	}
	if err := checkChoice(s, v, at); err != nil {
		return err
	}
	if err := c.checkBranches(s, v, at, depth); err != nil {
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		return c.checkObject(s, v, at, depth)
	case []any:
		return c.checkArray(s, v, at, depth)
	case string:
		return checkString(s, v, at)
	case json.Number:
		return checkNumber(s, v, at)
	}
	return nil
}

// checkBranches looks at allOf and anyOf.
func (c *checker) checkBranches(s map[string]any, v any, at string, depth int) error {
	all, _ := s["allOf"].([]any)
	for _, branch := range all {
		if branch, ok := branch.(map[string]any); ok {
			if err := c.check(branch, v, at, depth+1); err != nil {
				return err
			}
		}
	}
	choices, ok := s["anyOf"].([]any)
	if !ok {
		return nil
	}
	var why []string
	for _, branch := range choices {
		branch, ok := branch.(map[string]any)
		if !ok {
			return nil // true, or nothing that we understand
		}
		err := c.check(branch, v, at, depth+1)
		if err == nil {
			return nil
		}
		why = append(why, err.Error())
	}
	return complain(at, "matches none of the alternatives: %s", strings.Join(why, "; or "))
}

func (c *checker) resolve(ref string) (map[string]any, error) {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, fmt.Errorf("the schema refers to %q, which is elsewhere", ref)
	}
	at := c.root
	for _, name := range strings.Split(path, "/") {
		if at, ok = at[name].(map[string]any); !ok {
			return nil, fmt.Errorf("the schema refers to %q, which is not there", ref)
		}
	}
	return at, nil
}

func (c *checker) checkObject(s map[string]any, v map[string]any, at string, depth int) error {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok {
			if _, there := v[name]; !there {
				return complain(join(at, name), "is required")
			}
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(v)) { // the same complaint each time
		value := v[name]
		sub, ok := properties[name].(map[string]any)
		if !ok {
			if s["additionalProperties"] == false {
				return complain(join(at, name), "is not an argument")
			}
			if sub, ok = s["additionalProperties"].(map[string]any); !ok {
				continue
			}
		}
		if err := c.check(sub, value, join(at, name), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) checkArray(s map[string]any, v []any, at string, depth int) error {
	if n, ok := bound(s, "minItems"); ok && float64(len(v)) < n {
		return complain(at, "want at least %v items, got %d", n, len(v))
	}
	if n, ok := bound(s, "maxItems"); ok && float64(len(v)) > n {
		return complain(at, "want at most %v items, got %d", n, len(v))
	}
	items, ok := s["items"].(map[string]any)
	if !ok {
		return nil
	}
	for i, value := range v {
		if err := c.check(items, value, fmt.Sprintf("%s[%d]", at, i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func checkString(s map[string]any, v, at string) error {
	length := float64(utf8.RuneCountInString(v))
	if n, ok := bound(s, "minLength"); ok && length < n {
		return complain(at, "want at least %v characters", n)
	}
	if n, ok := bound(s, "maxLength"); ok && length > n {
		return complain(at, "want at most %v characters", n)
	}
	pattern, ok := s["pattern"].(string)
	if !ok {
		return nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("the schema's pattern is broken: %w", err)
	}
	if !re.MatchString(v) {
		return complain(at, "does not match %s", pattern)
	}
	return nil
}

func checkNumber(s map[string]any, v json.Number, at string) error {
	f, err := v.Float64()
	if err != nil {
		return complain(at, "is out of range")
	}
	if n, ok := bound(s, "minimum"); ok && f < n {
		return complain(at, "want at least %v, got %s", n, v)
	}
	if n, ok := bound(s, "maximum"); ok && f > n {
		return complain(at, "want at most %v, got %s", n, v)
	}
	return nil
}

// checkChoice looks at const, at enum, and at oneOf with a const in each branch.
func checkChoice(s map[string]any, v any, at string) error {
	choices, ok := s["enum"].([]any)
	if only, isConst := s["const"]; isConst {
		choices, ok = []any{only}, true
	}
	if branches, isOneOf := s["oneOf"].([]any); isOneOf {
		ok = true
		for _, b := range branches {
			if b, isObject := b.(map[string]any); isObject {
				choices = append(choices, b["const"])
			}
		}
	}
	if !ok {
		return nil
	}
	var texts []string
	for _, choice := range choices {
		if reflect.DeepEqual(choice, plain(v)) {
			return nil
		}
		texts = append(texts, fmt.Sprint(choice))
	}
	return complain(at, "want one of %s", strings.Join(texts, ", "))
}

// plain turns a number as it was written into the one that schemas hold.
func plain(v any) any {
	if n, ok := v.(json.Number); ok {
		f, _ := n.Float64()
		return f
	}
	return v
}

func bound(s map[string]any, name string) (float64, bool) {
	n, ok := s[name].(float64)
	return n, ok
}

func isOfType(want, v any) bool {
	switch want := want.(type) {
	case string:
		got := typeOf(v)
		return got == want || want == "number" && got == "integer"
	case []any:
		for _, w := range want {
			if isOfType(w, v) {
				return true
			}
		}
		return false
	}
	return true
}

func typeText(want any) string {
	if list, ok := want.([]any); ok {
		var texts []string
		for _, w := range list {
			texts = append(texts, fmt.Sprint(w))
		}
		return strings.Join(texts, " or ")
	}
	return fmt.Sprint(want)
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if f, err := v.Float64(); err == nil && f == math.Trunc(f) {
			return "integer" // 1.0 is one, by JSON Schema
		}
		return "number"
	}
	return "unknown"
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func complain(at, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if at == "" {
		return errors.New(text)
	}
	return errors.New(at + ": " + text)
}
