package inspector

import (
	"context"
	"os/exec"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/transport/stdio"
	"mcptea/internal/shell"
	"mcptea/internal/system/argument"
	"mcptea/internal/words/display"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/server"
	"mcptea/ui/program"
	"mcptea/ui/terminal"
)

// newServer makes the page of the connection, with the functions that its remedies need.
func (m *model) newServer(a app.App) app.Part {
	m.server = server.New(a, server.Program{
		Watching: func() bool { return m.options.Reload != nil },
		Restart:  m.restart,
		Behind:   m.restartsBehind,
		AskPage:  m.askPage,
		Consent:  m.consentPage,
		Watch:    m.watch,
		Shell:    m.inShell,
		Keep:     m.options.Keep,
		Flags:    m.options.Flags,
		Changed:  m.setFlags,
	}, m.session)
	return m.server
}

// setFlags adds the changed flags to copied commands.
func (m *model) setFlags(flags []shell.Flag) {
	m.options.Flags, m.problems.Flags = flags, flags
	for _, p := range m.lists {
		p.Flags = flags
	}
}

// restarting restarts a session when a [watch.Loop] connects for the first time.
type restarting struct{ *session.Session }

// Connect implements [watch.Session].
func (s restarting) Connect(ctx context.Context) error { return s.Restart(ctx) }

// watch restarts the server, and from now on after each save of its files.
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

// executable returns the program of a server as the start of the server finds it.
func executable(t client.Target) (argument.Argument, error) {
	path, err := stdio.Resolve(t.Argv[0], t.Env, t.Dir)
	if err != nil {
		return argument.Argument{}, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.Dir, path)
	}
	return argument.File(path)
}

// inShell runs the command of a server on the terminal.
func (m *model) inShell(t client.Target) {
	command, err := executable(t)
	if err != nil {
		m.Fail("The command cannot be run: " + err.Error() + ".")
		return
	}
	m.lend(terminal.ShellCommand(display.Sanitize(failure.CommandLine(t.Shown(t.Argv))), command, t.Argv[1:], t.Env, t.Dir), func(err error) {
		m.Fail("The command cannot be run: " + t.Redact(err.Error()) + ".")
	})
}

// lend gives the terminal to a program until it ends. failed is called in Update if that returns an error.
func (m *model) lend(cmd *exec.Cmd, failed func(err error)) {
	lent := m.options.Lent
	if lent == nil {
		lent = func(bool) {}
	}
	lent(true)
	m.Do(terminal.Lend(cmd, func(err error) tea.Msg {
		lent(false)
		return program.Done(func() {
			if err != nil {
				failed(err)
			}
		})
	}))
}
