package declare_test

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/session/declare"
)

func TestMake(t *testing.T) {
	text, left, err := declare.Make(declare.Offered{
		Info: []byte(`{"name":"shop","version":"2"}`), Instructions: "Ask.\nThen order.",
		Lists: map[string][][]byte{
			"tools": {
				[]byte(`{"name":"search","description":"yes","inputSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{}}},"x-vendor":1}`),
				[]byte(`{"name":"plain"}`),
			},
			"resources": {[]byte(`{"uri":"a:b","name":"r"}`)},
			"prompts":   {[]byte(`{"name":"p","arguments":[{"name":"x"}]}`)},
		},
		Calls: []declare.Call{
			{Method: "tools/call", Params: []byte(`{"name":"search","arguments":{}}`), Result: []byte(`{"content":[{"type":"text","text":"all {{b}}"}]}`), Error: nil},
			{Method: "tools/call", Params: []byte(`{"name":"search","arguments":{"b":"1"}}`), Result: []byte(`{"content":[{"type":"text","text":"one"}],"isError":true}`), Error: nil},
			{Method: "tools/call", Params: []byte(`{"name":"search","arguments":{"b":"1"}}`), Result: []byte(`{"content":[{"type":"text","text":"two"}],"structuredContent":{"z":1,"a":2}}`), Error: nil},
			{Method: "tools/call", Params: []byte(`{"name":"search","arguments":{"b":"1"}}`), Result: []byte(`{"content":[{"type":"text","text":"two"}],"structuredContent":{"z":1,"a":2}}`), Error: nil},
			{Method: "tools/call", Params: []byte(`{"name":"search","arguments":{"b":"2"}}`), Result: nil, Error: []byte(`{"code":-1,"message":"no"}`)},
			{Method: "resources/read", Params: []byte(`{"uri":"a:b"}`), Result: []byte(`{"contents":[{"uri":"a:b","text":"# {{x}}"}]}`), Error: nil},
			{Method: "prompts/get", Params: []byte(`{"name":"p","arguments":{"x":"1"}}`), Result: []byte(`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`), Error: nil},
		},
	})
	if err != nil || left != 0 {
		t.Fatal(err, left)
	}
	for _, want := range []string{"name: shop\nversion: \"2\"\n", "description: yes", `- {when: {b: "2"}, errorResponse: {code: -1, message: no}}`, "times: 1", `all \{{b}}`, "toolError: one"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	call := `tools/call {"name":"search","arguments":{"b":"1"}}`
	got := asked(t, string(text), call, call, `tools/call {"name":"search","arguments":{"b":"2"}}`, `tools/call {"name":"search"}`,
		`tools/call {"name":"plain"}`, `resources/read {"uri":"a:b"}`, `prompts/get {"name":"p","arguments":{"x":"1"}}`)
	for i, want := range []string{
		`{"content":[{"type":"text","text":"one"}],"isError":true}`,
		`{"content":[{"type":"text","text":"two"}],"structuredContent":{"z":1,"a":2}}`,
		`{"code":-1,"message":"no"}`,
		`{"content":[{"type":"text","text":"all {{b}}"}]}`,
		`{"content":[{"type":"text","text":"plain"}]}`,
		`{"contents":[{"uri":"a:b","mimeType":"","text":"# {{x}}"}]}`,
		`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`,
	} {
		member := "result"
		if strings.HasPrefix(want, `{"code"`) {
			member = "error"
		}
		if part := string(jsonrpc.Get([]byte(got[i]), member)); part != want {
			t.Errorf("%d: got %s\nwant %s", i, got[i], want)
		}
	}
}

func TestMake_LeavesOutWhatIsTooMuch(t *testing.T) {
	o := declare.Offered{Lists: map[string][][]byte{"tools": {[]byte(`{"name":"a"}`)}}}
	for i := range 50 + 3 {
		n := strings.Repeat("1", i+1)
		o.Calls = append(o.Calls, declare.Call{Method: "tools/call", Params: []byte(`{"name":"a","arguments":{"n":` + n + `}}`), Result: []byte(`{"content":[]}`), Error: nil})
	}
	text, left, err := declare.Make(o)
	if err != nil || left != 3 {
		t.Error(left, err)
	}
	if _, err := declare.Parse("f", text); err != nil {
		t.Error(err)
	}
}

// What a server writes stays what it is in YAML: names of any length, texts that look like other values, a
// value below many levels in few bytes.
func TestMake_OddValues(t *testing.T) {
	schema := `{"type":"object","x":{"` + strings.Repeat("n", 5000) + `":"yes","":"1","? ":"- a","#":null,"e":1e5,"d":"2026-01-01","<<":{},"deep":` + strings.Repeat("[", 50) + `"x",{"a":"~"}` + strings.Repeat("]", 50) + `}}`
	text, _, err := declare.Make(declare.Offered{Lists: map[string][][]byte{"tools": {[]byte(`{"name":"a","inputSchema":` + schema + `}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 4*len(schema) {
		t.Errorf("%d bytes are written as %d", len(schema), len(text))
	}
	got := asked(t, string(text), `tools/list {}`)
	for tool := range jsonrpc.Elements(jsonrpc.Get([]byte(got[0]), "result", "tools")) {
		if back := jsonrpc.Get(tool, "inputSchema"); !jsonrpc.Equal(back, []byte(schema)) {
			t.Errorf("got  %s\nwant %s", back, schema)
		}
		return
	}
	t.Errorf("no tool in %s", got)
}
