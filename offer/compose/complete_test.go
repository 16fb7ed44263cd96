package compose_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/offer"
	"mcptea/offer/compose"
)

func TestCompose_PlaceAt(t *testing.T) {
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
		got := compose.PlaceAt(text, at)
		if strings.Join(got.Path, "/") != tc.path || got.Key != tc.key || got.Typed != tc.typed || text[got.From:got.To] != tc.token {
			t.Errorf("%s: path %q, key %v, typed %q, token %q", tc.text, strings.Join(got.Path, "/"), got.Key, got.Typed, text[got.From:got.To])
		}
	}
}

func FuzzCompose_PlaceAt(f *testing.F) {
	f.Add(`{"a":[{"b":"c`, 9)
	o := listed()
	f.Fuzz(func(_ *testing.T, text string, at int) {
		at = min(max(at, 0), len(text))
		got := compose.PlaceAt(text, at)
		_ = text[got.From:got.To]
		o.Body(compose.Text{JSON: text, Raw: true}, got) // reads the strings of the text
	})
}

// listed is a state with some tools, prompts and resources.
func listed() compose.Completer {
	item := func(kind, name, raw string) offer.Item {
		return offer.Item{Kind: kind, Name: name, Raw: []byte(raw)}
	}
	resource := item("resources", "notes", `{}`)
	resource.URI = "file:///notes.md"
	list := func(items ...offer.Item) offer.List { return offer.List{Items: items, Loaded: time.Unix(1, 0)} }
	return compose.Completer{
		Handshake: client.Handshake{Revision: revision.R20251125, ServerCaps: []byte(`{"tools":{},"prompts":{},"resources":{}}`)},
		Lists: map[string]offer.List{
			"tools": list(item("tools", "search", `{"inputSchema":{"type":"object","required":["query"],"properties":{
				"limit":{"type":"integer","default":20},"deep":{"type":"boolean"},"query":{"type":"string"},
				"filter":{"$ref":"#/$defs/filter"},"tags":{"type":"array","items":{"enum":["a","b"]}}},
				"$defs":{"filter":{"type":"object","required":["kind"],"properties":{"kind":{"enum":["book","film"]},"next":{"$ref":"#/$defs/filter"}}}}}}`)),
			"prompts":   list(item("prompts", "review", `{"arguments":[{"name":"style"},{"name":"code","required":true}]}`)),
			"resources": list(resource),
		},
	}
}

func TestCompose_Body(t *testing.T) {
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
		o := listed()
		at := strings.Index(tc.text, "|")
		text := tc.text[:at] + tc.text[at+1:]
		var got []string
		for _, c := range o.Body(compose.Text{JSON: text, Method: tc.method}, compose.PlaceAt(text, at)) {
			got = append(got, c.Label)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.method, tc.text, strings.Join(got, " "), tc.want)
		}
	}
}

func TestCompose_Body_RawFrame(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0",|}`:                           "id method params",
		`{"method":"tools/call","params":{"name":"|"}}`: "search",
		`{"method":"tools/call","params":{"name":"search","arguments":{"filter":{|}}}}`: "kind next",
	} {
		o := listed()
		at := strings.Index(text, "|")
		text := text[:at] + text[at+1:]
		var got []string
		for _, c := range o.Body(compose.Text{JSON: text, Raw: true}, compose.PlaceAt(text, at)) {
			got = append(got, c.Label)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestCompose_Methods_SupportedOnesComeFirst(t *testing.T) {
	o := listed()
	var names []string
	for _, c := range o.Methods() {
		names = append(names, c.Label)
	}
	if slices.Index(names, "tools/call") > slices.Index(names, "tasks/list") || slices.Index(names, "tasks/list") < 0 {
		t.Errorf("got %v", names)
	}
}
