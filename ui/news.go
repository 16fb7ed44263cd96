package ui

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/paint"
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
	t.State, t.Pending, t.Now, t.Spin, t.Still = m.state, m.pending, m.clock, m.tick.Spin, still
	m.tick.Still = still
	var viewBusy bool
	p.behind, viewBusy = m.refreshWire(t)
	busy := m.reloading() || !still && (len(m.pending) > 0 || m.state.Phase == session.Connecting) || viewBusy
	busy = m.composer.Refresh(app.Tick{State: m.state, Now: m.tick.Now, Spin: m.tick.Spin}) || busy
	for i := range m.tabs {
		busy = m.tabs[i].pane.Refresh(t) && !still || busy
	}
	busy = m.pinned.Refresh(t) || busy
	m.askUser()
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
		m.toTab(0)
	}
}

// aging reports whether something on show gets older by the second.
func (m *model) aging() bool {
	p, ok := m.tabs[m.activeTab].pane.(interface{ Aging() bool })
	return ok && !m.layout.tab.empty() && p.Aging()
}

// connect connects for the first time. It returns when that has ended.
func (m *model) connect() {
	loop := m.options.Reload
	if loop == nil {
		err := m.session.Connect(m.ctx) // the outcome is in the state
		if b := m.options.Branch; b != nil && err == nil {
			m.work.Go(func() { _ = b.Run(m.ctx, m.session) }) // the pane shows the error
		}
		return
	}
	connected := make(chan struct{})
	m.work.Go(func() { loop.Run(m.ctx, func() { close(connected) }) })
	<-connected
}

// reloading reports whether a clock of the loop moves.
func (m *model) reloading() bool {
	if m.options.Reload == nil {
		return false
	}
	st := m.options.Reload.State()
	return st.Phase != watch.Watching && st.Phase != watch.Broken
}

// followReload shows the output of a build when it fails, and what was shown before
// when one passes. Where the user types, a message tells of it.
func (m *model) followReload() {
	if m.options.Reload == nil {
		return
	}
	failed := m.build.Failed()
	shown := m.tabs[m.activeTab].ID == tabBuild
	st := m.options.Reload.State()
	m.build.SetState(st)
	switch {
	case m.build.Failed() && !failed:
		before := m.activeTab
		if !m.report(m.tab(tabBuild)) {
			m.Fail("Build failed: " + st.Build.Summary() + "  " + m.Name(tabBuild) + " shows it")
			break
		}
		m.beforeBuild = before
	case failed && !m.build.Failed() && shown:
		m.unreport(m.beforeBuild)
	}
	if m.state.Phase == session.Ready && !m.onceReady {
		m.onceReady = true
		m.connected()
	}
	m.followFailure(st.Phase)
}

// followFailure shows why a restart failed, and what was shown before when one succeeds.
func (m *model) followFailure(phase watch.Phase) {
	switch failed := m.state.Phase == session.Failed; {
	case failed && m.beforeFailure < 0 && phase == watch.Watching && m.state.Attempt > 1 && m.state.Attempt != m.failureSeen:
		m.failureSeen = m.state.Attempt
		switch before := m.activeTab; {
		case before == 0 && m.focus != partComposer:
		case m.report(0):
			m.beforeFailure = before
		default:
			m.Fail("The restart failed: " + m.state.Err.Error() + "  " + m.Name(tabServer) + " shows why")
		}
	case m.state.Phase == session.Ready && m.beforeFailure >= 0:
		if m.activeTab == 0 {
			m.unreport(m.beforeFailure)
		}
		m.beforeFailure = -1
	}
}

// report shows a tab because of a failure, above the traffic if that has the focus. It reports
// false where it would take away what the user works at.
func (m *model) report(tab int) bool {
	if m.typing || m.window() != nil || m.focus == partComposer {
		return false
	}
	m.activeTab, m.reported = tab, m.focus
	if m.focus == partPins { // they are shown below the lists only
		m.setFocus(partTab)
	}
	return true
}

// unreport shows what was shown before [model.report].
func (m *model) unreport(before int) {
	m.activeTab = before
	if m.focus == partTab && m.reported == partPins {
		m.setFocus(partPins)
	}
}

// reloadSpans are what the header says of the loop.
func (m *model) reloadSpans(wide bool) []paint.Span {
	if m.options.Reload == nil {
		return nil
	}
	p, st := m.pal, m.options.Reload.State()
	switch line := st.Line(m.tick.Now); st.Phase {
	case watch.Building, watch.Restarting:
		return []paint.Span{{Style: p.Warn, Text: paint.Spinner(p, m.tick.Spin) + " " + line + " " + paint.HumanDuration(max(0, m.tick.Now.Sub(st.Since))) + "  "}}
	case watch.Broken:
		return []paint.Span{{Style: p.ErrorBold, Text: p.FailMark + " " + line}, {Style: p.AccentBold, Text: " " + m.Name(tabBuild) + "  "}}
	case watch.Waiting:
		spans := []paint.Span{{Style: p.WarnBold, Text: p.Pause + " " + line + " " + p.Separator + " "}, {Style: p.AccentBold, Text: m.Name("restart")}, {Style: p.Warn, Text: " now  "}}
		return spans
	}
	if !wide {
		return []paint.Span{{Style: p.Muted, Text: "watching  "}}
	}
	return []paint.Span{{Style: p.Muted, Text: "watching "}, {Style: p.Text, Text: p.Label(st.Watching, 24) + "  "}}
}

// restartWaits reports whether a restart waits for calls; the header needs the room.
func (m *model) restartWaits() bool {
	return m.options.Reload != nil && m.options.Reload.State().Phase == watch.Waiting
}

// callAgain sends a call again after its page was visited, and shows it at its
// tool.
func (m *model) callAgain(id jsonrpc.ID) {
	call, err := m.session.Retry(id)
	if err != nil {
		m.Fail("not sent: " + err.Error())
		return
	}
	text := "Sent again as request " + call.ID.String()
	for tab, p := range m.lists {
		if p.Adopt(call) {
			text += ": " + m.Name(tab) + " shows it"
		}
	}
	m.Say(text)
}

// showCaller leads from a request of the server to the call that has waited for it, unless
// the user is elsewhere.
func (m *model) showCaller(tab string) bool {
	if m.window() != nil || m.focus != partTab || m.tabs[m.activeTab].ID != tabInbox {
		return false
	}
	m.ShowTab(tab)
	if p := m.list(); p != nil {
		p.ShowResult() // not in a text field, where keys typed ahead would be text
	}
	return true
}

// news says a sentence of a tab that is not in sight. While the user types, and over an
// error, only the tab row has it.
func (m *model) news(news string, tab string) {
	shown := m.tabs[m.activeTab].ID == tab && !m.layout.tab.empty()
	if m.window() == nil && !m.typing && !shown && (m.flash.text == "" || !m.flash.wrong) {
		m.Say(news + ": " + m.Name(tab) + " opens it")
	}
}

// pasteAnswer takes the callback URL of a browser on another machine.
func (m *model) pasteAnswer(text string) {
	if err := m.session.AnswerAuthorization(text); err != nil {
		m.Fail(err.Error())
		return
	}
	m.Say("Callback URL accepted.")
}

// announceConsent announces a consent page once.
func (m *model) announceConsent() {
	for _, st := range m.state.Authorization {
		if st.Name == oauth.StepConsent && st.State == oauth.Running && st.URL != "" && st.Start.After(m.consentAnnounced) {
			m.consentAnnounced = st.Start
			m.news("authorization requires you", tabServer)
		}
	}
}

// announceRenewal announces a session that was started because the server did not
// know the previous one.
func (m *model) announceRenewal() {
	if m.state.Renewed == "" || m.state.Phase != session.Ready || m.renewalAnnounced == m.state.Attempt {
		return
	}
	m.renewalAnnounced = m.state.Attempt
	m.Fail("New session: " + m.state.Renewed)
}

// announceServer announces that the server has ended, or wrote a line to stdout that
// is not a message. The end is announced until the next connection.
func (m *model) announceServer() {
	if m.endNews != "" && m.state.Phase != session.Ended {
		if m.flash.text == m.endNews {
			m.flash = flash{}
		}
		m.endNews = ""
	}
	if m.flash.text != "" {
		return
	}
	if news := m.server.News(); news != "" {
		text := news + "  " + m.Name(tabServer) + " server"
		if m.state.Phase == session.Ended {
			text += "  " + m.Name("restart") + " restart"
			m.endNews = text
		}
		m.say(flash{text: text, wrong: true, stay: true})
	}
}
