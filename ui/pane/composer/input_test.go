package composer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/record/store"
	"mcptea/ui/app"
)

func TestPaste_IntoTheFieldWithTheFocus(t *testing.T) {
	b := newBench(t)
	b.Compose("tools/call", `{"name":"a"}`)
	b.run("again")
	b.Program.Paint(120, 30, true)
	b.Press("ctrl+u")
	b.Screen.Field().Paste("100 50ms")
	if screen := b.Program.Paint(120, 30, true); !strings.Contains(screen, "100 50ms") || strings.Contains(b.params.Value(), "100 50ms") {
		t.Errorf("params %q\n%s", b.params.Value(), screen)
	}
	b.Close(b.Program.Pane.(app.Dialog))
	b.enter(ofBreaks)
	b.Program.Paint(120, 30, true)
	if b.Screen.Field() != nil {
		t.Error("text goes into the params behind the list")
	}
}

func TestPaste_ClosesSuggestions(t *testing.T) {
	b := newBench(t)
	b.Pane.Refresh(app.Tick{State: listed()})
	b.Compose("tools/call", `{}`)
	b.params.SetValue(`{"name": "search", "arguments": {}}`)
	b.params.SetOffset(len(`{"name": "search", "arguments": {`))
	b.Type(`"qu`)
	if !b.candidates.open() {
		t.Fatal("there are no suggestions")
	}
	text{b.Pane}.Paste("ery\": \"pasted\", \"x")
	b.Press("enter")
	if got := b.params.Value(); b.candidates.open() || !strings.Contains(got, `"query": "pasted"`) || strings.Contains(got, `""ery`) {
		t.Errorf("the text became %s", got)
	}
}

// The outcome of a frame goes to its own entry of the history; a large frame has none.
func TestHistory_OutcomeOfALargeFrame(t *testing.T) {
	b := newBench(t)
	b.Compose("ping", "")
	b.sent()
	b.history.list[0].call = nil
	b.Compose("tools/call", `{"name":"`+strings.Repeat("x", 2<<20)+`"}`)
	b.sent()
	if n := len(b.history.list); n != 1 || b.history.list[0].call != nil {
		t.Errorf("%d entries; the entry of %s has got the call of tools/call", n, b.history.list[0].label)
	}
}

// A frame that is refused, as in a recording, is not in the history.
func TestHistory_OnlyWhatWasSent(t *testing.T) {
	b := newBench(t)
	b.Recorded = true
	b.Compose("ping", "")
	if asked := b.run("send"); !strings.Contains(asked, "needs a server") || len(b.history.list) > 0 {
		t.Errorf("%q; %d entries before anything was sent", asked, len(b.history.list))
	}
	b.Recorded = false
	if b.sent(); len(b.history.list) != 1 {
		t.Errorf("%d entries", len(b.history.list))
	}
}

// In a narrow window the history is over the draft, and takes the clicks.
func TestClick_HistoryOverTheDraft(t *testing.T) {
	b := newBench(t)
	b.W, b.H = 90, 30
	for _, m := range []string{"a/a", "b/b", "c/c"} {
		b.history.add(&past{draft: draft{method: m}, label: m, time: time.Now()})
	}
	b.Compose("ping", "{}")
	b.Press("ctrl+r")
	screen := strings.Split(b.Program.Paint(90, 30, true), "\n")
	at := -1
	for y, row := range screen {
		if strings.Contains(row, "a/a") {
			at = y
		}
	}
	field := b.field
	b.Screen.Click(45, at)
	if e, ok := b.history.Selected(); !ok || e.label != "a/a" || b.focus != ofHistory || b.field != field {
		t.Errorf("entry %v is selected, focus %d, field %d", e, b.focus, b.field)
	}
	b.Program.Paint(90, 30, true)
	b.Screen.Click(45, at)
	if b.focus != ofDraft || b.method.Value() != "a/a" {
		t.Errorf("a second click did not insert: %q", b.method.Value())
	}
	// A click beside it closes it.
	b.Press("ctrl+r")
	b.Program.Paint(90, 30, true)
	b.Screen.Click(2, 2)
	if b.focus != ofDraft {
		t.Errorf("focus %d", b.focus)
	}
}

// A click on the summary does not use the places of the whole pane.
func TestClick_Summary(t *testing.T) {
	b := newBench(t)
	b.Compose("ping", "{}")
	b.Program.Paint(120, 30, true)
	chosen, at := b.malformed, b.params.Offset()
	b.Program.Paint(120, 4, false)
	for y := range 4 {
		for x := range 120 {
			b.Screen.Click(x, y)
		}
	}
	if b.field != fieldParams || b.malformed != chosen || b.focus != ofDraft || b.params.Offset() != at {
		t.Errorf("field %d, malformation %d, focus %d", b.field, b.malformed, b.focus)
	}
}

// A history that cannot be written is said to be so.
func TestHistory_CannotBeKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &noSession{}
	b := benchOf(t, keepingSession{s, filepath.Join(dir, "composer.jsonl")}, s)
	b.Compose("ping", "{}")
	b.sent()
	if asked := strings.Join(b.Asked, "\n"); !strings.Contains(asked, "fail: Cannot keep the history:") {
		t.Errorf("nothing is said: %s", asked)
	}
}

// tab goes through the parts of the pane, and shift+tab back.
func TestTab_GoesThroughTheParts(t *testing.T) {
	b := newBench(t)
	b.Compose("", "")
	b.Type("ping")
	b.Press("esc")
	var seen []string
	b.history.list = []*past{{label: "ping", row: store.None}}
	for range 6 {
		asked := b.Press("tab")
		seen = append(seen, b.Section()+asked)
	}
	want := "composer|composer, break it|composer, history|composer|composer, break it|composer, history"
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	b.Press("shift+tab", "shift+tab")
	if b.focus != ofDraft || b.field != fieldParams {
		t.Errorf("focus %d, field %d", b.focus, b.field)
	}
}
