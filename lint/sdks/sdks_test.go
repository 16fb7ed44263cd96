package sdks_test

import (
	"fmt"
	"testing"

	"mcptea/lint/sdks"
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

// What a library requires of the result of initialize costs the connection; the sentence names the clients, and the
// remedy fits the value: what may be left out, and what must be there.
func TestSDKs_ResultOfInitialize(t *testing.T) {
	result := func(capabilities, server string) string {
		return `{"protocolVersion":"2025-06-18","capabilities":` + capabilities + `,"serverInfo":` + server + `}`
	}
	const (
		server = `{"name":"s","version":"1"}`
		all    = "A client on the TypeScript SDK 1.32.2, the TypeScript SDK 2.4.0 or the Go SDK 1.8.0 does not connect: "
	)
	for given, want := range map[string]string{
		result(`{"tools":{}}`, server):                    "",
		result(`{"tools":{"listChanged":false}}`, server): "",
		result(`{"other":true}`, server):                  "",
		result(`{"tools":[]}`, server):                    all + "/capabilities/tools in the result of initialize is an array, not an object. Return an object there: {} is enough. PHP writes an empty array as []; use new stdClass() there.",
		result(`{"prompts":true}`, server):                all + "/capabilities/prompts in the result of initialize is true, not an object. Return an object there: {} is enough. Leave the member out if the server does not have the capability.",
		result(`{"tools":{"listChanged":"yes"}}`, server): all + `/capabilities/tools/listChanged in the result of initialize is "yes", not a boolean. Correct the value, or leave the member out.`,
		result(`[]`, server):                              all + "/capabilities in the result of initialize is an array, not an object. Return an object there: {} is enough. PHP writes an empty array as []; use new stdClass() there.",
		result(`{}`, `{"name":"s"}`):                      "A client on the TypeScript SDK 1.32.2 or the TypeScript SDK 2.4.0 does not connect: /serverInfo/version in the result of initialize is nothing, not a string. Add the member.",
		result(`{}`, `{"name":7,"version":"1"}`):          all + "/serverInfo/name in the result of initialize is 7, not a string. Correct the value.",
		result(`{"logging":[]}`, server):                  "A client on the TypeScript SDK 2.4.0 or the Go SDK 1.8.0 does not connect: /capabilities/logging in the result of initialize is an array, not an object. Return an object there: {} is enough. PHP writes an empty array as []; use new stdClass() there.",
		result(`{"experimental":{"a/b":"x"}}`, server):    `A client on the TypeScript SDK 1.32.2 or the TypeScript SDK 2.4.0 does not connect: /capabilities/experimental/a~1b in the result of initialize is "x", not an array or an object. Correct the value, or leave the member out.`,
	} {
		got := ""
		for _, r := range sdks.Refusals(sdks.Official, func(s *sdks.SDK) []sdks.Fault { return s.RefusesConnection([]byte(given)) }) {
			got += r.Sentence() + " " + r.Remedy()
		}
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", given, got, want)
		}
	}
	if sdks.Named("go-sdk").RefusesConnection(nil) != nil {
		t.Error("a connection without initialize is refused")
	}
}
