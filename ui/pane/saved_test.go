package pane_test

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
	"mcptea/ui/pane/saved"
)

func last(p *panetest.Program) string {
	if len(p.Asked) == 0 {
		return ""
	}
	return p.Asked[len(p.Asked)-1]
}

// argumentsOf are arguments with a file and a history in a directory of the test.
func argumentsOf(t *testing.T) (*panetest.Program, *saved.Arguments) {
	p, dir := panetest.New(t), t.TempDir()
	history := state.NewHistory(filepath.Join(dir, "history"))
	return p, saved.NewArguments(p, state.NewArguments(filepath.Join(dir, "arguments")), func() *state.History { return history })
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
	p.Sees("Save the arguments", "Secrets are left out")
	p.Press("enter")
	p.Sees("Type a name.")
	p.Type("daily")
	if asked := p.Press("enter"); asked != "say: Saved as daily." || p.Pane != nil {
		t.Errorf("asked %q, open: %v", asked, p.Pane)
	}

	var used []string
	use := func(arguments []byte) { used = append(used, string(arguments)) }
	a.Choose("tools/call", "search", use)
	p.Sees("saved", "daily", "sent", "nothing is sent yet")
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
func TestSaved_Arguments_Delete(t *testing.T) {
	p, a := argumentsOf(t)
	a.Keep("tools/call", "search", []byte(`{"q":1}`))
	if err := a.File.Save(state.Saved{Method: "tools/call search", Name: "daily", Result: []byte(`{"q":2}`)}); err != nil {
		t.Fatal(err)
	}
	a.Choose("tools/call", "search", func([]byte) {})
	p.Press("down")
	if asked := p.Press("alt+x"); asked != "say: What was sent is kept in the history and cannot be deleted here." {
		t.Errorf("asked %q", asked)
	}
	p.Press("up", "alt+x")
	if all, err := a.File.Load("tools/call search"); err != nil || len(all) != 0 {
		t.Errorf("still saved: %v, %v", all, err)
	}
	if screen := p.Paint(p.W, p.H, true); strings.Contains(screen, "daily") {
		t.Errorf("the deleted value is in sight:\n%s", screen)
	}
}

func TestSaved_Arguments_None(t *testing.T) {
	p, a := argumentsOf(t)
	if a.Choose("tools/call", "search", nil); !strings.HasPrefix(last(p), "say: No arguments were saved or sent yet.") {
		t.Errorf("asked %q", last(p))
	}
	a.Save("tools/call", "search", []byte(`[1]`)) // no object, but JSON
	p.Sees("Save the arguments")
	p.Press("esc")
	if a.Save("tools/call", "search", []byte(`{"q":`)); !strings.HasPrefix(last(p), "fail: Cannot save the arguments") {
		t.Errorf("asked %q", last(p))
	}
	none := saved.NewArguments(p, nil, func() *state.History { return nil })
	none.Keep("tools/call", "search", []byte(`{}`))
	if none.Save("tools/call", "search", []byte(`{}`)); last(p) != "fail: There is no state directory to save the arguments in." {
		t.Errorf("asked %q", last(p))
	}
}

// Saved arguments have no secrets, which is said.
func TestSaved_Arguments_Secrets(t *testing.T) {
	p, a := argumentsOf(t)
	a.Save("tools/call", "login", []byte(`{"password":"hunter2hunter2"}`))
	p.Type("x")
	if asked := p.Press("enter"); asked != "say: Saved as x. Secrets were left out." {
		t.Errorf("asked %q", asked)
	}
	if all, err := a.File.Load("tools/call login"); err != nil || len(all) != 1 || strings.Contains(string(all[0].Result), "hunter2") {
		t.Errorf("saved %v, %v", all, err)
	}
}

// A history that cannot be written is reported once, not at each call.
func TestSaved_Arguments_HistoryFails(t *testing.T) {
	p := panetest.New(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	history := state.NewHistory(filepath.Join(file, "history"))
	a := saved.NewArguments(p, nil, func() *state.History { return history })
	for range 3 {
		a.Keep("tools/call", "search", []byte(`{}`))
	}
	if len(p.Asked) != 1 || !strings.HasPrefix(p.Asked[0], "fail: ") {
		t.Errorf("said %q", p.Asked)
	}
}

// A name that is taken is announced before it is replaced.
func TestSaved_Responses_Replace(t *testing.T) {
	p := panetest.New(t)
	r := saved.NewResponses(p, state.NewResponses(filepath.Join(t.TempDir(), "responses")))
	if r.Choose("roots/list", nil); !strings.HasPrefix(last(p), "say: No response to roots/list is saved yet.") {
		t.Errorf("asked %q", last(p))
	}
	for i, result := range []string{`{"n":1}`, `{"n":2}`} {
		r.Save("roots/list", []byte(result))
		p.Type("home")
		if i == 1 {
			p.Sees("This replaces what is saved under the same name.")
		}
		p.Press("enter")
	}
	used := ""
	r.Choose("roots/list", func(result []byte) { used = string(result) })
	if p.Press("enter"); used != `{"n":2}` {
		t.Errorf("used %q", used)
	}
}

// savedInbox has policies.
type savedInbox struct{ now requests.Policies }

func (b *savedInbox) Policies() requests.Policies { return b.now }

func (b *savedInbox) SetPolicy(method string, p requests.Policy) {
	switch method {
	case client.MethodSampling:
		b.now.Sampling = p
	case client.MethodRoots:
		b.now.Roots = p
	default:
		b.now.Elicitation = p
	}
}

// The window lists the policies of the three methods with what is saved; the current policy is marked, and
// the user is asked for the command of a sampler.
func TestSaved_Policies_Choose(t *testing.T) {
	p := panetest.New(t)
	file := state.NewResponses(filepath.Join(t.TempDir(), "responses"))
	if err := file.Save(state.Saved{Method: client.MethodElicitation, Name: "ada", Result: []byte(`{"action":"accept"}`)}); err != nil {
		t.Fatal(err)
	}
	b := &savedInbox{}
	b.now.Sampling.Mode = requests.PolicyUser
	policies := saved.NewPolicies(p, b, saved.NewResponses(p, file))
	policies.Choose()
	p.Sees("sampling", "elicitation", "roots", "you respond in Requests", "ada", "A change applies to the requests that arrive from now on.")
	p.Press("down", "enter") // the sampler
	p.Sees("Sampler")
	p.Press("enter")
	p.Sees("Type a command.")
	p.Type("cat")
	p.Press("enter")
	if got := b.now.Sampling; got.Mode != requests.PolicyCommand || got.Command != "cat" {
		t.Errorf("the policy is %+v", got)
	}
	policies.Choose()
	p.Sees("cat")
	p.Press("esc")
	run := ""
	if policies.Sampler(func(command string) { run = command }); run != "cat" {
		t.Errorf("%q runs", run)
	}
}

// A capability that was not declared is declared at the next connection only.
func TestSaved_Policies_CapabilityLater(t *testing.T) {
	p := panetest.New(t)
	b := &savedInbox{}
	policies := saved.NewPolicies(p, b, saved.NewResponses(p, nil))
	policies.Choose()
	for range 10 {
		p.Press("down")
	}
	p.Press("enter") // roots: ask
	if b.now.Roots.Mode != requests.PolicyUser {
		t.Fatalf("the policies are %+v", b.now)
	}
	if len(p.Asked) != 0 {
		t.Errorf("said %q about roots", p.Asked)
	}
	p.Press("up", "up", "up", "up", "enter") // elicitation: decline
	if b.now.Elicitation.Mode != requests.PolicyDecline {
		t.Fatalf("the policies are %+v", b.now)
	}
	if last(p) != "say: The capability is declared at the next connection." {
		t.Errorf("said %q", p.Asked)
	}
	p.Asked = nil
	p.Press("up", "up", "enter") // elicitation: ask
	if b.now.Elicitation.Mode != requests.PolicyUser || len(p.Asked) != 0 {
		t.Errorf("said %q about a capability that is declared", p.Asked)
	}
}
