package ui

import (
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/pane/browse"
	"mcptea/ui/pane/build"
	"mcptea/ui/pane/composer"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/inbox"
	"mcptea/ui/pane/intercept"
	"mcptea/ui/pane/logs"
	pinspane "mcptea/ui/pane/pins"
	"mcptea/ui/pane/problems"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/pane/server"
	"mcptea/ui/pane/servers"
	"mcptea/ui/pane/start"
	"mcptea/ui/pane/tasks"
	"mcptea/ui/result"
)

// The panes that have their commands as values.
func init() {
	command.Adopt(func() []command.Adopted {
		offered := browse.New(nil, nil, "tools")
		list := append(wirePanes(), []command.Adopted{
			{Context: command.Global, Commands: servers.NewSecond(nil, nil).Own},
			{Context: command.Comparison, Commands: servers.NewVersions(nil, nil).Commands()},
			{Context: command.Question, Commands: dialog.Questions()},
			{Context: command.Compare, Commands: diff.New(nil).Commands()},
			{Context: command.Export, Commands: export.New(nil, nil, export.Options{}).Commands()},
			{Context: command.Start, Commands: start.New(nil, start.Options{}).Own},
			{Context: command.Recordings, Commands: recordingspane.New(nil, recordingspane.Program{}, nil, "").Own},
			{Context: command.Server, Commands: server.New(nil, server.Program{}, nil).Sections()[0].Commands},
			{Context: command.Unauthorized, Commands: server.New(nil, server.Program{}, nil).Sections()[1].Commands},
			{Context: command.Authorize, Commands: server.New(nil, server.Program{}, nil).Sections()[2].Commands},
			{Context: command.Browse, Commands: offered.Own},
			{Context: command.Form, Commands: offered.Sections()[1].Commands},
			{Context: command.Result, Commands: offered.Sections()[2].Commands},
			{Context: command.Held, Commands: intercept.New(nil, nil).Sections()[0].Commands},
			{Context: command.Intercept, Commands: intercept.New(nil, nil).Sections()[1].Commands},
			{Context: command.HeldText, Commands: intercept.TextCommands()},
			{Context: command.Inbox, Commands: inbox.New(nil, nil).Sections()[0].Commands},
			{Context: command.EditResponse, Commands: inbox.New(nil, nil).Sections()[1].Commands},
			{Context: command.Logs, Commands: logs.New(nil, nil, nil).Own},
			{Context: command.Build, Commands: build.New(nil).Own},
			{Context: command.Tasks, Commands: tasks.New(nil, nil).Own},
			{Context: command.TaskResult, Commands: result.Commands(func() *result.View { return nil })},
			{Context: command.Pins, Commands: pinspane.New(nil, nil).Own},
			{Context: command.Problems, Commands: problems.New(nil, nil, nil).Own},
		}...)
		for _, s := range composer.New(nil, nil).Sections() {
			list = append(list, command.Adopted{Context: command.Context(s.Name), Commands: s.Commands})
		}
		return list
	})
}
