package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/command"
)

// mutedMsg says what became of a rule that was to be muted for good.
type mutedMsg struct {
	action.Mute
	file string
	err  error
}

// mute says what it comes to: a muted rule is easily forgotten.
func (m *model) mute(a action.Mute) tea.Cmd {
	m.session.Mute(a.Rule, a.On)
	if a.Always && m.options.MuteAlways != nil {
		always := m.options.MuteAlways
		return func() tea.Msg {
			file, err := always(a.Rule, a.On)
			return mutedMsg{a, file, err}
		}
	}
	key := command.KeyOf(command.MuteRule)
	if a.On {
		m.say(action.Flash{Text: a.Rule + " no longer counts in this session; " + key + " brings it back"})
		return nil
	}
	m.say(action.Flash{Text: a.Rule + " counts again"})
	return nil
}

func (m *model) mutedAlways(msg mutedMsg) {
	switch key := command.KeyOf(command.MuteRuleAlways); {
	case msg.err != nil:
		m.say(action.Flash{Text: "only in this session: " + msg.err.Error(), Wrong: true})
	case msg.On:
		m.say(action.Flash{Text: msg.Rule + " no longer counts in any session (" + msg.file + "); " + key + " brings it back"})
	default:
		m.say(action.Flash{Text: msg.Rule + " counts again, and is out of " + msg.file})
	}
}
