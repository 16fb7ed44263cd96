package ui

import (
	"mcptea/session"
	"mcptea/session/watch"
	"mcptea/ui/paint"
)

// connect connects for the first time. It returns when that has ended.
func (m *model) connect() {
	loop := m.options.Reload
	if loop == nil {
		_ = m.session.Connect(m.ctx) // the outcome is in the state
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
	shown := m.tabs[m.activeTab].command == tabBuild
	st := m.options.Reload.State()
	m.build.SetState(st)
	switch {
	case m.build.Failed() && !failed:
		if m.typing || m.window() != nil || m.focus != partTab {
			m.Fail("Build failed: " + st.Build.Summary() + "  " + m.keyTo(tabBuild) + " shows it")
			break
		}
		m.beforeBuild = m.activeTab
		m.activeTab = m.buildTab()
	case failed && !m.build.Failed() && shown:
		m.activeTab = m.beforeBuild
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
		if !m.typing && m.window() == nil && m.focus == partTab && m.activeTab != 0 {
			m.beforeFailure, m.activeTab = m.activeTab, 0
		}
	case m.state.Phase == session.Ready && m.beforeFailure >= 0:
		if m.activeTab == 0 {
			m.activeTab = m.beforeFailure
		}
		m.beforeFailure = -1
	}
}

// buildTab is the index of the tab of the build.
func (m *model) buildTab() int {
	for i, t := range m.tabs {
		if t.command == tabBuild {
			return i
		}
	}
	return 0
}

// reloadSpans are what the header says of the loop.
func (m *model) reloadSpans(wide bool) []paint.Span {
	if m.options.Reload == nil {
		return nil
	}
	p, st := m.pal, m.options.Reload.State()
	switch line := st.Line(m.now); st.Phase {
	case watch.Building, watch.Restarting:
		return []paint.Span{{Style: p.Warn, Text: paint.Spinner(p, m.spin) + " " + line + " " + paint.HumanDuration(max(0, m.now.Sub(st.Since))) + "  "}}
	case watch.Broken:
		return []paint.Span{{Style: p.ErrorBold, Text: p.FailMark + " " + line}, {Style: p.AccentBold, Text: " " + m.keyTo(tabBuild) + "  "}}
	case watch.Waiting:
		spans := []paint.Span{{Style: p.WarnBold, Text: p.Pause + " " + line + " " + p.Separator + " "}, {Style: p.AccentBold, Text: m.keyTo("restart")}, {Style: p.Warn, Text: " now  "}}
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
