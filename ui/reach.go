package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/frames"
)

// runAnywhere runs a command of any pane: it moves the focus to where the command
// works. Where that is not possible it says why.
func (m *model) runAnywhere(cmd command.Command) tea.Cmd {
	if cmd.Context == command.Global || m.works(cmd) {
		return m.run(cmd)
	}
	m.userNavigated = true
	moved := m.reach(cmd.Context)
	if !m.works(cmd) {
		m.say(action.Flash{Text: "“" + cmd.Label() + "” " + unreachable[cmd.Context], Wrong: true})
		return moved
	}
	return tea.Batch(moved, m.run(cmd))
}

// works reports whether a command works where the focus is.
func (m *model) works(cmd command.Command) bool {
	here, ok := command.In(m.context(), cmd.ID)
	return ok && here.Context == m.context()
}

// unreachable says what a command of a context needs.
var unreachable = map[command.Context]string{
	command.Browse:       "needs an item in the list.",
	command.Form:         "needs a tool, template or prompt with arguments: select one first.",
	command.Result:       "needs a result: call a tool first.",
	command.Sequence:     "needs the sequence diagram: show it from Traffic first.",
	command.Timeline:     "needs the timeline: show it from Traffic first.",
	command.Traffic:      "needs a frame: select one in Traffic first.",
	command.Detail:       "needs a frame that is shown as a tree: select one in Traffic first.",
	command.Inbox:        "needs a pending request of the server: none yet.",
	command.EditResponse: "needs a pending request of the server: none yet.",
	command.Tasks:        "needs a task: none yet.",
	command.TaskResult:   "needs a task with a result.",
	command.Problems:     "needs a finding: none yet.",
	command.Held:         "needs a held frame: set a breakpoint first.",
	command.Intercept:    "needs a breakpoint or a fault.",
	command.Logs:         "needs a log message.",
	command.ComposerSaw:  "needs a frame that was sent from the composer.",
	command.Build:        "needs a build that failed: start mcptea with --watch and --build.",
}

// tabOf are the tabs of the contexts that belong to one.
var tabOf = map[command.Context]command.ID{
	command.Server: command.TabServer, command.Unauthorized: command.TabServer, command.Authorize: command.TabServer,
	command.Inbox: command.TabInbox, command.EditResponse: command.TabInbox,
	command.Build: command.TabBuild, command.Logs: command.TabLogs, command.Tasks: command.TabTasks, command.TaskResult: command.TabTasks,
	command.Problems: command.TabProblems, command.Held: command.TabIntercept, command.Intercept: command.TabIntercept,
}

// steps are what leads from the list of a tab to the contexts inside of it.
var steps = map[command.Context]command.ID{
	command.EditResponse: "inbox.open", command.TaskResult: command.OpenTask,
}

// reach moves the focus to a context as far as that is possible.
func (m *model) reach(c command.Context) tea.Cmd {
	switch c {
	case command.Composer, command.ComposerList, command.ComposerBad, command.ComposerSaw:
		m.compose()
		m.composer.Go(string(c))
		return nil
	case command.Traffic:
		m.frameOpen = false
		m.showList()
		m.setFocus(action.RegionTraffic)
		return nil
	case command.Timeline:
		m.frameOpen = false
		m.showView(frames.Timeline)
		return nil
	case command.Sequence:
		m.frameOpen = false
		m.showView(frames.Sequence)
		return nil
	case command.Detail:
		if m.wire.traffic.Selected() != store.None {
			m.openDetail()
		}
		m.showSelected()
		return nil
	}
	var cmds []tea.Cmd
	if tab, ok := tabOf[c]; ok {
		cmds = append(cmds, m.showTab(tab))
	} else if m.list() == nil {
		cmds = append(cmds, m.showTab(command.TabTools))
	} else {
		m.setFocus(action.RegionTab)
	}
	if p := m.list(); p != nil {
		p.Go(string(c))
		return tea.Batch(cmds...)
	}

	if step, ok := steps[c]; ok && m.context() != c {
		cmds = append(cmds, m.act(m.doOld(step)))
	}
	return tea.Batch(cmds...)
}
