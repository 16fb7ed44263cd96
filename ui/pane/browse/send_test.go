package browse

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/session"
	"mcptea/ui/action"
	"mcptea/ui/schemaform"
)

func TestACallIsSentAsItWasFilledIn(t *testing.T) {
	tb := open(t, "tools")
	tb.keys("enter")
	tb.typed(`say "hi" q?1`)
	tb.keys("enter")
	if got, want := string(tb.last.Params), `{"name":"echo","arguments":{"message":"say \"hi\" q?1"}}`; tb.last.Method != "tools/call" || got != want {
		t.Errorf("sent %s %s, want %s", tb.last.Method, got, want)
	}
	tb.choose("long-work")
	tb.keys("esc", "enter", "enter")
	if got, want := string(tb.last.Params), `{"name":"long-work","arguments":{}}`; got != want {
		t.Errorf("optional fields are sent as %s, want %s", got, want)
	}
}

func TestWhatIsWrongIsSentTheSecondTime(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("long-work")
	if a := tb.keys("enter", "1", "0", "x", "enter"); a != nil {
		t.Fatalf("sent at once: %+v", a)
	}
	tb.sees(120, 17, "expected a number", "enter again sends it")
	if _, ok := tb.keys("enter").(action.Start); !ok {
		t.Fatal("the second time is not sent")
	}
	if got, want := string(tb.last.Params), `{"name":"long-work","arguments":{"duration":"10x"}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	// Another change is checked again.
	if a := tb.keys("y", "enter"); a != nil {
		t.Errorf("sent at once: %+v", a)
	}
}

func TestFormAndJSONKeepTheValues(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.keys("enter")
	tb.typed("tea")
	tb.keys("alt+j")
	_, e := tb.selected()
	if got := e.Editor.Value(); !strings.Contains(got, `"query": "tea"`) {
		t.Fatalf("the JSON is %q", got)
	}
	e.Editor.SetValue(`{"query":"milk","sort":"old","deep":true,"extra":[1]}`)
	tb.keys("alt+j")
	tb.sees(120, 17, "milk", "old", "true", " extra*", "JSON")
	tb.keys("enter")
	if got, want := string(tb.last.Params), `{"name":"search","arguments":{"query":"milk","sort":"old","deep":true,"extra":[1]}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	tb.keys("alt+j")
	e.Editor.SetValue(`{"query":`)
	if f, ok := tb.keys("alt+j").(action.Flash); !ok || !e.AsJSON {
		t.Errorf("half a JSON text became a form: %+v", f)
	}
	if f, ok := tb.keys("ctrl+s").(action.Flash); !ok || !f.Wrong {
		t.Error("half a JSON text was sent")
	}
	e.Editor.SetValue(`{"query":"x","sort":"sideways"}`)
	tb.keys("alt+j")
	if got, _ := e.Values(); string(got) != `{"query":"x","sort":"sideways"}` {
		t.Errorf("a value that is not offered got lost in the form: %s", got)
	}
}

func TestJSONOnSeveralLinesIsSentOnOne(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.keys("enter", "x", "tab", "alt+q", "[", "enter", "]", "ctrl+s", "ctrl+s")
	if got, want := string(tb.last.Params), `{"name":"search","arguments":{"query":"x","filter":[]}}`; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

func TestEditor(t *testing.T) {
	tb := open(t, "tools")
	tb.keys("enter")
	edit, ok := tb.keys("alt+e").(action.Edit)
	if !ok || edit.Suffix != ".json" || !json.Valid([]byte(edit.Text)) {
		t.Fatalf("got %+v", edit)
	}
	tb.Handle(action.Edited{Ref: edit.Ref, Text: "{\"message\": \"from elsewhere\"}\n"})
	tb.sees(120, 17, "from elsewhere")
	if _, e := tb.selected(); e.AsJSON {
		t.Error("the form is gone")
	}
}

func TestResourcesAreReadAtOnce(t *testing.T) {
	tb := open(t, "resources")
	tb.keys("enter")
	if got := string(tb.last.Params); tb.last.Method != "resources/read" || got != `{"uri":"demo://readme"}` {
		t.Errorf("sent %s %s", tb.last.Method, got)
	}
	tb.choose("numbers")
	tb.keys("esc", "enter", "3", "tab")
	tb.typed("ä 1")
	tb.keys("enter")
	if got := string(tb.last.Params); got != `{"uri":"demo://numbers/3/%C3%A4%201"}` {
		t.Errorf("the template is read as %s", got)
	}
}

func TestPromptsTakeStrings(t *testing.T) {
	tb := open(t, "prompts")
	tb.keys("enter", "enter")
	if got := string(tb.last.Params); got != `{"name":"simple"}` {
		t.Errorf("without arguments: %s", got)
	}
	tb.choose("review")
	tb.keys("esc", "enter", "5", "enter")
	if got := string(tb.last.Params); got != `{"name":"review","arguments":{"language":"5"}}` {
		t.Errorf("with one: %s", got)
	}
}

func TestCompletionIsAskedForAndTaken(t *testing.T) {
	tb := open(t, "prompts")
	tb.choose("review")
	tb.keys("enter", "ctrl+space")
	want := `{"argument":{"name":"language","value":""},"ref":{"name":"review","type":"ref/prompt"}}`
	if got := string(tb.last.Params); tb.last.Method != "completion/complete" || got != want {
		t.Fatalf("asked %s %s, want %s", tb.last.Method, got, want)
	}
	tb.sees(120, 17, "requesting values")
	tb.typed("r") // nothing waits for the answer
	_, e := tb.selected()
	e.values.values, e.values.asked = []string{"ruby", "rust"}, nil
	tb.sees(120, 17, "ruby", "rust", "2  enter accept")
	tb.keys("down", "enter")
	if got := e.Form.Values()["language"]; got != "rust" || e.values != nil {
		t.Errorf("took %q", got)
	}
	// Tab takes the selected value too, and is the next field without one. What is below
	// the values does not show beside them.
	tb.keys("ctrl+space")
	e.values = &candidates{field: "language", values: []string{"go"}, at: 0}
	for row := range strings.SplitSeq(tb.screen(120, 17), "\n") {
		if _, beside, ok := strings.Cut(row, "enter accept"); ok && strings.Trim(beside, " │") != "" {
			t.Errorf("%q shows beside the values", beside)
		}
	}
	tb.keys("tab")
	if got := e.Form.Values()["language"]; got != "go" || e.values != nil || e.Form.Focused() != "language" {
		t.Errorf("tab took %q, and the focus is in %s", got, e.Form.Focused())
	}
	e.values = &candidates{field: "language", values: []string{"rust"}, at: -1}
	if tb.keys("tab"); e.Form.Values()["language"] != "go" || e.Form.Focused() == "language" {
		t.Errorf("tab without a selected value: %q, in %s", e.Form.Values()["language"], e.Form.Focused())
	}
	tb.keys("shift+tab")
	tb.state.Handshake = client.Handshake{Revision: "2025-11-25"}
	tb.refresh()
	if _, ok := tb.keys("ctrl+space").(action.Flash); !ok {
		t.Error("asked a server that does not offer it")
	}
}

func TestTheShapeOfANestedArgument(t *testing.T) {
	tb := open(t, "tools")
	tb.state.Lists["tools"] = session.List{Offered: true, Loaded: start.Add(time.Second), Items: []session.Item{
		item("tools", `{"name":"make","inputSchema":{"type":"object","properties":{"note":{"type":"string"},"entities":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"seen":{"type":"array","items":{"type":"string"}}}}}},"required":["entities"]}}`),
	}}
	tb.refresh()
	tb.keys("enter", "tab")
	tb.sees(120, 24, "0 items", "space adds an item")
	_, e := tb.selected()
	tb.keys("alt+j")
	if got := string(schemaform.Compact([]byte(e.Editor.Value()))); got != `{"entities":[{"name":"","seen":[""]}]}` {
		t.Errorf("the JSON starts as %s", got)
	}
	tb.keys("alt+j")
	if got, _ := e.Values(); e.AsJSON || string(got) != `{"entities":[]}` {
		t.Errorf("an example became a value: %s", got)
	}
	// An item, its name, its list with two items, the second one first.
	tb.keys("space", "tab")
	tb.typed("x")
	tb.keys("tab", "space")
	tb.typed("one")
	tb.keys("alt+i")
	tb.typed("two")
	tb.keys("alt+up", "ctrl+s")
	if got := string(tb.last.Params); got != `{"name":"make","arguments":{"entities":[{"name":"x","seen":["two","one"]}]}}` {
		t.Errorf("sent %s", got)
	}
}

func TestTheKeyThatSendsAgainIsNamed(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.keys("enter", "x", "tab", "alt+q", "{", "x")
	if a := tb.keys("ctrl+s"); a != nil {
		t.Fatalf("sent at once: %+v", a)
	}
	tb.sees(80, 24, "ctrl+s again sends it", "✗ line 1, column 2: invalid character")
	if _, ok := tb.keys("ctrl+s").(action.Start); !ok {
		t.Error("the second time is not sent")
	}
}

func TestRequiredTextThatIsEmpty(t *testing.T) {
	tb := open(t, "tools")
	if a := tb.keys("enter", "enter"); a != nil {
		t.Errorf("a text that was not filled in was sent: %+v", a)
	}
	tb.sees(120, 24, "✗ empty", `message is empty. enter again sends ""`)
	if _, ok := tb.keys("enter").(action.Start); !ok {
		t.Error("an empty text that the schema allows is held back")
	}
	tb.sees(120, 24, `sent as ""`)
	if tb.typed("a"); strings.Contains(tb.screen(120, 24), "sent as") {
		t.Error("the note stays when there is a text")
	}
	p := open(t, "prompts")
	p.choose("review")
	if a := p.keys("enter", "enter"); a != nil {
		t.Fatalf("a prompt went out without what it requires: %+v", a)
	}
	p.sees(120, 24, "✗ required", "enter again sends it anyway")
	if _, ok := p.keys("enter").(action.Start); !ok {
		t.Error("the second time is not sent")
	}
}

func TestHintsWhileTheFilterIsTyped(t *testing.T) {
	tb := open(t, "tools")
	tb.keys("/", "e")
	if got := tb.screen(120, 17); strings.Contains(got, "copy as command") || !strings.Contains(got, "esc clear") {
		t.Errorf("got\n%s", got)
	}
	tb.keys("enter")
	tb.sees(120, 17, "y copy as command")
}

// What the fields cannot see, the schema as a whole does: it is said once, and
// then it goes out all the same.
func TestTheWholeSchemaIsChecked(t *testing.T) {
	it := session.Item{Kind: "tools", Name: "brew", Raw: []byte(`{"name":"brew","inputSchema":{"type":"object",
		"properties":{"tea":{"type":"string"},"milk":{"type":"boolean"}},
		"if":{"properties":{"milk":{"const":true}},"required":["milk"]},"then":{"properties":{"tea":{"const":"black"}}}}}`)}
	e := newEntry(it)
	e.Set("tea", "green")
	e.Set("milk", "true")
	if _, fine := e.Check(); fine || e.Warned == nil {
		t.Error("milk in green tea goes out without a word")
	}
	if _, fine := e.Check(); !fine {
		t.Error("it does not go out, though it was asked for twice")
	}
	e.Set("tea", "black")
	if args, fine := e.Check(); !fine {
		t.Errorf("%s is held back", args)
	}
}
