package inspector

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/oauth"
	"mcptea/internal/words/display"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/program"
)

// Changed implements [program.Screen].
func (m *model) Changed() <-chan struct{} { return m.changes }

// Refresh implements [program.Screen].
func (m *model) Refresh(t app.Tick) program.Pace {
	m.state = m.session.State()
	m.Tick.State = m.state
	snap := m.session.Store().Snapshot()
	var p program.Pace
	if snap.Rows-m.snap.Rows >= program.FloodThreshold {
		p.Rest = program.BusyRefresh
	}
	m.snap = snap
	m.pending = m.session.Store().Pending(100)
	still := m.setClock(t.Now)
	t.State, t.Pending, t.Now, t.Spin, t.Still = m.state, m.pending, m.clock, m.Tick.Spin, still
	m.Tick.Still = still
	var viewBusy bool
	p.Behind, viewBusy = m.refreshTraffic(t)
	busy := m.reloading() || !still && (len(m.pending) > 0 || m.state.Phase == session.Connecting) || viewBusy
	busy = m.composer.Refresh(app.Tick{State: m.state, Now: m.Tick.Now, Spin: m.Tick.Spin}) || busy
	for i := range m.tabs {
		busy = m.tabs[i].pane.Refresh(t) || busy
	}
	busy = m.pinned.Refresh(t) || busy
	m.readRecording()
	m.askUser()
	m.askAboutPins()
	m.askAboutRenames()
	m.announceConsent()
	m.announceRenewal()
	m.announceServer()
	m.notify()
	m.followReload()
	m.learn()
	if m.pulse.count(t.Now, snap.Counts) && !still {
		p.Next = pulseTime
	}
	if !still && m.aging() {
		p.Next = time.Second
	}
	p.Next = program.Moves(busy, p.Next)
	return p
}

// setClock sets the time of the shown content, and reports whether the clock does not advance: at the end
// of a recording that does not grow.
func (m *model) setClock(now time.Time) (still bool) {
	m.clock = now
	rec, recorded := m.session.Recording()
	if still = recorded && !rec.Growing; still && !rec.Newest.IsZero() {
		m.clock = rec.Newest
	}
	return still
}

// readRecording shows the place of the user in a recording that was read to its end, or why the server could not be
// reached. It announces which parts could not be read.
func (m *model) readRecording() {
	rec, recorded := m.session.Recording()
	if !recorded || m.recordingRead || rec.Size == 0 || rec.Read != rec.Size || m.snap.Rows != m.session.Store().Snapshot().Rows {
		return
	}
	m.recordingRead = true
	if rec.Skipped != "" {
		m.Fail(rec.Skipped)
	}
	if !m.restorePlace() && m.state.Phase == session.Failed && !m.userNavigated {
		m.toTab(0)
	}
}

// aging reports whether something visible changes every second.
func (m *model) aging() bool {
	p, ok := m.tabs[m.activeTab].pane.(app.Aged)
	return ok && !m.layout.tab.empty() && p.Aging()
}

// news shows a message of a hidden tab. While the user types, and over an error, only the tab row announces it.
func (m *model) news(news string, tab string) {
	shown := m.tabs[m.activeTab].ID == tab && !m.layout.tab.empty()
	if m.Window() == nil && !m.Typing && !shown && (m.Flash.Text == "" || !m.Flash.Wrong) {
		m.Say(news + ": " + m.Name(tab) + " shows it")
	}
}

// News implements [app.Program].
func (a paneApp) News(text string) { a.news(text, a.tab) }

// announceConsent announces a consent page once, and leads back from it.
func (m *model) announceConsent() {
	running := false
	for _, st := range m.state.Authorization {
		running = running || st.State == oauth.Running
		if st.Name == oauth.StepConsent && st.State == oauth.Running && st.URL != "" && st.Start.After(m.consentAnnounced) {
			m.consentAnnounced, m.consentAway = st.Start, m.tabs[m.activeTab].ID != tabServer
			m.news("The server asks you to authorize", tabServer)
		}
	}
	if m.consentAway && m.tabs[m.activeTab].ID != tabServer {
		m.consentFrom = m.here()
	}
	if m.consentAway && !running {
		m.consentAway = false
		m.afterConsent()
	}
}

// afterConsent shows how an authorization ended that started while the user was elsewhere, and leads back
// there: the action that requested it continues, or can be repeated.
func (m *model) afterConsent() {
	if there := m.tabs[m.activeTab].ID == tabServer && m.focus == slotTab; there && m.Window() == nil && !m.Typing {
		m.Turn(func() { m.backTo(m.consentFrom) })
	}
	for _, st := range m.state.Authorization {
		if st.State == oauth.Failed {
			m.Fail("Not authorized: " + display.Sanitize(st.Detail) + ". Sending the request again asks again.")
			return
		}
	}
	m.Say("Authorized.")
}

// announceRenewal announces a session that was started because the server no longer knew the previous one.
func (m *model) announceRenewal() {
	if m.state.Renewed == "" || m.state.Phase != session.Ready || m.renewalAnnounced == m.state.Attempt {
		return
	}
	m.renewalAnnounced = m.state.Attempt
	m.Fail("New session: " + m.state.Renewed)
}

// tabHint returns the key of a tab and its action. A digit before a name would be read as a number, and the
// word tab as the key.
func (m *model) tabHint(id string) string {
	name := strings.TrimPrefix(id, "tab.")
	if i := slices.IndexFunc(m.tabs, func(t tab) bool { return t.ID == id }); i >= 0 {
		name = m.tabs[i].name
	}
	return m.Name(id) + " shows " + name
}

// announceServer announces that the server has ended, or wrote a line to stdout that is not a message. The end
// is announced until the next connection.
func (m *model) announceServer() {
	if m.endNews != "" && m.state.Phase != session.Ended {
		if m.Flash.Text == m.endNews {
			m.Flash = program.Flash{}
		}
		m.endNews = ""
	}
	if m.Flash.Text != "" {
		return
	}
	if list := m.list(); list != nil && m.focus == slotTab && list.ShowsInvalid() {
		m.server.ShowResponse()
	}
	if news, tab := m.server.News(m.W); news != "" {
		text := news + "  " + m.tabHint(tab)
		if m.state.Phase == session.Ended {
			text += "  " + m.Name("restart") + " restart"
			m.endNews = text
		}
		m.Announce(program.Flash{Text: text, Wrong: true, Stay: true})
	}
}
