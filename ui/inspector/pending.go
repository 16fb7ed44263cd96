package inspector

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/revision"
	"mcptea/record/store"
	"mcptea/session/runs/watch"
	"mcptea/ui/keys"
)

// slowAfter is the time after which the last row names a running request. For quick requests, the row
// would flicker.
const slowAfter = 300 * time.Millisecond

// isTaskPoll reports whether a request polls a task. The task itself is shown instead.
func isTaskPoll(f store.Flow) bool {
	return revision.FollowsTask(f.Method) || f.Method == "tasks/cancel"
}

// Waiting implements [program.Screen]: the number of requests and tasks that have been pending for a while, and
// the command that cancels the newest one. The header, the tab and the rows show more.
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
		cancel = nil // the key applies to the selection there
	}
	return n, cancel
}

// TerminalProgress returns the progress of the newest call with a known total, for the progress bar of the
// terminal.
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

// restartWaits reports whether a restart or build waits, for calls or because each one changes files. The
// header then needs the room.
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
