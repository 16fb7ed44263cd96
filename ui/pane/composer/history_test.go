package composer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/press"
	"mcptea/session"
	"mcptea/session/state"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/paint"
)

// keepingSession has a history on disk.
type keepingSession struct {
	noSession
	path string
}

func (k keepingSession) History() *state.History { return state.NewHistory(k.path) }

func typeKeys(p *Pane, names ...string) {
	for _, name := range names {
		p.Type(press.Key(name))
	}
}

// send sends the draft, the second time if there is a warning.
func send(t *testing.T, p *Pane) action.StartFrame {
	t.Helper()
	for range 2 {
		if sent, ok := p.Do("send").(action.StartFrame); ok {
			p.Handle(action.Started{Ref: ref, Call: &session.Call{}})
			return sent
		}
	}
	t.Fatal("the draft is not sent")
	return action.StartFrame{}
}

func TestHistory_LastsAcrossSessions(t *testing.T) {
	s := keepingSession{path: filepath.Join(t.TempDir(), "composer.jsonl")}
	p := New(s)
	p.Refresh(session.State{}, time.Now(), 0)
	p.Compose("tools/call", `{"name":"echo"}`)
	send(t, p)
	p.ComposeFrame([]byte("{\"caf\xe9\x1b"))
	send(t, p)
	p.Compose("tools/call", `{"name":"login","arguments":{"token":"ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"}}`)
	send(t, p)
	if text, err := os.ReadFile(s.path); err != nil || strings.Contains(string(text), "ghp_") {
		t.Fatalf("%s, %v", text, err)
	}

	later := New(s)
	later.Refresh(session.State{}, time.Now(), 0)
	later.Do("compose.history")
	pal := paint.NewPalette(themes.ForBackground(true), false)
	screen := ansi.Strip(strings.Join(later.Paint(pal, paint.NewJSONStyles(pal.Theme), 120, 33, true), "\n"))
	for _, want := range []string{"search, 3", "tools/call echo", `{"caf\xe9\x1b`, "redacted"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the list lacks %q:\n%s", want, screen)
		}
	}
	typeKeys(later, "c", "a", "f", "enter")
	if got := later.params.Value(); !later.raw || got != "{\"caf\xe9\x1b" {
		t.Errorf("raw %v, %q", later.raw, got)
	}
	later.Do("compose.history")
	typeKeys(later, "e", "c", "h", "o", "enter")
	if later.raw || later.method.Value() != "tools/call" || later.params.Value() != `{"name":"echo"}` {
		t.Errorf("%s %s", later.method.Value(), later.params.Value())
	}
	later.Do("compose.history")
	typeKeys(later, "l", "o", "g")
	if a, _ := later.Type(press.Key("enter")); !strings.Contains(a.(action.Flash).Text, "Secrets were removed") {
		t.Errorf("got %v", a)
	}
}

func TestHistory_UpInTheFirstRowOpensIt(t *testing.T) {
	p := New(noSession{})
	p.Compose("ping", "{\n}")
	send(t, p)
	typeKeys(p, "up")
	if !p.history.open && p.focus != fieldMethod {
		t.Fatal("up in the first row does nothing")
	}
	typeKeys(p, "up")
	if !p.history.open {
		t.Error("up in the method does not open the history")
	}
	typeKeys(p, "esc")
	if p.history.open || p.method.Value() != "ping" {
		t.Error("esc does not close it")
	}
}

func TestParseRepeat(t *testing.T) {
	for _, tc := range []struct {
		text     string
		count    int
		interval time.Duration
		problem  string
	}{
		{"100", 100, 0, ""},
		{" 5 50ms ", 5, 50 * time.Millisecond, ""},
		{"5 every 2s", 5, 2 * time.Second, ""},
		{"", 0, 0, "Write a count"},
		{"0", 0, 0, `"0" is not a count`},
		{"10001", 0, 0, "is not a count"},
		{"5 fast", 0, 0, `"fast" is not an interval`},
		{"5 -1s", 0, 0, "is not an interval"},
	} {
		count, interval, problem := parseRepeat(tc.text)
		if tc.problem == "" && (count != tc.count || interval != tc.interval || problem != "") || !strings.Contains(problem, tc.problem) {
			t.Errorf("%q: %d, %v, %q", tc.text, count, interval, problem)
		}
	}
}
