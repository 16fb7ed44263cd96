package ui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/session/requests"
	"mcptea/session/state"
	"mcptea/ui/action"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// policyChoice is a policy for the requests of a method.
type policyChoice struct {
	method, kind  string
	name, summary string
	policy        requests.Policy
}

// policyChoices are the policies that can be chosen.
func (m *model) policyChoices() []policyChoice {
	ask := requests.Policy{Mode: requests.PolicyUser}
	var all []policyChoice
	add := func(method, kind string, choices ...policyChoice) {
		for _, c := range choices {
			c.method, c.kind = method, kind
			all = append(all, c)
		}
	}
	now := m.session.Inbox().Policies()
	line, command := "a command gets the params and prints the result", now.Sampling.Command
	if command == "" {
		command = m.sampler
	}
	if command != "" {
		line = command
	}
	add(client.MethodSampling, "sampling",
		policyChoice{name: "ask", summary: "you respond in the inbox", policy: ask},
		policyChoice{name: "sampler", summary: line, policy: requests.Policy{Mode: requests.PolicyCommand, Command: command}})
	add(client.MethodSampling, "sampling", m.savedChoices(client.MethodSampling)...)
	add(client.MethodSampling, "sampling",
		policyChoice{name: "decline", summary: "error -1: the user rejected the request", policy: requests.Policy{Mode: requests.PolicyDecline}},
		policyChoice{name: "error", summary: "error -32603", policy: requests.Policy{Mode: requests.PolicyError}})
	add(client.MethodElicitation, "elicitation",
		policyChoice{name: "ask", summary: "you respond in the inbox", policy: ask},
		policyChoice{name: "accept", summary: "defaults, and examples for required fields", policy: requests.Policy{Mode: requests.PolicyAccept}})
	add(client.MethodElicitation, "elicitation", m.savedChoices(client.MethodElicitation)...)
	add(client.MethodElicitation, "elicitation",
		policyChoice{name: "decline", summary: `action "decline"`, policy: requests.Policy{Mode: requests.PolicyDecline}},
		policyChoice{name: "cancel", summary: `action "cancel"`, policy: requests.Policy{Mode: requests.PolicyCancel}},
		policyChoice{name: "error", summary: "error -32603", policy: requests.Policy{Mode: requests.PolicyError}})
	add(client.MethodRoots, "roots",
		policyChoice{name: "accept", summary: "the roots of the session"},
		policyChoice{name: "ask", summary: "you respond in the inbox", policy: ask})
	add(client.MethodRoots, "roots", m.savedChoices(client.MethodRoots)...)
	add(client.MethodRoots, "roots",
		policyChoice{name: "error", summary: "error -32603", policy: requests.Policy{Mode: requests.PolicyError}})
	return all
}

// savedChoices are the policies that send a saved response, and the fixed one of the
// command line.
func (m *model) savedChoices(method string) []policyChoice {
	var all []policyChoice
	now := policyOf(m.session.Inbox().Policies(), method)
	if now.Mode == requests.PolicyResult && now.Name == "" {
		all = append(all, policyChoice{name: "fixed", summary: string(now.Result), policy: now})
	}
	for _, s := range m.savedResponses(method) {
		all = append(all, policyChoice{name: "saved", summary: s.Name, policy: requests.Policy{Mode: requests.PolicyResult, Name: s.Name, Result: s.Result}})
	}
	return all
}

func policyOf(all requests.Policies, method string) requests.Policy {
	switch method {
	case client.MethodSampling:
		return all.Sampling
	case client.MethodRoots:
		return all.Roots
	}
	return all.Elicitation
}

// choosePolicy opens the window of the policies.
func (m *model) choosePolicy() tea.Cmd {
	if _, recorded := m.session.Recording(); recorded {
		return m.act(action.Flash{Text: "A recording has no policies: nothing is sent."})
	}
	choices := m.policyChoices() // saved responses are read once
	dialog.Choose{
		Title: "Who responds to the server", Verb: "choose",
		Text: "A change applies to the requests that arrive from now on.",
		Load: func() []dialog.Entry {
			entries := make([]dialog.Entry, len(choices))
			all := m.session.Inbox().Policies()
			for i, c := range choices {
				now := policyOf(all, c.method)
				entries[i] = dialog.Entry{
					Key: c.kind + " " + c.name + " " + c.policy.Name, Group: c.kind, Name: c.name, Summary: c.summary,
					Current: now.Mode == c.policy.Mode && now.Name == c.policy.Name,
				}
			}
			return entries
		},
		Stays:  func(i int) bool { return !asksForCommand(choices[i].policy) },
		Accept: func(i int) { m.setPolicy(choices[i].method, choices[i].policy) },
	}.Open(m.app())
	return nil
}

// asksForCommand reports a policy that is not complete.
func asksForCommand(p requests.Policy) bool {
	return p.Mode == requests.PolicyCommand && p.Command == ""
}

// setPolicy sets a policy. A sampler without a command is asked for.
func (m *model) setPolicy(method string, p requests.Policy) {
	if asksForCommand(p) {
		dialog.Prompt{
			Title: "Sampler", Verb: "set", Text: "The command that responds to sampling: it gets the params on stdin and prints the result to stdout, both as JSON. The shell reads it.",
			Accept: func(text string) (func(), error) {
				if text == "" {
					return nil, errors.New("type a command")
				}
				p.Command = text
				return func() { m.setPolicy(method, p) }, nil
			},
		}.Open(m.app())
		return
	}
	if p.Mode == requests.PolicyCommand {
		m.sampler = p.Command
	}
	before := policyOf(m.session.Inbox().Policies(), method)
	m.session.Inbox().SetPolicy(method, p)
	if method != client.MethodRoots && before.Mode == requests.PolicyNone {
		m.say(action.Flash{Text: "The capability is declared at the next connection."})
	}
}

// savedResponses are the saved responses to a method; none when they cannot be read,
// which is then announced.
func (m *model) savedResponses(method string) []state.Saved {
	if m.options.Responses == nil {
		return nil
	}
	all, err := m.options.Responses.Load(method)
	if err != nil {
		m.say(action.Flash{Text: dialog.Sentence(err), Wrong: true})
	}
	return all
}

// chooseResponse opens the saved responses to a method.
func (m *model) chooseResponse(a action.ChooseResponse) {
	all := m.savedResponses(a.Method)
	if len(all) == 0 {
		m.say(action.Flash{Text: "No response to " + a.Method + " is saved yet. alt+k saves one."})
		return
	}
	dialog.Choose{
		Title: "Saved responses", Verb: "use", Text: "The response is filled in; nothing is sent yet.",
		Load: func() []dialog.Entry {
			entries := make([]dialog.Entry, len(all))
			for i, s := range all {
				entries[i] = dialog.Entry{Key: s.Name, Name: s.Name, Summary: string(s.Result[:min(len(s.Result), 1<<10)])}
			}
			return entries
		},
		Accept: func(i int) { m.deliver(action.ResponseChosen{Ref: a.Ref, Result: all[i].Result}) },
		Remove: func(i int) {
			if err := m.options.Responses.Delete(a.Method, all[i].Name); err != nil {
				m.say(action.Flash{Text: dialog.Sentence(err), Wrong: true})
				return
			}
			all = append(all[:i:i], all[i+1:]...)
		},
	}.Open(m.app())
}

// saveResponse saves a response under the name that the user types.
func (m *model) saveResponse(a action.SaveResponse) tea.Cmd {
	if m.options.Responses == nil {
		return m.act(action.Flash{Text: "There is no state directory to save the response in.", Wrong: true})
	}
	saved := m.savedResponses(a.Method)
	dialog.Prompt{
		Title: "Save the response", Verb: "save", Text: "A name for this response to " + a.Method + ". It can be used again, also as a policy.",
		Accept: func(name string) (func(), error) {
			if name == "" {
				return nil, errors.New("type a name")
			}
			return func() {
				if err := m.options.Responses.Save(state.Saved{Method: a.Method, Name: name, Result: a.Result}); err != nil {
					m.app().Fail(dialog.Sentence(err))
					return
				}
				m.app().Say("Saved as " + paint.Sanitize(name) + ".")
			}, nil
		},
		Hint: func(text string) string {
			for _, s := range saved {
				if s.Name == text {
					return "This replaces the saved response of the same name."
				}
			}
			return ""
		},
	}.Open(m.app())
	return nil
}
