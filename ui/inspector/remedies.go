package inspector

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/server"
	"mcptea/ui/program"
	"mcptea/ui/terminal"
)

// newServer makes the page of the connection, with what its remedies ask of the program.
func (m *model) newServer(a app.App) app.Part {
	m.server = server.New(a, server.Program{
		Watching: func() bool { return m.options.Reload != nil },
		Restart:  m.restart,
		AskPage:  m.askPage,
		Watch:    m.watch,
		Shell:    m.inShell,
		Keep:     m.options.Keep,
		Flags:    m.options.Flags,
		Changed:  m.setFlags,
	}, m.session)
	return m.server
}

// setFlags has the commands that are copied repeat what was changed.
func (m *model) setFlags(flags []shell.Flag) {
	m.options.Flags, m.problems.Flags = flags, flags
	for _, p := range m.lists {
		p.Flags = flags
	}
}

// restarting connects a session again where a [watch.Loop] connects for the first time.
type restarting struct{ *session.Session }

// Connect implements [watch.Session].
func (s restarting) Connect(ctx context.Context) error { return s.Restart(ctx) }

// watch starts the server again, and from now on after each save of its files.
func (m *model) watch() {
	if m.options.Watch == nil {
		m.Fail("The files of the server are not known: start mcptea with --watch=PATH.")
		return
	}
	m.Go(func(context.Context) func() {
		loop, stop, err := m.options.Watch(restarting{m.session})
		return func() {
			if err != nil {
				m.Fail("Cannot watch the files: " + err.Error() + ".")
				return
			}
			m.options.Reload = loop
			m.Work.Go(func() {
				defer stop()
				loop.Run(m.Ctx, func() {})
			})
		}
	})
}

// inShell runs the command of a server on the terminal.
func (m *model) inShell(t client.Target) {
	lent := m.options.Lent
	if lent == nil {
		lent = func(bool) {}
	}
	lent(true)
	m.Do(terminal.Lend(terminal.ShellCommand(display.Sanitize(failure.CommandLine(t.Shown(t.Argv))), t.Argv, t.Env, t.Dir), func(err error) tea.Msg {
		lent(false)
		return program.Done(func() {
			if err != nil {
				m.Fail("The command cannot be run: " + err.Error() + ".")
			}
		})
	}))
}
