package browse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/offer"
)

func TestCall_SentAsFilledIn(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter")
	tb.Type(`say "hi" q?1`)
	tb.Press("enter")
	if got, want := string(tb.call.Params), `{"name":"echo","arguments":{"message":"say \"hi\" q?1"}}`; tb.call.Method != "tools/call" || got != want {
		t.Errorf("sent %s %s, want %s", tb.call.Method, got, want)
	}
	tb.choose("long-work")
	tb.Press("esc", "enter", "enter")
	if got, want := string(tb.call.Params), `{"name":"long-work","arguments":{}}`; got != want {
		t.Errorf("optional fields are sent as %s, want %s", got, want)
	}
}

func TestForm_InvalidIsSentTheSecondTime(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("long-work")
	if a := tb.Press("enter", "1", "0", "x", "enter"); a != "" {
		t.Fatalf("sent at once: %q", a)
	}
	tb.sees(120, 17, "expected a number", "enter again sends it")
	tb.expect("start tools/call", "enter")
	if got, want := string(tb.call.Params), `{"name":"long-work","arguments":{"duration":"10x"}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	// Another change is checked again.
	if a := tb.Press("e", "y", "enter"); a != "" {
		t.Errorf("sent at once: %q", a)
	}
}

func TestFormAndJSON_KeepValues(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.Press("enter")
	tb.Type("tea")
	tb.Press("alt+v")
	e := tb.item()
	if got := e.Editor.Value(); !strings.Contains(got, `"query": "tea"`) {
		t.Fatalf("the JSON is %q", got)
	}
	e.Editor.SetValue(`{"query":"milk","sort":"old","deep":true,"extra":[1]}`)
	tb.Press("alt+v")
	tb.sees(120, 17, "milk", "old", "true", " extra*", "JSON")
	tb.Press("enter")
	if got, want := string(tb.call.Params), `{"name":"search","arguments":{"query":"milk","sort":"old","deep":true,"extra":[1]}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	tb.Press("e")
	tb.Press("alt+v")
	e.Editor.SetValue(`{"query":`)
	if tb.expect("fail: ", "alt+v"); !e.AsJSON {
		t.Error("half a JSON text became a form")
	}
	tb.expect("fail: ", "ctrl+s")
	e.Editor.SetValue(`{"query":"x","sort":"sideways"}`)
	tb.Press("alt+v")
	if got, _ := e.Values(); string(got) != `{"query":"x","sort":"sideways"}` {
		t.Errorf("a value that is not offered got lost in the form: %s", got)
	}
}

func TestComposer_JSONSentOnOneLine(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.Press("enter", "x", "tab")
	tb.Run("field.json")
	tb.Press("[", "enter", "]", "ctrl+s", "ctrl+s")
	if got, want := string(tb.call.Params), `{"name":"search","arguments":{"query":"x","filter":[]}}`; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

func TestEditor(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter")
	tb.expect("edit .json: {", "alt+e")
	tb.Edited("{\"message\": \"from elsewhere\"}\n")
	tb.sees(120, 17, "from elsewhere")
	if e := tb.item(); e.AsJSON {
		t.Error("the form is gone")
	}
}

func TestResources_ReadImmediately(t *testing.T) {
	tb := open(t, "resources")
	tb.Press("enter")
	if got := string(tb.call.Params); tb.call.Method != "resources/read" || got != `{"uri":"demo://readme"}` {
		t.Errorf("sent %s %s", tb.call.Method, got)
	}
	tb.choose("numbers")
	tb.Press("esc", "enter", "3", "tab")
	tb.Type("ä 1")
	tb.Press("enter")
	if got := string(tb.call.Params); got != `{"uri":"demo://numbers/3/%C3%A4%201"}` {
		t.Errorf("the template is read as %s", got)
	}
}

func TestPromptsTakeStrings(t *testing.T) {
	tb := open(t, "prompts")
	tb.Press("enter", "enter")
	if got := string(tb.call.Params); got != `{"name":"simple"}` {
		t.Errorf("without arguments: %s", got)
	}
	tb.choose("review")
	tb.Press("esc", "enter", "5", "enter")
	if got := string(tb.call.Params); got != `{"name":"review","arguments":{"language":"5"}}` {
		t.Errorf("with one: %s", got)
	}
}

func TestCompletion_RequestedAndInserted(t *testing.T) {
	tb := open(t, "prompts")
	tb.choose("review")
	tb.Press("enter", "ctrl+space")
	want := `{"argument":{"name":"language","value":""},"ref":{"name":"review","type":"ref/prompt"}}`
	if got := string(tb.call.Params); tb.call.Method != "completion/complete" || got != want {
		t.Fatalf("asked %s %s, want %s", tb.call.Method, got, want)
	}
	tb.sees(120, 24, "requesting values")
	tb.Type("r") // nothing waits for the answer
	e := tb.item()
	e.Offer("language", 0, "ruby", "rust")
	tb.sees(120, 24, "ruby", "rust", "2  enter accept")
	tb.Press("down", "enter")
	if got := e.Tree.Node("language").Text; got != "rust" || e.Choosing() {
		t.Errorf("took %q", got)
	}
	// Tab takes the selected value too, and is the next field without one. What is below
	// the values does not show beside them.
	tb.Press("ctrl+space")
	e.Offer("language", 0, "go")
	for row := range strings.SplitSeq(tb.screen(120, 17), "\n") {
		if _, beside, ok := strings.Cut(row, "enter accept"); ok && strings.Trim(beside, " │╮─") != "" {
			t.Errorf("%q shows beside the values", beside)
		}
	}
	tb.Press("tab")
	if got := e.Tree.Node("language").Text; got != "go" || e.Choosing() || e.Node().ID != "language" {
		t.Errorf("tab took %q, and the focus is in %s", got, e.Node().ID)
	}
	e.Offer("language", -1, "rust")
	if tb.Press("tab"); e.Tree.Node("language").Text != "go" || e.Node().ID == "language" {
		t.Errorf("tab without a selected value: %q, in %s", e.Tree.Node("language").Text, e.Node().ID)
	}
	// What is typed is completed where a value begins so, as the last row of the values says.
	tb.Press("shift+tab")
	e.Set(e.Tree.Node("language"), "p")
	e.Offer("language", -1, "python", "php")
	tb.sees(120, 24, "2  tab complete")
	if tb.Press("tab"); e.Tree.Node("language").Text != "python" || e.Node().ID != "language" {
		t.Errorf("tab after a part of a value: %q, in %s", e.Tree.Node("language").Text, e.Node().ID)
	}
	tb.state.Handshake = client.Handshake{Revision: "2025-11-25"}
	tb.refresh()
	tb.expect("off: The server does not offer completions.", "ctrl+space")
}

func TestForm_NestedArgument(t *testing.T) {
	tb := open(t, "tools")
	tb.state.Lists["tools"] = offer.List{Offered: true, Loaded: start.Add(time.Second), Items: []offer.Item{
		item("tools", `{"name":"make","inputSchema":{"type":"object","properties":{"note":{"type":"string"},"entities":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"seen":{"type":"array","items":{"type":"string"}}}}}},"required":["entities"]}}`),
	}}
	tb.refresh()
	tb.Press("enter", "tab")
	tb.sees(120, 24, "0 items", "space adds an item")
	e := tb.item()
	tb.Press("alt+v")
	if got := string(jsonrpc.Compact([]byte(e.Editor.Value()))); got != `{"entities":[{"name":"","seen":[""]}]}` {
		t.Errorf("the JSON starts as %s", got)
	}
	tb.Press("alt+v")
	if got, _ := e.Values(); e.AsJSON || string(got) != `{"entities":[]}` {
		t.Errorf("an example became a value: %s", got)
	}
	// An item, its name, its list with two items, the second one first.
	tb.Press("space", "tab")
	tb.Type("x")
	tb.Press("tab", "space")
	tb.Type("one")
	tb.Press("alt+,")
	tb.Type("two")
	tb.Press("alt+up", "ctrl+s")
	if got := string(tb.call.Params); got != `{"name":"make","arguments":{"entities":[{"name":"x","seen":["two","one"]}]}}` {
		t.Errorf("sent %s", got)
	}
}

func TestForm_NamesKeyThatSendsAgain(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.Press("enter", "x", "tab")
	tb.Run("field.json")
	if a := tb.Press("{", "x", "ctrl+s"); a != "" {
		t.Fatalf("sent at once: %q", a)
	}
	tb.sees(80, 24, "ctrl+s again sends it", "✗ line 1, column 2: invalid character")
	tb.expect("start", "ctrl+s")
}

func TestForm_EmptyRequiredText(t *testing.T) {
	tb := open(t, "tools")
	if a := tb.Press("enter", "enter"); a != "" {
		t.Errorf("a text that was not filled in was sent: %q", a)
	}
	tb.sees(120, 24, "✗ empty", `message is empty. enter again sends ""`)
	tb.expect("start", "enter")
	tb.sees(120, 24, `sent as ""`)
	tb.Press("e")
	if tb.Type("a"); strings.Contains(tb.screen(120, 24), "sent as") {
		t.Error("the note stays when there is a text")
	}
	p := open(t, "prompts")
	p.choose("review")
	if a := p.Press("enter", "enter"); a != "" {
		t.Fatalf("a prompt went out without what it requires: %q", a)
	}
	p.sees(120, 24, "✗ required", `is empty. enter again sends ""`)
	p.expect("start", "enter")
}

// What the fields cannot see, the schema as a whole does: it is said once, and
// then it goes out all the same.
func TestSchema_CheckedWhole(t *testing.T) {
	it := offer.Item{Kind: "tools", Name: "brew", Raw: []byte(`{"name":"brew","inputSchema":{"type":"object",
		"properties":{"tea":{"type":"string"},"milk":{"type":"boolean"}},
		"if":{"properties":{"milk":{"const":true}},"required":["milk"]},"then":{"properties":{"tea":{"const":"black"}}}}}`)}
	tb := open(t, "tools")
	e := tb.pane.Item("brew", it)
	e.Set(e.Tree.Node("tea"), "green")
	e.Set(e.Tree.Node("milk"), "true")
	if _, fine := e.Check(); fine || e.Warned == nil {
		t.Error("milk in green tea goes out without a word")
	}
	if _, fine := e.Check(); !fine {
		t.Error("it does not go out, though it was asked for twice")
	}
	e.Set(e.Tree.Node("tea"), "black")
	if args, fine := e.Check(); !fine {
		t.Errorf("%s is held back", args)
	}
}

// A file that is read late does not take the focus from the field in which the user types.
func TestSend_LateDoesNotTakeTheFocus(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{"": "result", "tab tab right": "form"} {
		tb := open(t, "tools")
		tb.choose("search")
		tb.Press("enter")
		tb.Type("@" + path)
		tb.Hold = true
		tb.Press("enter")
		tb.Press(strings.Fields(typed)...)
		tb.Finish()
		if got := tb.pane.Section(); tb.call == nil || got != want {
			t.Errorf("after %q the focus is in the %s, sent: %v", typed, got, tb.call)
		}
	}
}
