package settings_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"mcptea/cli/settings"
	"mcptea/internal/schema/check"
)

func compiled(t *testing.T) *check.Schema {
	t.Helper()
	s := check.Compile(settings.Schema(), check.Options{})
	if p := s.Problem(); p != nil {
		t.Fatalf("the schema is not valid: %+v", p)
	}
	return s
}

// agree reports a file that the schema takes and the reader does not, or the other way round.
func agree(t *testing.T, s *check.Schema, text string, asJSON []byte) {
	t.Helper()
	_, err := settings.Parse("config.yaml", []byte(text))
	if m, _ := s.Check(asJSON); (m == nil) != (err == nil) {
		t.Errorf("%s: the schema says %+v, the reader %v", text, m, err)
	}
}

// propertiesIn are the names of all properties of a schema.
func propertiesIn(schema any) (names []string) {
	switch v := schema.(type) {
	case []any:
		for _, e := range v {
			names = append(names, propertiesIn(e)...)
		}
	case map[string]any:
		for key, e := range v {
			if properties, ok := e.(map[string]any); ok && key == "properties" {
				names = slices.AppendSeq(names, maps.Keys(properties))
			} else {
				names = append(names, propertiesIn(e)...)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// An editor with the schema takes and refuses what mcptea does: each value at each key.
func TestSchema_AgreesWithTheReader(t *testing.T) {
	scalars := []string{`"x"`, `""`, `" "`, `3`, `0`, `-1.5`, `true`, `false`, `null`, `"yes"`, `"off"`, `"true"`, `"30s"`, `"0s"`, `"-1s"`, `"1m30.5s"`, `".5h"`, `"30"`, `"never"`, `"500MB"`, `"~/x"`, `"https://x.test"`, `"$URL"`}
	var values []string
	for _, v := range scalars {
		values = append(values, v, "["+v+"]", `{"a": `+v+`}`, `{"a": [`+v+`]}`)
	}
	for _, name := range []string{"a b", "-a", "", "a/b", "a=b", "a#b", "a.b", "ä", "clear", "apply", "A_1-x", "a\\n"} {
		values = append(values, `{"`+name+`": "x"}`)
	}
	var schema struct {
		Properties struct{ Servers any }
	}
	if err := json.Unmarshal(settings.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	members := propertiesIn(schema.Properties.Servers)
	if len(members) < 7 {
		t.Fatalf("the members of a server are %q", members)
	}
	values = append(values, `[]`, `{}`, `[[]]`, `[{}]`, `["a", 1, null]`, `{"a": {}}`, `{"a": [[]]}`)
	for _, start := range []string{``, `"url": "https://x.test", `, `"url": "x", `, `"command": "x", `, `"url": "$X", "command": "x", `} {
		for _, m := range append(members, "ca-cert") {
			for _, v := range []string{`"x"`, `""`, `3`, `true`, `null`, `"yes"`, `"https://x.test"`, `[]`, `["a", "b"]`, `[""]`, `{}`} {
				if !strings.Contains(start, `"`+m+`"`) {
					values = append(values, fmt.Sprintf(`{"a": {%s%q: %s}}`, start, m, v), fmt.Sprintf(`{"a": {%s"cert": "c", %q: %s}}`, start, "key", v))
				}
			}
		}
	}
	s := compiled(t)
	tried := map[string]bool{}
	at := func(key string) {
		group, name, isMember := strings.Cut(key, ".")
		for _, v := range values {
			text := fmt.Sprintf("{%q: %s}", group, v)
			if isMember {
				text = fmt.Sprintf("{%q: {%q: %s}}", group, name, v)
			}
			if !tried[text] && json.Valid([]byte(text)) {
				tried[text] = true
				agree(t, s, text, []byte(text))
			}
		}
	}
	for _, k := range settings.Keys() {
		at(k.Name)
		group, _, _ := strings.Cut(k.Name, ".")
		at(group)
		at(group + ".other")
	}
	at("insecure")
	for _, text := range []string{`{}`, `null`, `[]`, `"x"`, `3`} {
		agree(t, s, text, []byte(text))
	}
}

// The examples of the documentation are files that both take.
func TestSchema_ExamplesOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	s, n := compiled(t), 0
	for block := range strings.SplitSeq(string(page), "```yaml\n") {
		example, _, ok := strings.Cut(block, "\n```")
		if n++; n == 1 || !ok { // what is before the first one
			continue
		}
		if _, err := settings.Read(t.Context(), write(t, example)); err != nil {
			t.Errorf("%s\n%v", example, err)
		}
		if m, _ := s.Check(asJSON(t, example)); m != nil {
			t.Errorf("%s\n%+v", example, m)
		}
	}
	if n < 4 {
		t.Errorf("docs/config.md has %d examples", n-1)
	}
	if m, _ := s.Check(asJSON(t, complete)); m != nil {
		t.Errorf("all keys: %+v", m)
	}
}

func asJSON(t *testing.T, text string) []byte {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
