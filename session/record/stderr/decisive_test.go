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

// Where rows are few, lines that say nothing give way: the last ones first.
func TestFit(t *testing.T) {
	lines := []string{"f({", "     ^", "Error: no key {", "  code: 1", "  },", "}", "Node.js v20"}
	for n, want := range map[int]string{
		7: strings.Join(lines, "|"), 6: "f({|     ^|Error: no key {|  code: 1|  },|Node.js v20",
		5: "f({|     ^|Error: no key {|  code: 1|Node.js v20", 0: "f({|Error: no key {|  code: 1|Node.js v20",
	} {
		if got := strings.Join(Fit(lines, n), "|"); got != want {
			t.Errorf("%d lines: %q, want %q", n, got, want)
		}
	}
	if lines[5] != "}" {
		t.Error("the lines themselves have changed")
	}
}
