package ui

import (
	"time"

	"mcptea/session"
	"mcptea/ui/app"
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

// changed implements [screen].
func (m *model) changed() <-chan struct{} { return m.changes }

// refresh implements [screen].
func (m *model) refresh(t app.Tick) pace {
	m.now, m.spin = t.Now, t.Spin
	m.state = m.session.State()
	m.tick.State = m.state
	snap := m.session.Store().Snapshot()
	var p pace
	if snap.Rows-m.snap.Rows >= floodThreshold {
		p.rest = busyRefresh
	}
	m.snap = snap
	m.pending = m.session.Store().Pending(100)
	still := m.setClock(t.Now)
	t.State, t.Pending, t.Now = m.state, m.pending, m.clock
	var viewBusy bool
	p.behind, viewBusy = m.refreshWire()
	busy := m.reloading() || !still && (len(m.pending) > 0 || m.state.Phase == session.Connecting) || viewBusy
	busy = m.composer.Refresh(app.Tick{State: m.state, Now: m.now, Spin: m.spin}) || busy
	for i := range m.tabs {
		busy = m.tabs[i].pane.Refresh(t) && !still || busy
	}
	busy = m.pinned.Refresh(t) || busy
	m.showAgents()
	m.askAboutPins()
	m.announceConsent()
	m.announceRenewal()
	m.announceServer()
	m.followReload()
	if !still && m.aging() {
		p.next = time.Second
	}
	p.next = moves(busy, p.next)
	return p
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
		m.Fail(rec.Skipped)
	}
	if m.state.Phase == session.Failed && !m.userNavigated {
		m.activeTab, m.frameOpen = 0, false
		m.setFocus(partTab)
	}
}

// aging reports whether something on show gets older by the second.
func (m *model) aging() bool {
	p, ok := m.tabs[m.activeTab].pane.(interface{ Aging() bool })
	return ok && !m.layout.tab.empty() && p.Aging()
}
