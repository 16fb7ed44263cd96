package composer

import (
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/offer"
	"mcptea/session/session"
	"mcptea/ui/app"
)

// listed is a state with some tools, prompts and resources.
func listed() session.State {
	item := func(kind, name, raw string) offer.Item {
		return offer.Item{Kind: kind, Name: name, Raw: []byte(raw)}
	}
	resource := item("resources", "notes", `{}`)
	resource.URI = "file:///notes.md"
	list := func(items ...offer.Item) offer.List { return offer.List{Items: items, Loaded: time.Unix(1, 0)} }
	return session.State{
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

// Every member that is inserted gets a value to fill in, and the cursor goes there.
func TestInsert_ArgumentAndValue(t *testing.T) {
	p := newBench(t)
	p.Pane.Refresh(app.Tick{State: listed()})
	p.Compose("tools/call", `{"name":"search","arguments":{}}`)
	p.params.SetOffset(strings.Index(p.params.Value(), "{}") + 1)
	p.run("complete")
	p.Press("down", "down", "down", "tab") // filter, an object
	if got := p.params.Value(); !strings.Contains(got, `"filter": {}`) {
		t.Fatalf("got %s", got)
	}
	p.run("complete")
	p.Press("tab")
	p.run("complete")
	p.Press("down", "enter")
	if got := p.params.Value(); !strings.Contains(got, `"filter": {"kind": "film"}`) {
		t.Errorf("got %s", got)
	}
}

func TestInsert_ToolWithItsArguments(t *testing.T) {
	p := newBench(t)
	p.Pane.Refresh(app.Tick{State: listed()})
	p.Compose("tools/call", `{"name":""}`)
	p.Press("s", "e", "enter", "x")
	want := "{\n  \"name\": \"search\",\n  \"arguments\": {\n    \"query\": \"x\"\n  }\n}"
	if got := p.params.Value(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
