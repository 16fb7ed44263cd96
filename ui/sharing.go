package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/sharing"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// showAgents marks the requests of agents, and asks about a call of one.
func (m *model) showAgents() {
	shared := m.options.Sharing
	if shared == nil {
		return
	}
	m.traffic.SetAgent(shared.Rows())
	q, waiting := shared.Next()
	switch o, open := m.overlay.(*agentWindow); {
	case open && (!waiting || o.question.ID != q.ID):
		m.overlay = nil // it was decided, or its time is over
		m.say(action.Flash{Text: "The call of the agent was not made: its time is over."})
	case waiting && m.overlay == nil:
		m.overlay = &agentWindow{shared: shared, question: q, opened: m.now, now: m.now}
	}
}

// agentGrace is how long the window takes no key after it has opened: one that was
// pressed for something else must not agree to a call.
const agentGrace = 600 * time.Millisecond

// agentWindow asks whether an agent may make a call that is not read-only.
type agentWindow struct {
	shared      *sharing.Session
	question    sharing.Question
	opened, now time.Time
}

var _ worker = (*agentWindow)(nil)

func (o *agentWindow) size(w, h int) (int, int)    { return min(w-4, 84), min(h-2, 14) }
func (o *agentWindow) scroll(int)                  {}
func (o *agentWindow) close()                      {}
func (o *agentWindow) cursor() (x, y int, ok bool) { return 0, 0, false }

// refresh implements [worker].
func (o *agentWindow) refresh(now time.Time, _ int) bool {
	o.now = now
	return true
}

func (o *agentWindow) key(tea.KeyPressMsg) (*command.Command, bool) { return nil, false }

// do implements [worker].
func (o *agentWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	if o.now.Sub(o.opened) < agentGrace {
		return nil, true
	}
	switch c, _ := command.Lookup(command.AgentCall, k.String()); c.ID {
	case command.Agree, command.Decline:
		return action.DecideAgentCall{ID: o.question.ID, Agreed: c.ID == command.Agree}, true
	}
	return nil, true
}

func (o *agentWindow) paint(p *paint.Palette, w, h int) []string {
	s := paint.NewSheet(p, w-2, h-2)
	s.Margin = 11
	q := o.question
	s.Text(p.Text, "An agent that shares this session asks to make a call that may change something.", 2)
	s.Blank()
	s.Fact("agent", func(r *paint.Row) { r.Foreign(p.Asked, q.Agent) })
	s.Fact("tool", func(r *paint.Row) { r.Foreign(p.Strong, q.Tool) })
	s.FactText("arguments", p.Value, strings.Join(strings.Fields(q.Arguments), " "), max(s.Left()-3, 1))
	for s.Left() > 2 {
		s.Blank()
	}
	s.Text(p.Muted, fmt.Sprintf("Declined in %s without a decision.", paint.HumanCountdown(max(0, q.Deadline.Sub(o.now)))), 1)
	s.Hints(1, paint.Hint{Key: command.KeyIn(command.AgentCall, command.Agree, false), Label: "agree"}, paint.Hint{Key: command.KeyIn(command.AgentCall, command.Decline, false), Label: "decline"})
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.AskedBold, Text: "Call of an agent"}}, nil, s.Rows)
}

// decideAgentCall tells the agent what the user has decided.
func (m *model) decideAgentCall(a action.DecideAgentCall) {
	m.overlay = nil
	m.options.Sharing.Decide(a.ID, a.Agreed)
	text := "The agent may make the call."
	if !a.Agreed {
		text = "The call of the agent is declined."
	}
	m.say(action.Flash{Text: text})
}
