package ui

import (
	"mcptea/ui/action"
	"mcptea/ui/bridge"
	"mcptea/ui/command"
	"mcptea/ui/pane/problems"
	"mcptea/ui/pane/tasks"
)

// bridge is the program as a pane with commands as values sees it; the pane is a tab.
func (m *model) bridge(tab command.ID) *bridge.App {
	if m.bridges[tab] == nil {
		m.bridges[tab] = &bridge.App{
			Ctx: m.ctx, Act: m.act, Queue: &m.queue,
			Announce: func(news string) { m.news(news, tab) },
			Offers:   func(what string) bool { return m.offerTarget(what, action.Draft{}) },
		}
	}
	return m.bridges[tab]
}

// The panes that have their commands as values.
func init() {
	command.Adopt(func() []command.Adopted {
		return []command.Adopted{
			{Context: command.Tasks, Commands: tasks.New(nil, nil).Own},
			{Context: command.Problems, Commands: problems.New(nil, nil).Own},
		}
	})
}
