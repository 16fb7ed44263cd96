package diff

import (
	"maps"
	"testing"
)

func TestRenamedProperties(t *testing.T) {
	const text, number = `{"type":"string"}`, `{"type":"number"}`
	of := func(properties string) []byte { return []byte(`{"type":"object","properties":{` + properties + `}}`) }
	for _, tc := range []struct {
		name     string
		old, now string
		want     map[string]string
	}{
		{"one", `"a":` + text + `,"q":` + text, `"a":` + text + `,"query":` + text, map[string]string{"q": "query"}},
		{"another type", `"a":` + text, `"b":` + number, nil},
		{"another place", `"q":` + text + `,"a":` + number, `"a":` + number + `,"query":` + text, nil},
		{"two that fit", `"q":` + text, `"x":` + text + `,"y":` + text, nil},
		{"two of different types", `"q":` + text + `,"n":` + number, `"m":` + number + `,"p":` + text, map[string]string{"q": "p", "n": "m"}},
		{"only added", `"a":` + text, `"a":` + text + `,"b":` + text, nil},
	} {
		if got := RenamedProperties(of(tc.old), of(tc.now)); !maps.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
