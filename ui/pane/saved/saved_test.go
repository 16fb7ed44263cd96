package saved

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/internal/test/panetest"
	"mcptea/session/requests"
	"mcptea/session/state"
)

// sees reports what the screen lacks.
func sees(t *testing.T, p *panetest.Program, texts ...string) {
	t.Helper()
	screen := p.Paint(p.W, p.H, true)
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			t.Errorf("the screen lacks %q:\n%s", text, screen)
		}
	}
}

func last(p *panetest.Program) string {
	if len(p.Asked) == 0 {
		return ""
	}
	return p.Asked[len(p.Asked)-1]
}

// argumentsOf are arguments with a file and a history in a directory of the test.
func argumentsOf(t *testing.T) (*panetest.Program, *Arguments) {
	p, dir := panetest.New(t), t.TempDir()
	history := state.NewHistory(filepath.Join(dir, "history"))
	return p, NewArguments(p, state.NewArguments(filepath.Join(dir, "arguments")), func() *state.History { return history })
}

// What is saved under a name, and what was sent, is offered for the same tool: saved ones
// first, each sent value once, the newest first.
func TestArguments_SavedAndSent(t *testing.T) {
	p, a := argumentsOf(t)
	for _, arguments := range []string{`{"q":1}`, `{"q":2}`, `{"q": 1}`} {
		a.Keep("tools/call", "search", []byte(arguments))
	}
	a.Keep("tools/call", "other", []byte(`{"other":true}`))
	a.Save("tools/call", "search", []byte(`{"q":"mine"}`))
	sees(t, p, "Save the arguments", "Secrets are left out")
	p.Press("enter")
	sees(t, p, "Type a name.")
	p.Type("daily")
	if asked := p.Press("enter"); asked != "say: Saved as daily." || p.Pane != nil {
		t.Errorf("asked %q, open: %v", asked, p.Pane)
	}

	var used []string
	use := func(arguments []byte) { used = append(used, string(arguments)) }
	a.Choose("tools/call", "search", use)
	sees(t, p, "saved", "daily", "sent", "nothing is sent yet")
	if screen := p.Paint(p.W, p.H, true); strings.Contains(screen, "other") || strings.Count(screen, `{"q":`) != 3 {
		t.Errorf("these arguments are offered:\n%s", screen)
	}
	p.Press("enter")
	a.Choose("tools/call", "search", use)
	p.Press("down", "enter")
	if want := []string{`{"q":"mine"}`, `{"q":1}`}; !slices.Equal(used, want) {
		t.Errorf("used %q, want %q", used, want)
	}
}

// A saved value can be deleted; one of the history cannot, and the reason is said.
func TestArguments_Delete(t *testing.T) {
	p, a := argumentsOf(t)
	a.Keep("tools/call", "search", []byte(`{"q":1}`))
	if err := a.File.Save(state.Saved{Method: key("tools/call", "search"), Name: "daily", Result: []byte(`{"q":2}`)}); err != nil {
		t.Fatal(err)
	}
	a.Choose("tools/call", "search", func([]byte) {})
	p.Press("down")
	if asked := p.Press("alt+x"); asked != "say: What was sent is kept in the history and cannot be deleted here." {
		t.Errorf("asked %q", asked)
	}
	p.Press("up", "alt+x")
	if all, err := a.load(key("tools/call", "search")); err != nil || len(all) != 0 {
		t.Errorf("still saved: %v, %v", all, err)
	}
	if screen := p.Paint(p.W, p.H, true); strings.Contains(screen, "daily") {
		t.Errorf("the deleted value is in sight:\n%s", screen)
	}
}

func TestArguments_None(t *testing.T) {
	p, a := argumentsOf(t)
	if a.Choose("tools/call", "search", nil); !strings.HasPrefix(last(p), "say: No arguments were saved or sent yet.") {
		t.Errorf("asked %q", last(p))
	}
	a.Save("tools/call", "search", []byte(`[1]`)) // no object, but JSON
	sees(t, p, "Save the arguments")
	p.Press("esc")
	if a.Save("tools/call", "search", []byte(`{"q":`)); !strings.HasPrefix(last(p), "fail: Cannot save the arguments") {
		t.Errorf("asked %q", last(p))
	}
	none := NewArguments(p, nil, func() *state.History { return nil })
	none.Keep("tools/call", "search", []byte(`{}`))
	if none.Save("tools/call", "search", []byte(`{}`)); last(p) != "fail: There is no state directory to save the arguments in." {
		t.Errorf("asked %q", last(p))
	}
}

// Saved arguments have no secrets, which is said.
func TestArguments_Secrets(t *testing.T) {
	p, a := argumentsOf(t)
	a.Save("tools/call", "login", []byte(`{"password":"hunter2hunter2"}`))
	p.Type("x")
	if asked := p.Press("enter"); asked != "say: Saved as x. Secrets were left out." {
		t.Errorf("asked %q", asked)
	}
	if all, err := a.load(key("tools/call", "login")); err != nil || len(all) != 1 || strings.Contains(string(all[0].raw), "hunter2") {
		t.Errorf("saved %v, %v", all, err)
	}
}

// A history that cannot be written is reported once, not at each call.
func TestArguments_HistoryFails(t *testing.T) {
	p := panetest.New(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	history := state.NewHistory(filepath.Join(file, "history"))
	a := NewArguments(p, nil, func() *state.History { return history })
	for range 3 {
		a.Keep("tools/call", "search", []byte(`{}`))
	}
	if len(p.Asked) != 1 || !strings.HasPrefix(p.Asked[0], "fail: ") {
		t.Errorf("said %q", p.Asked)
	}
}

// A name that is taken is announced before it is replaced.
func TestResponses_Replace(t *testing.T) {
	p := panetest.New(t)
	r := NewResponses(p, state.NewResponses(filepath.Join(t.TempDir(), "responses")))
	if r.Choose("roots/list", nil); !strings.HasPrefix(last(p), "say: No response to roots/list is saved yet.") {
		t.Errorf("asked %q", last(p))
	}
	for i, result := range []string{`{"n":1}`, `{"n":2}`} {
		r.Save("roots/list", []byte(result))
		p.Type("home")
		if i == 1 {
			sees(t, p, "This replaces what is saved under the same name.")
		}
		p.Press("enter")
	}
	used := ""
	r.Choose("roots/list", func(result []byte) { used = string(result) })
	if p.Press("enter"); used != `{"n":2}` {
		t.Errorf("used %q", used)
	}
}

// inbox has policies.
type inbox struct{ now requests.Policies }

func (b *inbox) Policies() requests.Policies { return b.now }

func (b *inbox) SetPolicy(method string, p requests.Policy) {
	switch method {
	case client.MethodSampling:
		b.now.Sampling = p
	case client.MethodRoots:
		b.now.Roots = p
	default:
		b.now.Elicitation = p
	}
}

// The window lists the policies of the three methods with what is saved; the one in force
// is marked, and a sampler without a command is asked for it.
func TestPolicies_Choose(t *testing.T) {
	p := panetest.New(t)
	file := state.NewResponses(filepath.Join(t.TempDir(), "responses"))
	if err := file.Save(state.Saved{Method: client.MethodElicitation, Name: "ada", Result: []byte(`{"action":"accept"}`)}); err != nil {
		t.Fatal(err)
	}
	b := &inbox{}
	b.now.Sampling.Mode = requests.PolicyUser
	policies := NewPolicies(p, b, NewResponses(p, file))
	policies.Choose()
	sees(t, p, "sampling", "elicitation", "roots", "you respond in Requests", "ada", "A change applies to the requests that arrive from now on.")
	p.Press("down", "enter") // the sampler
	sees(t, p, "Sampler")
	p.Press("enter")
	sees(t, p, "Type a command.")
	p.Type("cat")
	p.Press("enter")
	if got := b.now.Sampling; got.Mode != requests.PolicyCommand || got.Command != "cat" {
		t.Errorf("the policy is %+v", got)
	}
	policies.Choose()
	sees(t, p, "cat")
	p.Press("esc")
	run := ""
	if policies.Sampler(func(command string) { run = command }); run != "cat" {
		t.Errorf("%q runs", run)
	}
}

// A capability that was not declared is declared at the next connection only.
func TestPolicies_CapabilityLater(t *testing.T) {
	p := panetest.New(t)
	b := &inbox{}
	policies := NewPolicies(p, b, NewResponses(p, nil))
	policies.set(client.MethodRoots, requests.Policy{Mode: requests.PolicyUser})
	if len(p.Asked) != 0 {
		t.Errorf("said %q about roots", p.Asked)
	}
	policies.set(client.MethodElicitation, requests.Policy{Mode: requests.PolicyDecline})
	if last(p) != "say: The capability is declared at the next connection." {
		t.Errorf("said %q", p.Asked)
	}
	p.Asked = nil
	if policies.set(client.MethodElicitation, requests.Policy{Mode: requests.PolicyUser}); len(p.Asked) != 0 {
		t.Errorf("said %q about a capability that is declared", p.Asked)
	}
}
