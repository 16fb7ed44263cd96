package usercommand

import (
	"os"
	"strings"
	"testing"
)

// The page of the configuration names each value.
func TestValues_Documented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		if !strings.Contains(string(page), "`{"+v.Name+"}`") {
			t.Errorf("docs/config.md lacks {%s}: %s", v.Name, v.Means)
		}
	}
}

// A name that is not a value is refused, with the nearest value; a program is never a value.
func TestNew_Refuses(t *testing.T) {
	for words, want := range map[string]string{
		"git -S{tol}":  "unknown value {tol}; did you mean {tool}? {{tol} is the text itself",
		"{tool} x":     "the program cannot be a value: {tool}",
		"awk {print}":  "unknown value {print}",
		"awk {{print}": "",
		"awk {tool}":   "awk reads the word with {tool} as code",
		"jq {a:1}":     "",
	} {
		_, err := New(strings.Fields(words))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", words, err, want)
		}
	}
	if err := CheckInput("tool"); err == nil || err.Error() != "expected frame, request, response" {
		t.Error(err)
	}
}
