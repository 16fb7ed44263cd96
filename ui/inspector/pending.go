package inspector

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/revision"
	"mcptea/session/record/store"
	"mcptea/session/runs/watch"
	"mcptea/ui/keys"
)

// slowAfter is how long a request may take without being named in the last row: quick ones
// would only make it flicker.
const slowAfter = 300 * time.Millisecond

// isTaskPoll reports whether a request polls a task: the task itself is shown.
func isTaskPoll(f store.Flow) bool {
	return revision.FollowsTask(f.Method) || f.Method == "tasks/cancel"
}

// Waiting implements [program.Screen]: how many requests and tasks are pending for a while, and what
// cancels the newest one. The header, the tab and the rows say more of them.
func (m *model) Waiting() (n int, cancel *keys.Command) {
	if _, recorded := m.session.Recording(); recorded {
		return 0, nil
	}
	for _, f := range m.pending {
		if m.clock.Sub(f.Start) >= slowAfter && !isTaskPoll(f) {
			n++
		}
	}
	for _, t := range m.tasks.Running() {
		if m.Tick.Now.Sub(t.FirstSeen) >= slowAfter {
			n++
		}
	}
	cancel = m.Find("cancel.newest")
	key := m.Name("cancel.newest")
	if here := m.Keys.Lookup(key, m.Focused().Commands()); here != nil && (here.ID == "respond.decline" || here.ID == "cancel.task") {
		cancel = nil // the key is about what is selected there
	}
	return n, cancel
}

// TerminalProgress shows the newest call with a known total in the terminal's
// own progress bar, where it has one.
func (m *model) TerminalProgress() *tea.ProgressBar {
	for i := len(m.pending) - 1; i >= 0; i-- {
		if f := m.pending[i]; f.HasTotal && f.Total > 0 {
			return progressBar(f.Progress, f.Total)
		}
	}
	for _, t := range m.tasks.Running() {
		if t.HasTotal && t.Total > 0 {
			return progressBar(t.Progress, t.Total)
		}
	}
	return nil
}

func progressBar(done, total float64) *tea.ProgressBar {
	return tea.NewProgressBar(tea.ProgressBarDefault, int(100*min(1, max(0, done/total))))
}

// restartWaits reports whether a restart or build waits, for calls or since each changes files; the header
// needs the room.
func (m *model) restartWaits() bool {
	if m.options.Reload == nil {
		return false
	}
	switch m.options.Reload.State().Phase {
	case watch.Waiting, watch.Slowed, watch.Undecided:
		return true
	}
	return false
}
