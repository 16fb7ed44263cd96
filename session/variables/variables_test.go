package variables

import (
	"encoding/json"
	"strings"
	"testing"
)

var sources = Sources{
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

func TestExpand(t *testing.T) {
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
		got, err := Expand(tc.text, sources.Lookup)
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %q, %v", tc.text, got, err)
		}
	}
}

func TestExpandJSON(t *testing.T) {
	in := `{ "{{env.HOME}}" : "{{env.HOME}}", "n": "{{last.result.structuredContent.n}}", "t": "n={{last.result.structuredContent.n}}", "q": "{{env.QUOTE}}", "raw": 1.0, "e": "\u00e9" }`
	want := `{ "{{env.HOME}}" : "/home/ada", "n": 1.50, "t": "n=1.50", "q": "a\"b", "raw": 1.0, "e": "\u00e9" }`
	got, err := ExpandJSON([]byte(in), sources.Lookup)
	if string(got) != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if got, err := ExpandJSON([]byte(`["{{env.NONE}}"]`), sources.Lookup); string(got) != `["{{env.NONE}}"]` || err == nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestMasked(t *testing.T) {
	got, err := Expand("{{env.API_TOKEN}} {{env.HOME}}", Masked(sources.Lookup))
	if err != nil || strings.Contains(got, "abcdef") || !strings.Contains(got, "6 characters") || !strings.Contains(got, "/home/ada") {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzExpandJSON(f *testing.F) {
	f.Add(`{"a":"{{env.HOME}}","b":["{{x}}","\\{{"]}`)
	f.Fuzz(func(t *testing.T, in string) {
		if !json.Valid([]byte(in)) {
			return
		}
		out, err := ExpandJSON([]byte(in), sources.Lookup)
		if !json.Valid(out) {
			t.Errorf("%s became %s (%v)", in, out, err)
		}
		if !Contains(in) && string(out) != in {
			t.Errorf("%s became %s", in, out)
		}
	})
}
