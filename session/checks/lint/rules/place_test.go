package rules

import "testing"

// The fix of a fault of the schema belongs to that fault, and not to the usual one of its rule.
func TestPlaces_FixIsAboutTheFault(t *testing.T) {
	for params, want := range map[string]string{
		`{"ref":{"type":"prompt","name":"p"},"argument":{"name":"a","value":"x"}}`:      `ref.type is "ref/prompt" or "ref/resource".`,
		`{"ref":{"type":"ref/prompt","name":"p"}}`:                                      "Send an object as argument.",
		`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":null}}`: "Send a string as argument.value.",
	} {
		found := play(t, trace{context: "25c", lines: []string{`C> {"jsonrpc":"2.0","id":1,"method":"completion/complete","params":` + params + `}`}})
		if len(found) != 1 || found[0].Rule.ID != "P010" || found[0].Hint != want {
			t.Errorf("%s: %+v", params, found)
		}
	}
}
