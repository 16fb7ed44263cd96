package composer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/themes"
	"mcptea/ui/paint"
)

func TestScanPlace(t *testing.T) {
	for _, tc := range []struct {
		text  string // | is the cursor
		path  string
		key   bool
		typed string
		token string
	}{
		{`{"name": "we|"}`, "name", false, "we", `"we"`},
		{`{"name": "we|`, "name", false, "we", `"we`},
		{"{\"name\": \"we|\n  \"arguments\": {}}", "name", false, "we", `"we`},
		{`{"name": "we|,"arguments":{}}`, "name", false, "we", `"we`},
		{`{"na|me": 1}`, "", true, "na", `"name"`},
		{`{"a":1, |}`, "", true, "", ""},
		{`{"a":1, "|"}`, "", true, "", `""`},
		{`{"a":{"b":[1,{"c":tr|}]}}`, "a/b/[]/c", false, "tr", "tr"},
		{`{"a":[1,|]}`, "a/[]", false, "", ""},
		{`{"a":"x\"y|"}`, "a", false, `x\"y`, `"x\"y"`},
		{`{"a": |}`, "a", false, "", ""},
		{`|`, "", false, "", ""},
		{`{"a":{},"b":"demo://f|iles"}`, "b", false, "demo://f", `"demo://files"`},
	} {
		at := strings.Index(tc.text, "|")
		text := tc.text[:at] + tc.text[at+1:]
		got := scanPlace(text, at)
		if strings.Join(got.path, "/") != tc.path || got.key != tc.key || got.typed != tc.typed || text[got.from:got.to] != tc.token {
			t.Errorf("%s: path %q, key %v, typed %q, token %q", tc.text, strings.Join(got.path, "/"), got.key, got.typed, text[got.from:got.to])
		}
	}
}

func FuzzScanPlace(f *testing.F) {
	f.Add(`{"a":[{"b":"c`, 9)
	f.Fuzz(func(_ *testing.T, text string, at int) {
		at = min(max(at, 0), len(text))
		got := scanPlace(text, at)
		_ = text[got.from:got.to]
		stringsIn(text)
	})
}

// listed is a state with some tools, prompts and resources.
func listed() session.State {
	item := func(kind, name, raw string) session.Item {
		return session.Item{Kind: kind, Name: name, Raw: []byte(raw)}
	}
	resource := item("resources", "notes", `{}`)
	resource.URI = "file:///notes.md"
	list := func(items ...session.Item) session.List { return session.List{Items: items, Loaded: time.Unix(1, 0)} }
	return session.State{
		Handshake: client.Handshake{Revision: revision.R20251125, ServerCaps: []byte(`{"tools":{},"prompts":{},"resources":{}}`)},
		Lists: map[string]session.List{
			"tools": list(item("tools", "search", `{"inputSchema":{"type":"object","required":["query"],"properties":{
				"limit":{"type":"integer","default":20},"deep":{"type":"boolean"},"query":{"type":"string"},
				"filter":{"$ref":"#/$defs/filter"},"tags":{"type":"array","items":{"enum":["a","b"]}}},
				"$defs":{"filter":{"type":"object","required":["kind"],"properties":{"kind":{"enum":["book","film"]},"next":{"$ref":"#/$defs/filter"}}}}}}`)),
			"prompts":   list(item("prompts", "review", `{"arguments":[{"name":"style"},{"name":"code","required":true}]}`)),
			"resources": list(resource),
		},
	}
}

func TestBodyCandidates(t *testing.T) {
	for _, tc := range []struct{ method, text, want string }{
		{"tools/call", `{"name":"|"}`, "search"},
		{"tools/call", `{|}`, "name arguments task"},
		{"tools/call", `{"name":"search","arguments":{|}}`, "query limit deep filter tags"},
		{"tools/call", `{"name":"search","arguments":{"query":"x",|}}`, "limit deep filter tags"},
		{"tools/call", `{"name":"search","arguments":{"deep":|}}`, "true false"},
		{"tools/call", `{"name":"search","arguments":{"limit":|}}`, "20"},
		{"tools/call", `{"name":"search","arguments":{"filter":{|}}}`, "kind next"},
		{"tools/call", `{"name":"search","arguments":{"filter":{"next":{"kind":|}}}}`, "book film"},
		{"tools/call", `{"name":"search","arguments":{"tags":["a","|"]}}`, "a b"},
		{"tools/call", `{"name":"other","arguments":{|}}`, ""},
		{"prompts/get", `{"name":"|"}`, "review"},
		{"prompts/get", `{"name":"review","arguments":{|}}`, "code style"},
		{"resources/read", `{"uri":"|"}`, "file:///notes.md"},
		{"logging/setLevel", `{"level":|}`, "debug info notice warning error critical alert emergency"},
		{"completion/complete", `{"ref":{"type":"|"}}`, "ref/prompt ref/resource"},
	} {
		p := New(nil)
		p.Refresh(listed(), time.Unix(2, 0), 0)
		p.Compose(tc.method, "")
		at := strings.Index(tc.text, "|")
		text := tc.text[:at] + tc.text[at+1:]
		var got []string
		for _, c := range p.bodyCandidates(text, scanPlace(text, at)) {
			got = append(got, c.label)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.method, tc.text, strings.Join(got, " "), tc.want)
		}
	}
}

func TestBodyCandidates_RawFrame(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0",|}`:                           "id method params",
		`{"method":"tools/call","params":{"name":"|"}}`: "search",
		`{"method":"tools/call","params":{"name":"search","arguments":{"filter":{|}}}}`: "kind next",
	} {
		p := New(nil)
		p.Refresh(listed(), time.Unix(2, 0), 0)
		at := strings.Index(text, "|")
		text := text[:at] + text[at+1:]
		p.setRaw([]byte(text))
		var got []string
		for _, c := range p.bodyCandidates(text, scanPlace(text, at)) {
			got = append(got, c.label)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestMethodCandidates_SupportedOnesComeFirst(t *testing.T) {
	p := New(nil)
	p.Refresh(listed(), time.Unix(2, 0), 0)
	var names []string
	for _, c := range p.methodCandidates() {
		names = append(names, c.label)
	}
	if slices.Index(names, "tools/call") > slices.Index(names, "tasks/list") || slices.Index(names, "tasks/list") < 0 {
		t.Errorf("got %v", names)
	}
}

// Every member that is inserted gets a value to fill in, and the cursor goes there.
func TestInsert_ArgumentAndValue(t *testing.T) {
	p := New(nil)
	p.Refresh(listed(), time.Unix(2, 0), 0)
	p.Compose("tools/call", `{"name":"search","arguments":{}}`)
	p.params.Buffer().SetOffset(strings.Index(p.params.Value(), "{}") + 1)
	p.Do("complete")
	typeKeys(p, "down", "down", "down", "tab") // filter, an object
	if got := p.params.Value(); !strings.Contains(got, `"filter": {}`) {
		t.Fatalf("got %s", got)
	}
	p.Do("complete")
	typeKeys(p, "tab")
	p.Do("complete")
	typeKeys(p, "down", "enter")
	if got := p.params.Value(); !strings.Contains(got, `"filter": {"kind": "film"}`) {
		t.Errorf("got %s", got)
	}
}

func TestInsert_ToolWithItsArguments(t *testing.T) {
	p := New(nil)
	p.Refresh(listed(), time.Unix(2, 0), 0)
	p.Compose("tools/call", `{"name":""}`)
	typeKeys(p, "s", "e", "enter", "x")
	want := "{\n  \"name\": \"search\",\n  \"arguments\": {\n    \"query\": \"x\"\n  }\n}"
	if got := p.params.Value(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// BenchmarkSuggest types the name of a tool among 10,000.
func BenchmarkSuggest(b *testing.B) {
	st := listed()
	one := st.Lists["tools"].Items[0]
	var items []session.Item
	for i := range 10000 {
		item := one
		item.Name = fmt.Sprintf("tool-%d-of-many", i)
		items = append(items, item)
	}
	st.Lists = map[string]session.List{"tools": {Items: items, Loaded: time.Unix(1, 0)}}
	p := New(nil)
	p.Refresh(st, time.Unix(2, 0), 0)
	p.Compose("tools/call", `{"name":""}`)
	pal := paint.NewPalette(themes.ForBackground(true), false)
	js := paint.NewJSONStyles(pal.Theme)
	for b.Loop() {
		typeKeys(p, "o")
		p.Paint(pal, js, 120, 33, true)
		typeKeys(p, "backspace")
	}
}
