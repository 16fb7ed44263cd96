package inspector

import (
	"mcptea/session/runs/watch"
	"mcptea/session/session"
)

// reloading reports whether a clock of the loop is running.
func (m *model) reloading() bool {
	if m.options.Reload == nil {
		return false
	}
	st := m.options.Reload.State()
	return st.Phase != watch.Watching && st.Phase != watch.Broken
}

// followReload shows the output of a build when it fails, and the previous tab when a build passes. While the
// user types, a message announces it.
func (m *model) followReload() {
	if m.options.Reload == nil {
		return
	}
	failed := m.build.Failed()
	shown := m.tabs[m.activeTab].ID == tabBuild
	st := m.options.Reload.State()
	m.build.SetState(st)
	if st.LeftOut != m.leftOut {
		m.leftOut = st.LeftOut
		m.Say(st.LeftOut)
	}
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

// followFailure shows why a restart failed, and the previous tab when one succeeds.
func (m *model) followFailure(phase watch.Phase) {
	switch failed := m.state.Phase == session.Failed; {
	case failed && m.beforeFailure < 0 && phase == watch.Watching && m.state.Attempt > 1 && m.state.Attempt != m.failureSeen:
		m.failureSeen = m.state.Attempt
		switch before := m.activeTab; {
		case before == 0 && m.focus != slotComposer:
		case m.report(0):
			m.beforeFailure = before
		default:
			m.Fail(m.Name(tabServer) + " shows why the restart failed: " + m.state.Err.Error())
		}
	case m.state.Phase == session.Ready && m.beforeFailure >= 0:
		if m.activeTab == 0 {
			m.unreport(m.beforeFailure)
		}
		m.beforeFailure = -1
	}
}

// report shows a tab because of a failure, with the focus in it. It returns false if that would interrupt the
// user.
func (m *model) report(tab int) bool {
	if m.Typing || m.Window() != nil || m.focus == slotComposer {
		return false
	}
	m.activeTab, m.reported = tab, m.focus
	if m.focus != slotTab { // the focused Traffic has the body, and pins are shown only below the lists
		m.setFocus(slotTab)
	}
	return true
}

// unreport shows the tab that was active before [model.report].
func (m *model) unreport(before int) {
	m.activeTab = before
	if m.focus == slotTab && m.reported != slotTab {
		m.setFocus(m.reported)
	}
}
