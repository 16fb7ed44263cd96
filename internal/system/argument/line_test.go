package argument

import (
	"slices"
	"strings"
	"testing"
)

// What is given to a program is the user's line with each value in its word; a value is never an option,
// never a second word, and never the program.
func TestLine_Fill(t *testing.T) {
	for _, c := range []struct {
		words  string // of the line, between bars
		value  string // of {tool}
		want   string
		refuse string
	}{
		{"echo|{tool}", "a b; rm -rf $(HOME)", "echo|a b; rm -rf $(HOME)", ""},
		{"echo|--name={tool}", "-x", "echo|--name=-x", ""},
		{"echo|{tool}", "-x", "", `{tool} is "-x", which begins like an option; write text before it, such as name={tool}`},
		{"echo|{tool}{tool}", "+x", "", "begins like an option"},
		{"echo|{tool}", "a\x00b", "", "NUL"},
		{"echo|{{print $1} {tool}", "x", "echo|{print $1} x", ""},
		{`jq|{"a":1}`, "x", `jq|{"a":1}`, ""},
		{"echo|", "", "echo|", ""},
		{"{tool}|x", "", "", "the program cannot be a value: {tool}"},
		{"", "", "", "the program is missing"},
	} {
		line, err := NewLine(strings.Split(c.words, "|"), nil)
		var got []Argument
		if err == nil {
			got, err = line.Fill(map[string]string{"tool": c.value})
		}
		switch {
		case c.refuse != "":
			if err == nil || !strings.Contains(err.Error(), c.refuse) {
				t.Errorf("%s with %q: %v, want %s", c.words, c.value, err, c.refuse)
			}
		case err != nil || strings.Join(Words(got...), "|") != c.want:
			t.Errorf("%s with %q: %q, %v, want %q", c.words, c.value, Words(got...), err, c.want)
		}
	}
	line, err := NewLine([]string{"echo", "{tool}{uri}", "{tool}"}, nil)
	if got := line.Holes(); err != nil || !slices.Equal(got, []string{"tool", "uri"}) {
		t.Errorf("holes %v, %v", got, err)
	}
}

// Whatever a value is, the number of words stays, and no word begins like an option that did not before.
func FuzzLine_Fill(f *testing.F) {
	f.Add("x{tool}", "-rf")
	f.Add("{tool}", "--")
	f.Add("{{tool}{tool}", "\x00")
	f.Fuzz(func(t *testing.T, word, value string) {
		line, err := NewLine([]string{"true", word}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := line.Fill(map[string]string{"tool": value})
		if err != nil {
			return
		}
		if len(got) != 2 {
			t.Fatalf("%q has become %q", word, Words(got...))
		}
		option := func(s string) bool { return strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") }
		if option(got[1].word) && !option(word) {
			t.Fatalf("%q with %q is an option: %q", word, value, got[1].word)
		}
	})
}
