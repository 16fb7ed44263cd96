package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/command"
)

// runAnywhere runs a command of a pane of the table.
func (m *model) runAnywhere(cmd command.Command) tea.Cmd {
	if m.context() != cmd.Context {
		m.showTab(command.TabLogs)
	}
	return m.run(cmd)
}
