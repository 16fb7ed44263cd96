package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
)

// maxLate is how many late results wait; the oldest is dropped for another one.
const maxLate = 8

// actLater is later for an action. What is only said, or copied, does not wait.
func (m *model) actLater(a action.Action) tea.Cmd {
	switch a.(type) {
	case action.Flash, action.Copy:
		return m.act(a)
	}
	m.later(func() { m.do(m.act(a)) })
	return nil
}
