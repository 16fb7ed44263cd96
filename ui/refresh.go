package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// changeMsg says that there is news, and what time it is.
type changeMsg struct{ now time.Time }

// The shortest time between two looks at the store, and how often a running
// clock moves.
const (
	minRefresh = 33 * time.Millisecond
	// busyRefresh is that while more frames arrive than can be read: from
	// floodThreshold new frames between two looks on.
	busyRefresh = 60 * time.Millisecond
	// behindPause leaves time for keys while a filter works and no flood arrives.
	behindPause    = time.Millisecond
	floodThreshold = 500
	clockInterval  = 100 * time.Millisecond
)

// flashTime is how long a message stays in the last row.
const flashTime = 4 * time.Second

// waitForChange waits until something has happened, or until a clock on the
// screen has to move. When nothing does, nothing runs.
func (m *model) waitForChange(busy, behind, aging bool) tea.Cmd {
	since, wake, done, pace := m.now, m.wake, m.ctx.Done(), m.refreshInterval
	return func() tea.Msg {
		var clock <-chan time.Time
		switch {
		case behind && pace == minRefresh:
			wake, clock = nil, time.After(behindPause)
		case behind:
			clock = time.After(minRefresh / 4)
		case busy:
			clock = time.After(clockInterval)
		case aging:
			clock = time.After(time.Second)
		}
		select {
		case <-wake:
			// The first news after a quiet time is shown at once.
			if rest := pace - time.Since(since); rest > 0 {
				select {
				case <-time.After(rest):
				case <-done:
				}
			}
		case <-clock:
		case <-done:
			return nil
		}
		return changeMsg{time.Now()}
	}
}

// refresh looks at what is new and waits for more.
func (m *model) refresh(now time.Time) tea.Cmd {
	m.now = now
	m.spin++
	m.state = m.session.State()
	snap := m.session.Store().Snapshot()
	m.refreshInterval = minRefresh
	if snap.Rows-m.snap.Rows >= floodThreshold {
		m.refreshInterval = busyRefresh
	}
	m.snap = snap
	m.pending = m.session.Store().Pending(100)
	still := m.setClock(now)
	behind, viewBusy := m.refreshWire()
	m.composing.Refresh(m.state, nil, now, m.spin)
	busy := m.reloading() || !still && (len(m.pending) > 0 || m.state.Phase == session.Connecting) || m.composing.Busy() || viewBusy
	for _, t := range m.tabs {
		t.pane.Refresh(m.state, m.pending, m.clock, m.spin)
		busy = busy || !still && t.pane.Busy()
	}
	m.pinRegion.Refresh(m.state, nil, m.clock, m.spin)
	busy = m.pinRegion.Busy() || busy
	m.showAgents()
	m.askAboutPins()
	if w, ok := m.overlay.(worker); ok {
		busy = w.refresh(now, m.spin) || busy
	}
	m.announce(m.inbox.News(), command.TabInbox)
	m.announceConsent()
	m.announceRenewal()
	m.announceServer()
	m.followReload()
	reload, aging := m.reload()
	aging = aging && !still
	if m.flash.Text != "" && !m.flash.Stay {
		if busy = true; now.Sub(m.flashShown) > flashTime && !m.flashShown.IsZero() {
			m.flash = action.Flash{}
		}
		if m.flashShown.IsZero() {
			m.flashShown = now
		}
	}
	return tea.Batch(m.waitForChange(busy, behind, aging), reload, m.drawn())
}

// setClock sets the clock of what is shown, and reports whether it stands still: at
// the end of a recording that does not grow.
func (m *model) setClock(now time.Time) (still bool) {
	m.clock = now
	rec, recorded := m.session.Recording()
	if recorded && !m.recordingRead && rec.Size > 0 && rec.Read == rec.Size {
		m.recordingRead = true
		m.readRecording(&rec)
	}
	if still = recorded && !rec.Growing; still && !rec.Newest.IsZero() {
		m.clock = rec.Newest
	}
	return still
}

// readRecording announces what of a recording could not be read, and shows why the
// server could not be reached.
func (m *model) readRecording(rec *session.Recording) {
	if rec.Skipped != "" {
		m.say(action.Flash{Text: rec.Skipped, Wrong: true})
	}
	if m.state.Phase == session.Failed && !m.userNavigated {
		m.activeTab, m.frameOpen = 0, false
		m.setFocus(action.RegionTab)
	}
}

// reloader is a pane that reads again what has changed while it is on show.
type reloader interface {
	Reload() action.Action
	// Aging reports whether something gets older by the second.
	Aging() bool
}

// reload has the pane on show read again what has changed.
func (m *model) reload() (cmd tea.Cmd, aging bool) {
	p, ok := m.tabs[m.activeTab].pane.(reloader)
	if !ok || m.layout.tab.empty() {
		return nil, false
	}
	if a := p.Reload(); a != nil {
		cmd = m.act(a)
	}
	return cmd, p.Aging()
}
