package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
)

// maxLate is how many late results wait; the oldest is dropped for another one.
const maxLate = 8

// later carries out what work outside of Update has led to. It may open a window or
// leave the pane, so that it waits while the user types, or has a window open that is
// not about the same.
func (m *model) later(run func() tea.Cmd) tea.Cmd {
	if !m.interrupts() {
		return run()
	}
	m.late = append(m.late, run)
	m.late = slices.Delete(m.late, 0, max(0, len(m.late)-maxLate))
	m.say(action.Flash{Text: "A result is ready. It is shown when you have finished here.", Stay: true})
	return nil
}

// actLater is later for an action. What is only said, or copied, does not wait.
func (m *model) actLater(a action.Action) tea.Cmd {
	switch a.(type) {
	case action.Flash, action.Copy:
		return m.act(a)
	}
	return m.later(func() tea.Cmd { return m.act(a) })
}

// interrupts reports whether a window that opens now would take a key from the user.
func (m *model) interrupts() bool {
	switch m.overlay.(type) {
	case nil:
		return m.userTyping
	}
	return true
}

// runLate carries out the oldest of the late results, if the user has finished typing.
func (m *model) runLate() tea.Cmd {
	if len(m.late) == 0 || m.overlay != nil || m.userTyping {
		return nil
	}
	run := m.late[0]
	m.late = slices.Delete(m.late, 0, 1)
	return run()
}

// show opens a window in the place of another one, whose work ends.
func (m *model) show(o overlay) {
	if w, ok := m.overlay.(worker); ok {
		w.close()
	}
	m.overlay = o
}
