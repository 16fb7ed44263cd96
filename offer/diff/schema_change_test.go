package diff

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// reasons are the changes of a schema: ! is breaking.
func reasons(changes []Change) string {
	var all []string
	for _, c := range changes {
		mark := ""
		if c.Breaking {
			mark = "!"
		}
		all = append(all, mark+c.Path)
	}
	return strings.Join(all, " ")
}

func TestSchemas(t *testing.T) {
	for name, tc := range map[string]struct{ old, now, input, output string }{
		"required added":              {`{"properties":{"a":{}}}`, `{"properties":{"a":{}},"required":["a"]}`, "!/required", "/required"},
		"required removed":            {`{"required":["a"]}`, `{}`, "/required", "!/required"},
		"type narrowed":               {`{"type":["string","number"]}`, `{"type":"string"}`, "!/type", "/type"},
		"type widened":                {`{"type":"integer"}`, `{"type":"number"}`, "/type", "!/type"},
		"type changed":                {`{"type":"string"}`, `{"type":"number"}`, "!/type", "!/type"},
		"enum value removed":          {`{"enum":["a","b"]}`, `{"enum":["a"]}`, "!/enum", "/enum"},
		"enum value added":            {`{"enum":["a"]}`, `{"enum":["a","b"]}`, "/enum", "!/enum"},
		"enum to const":               {`{"enum":["a","b"]}`, `{"const":"a"}`, "!/enum", "/enum"},
		"additionalProperties closed": {`{}`, `{"additionalProperties":false}`, "!/additionalProperties", "/additionalProperties"},
		"additionalProperties opened": {`{"additionalProperties":false}`, `{"additionalProperties":true}`, "/additionalProperties", "!/additionalProperties"},
		"minimum raised":              {`{"minimum":1}`, `{"minimum":2}`, "!/minimum", "/minimum"},
		"maximum raised":              {`{"maximum":1}`, `{"maximum":2}`, "/maximum", "!/maximum"},
		"maxLength added":             {`{}`, `{"maxLength":2}`, "!/maxLength", "/maxLength"},
		"the same number":             {`{"minimum":1}`, `{"minimum":1.0}`, "", ""},
		"default":                     {`{"default":1}`, `{"default":2}`, "/default", "/default"},
		"description":                 {`{"description":"a"}`, `{"description":"b"}`, "/description", "/description"},
		"property added":              {`{}`, `{"properties":{"a":{}}}`, "/properties/a", "/properties/a"},
		"property removed":            {`{"properties":{"a":{}}}`, `{}`, "/properties/a", "!/properties/a"},
		"property removed, closed":    {`{"properties":{"a":{}},"additionalProperties":false}`, `{"additionalProperties":false}`, "!/properties/a", "/properties/a"},
		"nested":                      {`{"properties":{"a":{"items":{"type":"string"}}}}`, `{"properties":{"a":{"items":{"type":"integer"}}}}`, "!/properties/a/items/type", "!/properties/a/items/type"},
		"reference":                   {`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"integer"}}}`, "!/properties/a/type", "!/properties/a/type"},
		"reference inlined":           {`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`, "", ""},
		"recursive":                   {`{"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"},"v":{"type":"string"}}}},"$ref":"#/$defs/n"}`, `{"$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"},"v":{"type":"number"}}}},"$ref":"#/$defs/n"}`, "!/properties/v/type", "!/properties/v/type"},
		"alternative removed":         {`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"}]}`, "!/anyOf", "/anyOf"},
		"alternative added":           {`{"oneOf":[{"const":1}]}`, `{"oneOf":[{"const":1},{"const":2}]}`, "/oneOf", "!/oneOf"},
		"pattern":                     {`{"pattern":"a"}`, `{"pattern":"b"}`, "!/pattern", "!/pattern"},
		"unique":                      {`{}`, `{"uniqueItems":true}`, "!/uniqueItems", "/uniqueItems"},
		"equal":                       {`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`, "", ""},
		"false":                       {`{"properties":{"a":{}}}`, `{"properties":{"a":false}}`, "!/properties/a", "/properties/a"},

		"limits beside a reference":           {beside(``), beside(`,"maxLength":3,"enum":["x"]`), "!/properties/a/enum !/properties/a/maxLength", "/properties/a/enum /properties/a/maxLength"},
		"a limit that the target has already": {beside(``), beside(`,"maxLength":9`), "", ""},
		"a stricter limit than the target's":  {beside(``), beside(`,"minLength":2`), "!/properties/a/minLength", "/properties/a/minLength"},
		"a pattern besides the target's":      {beside(``), beside(`,"pattern":"b"`), "!/properties/a/allOf", "/properties/a/allOf"},
		"a description beside a reference":    {beside(`,"description":"a"`), beside(`,"description":"b"`), "/properties/a/description", "/properties/a/description"},
		"limits beside a reference, draft-07": {draft7(beside(``)), draft7(beside(`,"maxLength":3,"title":"t"`)), "/properties/a/title", "/properties/a/title"},
		"required beside a reference":         {besideObject(``), besideObject(`,"required":["x","y"]`), "!/required", "/required"},
		"properties beside a reference":       {besideObject(``), besideObject(`,"properties":{"y":{"type":"string"}}`), "/properties/y", "/properties/y"},
		"a property of both":                  {besideObject(``), besideObject(`,"properties":{"x":{"minimum":1}}`), "!/properties/x/minimum", "/properties/x/minimum"},
		"a reference through an array":        {throughArray(`{"$ref":"#/properties/a/anyOf/0"}`), throughArray(`{"type":"integer"}`), "", ""},
		"a changed one through an array":      {throughArray(`{"$ref":"#/properties/a/anyOf/0"}`), throughArray(`{"type":"string"}`), "!/properties/b/type", "!/properties/b/type"},
		"a percent-encoded reference":         {`{"properties":{"a":{"$ref":"#/$defs/L%3CA%3E"}},"$defs":{"L<A>":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`, "", ""},
		"a reference to another document":     {`{"$ref":"https://example.com/a"}`, `{"$ref":"https://example.com/b"}`, "!", "!"},
		"references in a circle":              {`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `{"type":"string"}`, "!", "!"},
		"a tree with a title at each reference": {
			`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"l":{"$ref":"#/$defs/n","title":"l"},"r":{"$ref":"#/$defs/n","title":"r"},"v":{"type":"string"}}}}}`,
			`{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"l":{"$ref":"#/$defs/n","title":"l"},"r":{"$ref":"#/$defs/n","title":"r"},"v":{"type":"number"}}}}}`,
			"!/properties/l/properties/r/properties/v/type !/properties/l/properties/v/type !/properties/v/type",
			"!/properties/l/properties/r/properties/v/type !/properties/l/properties/v/type !/properties/v/type",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reasons(schemaChanges([]byte(tc.old), []byte(tc.now), inputSchema)); got != tc.input {
				t.Errorf("as input: %s, want %s", got, tc.input)
			}
			if got := reasons(schemaChanges([]byte(tc.old), []byte(tc.now), outputSchema)); got != tc.output {
				t.Errorf("as output: %s, want %s", got, tc.output)
			}
		})
	}
}

// The bounds of what is compared: at the bound everything is, beyond it the report says so.
func TestSchemas_Bounds(t *testing.T) {
	many := func(n int, kind string) []byte {
		var b strings.Builder
		b.WriteString(`{"properties":{`)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"p%d":{"type":%q}`, i, kind)
		}
		return []byte(b.String() + `}}`)
	}
	if maxSchemaPath != 2000 || maxSchemaPairs != 100_000 || maxSchemaChanges != 1000 {
		t.Errorf("the bounds are %d bytes of a path, %d pairs, %d changes", maxSchemaPath, maxSchemaPairs, maxSchemaChanges)
	}
	if got := schemaChanges(many(maxSchemaChanges, "string"), many(maxSchemaChanges, "number"), inputSchema); len(got) != maxSchemaChanges {
		t.Errorf("%d changes at the bound", len(got))
	}
	if got := schemaChanges(many(maxSchemaChanges+1, "string"), many(maxSchemaChanges+1, "number"), inputSchema); len(got) != maxSchemaChanges {
		t.Errorf("%d changes beyond the bound", len(got))
	}
	places := func(n int) []Change {
		old := []byte(`{"prefixItems":[{"minimum":1}` + strings.Repeat(`,{"minimum":1}`, n-2) + `]}`) // with the schema itself n places
		now := bytes.Clone(old)
		c := &schemaComparison{old: newSchemaDocument(old), now: newSchemaDocument(now), seen: map[[2]*byte]bool{}, maxPairs: 100}
		c.schema("", old, now)
		return c.changes
	}
	if got := places(100); len(got) != 0 {
		t.Errorf("%d changes with as many places as are compared: %+v", len(got), got[0])
	}
	if got := places(101); len(got) != 1 || !got[0].Breaking || !strings.Contains(got[0].Reason, "100 places") {
		t.Errorf("%d changes with one place more: %+v", len(got), got)
	}
	deep := func(n int, kind string) []byte {
		return []byte(strings.Repeat(`{"items":`, n) + `{"type":"` + kind + `"}` + strings.Repeat(`}`, n))
	}
	at := maxSchemaPath / len("/items")
	if got := schemaChanges(deep(at, "string"), deep(at, "number"), inputSchema); len(got) != 1 {
		t.Errorf("%d changes at the deepest place", len(got))
	}
	if got := schemaChanges(deep(at+1, "string"), deep(at+1, "number"), inputSchema); len(got) != 1 || !got[0].Breaking || !strings.Contains(got[0].Reason, "nested") {
		t.Errorf("%d changes below the deepest place: %+v", len(got), got)
	}
}

// beside is a schema with a reference and keywords beside it.
func beside(keywords string) string {
	return `{"$defs":{"s":{"type":"string","maxLength":9,"minLength":1,"pattern":"a"}},"properties":{"a":{"$ref":"#/$defs/s"` + keywords + `}}}`
}

func besideObject(keywords string) string {
	return `{"$defs":{"o":{"properties":{"x":{"type":"integer"}},"required":["x"]}},"$ref":"#/$defs/o"` + keywords + `}`
}

func draft7(schema string) string {
	return `{"$schema":"http://json-schema.org/draft-07/schema#",` + schema[1:]
}

// throughArray has a type that is used twice as zod-to-json-schema writes it.
func throughArray(b string) string {
	return `{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":` + b + `}}`
}
