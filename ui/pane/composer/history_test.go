package composer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/record/store"
	"mcptea/session/state"
	"mcptea/ui/app"
	"mcptea/ui/keys"
)

// keepingSession has a history on disk.
type keepingSession struct {
	*noSession
	path string
}

func (k keepingSession) History() *state.History { return state.NewHistory(k.path) }

func TestHistory_LastsAcrossSessions(t *testing.T) {
	s := &noSession{}
	kept := keepingSession{s, filepath.Join(t.TempDir(), "composer.jsonl")}
	b := benchOf(t, kept, s)
	b.Compose("tools/call", `{"name":"echo"}`)
	b.sent()
	b.ComposeFrame([]byte("{\"caf\xe9\x1b"))
	b.sent()
	b.Compose("tools/call", `{"name":"login","arguments":{"token":"ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"}}`)
	b.sent()
	if text, err := os.ReadFile(kept.path); err != nil || strings.Contains(string(text), "ghp_") {
		t.Fatalf("%s, %v", text, err)
	}

	later := benchOf(t, kept, s)
	later.Program.Paint(120, 33, true)
	later.Pane.Refresh(app.Tick{Now: time.Now()})
	later.Press("ctrl+r")
	screen := later.Program.Paint(120, 33, true)
	for _, want := range []string{"History ──", " 3 ", "tools/call echo", `{"caf\xe9\x1b`, "redacted"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the list lacks %q:\n%s", want, screen)
		}
	}
	later.Type("caf")
	later.Press("enter")
	if got := later.params.Value(); !later.raw || got != "{\"caf\xe9\x1b" {
		t.Errorf("raw %v, %q", later.raw, got)
	}
	later.Press("ctrl+r")
	later.Type("echo")
	later.Press("enter")
	if later.raw || later.method.Value() != "tools/call" || later.params.Value() != `{"name":"echo"}` {
		t.Errorf("%s %s", later.method.Value(), later.params.Value())
	}
	later.Press("ctrl+r")
	later.Type("log")
	if later.Press("enter"); !strings.Contains(strings.Join(later.Asked, " "), "Secrets were removed") {
		t.Errorf("got %v", later.Asked)
	}
}

// The history lists the newest frames: their number is not the number of sent frames.
func TestHistory_NewestOfMore(t *testing.T) {
	s := &noSession{}
	kept := keepingSession{s, filepath.Join(t.TempDir(), "composer.jsonl")}
	shown := func(b *bench) string {
		b.Program.Paint(120, 33, true)
		b.Pane.Refresh(app.Tick{Now: time.Now()})
		b.Press("ctrl+r")
		return b.Program.Paint(120, 33, true)
	}
	b := benchOf(t, kept, s)
	for i := range maxHistory + 1 {
		if i == maxHistory {
			if screen := shown(b); !strings.Contains(screen, " 500 ") || strings.Contains(screen, "newest") {
				t.Errorf("all are shown as the newest:\n%s", screen)
			}
			b.Press("esc")
		}
		b.history.add(&past{draft: draft{method: "tools/call", params: fmt.Sprintf(`{"name":"echo%d"}`, i)}, label: fmt.Sprint(i), row: store.None})
	}
	for which, b := range map[string]*bench{"this session": b, "a later session": benchOf(t, kept, s)} {
		if screen := shown(b); !strings.Contains(screen, "newest 500") || len(b.history.list) != maxHistory {
			t.Errorf("%s: the bound of the list is told as a count:\n%s", which, screen)
		}
	}
}

func TestHistory_UpInTheFirstRowOpensIt(t *testing.T) {
	b := newBench(t)
	b.Compose("ping", "{\n}")
	b.sent()
	b.Press("e", "up")
	if b.focus != ofHistory && b.field != fieldMethod {
		t.Fatal("up in the first row does nothing")
	}
	b.Press("up")
	if b.focus != ofHistory {
		t.Error("up in the method does not open the history")
	}
	b.Press("esc", "esc")
	if b.focus != ofDraft || b.method.Value() != "ping" {
		t.Error("esc does not close it")
	}
}

// What was broken comes first in the list, so that sends of one request differ in a narrow one;
// in later sessions too.
func TestHistory_NamesTheMalformation(t *testing.T) {
	s := &noSession{}
	kept := keepingSession{s, filepath.Join(t.TempDir(), "composer.jsonl")}
	b := benchOf(t, kept, s)
	for _, name := range []string{"single-quotes", "no-version", ""} {
		b.Compose("tools/call", `{"name":"echo"}`)
		b.malformed = 1 + slices.IndexFunc(jsonrpc.Mutations(), func(m jsonrpc.Mutation) bool { return m.Name == name })
		b.sent()
	}
	later := benchOf(t, kept, s)
	later.Program.Paint(120, 33, true)
	later.Pane.Refresh(app.Tick{Now: time.Now()})
	for which, bench := range map[string]*bench{"this session": b, "a later session": later} {
		bench.Press("ctrl+r")
		screen := bench.Program.Paint(120, 33, true)
		for _, want := range []string{"single quotes: tool", `no "jsonrpc" member: tool`, " tools/call echo"} {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: the list lacks %q:\n%s", which, want, screen)
			}
		}
	}
}

// The tab key passes over a history without frames, in both directions.
func TestMotion_EmptyHistory(t *testing.T) {
	b := newBench(t)
	b.Compose("ping", "{}")
	next := func(m keys.Motion, want area) {
		t.Helper()
		b.Motion(m)
		if b.focus != want {
			t.Errorf("the focus is on %s, want %s", sections[b.focus], sections[want])
		}
	}
	next(keys.Next, ofBreaks)
	next(keys.Previous, ofDraft)
	b.sent()
	b.enter(ofDraft)
	next(keys.Next, ofBreaks) // as before the response
	next(keys.Next, ofHistory)
	next(keys.Previous, ofBreaks)
	next(keys.Previous, ofReply)
	next(keys.Next, ofBreaks)
	b.enter(ofDraft)
	b.Press("ctrl+o")
	if b.focus != ofReply {
		t.Errorf("ctrl+o goes to %s", sections[b.focus])
	}
}
