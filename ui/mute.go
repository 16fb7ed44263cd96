package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/command"
)

// mutedMsg reports whether a rule was muted in config.yaml.
type mutedMsg struct {
	action.Mute
	file string
	err  error
}

// mute mutes a rule and says so: a muted rule is easily forgotten.
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
		m.say(action.Flash{Text: a.Rule + " is muted in this session. " + key + " unmutes it."})
		return nil
	}
	m.say(action.Flash{Text: a.Rule + " is no longer muted."})
	return nil
}

func (m *model) mutedAlways(msg mutedMsg) {
	switch key := command.KeyOf(command.MuteRuleAlways); {
	case msg.err != nil:
		m.say(action.Flash{Text: "Only in this session: " + msg.err.Error(), Wrong: true})
	case msg.On:
		m.say(action.Flash{Text: msg.Rule + " is muted in every session (" + msg.file + "). " + key + " unmutes it."})
	default:
		m.say(action.Flash{Text: msg.Rule + " is no longer muted, and is removed from " + msg.file + "."})
	}
}
