package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
)

// seeChange marks what has changed as seen.
func (m *model) seeChange(a action.SeeChange) tea.Cmd {
	t := m.session.Changes()
	switch {
	case a.List == "":
		t.SeeServer()
	case a.Key == "":
		t.SeeList(strings.Fields(a.List)...)
	default:
		t.See(a.List, a.Key)
	}
	m.session.Store().Notify()
	if a.Then != nil {
		return m.act(a.Then)
	}
	return nil
}
