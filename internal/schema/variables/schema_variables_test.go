package variables_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
)

var sources = variables.Sources{
	Env: func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": "/home/ada", "API_TOKEN": "abcdef", "QUOTE": `a"b`}[name]
		return v, ok
	},
	Last: func() ([]byte, bool) {
		return []byte(`{"content":[{"type":"text","text":"{\"id\":12345678901234567890,\"tags\":[\"x\"]}"}],"structuredContent":{"n":1.50,"s":"t"}}`), true
	},
	Pin:  func(name string) ([]byte, bool) { return []byte(`{"v":"of ` + name + `"}`), name != "new" },
	Pins: func() []string { return []string{"add", "add.twice", "new"} },
}

func TestVariables_Expand(t *testing.T) {
	for _, tc := range []struct{ text, want, err string }{
		{"plain", "plain", ""},
		{"{{env.HOME}}/x", "/home/ada/x", ""},
		{"{{ env.HOME }}", "/home/ada", ""},
		{"{{last.result.structuredContent.n}}", "1.50", ""},
		{"{{last.result.content.0.text.id}}", "12345678901234567890", ""},
		{"{{last.result.content.0.text.tags}}", `["x"]`, ""},
		{"{{last.result.content.1}}", "{{last.result.content.1}}", "there is no 1 in content"},
		{"{{pin.add.v}} {{pin.add.twice.v}}", "of add of add.twice", ""},
		{"{{pin.new.v}}", "{{pin.new.v}}", "has no result yet"},
		{"{{pin.other}}", "{{pin.other}}", "no pin of that name"},
		{"{{env.NONE}} {{env.HOME}}", "{{env.NONE}} /home/ada", "NONE is not set"},
		{"{{name}}", "{{name}}", `write \{{`},
		{`\{{name}} {{env.HOME}}`, "{{name}} /home/ada", ""},
		{"{{open", "{{open", ""},
	} {
		got, err := variables.Expand(tc.text, sources.Lookup)
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %q, %v", tc.text, got, err)
		}
	}
}

func TestVariables_ExpandWord(t *testing.T) {
	for _, tc := range []struct{ word, want string }{
		{`{{env.QUOTE}}`, `a"b`},
		{`name={{env.QUOTE}}`, `name=a"b`},
		{`n:={{last.result.structuredContent.n}}`, `n:=1.50`},
		{`{"q":"{{env.QUOTE}}"}`, `{"q":"a\"b"}`},
		{`{"q":{{last.result.structuredContent.s}}}`, `{"q":"t"}`},
		{`{"q":"say \"{{env.QUOTE}}\""}`, `{"q":"say \"a\"b\""}`},
		{`{"q":"\\","r":{{last.result.structuredContent.s}}}`, `{"q":"\\","r":"t"}`},
		{`{"q":"\\{{env.HOME}}","r":"{{env.HOME}}"}`, `{"q":"{{env.HOME}}","r":"/home/ada"}`},
		{`q:=["{{env.QUOTE}}"]`, `q:=["a\"b"]`},
	} {
		if got, err := variables.ExpandWord(tc.word, sources.Lookup); got != tc.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", tc.word, got, err, tc.want)
		}
	}
}

func TestVariables_ExpandJSON(t *testing.T) {
	in := `{ "{{env.HOME}}" : "{{env.HOME}}", "n": "{{last.result.structuredContent.n}}", "t": "n={{last.result.structuredContent.n}}", "q": "{{env.QUOTE}}", "raw": 1.0, "e": "\u00e9" }`
	want := `{ "{{env.HOME}}" : "/home/ada", "n": 1.50, "t": "n=1.50", "q": "a\"b", "raw": 1.0, "e": "\u00e9" }`
	got, err := variables.ExpandJSON([]byte(in), sources.Lookup)
	if string(got) != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if got, err := variables.ExpandJSON([]byte(`["{{env.NONE}}"]`), sources.Lookup); string(got) != `["{{env.NONE}}"]` || err == nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestVariables_Literal(t *testing.T) {
	for _, text := range []string{
		"", "plain", "{{env.HOME}}", `\{{env.HOME}}`, `\\{{env.HOME}}`, "{{{env.HOME}}}", "{{{{env.HOME}}}}", "{{", "}}{{", "x{{last.result}}y",
		"@/etc/passwd", "@@/etc/passwd", "@{{env.HOME}}", "{{env.\nHOME}}", `{\{{env.HOME}}`,
	} {
		got, err := variables.Expand(variables.Literal(text), sources.Lookup)
		if got = variables.Unfield(got); got != text || err != nil {
			t.Errorf("%q became %q, %v", text, got, err)
		}
		if got := variables.PlainText(variables.Literal(text)); got != text {
			t.Errorf("%q became %q without variables", text, got)
		}
		if path, ok := variables.File(variables.Literal(text)); ok {
			t.Errorf("%q is the file %q", text, path)
		}
	}
}

func TestVariables_LiteralJSON_SameBytes(t *testing.T) {
	for _, in := range []string{
		`{"a":"{{env.HOME}}"}`, ` [ "\u00e9 {{env.HOME}} \/" , "\\{{x}}" , "\\\\{{x}}" ] `, `"{{{{env.HOME}}}}"`, `{"{{env.HOME}}":1.0}`, `"{{"`, `"\"{{env.QUOTE}}"`, `{}`,
	} {
		literal := variables.LiteralJSON([]byte(in))
		got, err := variables.ExpandJSON(literal, sources.Lookup)
		if string(got) != in || err != nil {
			t.Errorf("%s became %s, %v", in, got, err)
		}
		if got := variables.Plain(literal); string(got) != in {
			t.Errorf("%s became %s without variables", in, got)
		}
	}
	if got := variables.Plain([]byte(`["{{env.HOME}}","\\{{x}}"]`)); string(got) != `["{{env.HOME}}","{{x}}"]` {
		t.Errorf("a variable became %s", got)
	}
}

func TestVariables_Masked(t *testing.T) {
	got, err := variables.Expand("{{env.API_TOKEN}} {{env.HOME}}", variables.Masked(sources.Lookup))
	if err != nil || strings.Contains(got, "abcdef") || !strings.Contains(got, "6 characters") || !strings.Contains(got, "/home/ada") {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzVariables_ExpandJSON(f *testing.F) {
	f.Add(`{"a":"{{env.HOME}}","b":["{{x}}","\\{{"]}`)
	f.Fuzz(func(t *testing.T, in string) {
		if !json.Valid([]byte(in)) {
			return
		}
		out, err := variables.ExpandJSON([]byte(in), sources.Lookup)
		if !json.Valid(out) {
			t.Errorf("%s became %s (%v)", in, out, err)
		}
		if !variables.Contains(in) && string(out) != in {
			t.Errorf("%s became %s", in, out)
		}
	})
}

func FuzzVariables_Literal(f *testing.F) {
	f.Add("{{env.HOME}}")
	f.Add(`@\{{{env.HOME}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := variables.Expand(variables.Literal(text), sources.Lookup); variables.Unfield(got) != text || err != nil {
			t.Errorf("%q became %q, %v", text, got, err)
		}
		raw := []byte(jsonrpc.Quote(text))
		want, _ := jsonrpc.Unquote(raw)
		got, err := variables.ExpandJSON(variables.LiteralJSON(raw), sources.Lookup)
		if s, ok := jsonrpc.Unquote(got); !ok || s != want || err != nil {
			t.Errorf("%s became %s, %v", raw, got, err)
		}
	})
}
