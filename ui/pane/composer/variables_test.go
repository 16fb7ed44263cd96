package composer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"

	"github.com/charmbracelet/x/ansi"
)

func withVariables() *Pane {
	p := New(noSession{})
	p.Variables = func(name string) (json.RawMessage, error) {
		switch name {
		case "env.API_TOKEN":
			return json.RawMessage(`"not-for-the-screen"`), nil
		case "last.result.id":
			return json.RawMessage(`42`), nil
		}
		return nil, errors.New("{{" + name + "}} has no value")
	}
	return p
}

func sentFrame(t *testing.T, a action.Action) string {
	t.Helper()
	sent, ok := a.(action.StartFrame)
	if !ok {
		t.Fatalf("%T %+v instead of a frame", a, a)
	}
	return string(sent.Frame)
}

// The frame has the values of variables, the screen masks secrets, and the history
// keeps the variables.
func TestVariables_AreSentAndPreviewed(t *testing.T) {
	p := withVariables()
	p.Compose("example/method", `{"id":"{{last.result.id}}","token":"Bearer {{env.API_TOKEN}}"}`)
	pal := paint.NewPalette(themes.ForBackground(true), false)
	screen := ansi.Strip(strings.Join(p.Paint(pal, paint.NewJSONStyles(pal.Theme), 140, 24, true), "\n"))
	if !strings.Contains(screen, `"id":42`) || strings.Contains(screen, "not-for-the-screen") {
		t.Errorf("the preview is wrong:\n%s", screen)
	}
	a := p.Do(command.SendFrame)
	if _, warned := a.(action.Flash); warned { // no such method
		a = p.Do(command.SendFrame)
	}
	if got, want := sentFrame(t, a), `"params":{"id":42,"token":"Bearer not-for-the-screen"}`; !strings.Contains(got, want) {
		t.Errorf("sent %s", got)
	}
	if last := p.history.list[len(p.history.list)-1].draft.params; !strings.Contains(last, "{{env.API_TOKEN}}") {
		t.Errorf("the history has %s", last)
	}
}

// A variable without a value is explained first, and sent as it is written then.
func TestVariables_WithoutValue(t *testing.T) {
	p := withVariables()
	p.Compose("ping", `{"at":"{{last.result.at}}"}`)
	if f, ok := p.Do(command.SendFrame).(action.Flash); !ok || !strings.Contains(f.Text, "{{last.result.at}} has no value") {
		t.Errorf("%+v", f)
	}
	if got := sentFrame(t, p.Do(command.SendFrame)); !strings.Contains(got, `"at":"{{last.result.at}}"`) {
		t.Errorf("sent %s", got)
	}
}

// The bytes of a frame have no variables: one that is sent again keeps its bytes.
func TestVariables_NotInBytes(t *testing.T) {
	p := withVariables()
	const frame = `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"text":"{{last.result.id}}"}}`
	p.ComposeFrame([]byte(frame))
	if got := sentFrame(t, p.Do(command.SendFrame)); got != frame {
		t.Errorf("sent %s", got)
	}
	p.Compose("ping", `{"text":"{{last.result.id}}"}`)
	p.Do(command.ToggleRawBytes)
	if text := p.params.Value(); !strings.Contains(text, "{{last.result.id}}") {
		t.Errorf("the bytes are %s", text)
	}
	p.Do(command.ToggleRawBytes)
	if p.raw || p.method.Value() != "ping" {
		t.Errorf("the form has %q", p.method.Value())
	}
}
