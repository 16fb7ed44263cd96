package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/session/requests"
	"mcptea/session/state"
	"mcptea/ui/action"
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
	m.overlay = (&chooser{
		title: "Who responds to the server", verb: "choose",
		text: "A change applies to the requests that arrive from now on.",
		load: func() []chooserEntry {
			entries := make([]chooserEntry, len(choices))
			all := m.session.Inbox().Policies()
			for i, c := range choices {
				now := policyOf(all, c.method)
				entries[i] = chooserEntry{
					key: c.kind + " " + c.name + " " + c.policy.Name, group: c.kind, name: c.name, summary: c.summary,
					current: now.Mode == c.policy.Mode && now.Name == c.policy.Name,
				}
			}
			return entries
		},
		choose: func(i int) (action.Action, bool) {
			c := choices[i]
			asks := c.policy.Mode == requests.PolicyCommand && c.policy.Command == ""
			return action.SetPolicy{Method: c.method, Policy: c.policy}, !asks
		},
	}).open()
	return nil
}

// setPolicy sets a policy. A sampler without a command is asked for.
func (m *model) setPolicy(a action.SetPolicy) {
	if a.Policy.Mode == requests.PolicyCommand && a.Policy.Command == "" {
		m.overlay = &prompt{
			title: "Sampler", verb: "set", text: "The command that responds to sampling: it gets the params on stdin and prints the result to stdout, both as JSON. The shell reads it.",
			accept: func(text string) (action.Action, error) {
				if text == "" {
					return nil, errors.New("type a command")
				}
				a.Policy.Command = text
				return a, nil
			},
		}
		return
	}
	if a.Policy.Mode == requests.PolicyCommand {
		m.sampler = a.Policy.Command
	}
	before := policyOf(m.session.Inbox().Policies(), a.Method)
	m.session.Inbox().SetPolicy(a.Method, a.Policy)
	if a.Method != client.MethodRoots && before.Mode == requests.PolicyNone {
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
		m.say(action.Flash{Text: sentenceOf(err), Wrong: true})
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
	m.overlay = (&chooser{
		title: "Saved responses", verb: "use", text: "The response is filled in; nothing is sent yet.",
		load: func() []chooserEntry {
			entries := make([]chooserEntry, len(all))
			for i, s := range all {
				entries[i] = chooserEntry{key: s.Name, name: s.Name, summary: string(s.Result[:min(len(s.Result), 1<<10)])}
			}
			return entries
		},
		choose: func(i int) (action.Action, bool) {
			return action.UseResponse{Ref: a.Ref, Result: all[i].Result}, false
		},
		remove: func(i int) {
			if err := m.options.Responses.Delete(a.Method, all[i].Name); err != nil {
				m.say(action.Flash{Text: sentenceOf(err), Wrong: true})
				return
			}
			all = append(all[:i:i], all[i+1:]...)
		},
	}).open()
}

// saveResponse saves a response under the name that the user types.
func (m *model) saveResponse(a action.SaveResponse) tea.Cmd {
	if m.options.Responses == nil {
		return m.act(action.Flash{Text: "There is no state directory to save the response in.", Wrong: true})
	}
	if a.Name != "" {
		if err := m.options.Responses.Save(state.Saved{Method: a.Method, Name: a.Name, Result: a.Result}); err != nil {
			return m.act(action.Flash{Text: sentenceOf(err), Wrong: true})
		}
		return m.act(action.Flash{Text: "Saved as " + paint.Sanitize(a.Name) + "."})
	}
	saved := m.savedResponses(a.Method)
	m.overlay = &prompt{
		title: "Save the response", verb: "save", text: "A name for this response to " + a.Method + ". It can be used again, also as a policy.",
		accept: func(text string) (action.Action, error) {
			if text = strings.TrimSpace(text); text == "" {
				return nil, errors.New("type a name")
			}
			a.Name = text
			return a, nil
		},
		hint: func(text string) string {
			for _, s := range saved {
				if s.Name == text {
					return "This replaces the saved response of the same name."
				}
			}
			return ""
		},
	}
	return nil
}
