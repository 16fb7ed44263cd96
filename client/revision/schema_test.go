package revision_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/client/revision"
	"mcptea/internal/test/official"
)

// schema is the part of an official schema that the tables describe.
type schema struct{ defs map[string]node }

// node is a part of a JSON Schema.
type node struct {
	Ref        string          `json:"$ref"`
	Type       oneOrMany       `json:"type"`
	Const      any             `json:"const"`
	Enum       []string        `json:"enum"`
	Properties map[string]node `json:"properties"`
	Required   []string        `json:"required"`
	AnyOf      []node          `json:"anyOf"`
	AllOf      []node          `json:"allOf"`
	Items      *node           `json:"items"`
	Additional *node           `json:"additionalProperties"`
	Minimum    *float64        `json:"minimum"`
	Maximum    *float64        `json:"maximum"`
}

// oneOrMany is a list that may be a single string.
type oneOrMany []string

func (l *oneOrMany) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		*l = make([]string, 1)
		return json.Unmarshal(raw, &(*l)[0])
	}
	return json.Unmarshal(raw, (*[]string)(l))
}

// UnmarshalJSON reads a schema; true and false allow anything and nothing.
func (n *node) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		return nil
	}
	type plain node
	return json.Unmarshal(raw, (*plain)(n))
}

// eachSchema runs a test against the official schema of every revision, or
// skips it where there are none: they are not part of this repository.
func eachSchema(t *testing.T, check func(t *testing.T, r revision.Revision, s schema)) {
	t.Helper()
	dir := official.Schemas(t)
	for _, r := range revision.All() {
		t.Run(string(r), func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(dir, string(r)+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				Defs        map[string]node `json:"$defs"`
				Definitions map[string]node `json:"definitions"`
			}
			if err := json.Unmarshal(raw, &file); err != nil {
				t.Fatal(err)
			}
			s := schema{file.Defs}
			if s.defs == nil {
				s.defs = file.Definitions
			}
			if len(s.defs) < 50 {
				t.Fatalf("only %d definitions", len(s.defs))
			}
			check(t, r, s)
		})
	}
}

// resolve follows a reference.
func (s schema) resolve(n node) node {
	for n.Ref != "" {
		n = s.defs[nameOf(n)]
	}
	return n
}

func nameOf(n node) string { return n.Ref[strings.LastIndex(n.Ref, "/")+1:] }

// methodOf is the method that a definition is of, if it is that of a message.
func (s schema) methodOf(name string) (string, bool) {
	m, ok := s.defs[name].Properties["method"].Const.(string)
	return m, ok
}

// methodsOf are the methods of a union, which may have one member only and is
// then that itself.
func (s schema) methodsOf(union string) []string {
	if m, ok := s.methodOf(union); ok {
		return []string{m}
	}
	var found []string
	for _, branch := range s.defs[union].AnyOf {
		if m, ok := s.methodOf(nameOf(branch)); ok {
			found = append(found, m)
		}
	}
	return found
}

// definitions are those of the messages, by method; a union of one is left
// out.
func (s schema) definitions() map[string]string {
	found := map[string]string{}
	for name := range s.defs {
		if m, ok := s.methodOf(name); ok && name != "ClientNotification" {
			found[m] = name
		}
	}
	return found
}

// same compares two sets of names.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("%s: %s is in the table and not in the schema", what, name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s: %s is in the schema and not in the table", what, name)
		}
	}
}
