package saved

import (
	"cmp"
	"errors"

	"mcptea/client"
	"mcptea/session/requests"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
)

// Inbox holds the current policies.
type Inbox interface {
	Policies() requests.Policies
	SetPolicy(method string, p requests.Policy)
}

// Policies respond to requests of the server without the user.
type Policies struct {
	app       app.Program
	inbox     Inbox
	responses *Responses
	sampler   string // the command that responded to sampling last
}

// NewPolicies returns the policies of an inbox. Saved responses can be policies.
func NewPolicies(a app.Program, inbox Inbox, r *Responses) *Policies {
	return &Policies{app: a, inbox: inbox, responses: r}
}

// choice is a policy for the requests of a method.
type choice struct {
	method, name, summary string
	policy                requests.Policy
}

// kinds holds the names of the methods.
var kinds = map[string]string{client.MethodSampling: "sampling", client.MethodElicitation: "elicitation", client.MethodRoots: "roots"}

// choices returns the possible policies, with the saved responses of each method.
func (p *Policies) choices(saved map[string][]value) []choice {
	const sampling, elicitation, roots = client.MethodSampling, client.MethodElicitation, client.MethodRoots
	ask := requests.Policy{Mode: requests.PolicyUser}
	refuse := requests.Policy{Mode: requests.PolicyError}
	line, command := "a command gets the params and prints the result", p.command()
	if command != "" {
		line = command
	}
	all := []choice{
		{sampling, "ask", "you respond in Requests", ask},
		{sampling, "sampler", line, requests.Policy{Mode: requests.PolicyCommand, Command: command}},
		{method: sampling},
		{sampling, "decline", "error -1: the user rejected the request", requests.Policy{Mode: requests.PolicyDecline}},
		{sampling, "error", "error -32603", refuse},
		{elicitation, "ask", "you respond in Requests", ask},
		{elicitation, "accept", "defaults, and examples for required fields", requests.Policy{Mode: requests.PolicyAccept}},
		{method: elicitation},
		{elicitation, "decline", `action "decline"`, requests.Policy{Mode: requests.PolicyDecline}},
		{elicitation, "cancel", `action "cancel"`, requests.Policy{Mode: requests.PolicyCancel}},
		{elicitation, "error", "error -32603", refuse},
		{roots, "accept", "the roots of the session", requests.Policy{}},
		{roots, "ask", "you respond in Requests", ask},
		{method: roots},
		{roots, "error", "error -32603", refuse},
	}
	var list []choice
	for _, c := range all {
		if c.name != "" {
			list = append(list, c)
			continue
		}
		if now := p.of(c.method); now.Mode == requests.PolicyResult && now.Name == "" { // from the command line
			list = append(list, choice{c.method, "fixed", string(now.Result), now})
		}
		for _, s := range saved[c.method] {
			list = append(list, choice{c.method, "saved", s.name, requests.Policy{Mode: requests.PolicyResult, Name: s.name, Result: s.raw}})
		}
	}
	return list
}

// command returns the current or the last sampler, or "".
func (p *Policies) command() string {
	if now := p.of(client.MethodSampling); now.Command != "" {
		return now.Command
	}
	return p.sampler
}

// of returns the policy for a method.
func (p *Policies) of(method string) requests.Policy {
	all := p.inbox.Policies()
	return *all.For(method)
}

// Choose opens the window of the policies.
func (p *Policies) Choose() {
	saved := map[string][]value{}
	p.responses.loaded(func() (_ []value, failed error) {
		for method := range kinds {
			all, err := p.responses.load(method)
			saved[method], failed = all, cmp.Or(failed, err)
		}
		return nil, failed
	}, func([]value) { p.open(p.choices(saved)) })
}

func (p *Policies) open(choices []choice) {
	dialog.Choose{
		Title: "Who responds to the server", Verb: "choose",
		Text: "A change applies to the requests that arrive from now on.",
		Len:  func() int { return len(choices) },
		Entry: func(i int) dialog.Entry {
			c := choices[i]
			now, kind := p.of(c.method), kinds[c.method]
			return dialog.Entry{
				Key: kind + " " + c.name + " " + c.policy.Name, Group: kind, Name: c.name, Summary: c.summary,
				Current: now.Mode == c.policy.Mode && now.Name == c.policy.Name,
			}
		},
		Stays: func(i int) bool {
			return choices[i].policy.Mode != requests.PolicyCommand || choices[i].policy.Command != ""
		},
		Accept: func(i int) { p.set(choices[i].method, choices[i].policy) },
	}.Open(p.app)
}

// set changes a policy. For a sampler without a command, it asks for the command first.
func (p *Policies) set(method string, policy requests.Policy) {
	if policy.Mode == requests.PolicyCommand && policy.Command == "" {
		p.ask(func(command string) {
			policy.Command = command
			p.set(method, policy)
		})
		return
	}
	before := p.of(method)
	p.sampler = p.command()
	p.inbox.SetPolicy(method, policy)
	if method != client.MethodRoots && before.Mode == requests.PolicyNone {
		p.app.Say("The capability is declared at the next connection.")
	}
}

// Sampler runs the command of a sampler. If none is set, it asks for one.
func (p *Policies) Sampler(run func(command string)) {
	if command := p.command(); command != "" {
		run(command)
		return
	}
	p.ask(run)
}

// ask asks for the command of a sampler.
func (p *Policies) ask(then func(command string)) {
	dialog.Prompt{
		Title: "Sampler", Verb: "set", Value: p.command(),
		Text: "The command that responds to sampling: it gets the params on stdin and prints the result to stdout, both as JSON. The shell reads it.",
		Accept: func(text string) (func(), error) {
			if text == "" {
				return nil, errors.New("type a command")
			}
			return func() {
				p.sampler = text
				then(text)
			}, nil
		},
	}.Open(p.app)
}
