package stderr_test

import (
	"strings"
	"testing"

	"mcptea/record/stderr"
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
		if got := stderr.Whole(strings.Split(test.text, "\n"), test.line); got != test.want {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

// The JSON of a logger is not repeated in a sentence, but its message and error are.
func TestMessageOf(t *testing.T) {
	for line, want := range map[string]string{
		`{"level":"fatal","message":"no tea","error":"no kettle","stacktrace":"main.go:71"}`: "no tea: no kettle",
		`{"jsonrpc":"2.0","method":"x"}`: `{"jsonrpc":"2.0","method":"x"}`,
		"Error: no tea":                  "Error: no tea",
		`level=ERROR msg="no tea"`:       `level=ERROR msg="no tea"`,
	} {
		if got := stderr.MessageOf(line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
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
		if got := strings.Join(stderr.Fit(lines, n), "|"); got != want {
			t.Errorf("%d lines: %q, want %q", n, got, want)
		}
	}
	if lines[5] != "}" {
		t.Error("the lines themselves have changed")
	}
}

// Advice about an error is not the error, whatever words it has.
func TestDecisive_AdviceIsNotTheError(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Operation timed out|Reason: The language server did not respond in time|Solution: Try again. If the problem persists, restart it.", "Reason: The language server did not respond in time"},
		{"Error: port in use|Next steps: stop the other process; error reports: https://example.com", "Error: port in use"},
		{"Error: port in use|To fix this error: stop the other process", "Error: port in use"},
		{"Error: port in use|If the problem persists, file an error report at https://example.com", "Error: port in use"},
		{"Error: port in use|Please report this error to https://example.com", "Error: port in use"},
		{"💥 Operation timed out|💡 Solution: Try again, or look for an error: in the log", "💥 Operation timed out"},
		{"cannot load the index|Suggested fix: fatal: rebuild it", "cannot load the index"},
		{"Error: no key|Please set API_KEY", "Error: no key"},
		{"Starting|Please set API_KEY", "Please set API_KEY"},
		{"Hint: set API_KEY", "Hint: set API_KEY"}, // there is nothing else
	} {
		if got := stderr.Decisive(strings.Split(test.text, "|")); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}
