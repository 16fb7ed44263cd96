package schema

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	tests := []struct{ schema, value, want string }{
		{`{"type":"object"}`, `{}`, ``},
		{`{"type":"object"}`, `[]`, `want object, got array`},
		{`{"type":["string","null"]}`, `1`, `want string or null, got integer`},
		{`{"type":"integer"}`, `1.0`, ``},
		{`{"type":"integer"}`, `1.5`, `want integer, got number`},
		{`{"type":"number","minimum":1,"maximum":2}`, `3`, `want at most 2, got 3`},
		{`{"enum":["a",1]}`, `1`, ``},
		{`{"enum":["a",1]}`, `"b"`, `want one of a, 1`},
		{`{"oneOf":[{"const":"x","title":"X"}]}`, `"y"`, `want one of x`},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `1`, ``},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `true`, `want string, got boolean; or want integer`},
		{`{"allOf":[{"type":"string"},{"minLength":2}]}`, `"a"`, `want at least 2`},
		{`{"const":"a"}`, `"b"`, `want one of a`},
		{`{"minLength":2}`, `"é"`, `want at least 2 characters`},
		{`{"maxLength":2}`, `"日本語"`, `want at most 2 characters`},
		{`{"pattern":"^a"}`, `"b"`, `does not match ^a`},
		{`{"pattern":"("}`, `"b"`, `the schema's pattern is broken`},
		{`{"items":{"type":"string"},"maxItems":2}`, `["a",1]`, `[1]: want string, got integer`},
		{`{"items":{"type":"string"},"maxItems":2}`, `["a","b","c"]`, `want at most 2 items, got 3`},
		{`{"minItems":1}`, `[]`, `want at least 1 items, got 0`},
		{`{"properties":{"a":{"properties":{"b":{"type":"string"}}}}}`, `{"a":{"b":1}}`, `a.b: want string`},
		{`{"required":["a"]}`, `{}`, `a: is required`},
		{`{"additionalProperties":false}`, `{"a":1}`, `a: is not an argument`},
		{`{"additionalProperties":{"type":"string"}}`, `{"a":1}`, `a: want string`},
		{`{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, `{"a":1}`, `a: want string`},
		{`{"$ref":"#/$defs/x"}`, `1`, `which is not there`},
		{`{"$ref":"https://example.com/x"}`, `1`, `which is elsewhere`},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"}}}`, `1`, `without end`},
		{`null`, `1`, ``},
		{`[]`, `1`, `not a JSON object`},
		{`{}`, `{`, `not JSON`},
	}
	for _, tt := range tests {
		err := Check([]byte(tt.schema), []byte(tt.value))
		if got := errText(err); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("Check(%s, %s) = %q, want %q", tt.schema, tt.value, got, tt.want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
