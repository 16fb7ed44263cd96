package composer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mcptea/offer"
	"mcptea/session/session"
	"mcptea/ui/app"
)

func withVariables(t *testing.T) *bench {
	p := newBench(t)
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

// The frame has the values of variables, the screen masks secrets, and the history
// keeps the variables.
func TestVariables_AreSentAndPreviewed(t *testing.T) {
	p := withVariables(t)
	p.Compose("example/method", "{}")
	p.params.SetValue(`{"id":"{{last.result.id}}","token":"Bearer {{env.API_TOKEN}}"}`)
	screen := p.Program.Paint(140, 24, true)
	if !strings.Contains(screen, `"id":42`) || strings.Contains(screen, "not-for-the-screen") {
		t.Errorf("the preview is wrong:\n%s", screen)
	}
	if got, want := p.sent(), `"params":{"id":42,"token":"Bearer not-for-the-screen"}`; !strings.Contains(got, want) {
		t.Errorf("sent %s", got)
	}
	if last := p.history.list[len(p.history.list)-1].draft.params; !strings.Contains(last, "{{env.API_TOKEN}}") {
		t.Errorf("the history has %s", last)
	}
}

// A variable without a value is explained first, and then sent unchanged.
func TestVariables_WithoutValue(t *testing.T) {
	p := withVariables(t)
	p.Compose("ping", "{}")
	p.params.SetValue(`{"at":"{{last.result.at}}"}`)
	if asked := p.run("send"); !strings.Contains(asked, "{{last.result.at}} has no value") {
		t.Errorf("%s", asked)
	}
	if got := p.sent(); !strings.Contains(got, `"at":"{{last.result.at}}"`) {
		t.Errorf("sent %s", got)
	}
}

// The bytes of a frame have no variables: one that is sent again keeps its bytes.
func TestVariables_NotInBytes(t *testing.T) {
	p := withVariables(t)
	const frame = `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"text":"{{last.result.id}}"}}`
	p.ComposeFrame([]byte(frame))
	if got := p.sent(); got != frame {
		t.Errorf("sent %s", got)
	}
	p.Compose("ping", "{}")
	p.params.SetValue(`{"text":"{{last.result.id}}"}`)
	p.run("view.shown")
	if text := p.params.Value(); !strings.Contains(text, "{{last.result.id}}") {
		t.Errorf("the bytes are %s", text)
	}
	p.run("view.shown")
	if p.raw || p.method.Value() != "ping" {
		t.Errorf("the form has %q", p.method.Value())
	}
	if text := p.params.Value(); !strings.Contains(text, `"{{last.result.id}}"`) {
		t.Errorf("the variable of the form became %s", text)
	}
}

// Text of servers and recordings stands for itself, wherever it comes into the form.
func TestVariables_NotInTextOfOthers(t *testing.T) {
	const params = `{"a":"{{env.API_TOKEN}}","b":["\\\\{{env.API_TOKEN}} \u00e9"],"{{env.API_TOKEN}}":"{{{{env.API_TOKEN}}}}"}`
	const frame = `{"jsonrpc":"2.0","id":7,"method":"ping","params":` + params + `}`
	plain := offer.Item{Kind: "tools", Name: "t", Raw: []byte(`{"name":"t","inputSchema":{"type":"object","properties":{"c":{"type":"string","examples":["{{env.API_TOKEN}}"]}}}}`)}
	tool := offer.Item{Kind: "tools", Name: "{{env.API_TOKEN}}", Raw: []byte(`{"name":"{{env.API_TOKEN}}","inputSchema":{"type":"object","required":["a","b"],"properties":{` +
		`"a":{"type":"string","default":"{{env.API_TOKEN}}"},"b":{"type":"array","items":{"enum":["{{env.API_TOKEN}}"]}},"c":{"type":"string","examples":["{{env.API_TOKEN}}"]}}}}`)}
	for name, into := range map[string]func(p *bench){
		"a call":              func(p *bench) { p.Compose("ping", params) },
		"a frame":             func(p *bench) { p.ComposeFrame([]byte(frame)) },
		"a frame, as a form":  func(p *bench) { p.ComposeFrame([]byte(frame)); p.run("view.shown") },
		"a pasted frame":      func(p *bench) { text{p.Pane}.Paste(frame); p.run("view.shown") },
		"the name of a tool":  func(p *bench) { p.Compose("tools/call", `{"name":""}`); p.pick() },
		"the value of a tool": func(p *bench) { p.Compose("tools/call", `{"name":"t","arguments":{"c":""}}`); p.pick() },
	} {
		p := withVariables(t)
		p.Pane.Refresh(app.Tick{State: session.State{Lists: map[string]offer.List{"tools": {Items: []offer.Item{tool, plain}, Loaded: time.Now()}}}})
		into(p)
		if name == "a frame, as a form" && (p.raw || !p.params.Empty() && !strings.Contains(p.params.Value(), `\\{{`)) {
			t.Errorf("%s: the form has %s", name, p.params.Value())
		}
		p.malformed = 0
		got := p.sent()
		if strings.Contains(got, "not-for-the-screen") {
			t.Errorf("%s: the variable was replaced: %s", name, got)
		}
		if strings.Contains(name, "frame") || name == "a call" {
			if !strings.Contains(got, `"params":`+params+`}`) {
				t.Errorf("%s: other bytes were sent:\n%s\n%s", name, got, frame)
			}
		} else if !strings.Contains(got, `{{env.API_TOKEN}}`) || strings.Contains(got, `\{{`) {
			t.Errorf("%s: sent %s", name, got)
		}
	}
}

// pick inserts the first suggestion inside of the first empty string.
func (b *bench) pick() {
	b.params.SetOffset(strings.Index(b.params.Value(), `""`) + 1)
	b.find(true)
	b.insert(true)
}
