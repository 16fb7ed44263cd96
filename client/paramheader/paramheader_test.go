package paramheader_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcptea/client/paramheader"
)

func TestRead(t *testing.T) {
	params, err := paramheader.Read([]byte(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"plain":{"type":"string","default":{"x-mcp-header":"no"}},
		"where":{"type":"object","properties":{"zone":{"type":"integer","x-mcp-header":"Zone"},"x-mcp-header":{"type":"boolean","x-mcp-header":"Odd"}}}
	}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(params); got != "[{Region [region]} {Zone [where zone]} {Odd [where x-mcp-header]}]" {
		t.Error(got)
	}
}

func TestRead_InvalidAnnotations(t *testing.T) {
	property := func(s string) string { return `{"properties":{"a":` + s + `}}` }
	tests := map[string]struct{ schema, want string }{
		"empty":       {property(`{"type":"string","x-mcp-header":""}`), "is empty"},
		"no string":   {property(`{"type":"string","x-mcp-header":7}`), "is 7, not a string"},
		"space":       {property(`{"type":"string","x-mcp-header":"a b"}`), `is "a b", which is not a valid name`},
		"colon":       {property(`{"type":"string","x-mcp-header":"a:b"}`), "not a valid name of an HTTP header"},
		"foreign":     {property(`{"type":"string","x-mcp-header":"é"}`), "not a valid name of an HTTP header"},
		"control":     {property(`{"type":"string","x-mcp-header":"a\u0007"}`), "not a valid name of an HTTP header"},
		"object":      {property(`{"type":"object","x-mcp-header":"A"}`), `of type "object"`},
		"number":      {property(`{"type":"number","x-mcp-header":"A"}`), `of type "number"`},
		"null":        {property(`{"type":"null","x-mcp-header":"A"}`), `of type "null"`},
		"no type":     {property(`{"x-mcp-header":"A"}`), "of type unknown"},
		"twice":       {`{"properties":{"a":{"type":"string","x-mcp-header":"Tea"},"b":{"type":"string","x-mcp-header":"tEA"}}}`, `is "tEA", the same as at properties.a`},
		"in items":    {property(`{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`), "properties.a.items is not on a property"},
		"in anyOf":    {`{"anyOf":[{},{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, "anyOf[1].properties.a is not on a property"},
		"in $defs":    {`{"$defs":{"d":{"type":"string","x-mcp-header":"A"}}}`, "$defs.d is not on a property"},
		"at the root": {`{"type":"object","x-mcp-header":"A"}`, "at the root is not on a property"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			params, err := paramheader.Read([]byte(tt.schema))
			var fault *paramheader.Fault
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), tt.want) || params != nil {
				t.Errorf("%v, %v", params, err)
			}
		})
	}
}

func TestValue(t *testing.T) {
	arguments := []byte(`{"s":"Grüße","e":"","i":42,"f":42.0,"x":4.2e1,"h":1e400,"d":1.5,"t":true,"n":null,"o":{"z":-3},"a":[1]}`)
	tests := []struct {
		path string
		want string
		ok   bool
	}{
		{"s", "Grüße", true},
		{"e", "", true},
		{"i", "42", true},
		{"f", "42", true},
		{"x", "42", true},
		{"h", "1e400", true},
		{"d", "1.5", true},
		{"t", "true", true},
		{"o.z", "-3", true},
		{"n", "", false},
		{"absent", "", false},
		{"o", "", false},
		{"a", "", false},
		{"s.z", "", false},
	}
	for _, tt := range tests {
		if got, ok := (paramheader.Param{Path: strings.Split(tt.path, ".")}).Value(arguments); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %q %v", tt.path, got, ok)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`), []byte(`{"a":"b"}`))
	f.Add([]byte(strings.Repeat(`{"properties":{"a":`, 100)), []byte(`{`))
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		params, err := paramheader.Read(schema)
		if err != nil && params != nil {
			t.Error("params beside a fault")
		}
		for _, p := range params {
			_, _ = p.Value(arguments)
		}
	})
}
