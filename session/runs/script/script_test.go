package script

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"mcptea/internal/schema/variables"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"call echo message=hi":                     {"call", "echo", "message=hi"},
		"call echo  'two words' ''  # a comment":   {"call", "echo", "two words", ""},
		"call echo message='it''s' x":              {"call", "echo", "message=it's", "x"},
		`expect {"a": [1, "b }"], "c": "\""} rest`: {"expect", `{"a": [1, "b }"], "c": "\""}`, "rest"},
		`call t filter:={"a": 1} name:="x y"`:      {"call", "t", `filter:={"a": 1}`, `name:="x y"`},
		"call t id={{the id}} &":                   {"call", "t", "id={{the id}}", "&"},
		`send m {"a": {{x}}}`:                      {"send", "m", `{"a": {{x}}}`},
		"read http://a/b#c":                        {"read", "http://a/b#c"},
	} {
		if got, err := split(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"text 'open", `expect {"a": 1`, "call t id={{x"} {
		if got, err := split(line); err == nil {
			t.Errorf("%s: %q without an error", line, got)
		}
	}
}

func TestExpand(t *testing.T) {
	value := func(name string) (json.RawMessage, error) {
		switch name {
		case "n":
			return []byte("3.50"), nil
		case "s":
			return []byte(`"a \"b\""`), nil
		}
		return nil, errUndefined(name)
	}
	for word, want := range map[string]string{
		"id={{n}}":                    "id=3.50",
		"x={{s}}!":                    `x=a "b"!`,
		`{"n": {{n}}, "s": {{s}}}`:    `{"n": 3.50, "s": "a \"b\""}`,
		`{"text": "n={{n}} {{ s }}"}`: `{"text": "n=3.50 a \"b\""}`,
		`a:=[{{n}}]`:                  `a:=[3.50]`,
		"plain {":                     "plain {",
		`\{{n}} {{n}}`:                "{{n}} 3.50",
		`C:\\{{n}}`:                   `C:\{{n}}`,
		`{"a": "\\{{n}} \"{{n}}"}`:    `{"a": "{{n}} \"3.50"}`,
		`a:="\\{{n}}"`:                `a:="{{n}}"`,
	} {
		if got, err := variables.ExpandWord(word, value); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", word, got, err, want)
		}
	}
	if _, err := variables.ExpandWord("{{no}}", value); err == nil {
		t.Error("a variable without a value was expanded")
	}
}

// A word of a recording has no variables, whatever it begins with.
func TestWord_IsLiteral(t *testing.T) {
	leak := func(name string) (json.RawMessage, error) {
		t.Errorf("the variable %q was replaced", name)
		return []byte(`"secret"`), nil
	}
	for _, text := range []string{
		"{{env.X}}", "x://{{env.X}}/{{ env.X }}", `a\{{env.X}}`, `\\{{env.X}}`, "{{{{env.X}}}}", "[{{env.X}}", `{"{{env.X}}`, `"{{env.X}}`, `a:={{env.X}}`, `a:=["\{{env.X}}`,
		"{{", "it's {{env.X}}", "{{.}}",
	} {
		words, err := split("read " + Word(text))
		if err != nil || len(words) != 2 {
			t.Fatalf("%s: %q, %v", text, words, err)
		}
		got, err := variables.ExpandWord(words[1], leak)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got != text && !strings.ContainsAny(text, "[\"") && !strings.Contains(text, ":=") {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct{ want, got, reason string }{
		{`{"a":1}`, `{"b":2,"a":1}`, ""},
		{`{"a":{"b":[1,{"c":2}]}}`, `{"a":{"b":[1,{"c":2,"d":3}]}}`, ""},
		{`"<any>"`, `null`, ""},
		{`"<number>"`, `1e3`, ""},
		{`["<string>","<~^v\\d+$>"]`, `["x","v12"]`, ""},
		{`{"a":1}`, `{"a":1.0}`, ""},
		{`{"a":1}`, `{}`, "/a: expected 1, the member is missing"},
		{`{"a/b":1}`, `{"a/b":2}`, "/a~1b: expected 1, found 2"},
		{`[1]`, `[1,2]`, "expected 1 elements, found 2"},
		{`[1,{"a":"<boolean>"}]`, `[1,{"a":"x"}]`, `/1/a: expected a value of the type boolean, found "x"`},
		{`"<~^v>"`, `"w"`, `expected a string that matches ^v, found "w"`},
		{`{"a":1}`, `[]`, `expected {"a":1}, found []`},
	} {
		m := match([]byte(c.want), []byte(c.got))
		if got := textOfMismatch(m); got != c.reason {
			t.Errorf("%s with %s: %q, want %q", c.want, c.got, got, c.reason)
		}
	}
}

func textOfMismatch(m *mismatch) string {
	if m == nil {
		return ""
	}
	return m.String()
}

func TestParse_Sections(t *testing.T) {
	s, err := Parse("dir/smoke.txtar", []byte("list tools\n\n# first\n# more about it\ncall a\n# second\n! call b\ncall c &\n# nothing\n-- x --\n{}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, section := range s.Sections {
		for _, st := range section.steps {
			got = append(got, strings.TrimSpace(section.Name+" "+st.text))
		}
	}
	want := []string{"smoke list tools", "first call a", "second ! call b", "second call c &"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if line := s.Sections[1].Line; line != 3 {
		t.Errorf("the second section is in line %d", line)
	}
}

func TestParse_Mistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "s.txtar:1: the script has no commands",
		"call a\nclal b":              `s.txtar:2: unknown command "clal"`,
		"call":                        "s.txtar:1: call has 0 arguments",
		"! notify x":                  "s.txtar:1: notify cannot be negated",
		"expect {} &":                 "s.txtar:1: only requests can run in the background",
		"expect @gone.json":           "s.txtar:1: @gone.json: no such file",
		"jq '.['":                     "s.txtar:1: jq: unexpected EOF",
		"text '('":                    "s.txtar:1: error parsing regexp",
		"answer roots {}":             `s.txtar:1: unknown kind of request "roots"`,
		"timeout soon":                "s.txtar:1: time: invalid duration",
		"lint all":                    "s.txtar:1:",
		"list things":                 `s.txtar:1: unknown list "things"`,
		"expect --exact":              "s.txtar:1: the expected JSON is missing",
		"text 'open":                  "s.txtar:1: a single quote is not closed",
		"# only\n\n-- a --\ncall a\n": "s.txtar:1: the script has no commands",
		"!":                           "s.txtar:1: a command is missing",
	} {
		_, err := Parse("s.txtar", []byte(text))
		var mistake *Error
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# a\ncall echo message='x' {{y}} {\"a\":[1]} &\n-- f --\n{}\n")
	f.Add("expect {\"a\": \"<~x>\"}\ncapture x .a\n")
	f.Fuzz(func(_ *testing.T, text string) {
		s, err := Parse("fuzz.txtar", []byte(text))
		if err != nil {
			return
		}
		for _, section := range s.Sections {
			for _, st := range section.steps {
				for _, w := range st.words {
					_, _ = variables.ExpandWord(w, func(string) (json.RawMessage, error) { return []byte(`"x"`), nil })
				}
			}
		}
	})
}
