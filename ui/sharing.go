package ui

import (
	"bytes"
	"encoding/json"
	"strings"

	"mcptea/session/sharing"
	"mcptea/ui/action"
	"mcptea/ui/paint"
)

// showAgents marks the requests of agents, and asks about a call of one.
func (m *model) showAgents() {
	shared := m.options.Sharing
	if shared == nil {
		return
	}
	q, waiting := shared.Next()
	switch o, open := m.decidesAgentCall(); {
	case open && (!waiting || o.id != q.ID):
		m.show(nil) // it was decided, or its time is over
		m.say(action.Flash{Text: "The call of the agent was not made: its time is over."})
	case waiting && m.window() == nil:
		m.show(openConsent(agentQuestion(q, m.state.Handshake.Server.String(), m.session.Target().String())))
	}
}

// agentQuestion asks whether an agent may make a call that is not read-only.
func agentQuestion(q sharing.Question, server, target string) *consent {
	arguments := q.Arguments
	var formatted bytes.Buffer
	if json.Indent(&formatted, []byte(arguments), "", "  ") == nil {
		arguments = formatted.String() // blanks between tokens alone
	}
	return &consent{
		title: "Allow this call?", id: q.ID, grace: consentGrace, deadline: q.Deadline, expires: "mcptea declines in",
		facts: []consentFact{
			{label: "from", text: q.Agent + ", an agent that shares this session"},
			{label: "calls", text: q.Tool, style: func(p *paint.Palette) paint.Style { return p.Strong }},
			{label: "on", text: server + " " + target},
		},
		name: "arguments", lines: strings.Split(arguments, "\n"),
		yes: "allow once", no: "decline", after: "the agent gets an error",
		accept: action.DecideAgentCall{ID: q.ID, Agreed: true}, decline: action.DecideAgentCall{ID: q.ID},
	}
}

// decideAgentCall tells the agent what the user has decided.
func (m *model) decideAgentCall(a action.DecideAgentCall) {
	m.show(nil)
	m.options.Sharing.Decide(a.ID, a.Agreed)
	text := "The agent may make the call."
	if !a.Agreed {
		text = "The call of the agent is declined."
	}
	m.say(action.Flash{Text: text})
}
