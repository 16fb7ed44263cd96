package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

// propertyWith is a schema with keywords in a property.
func propertyWith(keywords string) []byte {
	return []byte(`{"type":"object","properties":{"a":{"type":"string"` + keywords + `}}}`)
}

// keywordValues are two values of each keyword of JSON Schema (draft-04 to 2020-12) and of
// OpenAPI 3.0.
var keywordValues = map[string][2]string{
	"type": {`"string"`, `"number"`}, "enum": {`["a"]`, `["b"]`}, "const": {`1`, `2`},
	"multipleOf": {`2`, `3`}, "maximum": {`2`, `3`}, "exclusiveMaximum": {`2`, `3`}, "minimum": {`2`, `3`}, "exclusiveMinimum": {`true`, `false`},
	"maxLength": {`2`, `3`}, "minLength": {`2`, `3`}, "pattern": {`"a"`, `"b"`}, "maxItems": {`2`, `3`}, "minItems": {`2`, `3`}, "uniqueItems": {`true`, `false`},
	"maxContains": {`2`, `3`}, "minContains": {`2`, `3`}, "maxProperties": {`2`, `3`}, "minProperties": {`2`, `3`}, "required": {`["a"]`, `["b"]`},
	"dependentRequired": {`{"a":["b"]}`, `{"a":["c"]}`}, "dependentSchemas": {`{"a":{}}`, `{"a":false}`}, "dependencies": {`{"a":["b"]}`, `{"a":["c"]}`},
	"allOf": {`[{}]`, `[false]`}, "anyOf": {`[{}]`, `[false]`}, "oneOf": {`[{}]`, `[false]`}, "not": {`{}`, `false`}, "if": {`{}`, `false`}, "then": {`{}`, `false`}, "else": {`{}`, `false`},
	"prefixItems": {`[{}]`, `[false]`}, "items": {`{}`, `false`}, "additionalItems": {`{}`, `false`}, "contains": {`{}`, `false`}, "unevaluatedItems": {`{}`, `false`},
	"properties": {`{"a":{}}`, `{"a":false}`}, "patternProperties": {`{"a":{}}`, `{"a":false}`}, "additionalProperties": {`{}`, `false`}, "propertyNames": {`{}`, `false`}, "unevaluatedProperties": {`{}`, `false`},
	"format": {`"date"`, `"time"`}, "contentEncoding": {`"base64"`, `"base32"`}, "contentMediaType": {`"text/plain"`, `"text/css"`}, "contentSchema": {`{"type":"object"}`, `{"type":"array"}`},
	"title": {`"a"`, `"b"`}, "description": {`"a"`, `"b"`}, "default": {`1`, `2`}, "deprecated": {`true`, `false`}, "readOnly": {`true`, `false`}, "writeOnly": {`true`, `false`}, "examples": {`[1]`, `[2]`},
	"$schema": {`"http://json-schema.org/draft-07/schema#"`, `"https://json-schema.org/draft/2020-12/schema"`}, "$id": {`"a"`, `"b"`}, "$anchor": {`"a"`, `"b"`}, "$comment": {`"a"`, `"b"`},
	"$dynamicRef": {`"#a"`, `"#b"`}, "$dynamicAnchor": {`"a"`, `"b"`}, "$recursiveRef": {`"#"`, `"#a"`}, "$recursiveAnchor": {`true`, `false`}, "$vocabulary": {`{"a":true}`, `{"a":false}`},
	"nullable": {`true`, `false`}, "discriminator": {`{"propertyName":"kind"}`, `{"propertyName":"type"}`}, "example": {`1`, `2`}, "externalDocs": {`{"url":"a"}`, `{"url":"b"}`}, "xml": {`{"name":"a"}`, `{"name":"b"}`},
}

// TestSchemas_EveryKeyword changes, adds and removes each keyword: it is never left out, and
// never called unknown.
func TestSchemas_EveryKeyword(t *testing.T) {
	for name, values := range keywordValues {
		one, other := fmt.Sprintf(`{%q:%s}`, name, values[0]), fmt.Sprintf(`{%q:%s}`, name, values[1])
		for _, pair := range [][2]string{{one, other}, {other, one}, {one, `{}`}, {`{}`, one}} {
			changes := schemaChanges([]byte(pair[0]), []byte(pair[1]), inputSchema)
			isWithout := pair[0] == `{}` || pair[1] == `{}`
			if len(changes) == 0 && !(isWithout && (values[0] == `{}` || values[0] == `{"a":{}}`)) {
				t.Errorf("%s to %s: no change", pair[0], pair[1])
			}
			for _, c := range changes {
				if strings.Contains(c.Reason, "not a keyword") {
					t.Errorf("%s to %s: %s", pair[0], pair[1], c.Reason)
				}
			}
		}
	}
}

func TestSchemas_UnknownKeywords(t *testing.T) {
	for _, tt := range []struct{ old, now, want string }{
		{`,"nullable":true`, ``, "!/properties/a/nullable null is no longer accepted"},
		{``, `,"nullable":true`, "/properties/a/nullable null is accepted now"},
		{`,"contentSchema":{"type":"object"}`, `,"contentSchema":{"type":"array"}`, `!/properties/a/contentSchema contentSchema changed from {"type":"object"} to {"type":"array"}`},
		{`,"x-unit":"m"`, ``, "/properties/a/x-unit the x-unit changed"},
		{`,"wombat":{"a":1}`, `,"wombat":{"a":2}`, `/properties/a/wombat wombat was {"a":1} and is {"a":2}; it is not a keyword of JSON Schema, and counts as an annotation`},
		{``, `,"wombat":1`, `/properties/a/wombat wombat was not set and is 1; it is not a keyword of JSON Schema, and counts as an annotation`},
		{`,"wom/bat":1`, ``, `/properties/a/wom~1bat wom/bat was 1 and is not set; it is not a keyword of JSON Schema, and counts as an annotation`},
	} {
		changes := schemaChanges(propertyWith(tt.old), propertyWith(tt.now), inputSchema)
		var got []string
		for _, c := range changes {
			got = append(got, reasons([]Change{c})+" "+c.Reason)
		}
		if !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%s to %s:\n%s\nwant\n%s", tt.old, tt.now, strings.Join(got, "\n"), tt.want)
		}
	}
}

// TestSchemas_LargeSets has sets of 100,000 values: one that compares each with each does not
// end within the time of a test run.
func TestSchemas_LargeSets(t *testing.T) {
	const n = 30_000
	list := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ","+format, i)
		}
		return b.String()[1:]
	}
	for name, tt := range map[string][2]string{
		"enum":     {`,"enum":[` + list(`"a%d"`) + `]`, `,"enum":[` + list(`"b%d"`) + `]`},
		"anyOf":    {`,"anyOf":[` + list(`{"const":"a%d"}`) + `]`, `,"anyOf":[` + list(`{"const":"b%d"}`) + `,{}]`},
		"required": {`,"required":[` + list(`"a%d"`) + `]`, `,"required":[` + list(`"b%d"`) + `]`},
		"type":     {`,"type":[` + list(`"a%d"`) + `]`, `,"type":[` + list(`"a%d"`) + `,"b"]`},
		"unknown":  {`,` + list(`"a%d":1`), `,` + list(`"a%d":2`)},
	} {
		if changes := schemaChanges([]byte(`{"a":1`+tt[0]+`}`), []byte(`{"a":1`+tt[1]+`}`), inputSchema); len(changes) == 0 {
			t.Errorf("%s: no change", name)
		}
	}
	joined := newConjunction([]byte(`{` + list(`"a%d":1`) + `}`))
	for _, k := range keywordsOf([]byte(`{` + list(`"a%d":2`) + `}`)) {
		joined.add(k)
	}
	if got := elementsOf(keywordsOf(joined.encode())[n].value); len(got) != 1 {
		t.Errorf("%d conditions of the keywords that cannot be joined, want one", len(got))
	}
	properties := bothProperties([]byte(`{`+list(`"a%d":{}`)+`}`), []byte(`{`+list(`"a%d":{"minimum":1}`)+`}`))
	if got := keywordsOf(properties); len(got) != n {
		t.Errorf("%d properties", len(got))
	}
}

// TestServers_EveryDifference has entries that differ in ways that no rule knows: none is
// reported as equal.
func TestServers_EveryDifference(t *testing.T) {
	for name, pair := range map[string][2]string{
		"order of an enum":            {`{"name":"a","inputSchema":{"enum":["a","b"]}}`, `{"name":"a","inputSchema":{"enum":["b","a"]}}`},
		"an unused definition":        {`{"name":"a","inputSchema":{"$defs":{"x":{"type":"string"}}}}`, `{"name":"a","inputSchema":{"$defs":{"x":{"type":"number"}}}}`},
		"a reference inlined":         {`{"name":"a","inputSchema":{"$ref":"#/$defs/x","$defs":{"x":{"type":"string"}}}}`, `{"name":"a","inputSchema":{"type":"string"}}`},
		"a schema that is no schema":  {`{"name":"a","inputSchema":1}`, `{"name":"a","inputSchema":2}`},
		"a keyword of a wrong type":   {`{"name":"a","inputSchema":{"type":1}}`, `{"name":"a","inputSchema":{"type":2}}`},
		"empty annotations":           {`{"name":"a"}`, `{"name":"a","annotations":{}}`},
		"a member that has no rule":   {`{"name":"a","wombat":1}`, `{"name":"a","wombat":2}`},
		"a member twice":              {`{"name":"a","title":"x"}`, `{"name":"a","title":"x","title":"y"}`},
		"output written differently":  {`{"name":"a","outputSchema":{"required":["a","b"]}}`, `{"name":"a","outputSchema":{"required":["b","a"]}}`},
		"empty arguments of a prompt": {`{"name":"a","arguments":[]}`, `{"name":"a"}`},
	} {
		for _, list := range []string{"tools", "prompts"} {
			of := func(entry string) Server { return Server{Lists: map[string][][]byte{list: {[]byte(entry)}}} }
			if len(Servers(of(pair[0]), of(pair[1]))) == 0 || len(Servers(of(pair[1]), of(pair[0]))) == 0 {
				t.Errorf("%s of %s: no change", name, list)
			}
			if got := Servers(of(pair[0]), of(pair[0])); len(got) != 0 {
				t.Errorf("%s of %s: equal entries differ: %+v", name, list, got)
			}
		}
	}
	twice := Server{Lists: map[string][][]byte{"tools": {[]byte(`{"name":"a"}`), []byte(`{"name":"a"}`)}}}
	once := Server{Lists: map[string][][]byte{"tools": {[]byte(`{"name":"a"}`)}}}
	if got := Servers(once, twice); len(got) != 1 || got[0].Kind != Added {
		t.Errorf("a second tool of the same name: %+v", got)
	}
}

// TestServers_HintsThroughDefaults: a hint that is absent has its default, so writing it out
// changes nothing; otherwise a baseline would report drift where nothing has changed.
func TestServers_HintsThroughDefaults(t *testing.T) {
	for _, tt := range []struct{ old, now, want string }{
		{`{}`, `{"destructiveHint":true,"readOnlyHint":false,"idempotentHint":false,"openWorldHint":true}`, "/annotations same"},
		{`{"readOnlyHint":true}`, `{"destructiveHint":true}`, "/annotations/readOnlyHint it is a hint by which hosts ask for confirmation, and false where it is absent"},
		{`{}`, `{"destructiveHint":false}`, "/annotations/destructiveHint it is a hint by which hosts ask for confirmation, and true where it is absent; it claims less risk than before"},
		{`{"readOnlyHint":false}`, `{"readOnlyHint":true}`, "/annotations/readOnlyHint it is a hint by which hosts ask for confirmation; it claims less risk than before"},
		{`{}`, `{"idempotentHint":true}`, "/annotations/idempotentHint it is a hint, and false where it is absent; it claims less risk than before"},
		{`{"openWorldHint":true}`, `{"openWorldHint":false}`, "/annotations/openWorldHint it is a hint; it claims less risk than before"},
		{`{"destructiveHint":false}`, `{}`, "/annotations/destructiveHint it is a hint by which hosts ask for confirmation, and true where it is absent"},
		{`{"openWorldHint":false}`, `{"openWorldHint":true}`, "/annotations/openWorldHint it is a hint"},
		{`{"title":"a"}`, `{}`, "/annotations/title it is a hint"},
	} {
		of := func(annotations string) Server {
			return Server{Lists: map[string][][]byte{"tools": {[]byte(`{"name":"a","annotations":` + annotations + `}`)}}}
		}
		got := Servers(of(tt.old), of(tt.now))
		if len(got) != 1 {
			t.Errorf("%s to %s: %+v", tt.old, tt.now, got)
			continue
		}
		text := got[0].Path + " " + got[0].Reason
		if got[0].Same {
			text = got[0].Path + " same"
		}
		if text != tt.want {
			t.Errorf("%s to %s: %s, want %s", tt.old, tt.now, text, tt.want)
		}
	}
}

// FuzzServers compares tools: no difference if and only if they are equal.
func FuzzServers(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"nullable":true}}}`), []byte(`{"type":"object","properties":{"a":{}}}`))
	f.Add([]byte(`{"enum":[1,2]}`), []byte(`{"enum":[2,1]}`))
	f.Fuzz(func(t *testing.T, old, now []byte) {
		if !jsonrpc.Valid(old) || !jsonrpc.Valid(now) {
			return
		}
		of := func(schema []byte) Server {
			entry := slices.Concat([]byte(`{"name":"a","inputSchema":`), schema, []byte(`}`))
			return Server{Lists: map[string][][]byte{"tools": {entry}}}
		}
		if got := Servers(of(old), of(now)); (len(got) == 0) != jsonrpc.Equal(old, now) {
			t.Errorf("%d changes from %s to %s", len(got), old, now)
		}
	})
}
