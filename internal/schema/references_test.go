package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/internal/schema"
)

func TestReferences(t *testing.T) {
	r := schema.NewReferences([]byte(`{"$defs":{"a/b~":{"type":"null"},"L<A>":{"type":"array"},"50%":{}},"properties":{"a":{"anyOf":[{"type":"integer"},{"$ref":"#/$defs/50%"}]}}}`))
	for ref, want := range map[string]string{
		"#/properties/a/anyOf/0":      `{"type":"integer"}`,
		"#/properties/a/anyOf/0/type": `"integer"`,
		"#/$defs/a~1b~0":              `{"type":"null"}`,
		"#/$defs/L%3CA%3E":            `{"type":"array"}`,
		"#/$defs/L<A>":                `{"type":"array"}`,
		"#/$defs/50%":                 `{}`,
		"#/properties/a/anyOf/2":      "",
		"#/properties/a/anyOf/-1":     "",
		"#/$defs/none":                "",
		"#/$defs/50%/":                "",
		"#anchor":                     "",
		"https://example.com/a#/b":    "",
	} {
		got, ok := r.Follow(ref)
		if string(got) != want || ok != (want != "") {
			t.Errorf("%s leads to %q, %v", ref, got, ok)
		}
	}
	if got, ok := r.Resolve([]byte(`{"$ref":"#/properties/a/anyOf/1"}`)); string(got) != `{}` || !ok {
		t.Errorf("a reference to a reference leads to %q, %v", got, ok)
	}
}

// A chain is followed to its bound, and a circle has no end.
func TestReferences_Bound(t *testing.T) {
	chain := func(n int) *schema.References {
		var b strings.Builder
		for i := range n - 1 {
			fmt.Fprintf(&b, `"%d":{"$ref":"#/%d"},`, i, i+1)
		}
		return schema.NewReferences([]byte("{" + b.String() + fmt.Sprintf(`"%d":{"type":"null"}}`, n-1)))
	}
	const maxReferences = 32
	start := []byte(`{"$ref":"#/0"}`)
	if got, ok := chain(maxReferences).Resolve(start); string(got) != `{"type":"null"}` || !ok {
		t.Errorf("%d references lead to %q, %v", maxReferences, got, ok)
	}
	if _, ok := chain(maxReferences + 1).Resolve(start); ok {
		t.Errorf("%d references are followed", maxReferences+1)
	}
	if _, ok := schema.NewReferences([]byte(`{"0":{"$ref":"#/0"}}`)).Resolve(start); ok {
		t.Error("a circle has an end")
	}
}
