package checks_test

import (
	"fmt"
	"testing"

	"mcptea/session/checks/sdks"
)

// An output schema that the TypeScript SDK cannot compile costs the list, and what it does not look at does not:
// a definition that nothing refers to, a keyword that it does not know.
func TestSDKs_OutputSchema(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object"}`: "",
		`{"type":"object","$defs":{"d":{"type":"strnig"}}}`:                                                                  "",
		`{"type":"object","$defs":{"d":{"type":"strnig"}},"properties":{"a":{"$ref":"#/$defs/d"},"b":{"$ref":"#/$defs/d"}}}`: `/outputSchema/$defs/d/type "strnig" is not "string", "number", "integer", "boolean", "object", "array", "null" or an array`,
		`{"type":"object","$defs":{"d":{"items":{"$ref":"#/$defs/d"}}},"properties":{"a":{"$ref":"#/$defs/d"}}}`:             "",
		`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`:                                                     `/outputSchema/properties/a/$ref "#/properties/a" is not a reference with an end: it leads back to itself`,
		`{"type":"object","properties":{"a":{"type":["string","nul"]}}}`:                                                     `/outputSchema/properties/a/type "nul" is not the name of a type`,
		`{"type":"object","properties":{"a":{"enum":[]}}}`:                                                                   `/outputSchema/properties/a/enum an empty array is not an array with a value`,
		`{"type":"object","properties":{"a":{"pattern":"(?i)x"}}}`:                                                           `/outputSchema/properties/a/pattern "(?i)x" is not a regular expression of ECMAScript with the flag u`,
		`{"type":"object","properties":{"a":{"pattern":"\\-"}}}`:                                                             `/outputSchema/properties/a/pattern "\\-" is not a regular expression of ECMAScript with the flag u`,
		`{"type":"object","properties":{"a":{"pattern":"^[\\w\\-]+(?=x)\\d{3}$"}}}`:                                          "",
		`{"type":"object","properties":{"a":{"pattern":"[a"}}}`:                                                              `/outputSchema/properties/a/pattern "[a" is not a regular expression of ECMAScript with the flag u`,
		`{"type":"object","properties":{"a":{"nullable":true}}}`:                                                             `/outputSchema/properties/a/nullable nullable without type is not a type`,
		`{"type":"object","properties":{"a":{"optional":7,"format":"nope"}}}`:                                                "",
	} {
		got := ""
		for _, f := range sdks.Named("typescript-sdk").Refuses([]byte(`{"name":"a","inputSchema":{"type":"object"},"outputSchema":` + schema + `}`)) {
			got += fmt.Sprintf("%s %s is not %s", f.Path, f.Found, f.Wants)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
	if sdks.Named("typescript-sdk").Release() != "TypeScript SDK 1.32.2" || sdks.Named("mcp-go").Release() != "mcp-go 1.2.1" || sdks.Named("none") != nil {
		t.Error("names of SDKs")
	}
}
