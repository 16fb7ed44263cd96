package composer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/press"
	"mcptea/session"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

func TestPaste_IntoTheFieldWithTheFocus(t *testing.T) {
	p := New(nil)
	p.Compose("tools/call", `{"name":"a"}`)
	p.Do(command.SendRepeatedly)
	p.repeat.often.SetValue("")
	p.Paste("100 50ms")
	if p.repeat.often.Value() != "100 50ms" || strings.Contains(p.params.Value(), "100 50ms") {
		t.Errorf("count %q, params %q", p.repeat.often.Value(), p.params.Value())
	}
	p.Compose("tools/call", `{"name":"a"}`)
	p.repeat.open = false
	p.Do(command.Malform)
	p.Paste("text")
	if strings.Contains(p.params.Value(), "text") {
		t.Errorf("the params behind the list became %s", p.params.Value())
	}
}

func TestPaste_ClosesSuggestions(t *testing.T) {
	p := New(nil)
	p.state = listed()
	p.handshake = p.state.Handshake
	p.Compose("tools/call", `{}`)
	p.params.SetValue(`{"name": "search", "arguments": {}}`)
	p.params.Buffer().SetOffset(len(`{"name": "search", "arguments": {`))
	p.focus = fieldParams
	for _, k := range []string{"\"", "q", "u"} {
		p.Type(press.Key(k))
	}
	if !p.suggestions.open() {
		t.Fatal("there are no suggestions")
	}
	p.Paste("ery\": \"pasted\", \"x")
	p.Type(press.Key("enter"))
	if got := p.params.Value(); p.suggestions.open() || !strings.Contains(got, `"query": "pasted"`) || strings.Contains(got, `""ery`) {
		t.Errorf("the text became %s", got)
	}
}

// The outcome of a frame goes to its own entry of the history; a large frame has none.
func TestHistory_OutcomeOfALargeFrame(t *testing.T) {
	p := New(nil)
	p.history.loaded = true
	p.Compose("ping", "")
	p.reserved = "6"
	p.send(idAuto)
	p.Handle(action.Started{Ref: ref, Call: &session.Call{ID: "6", Method: "ping"}})
	p.history.list[0].call = nil
	p.Compose("tools/call", `{"name":"`+strings.Repeat("x", 2<<20)+`"}`)
	p.reserved = "7"
	a := p.send(idAuto)
	if _, ok := a.(action.StartFrame); !ok {
		t.Fatalf("%T %v", a, a)
	}
	p.Handle(action.Started{Ref: ref, Call: &session.Call{ID: "7", Method: "tools/call"}})
	if n := len(p.history.list); n != 1 || p.history.list[0].call != nil {
		t.Errorf("%d entries; the entry of %s has got the call of tools/call", n, p.history.list[0].label)
	}
}

// A frame that is refused, as in a recording, is not in the history.
func TestHistory_OnlyWhatWasSent(t *testing.T) {
	p := New(nil)
	p.history.loaded = true
	p.Compose("ping", "")
	p.reserved = "6"
	if _, ok := p.send(idAuto).(action.StartFrame); !ok || len(p.history.list) > 0 {
		t.Errorf("%d entries before anything was sent", len(p.history.list))
	}
	p.Handle(action.Started{Ref: ref, Call: &session.Call{ID: "6", Method: "ping"}})
	if len(p.history.list) != 1 {
		t.Errorf("%d entries", len(p.history.list))
	}
}

// In a narrow window the history is over the draft, and takes the clicks.
func TestPress_HistoryOverTheDraft(t *testing.T) {
	p := New(nil)
	p.history.loaded = true
	for _, m := range []string{"a/a", "b/b", "c/c"} {
		p.history.add(p, &sending{kept: true, draft: draft{method: m}, label: m})
	}
	p.Compose("ping", "{}")
	p.Do(command.SearchHistory)
	pal := paint.NewPalette(themes.ForBackground(true), false)
	screen := p.Paint(pal, paint.NewJSONStyles(pal.Theme), 90, 30, true)
	at := -1
	for y, row := range screen {
		if strings.Contains(row, "a/a") {
			at = y
		}
	}
	field := p.focus
	p.Press(45, at)
	if !p.history.open || p.history.at != 2 || p.focus != field {
		t.Errorf("entry %d is selected, open %v, field %d", p.history.at, p.history.open, p.focus)
	}
	p.Press(45, at)
	if p.history.open || p.method.Value() != "a/a" {
		t.Errorf("a second click did not insert: %q", p.method.Value())
	}
	// A click beside it closes it, and does nothing to the draft below.
	p.Do(command.SearchHistory)
	p.Paint(pal, paint.NewJSONStyles(pal.Theme), 90, 30, true)
	p.focus = fieldParams
	p.Press(2, 2)
	if p.history.open || p.focus != fieldParams {
		t.Errorf("open %v, field %d", p.history.open, p.focus)
	}
}

// A click on the summary does not use the places of the whole pane.
func TestPress_Summary(t *testing.T) {
	p := New(nil)
	p.Compose("ping", "{}")
	p.focus = fieldParams
	pal := paint.NewPalette(themes.ForBackground(true), false)
	p.Paint(pal, paint.NewJSONStyles(pal.Theme), 120, 30, true)
	chosen, at := p.malformed, p.params.Buffer().Offset()
	p.Paint(pal, paint.NewJSONStyles(pal.Theme), 120, 4, false)
	for y := range 4 {
		for x := range 120 {
			p.Press(x, y)
		}
	}
	if p.focus != fieldParams || p.malformed != chosen || p.history.open || p.params.Buffer().Offset() != at {
		t.Errorf("field %d, malformation %d, history %v", p.focus, p.malformed, p.history.open)
	}
}

// A history that cannot be written is said to be so.
func TestHistory_CannotBeKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := New(keepingSession{path: filepath.Join(dir, "composer.jsonl")})
	p.Compose("ping", "{}")
	send(t, p)
	pal := paint.NewPalette(themes.ForBackground(true), false)
	screen := ansi.Strip(strings.Join(p.Paint(pal, paint.NewJSONStyles(pal.Theme), 120, 33, true), "\n"))
	if !strings.Contains(screen, "Cannot keep the history:") {
		t.Errorf("nothing is said:\n%s", screen)
	}
}
