package yamldoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcptea/internal/yamldoc"
)

func TestParse_SaysWhereAMistakeIs(t *testing.T) {
	for text, want := range map[string]string{
		"a: [\n":              "f:1: not valid YAML: did not find",
		"a: 1\n b: 2":         "f:2: not valid YAML: mapping values",
		"a: 1\n---\nb: 2\n":   "f:2:1: expected one YAML document, found several",
		"a: 1\n---\nb: [\n":   "f:3: not valid YAML: did not find",
		"a: \xff":             "f: not valid UTF-8",
		"a: &x\n  b: *y\n":    "f: not valid YAML: unknown anchor 'y'",
		"a: 1\nb: 2\na: 3\n":  `f:3:1: the key "a" is already set in line 1`,
		"[1]: 2":              "f:1:1: a key must be a word",
		"a: &b {}\n<<: *b\n":  "f:2:1: a key must be a word",
		"a: {b: 1}\nc: [1]\n": "",
	} {
		document, err := yamldoc.Parse("f", []byte(text))
		if err == nil {
			err = yamldoc.CheckKeys("f", yamldoc.Top(document))
		}
		if got := errorText(err); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A text without a value has no top, and is not a mistake.
func TestTop_OfNothing(t *testing.T) {
	for _, text := range []string{"", "# a comment\n", "null", "---\n", "~"} {
		document, err := yamldoc.Parse("", []byte(text))
		if err != nil || yamldoc.Top(document) != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestScalar_KeepsTheExactValue(t *testing.T) {
	for text, want := range map[string]string{
		"12345678901234567890123": "12345678901234567890123", "1.10": "1.10", "1e3": "1e3", "0x1F": "31", "1_000": "1000", "0o17": "15", "+5": "5",
		".5": "0.5", "~": "null", "true": "true", "yes": `"yes"`, "2026-11-27": `"2026-11-27"`, `"5"`: `"5"`, "!!str 5": `"5"`,
		".nan": "", "-.inf": "", "!!int 0x" + strings.Repeat("F", 300): "",
	} {
		document, err := yamldoc.Parse("", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got, ok := yamldoc.Scalar(document.Content[0])
		if string(got) != want || ok != (want != "") {
			t.Errorf("%q is %s %v, want %s", text, got, ok, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"a: 1\nb: [x, {y: .5}]", "--- &a\n- *a\n", "a: !!binary x", "a: 0b1_0", "<<: {a: 1}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		document, err := yamldoc.Parse("f", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%q has no place", err)
			}
			return
		}
		top := yamldoc.Top(document)
		if top == nil {
			return
		}
		_ = yamldoc.CheckKeys("f", top)
		for _, value := range yamldoc.Members(top) {
			if got, ok := yamldoc.Scalar(value); ok && !json.Valid(got) {
				t.Errorf("%q is no JSON", got)
			}
		}
	})
}
