package stderr

import (
	"strings"
	"testing"
)

// A report that goes on over lines is read as a whole: its first line says nothing.
func TestWhole(t *testing.T) {
	const value = "Server error: [\n  {\n    \"message\": \"Invalid URL\",\n    \"path\": [\n      \"url\"\n    ]\n  }\n]\nbye"
	for _, test := range []struct{ text, line, want string }{
		{value, "Server error: [", `Server error: [ { "message": "Invalid URL", "path": [ "url" ] } ]`},
		{value, "bye", "bye"},
		{"Error: no key", "Error: no key", "Error: no key"},
		{"Error: {\n  cut", "Error: {", "Error: {"},
		{"other", "Error: {", "Error: {"},
	} {
		if got := Whole(strings.Split(test.text, "\n"), test.line); got != test.want {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}
