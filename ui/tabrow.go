package ui

import (
	"mcptea/session"
	"mcptea/ui/app"
	"mcptea/ui/changelist"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
)

// label is one entry of the tab row.
type label struct {
	tab       int // index of tabs; len(tabs) is the traffic
	num, name string
	badge     string
	style     paint.Style  // of the badge
	changes   []paint.Span // after the badge: what the user has not seen
	active    bool
	empty     bool // there is nothing in it
	x, w      int
	keep      bool // its badge stays when those of others are left out
}

// lead is the key of the tab between blanks.
func (l *label) lead() string {
	if l.num == "" { // the user has taken the key away
		return " "
	}
	return " " + l.num + " "
}

// tabRow is the second row.
func (m *model) tabRow() string {
	p := m.pal
	var r paint.Row
	r.Start(m.w, paint.Style{})
	for _, l := range m.labels() {
		r.To(l.x)
		ground, number, text := paint.Style{}, p.Muted, p.Text
		switch {
		case l.active:
			ground, number, text = p.Selected, p.Accent, p.Strong
		case l.empty:
			text = p.Muted
		}
		r.Put(number.On(ground), l.lead())
		r.Put(text.On(ground), l.name)
		if l.badge != "" {
			r.Put(l.style.On(ground), " "+l.badge)
		}
		for _, c := range l.changes {
			r.Put(c.Style.On(ground), " "+c.Text)
		}
		r.GapOn(ground, l.x+l.w-r.Used())
	}
	return r.String()
}

// labels are the entries of the tab row with their columns. What does not fit is
// left out step by step: blanks, long names, the counts of lists, the blank at
// the end of an entry, the number of frames.
func (m *model) labels() []label {
	const last = 5
	for step := range last + 1 {
		gap, end := 1, 1
		if step >= 1 {
			gap = 0
		}
		if step >= 4 {
			end = 0
		}
		labels := m.labelsOf(step < 2, step < 3, step < last)
		x := 0
		for i := range labels {
			l := &labels[i]
			l.x, l.w = x, paint.Width(l.lead())+paint.Width(l.name)+end
			if l.badge != "" {
				l.w += 1 + paint.Width(l.badge)
			}
			for _, c := range l.changes {
				l.w += 1 + paint.Width(c.Text)
			}
			x += l.w + gap
		}
		if x-gap-end <= m.w || step == last {
			return labels
		}
	}
	return nil
}

// labelsOf are the entries without their columns.
func (m *model) labelsOf(long, counts, frames bool) []label {
	p := m.pal
	var all []label
	for i, t := range m.tabs {
		if m.hidden(i) {
			continue
		}
		l := label{tab: i, num: m.Key(t.command), name: t.name, badge: paint.Sanitize(badgeOf(t.pane)), style: p.Muted}
		l.active, l.empty = i == m.activeTab && !m.layout.tab.empty() && !m.inTraffic(), m.emptyTab(i)
		switch t.command {
		case tabInbox:
			l.style, l.keep = p.AskedBold, true // the user has to respond
		case tabBuild:
			l.style, l.keep = p.ErrorBold, true
		case tabProblems:
			_, worst := m.problems.Total()
			l.style, l.keep = severity.Style(p, worst), true
		case tabIntercept:
			l.style, l.keep = p.WarnBold, true
		}
		list, ok := m.lists[t.command]
		if l.keep = l.keep || !ok; ok {
			l.changes = changelist.Counts(p, list.Changes(), "")
		}
		if !long {
			l.name = t.short
		}
		if !l.keep && (!counts || len(l.changes) > 0) {
			l.badge = ""
		}
		all = append(all, l)
	}
	traffic := label{tab: len(m.tabs), num: m.Key(tabTraffic), name: "Traffic", style: p.Muted}
	if n := m.snap.Rows; n > 0 && frames {
		traffic.badge = paint.HumanCount(n)
	}
	traffic.active = m.layout.tab.empty() && m.layout.pins.empty() || m.inTraffic()
	return append(all, traffic)
}

// emptyTab reports whether there is nothing in a tab.
func (m *model) emptyTab(i int) bool {
	switch t := &m.tabs[i]; t.command {
	case tabInbox:
		return m.inbox.Empty()
	case tabTasks:
		return m.tasks.Empty()
	case tabTools, tabResources, tabPrompts:
		return m.state.Phase != session.Connecting && badgeOf(t.pane) == ""
	case tabLogs:
		return badgeOf(t.pane) == ""
	}
	return false
}

// hidden reports whether a tab is left out: one that is empty, where the screen is narrow;
// that of the tasks, and that of intercepted frames, while there is nothing in it and
// nothing to come. Its key works all the same.
func (m *model) hidden(i int) bool {
	if i != m.activeTab && m.w < wideWidth && m.emptyTab(i) {
		return true
	}
	switch m.tabs[i].command {
	case tabTasks:
		return !m.tasks.Present()
	case tabBuild:
		return !m.build.Failed() && i != m.activeTab
	case tabIntercept:
		return !m.intercept.Present() && i != m.activeTab
	}
	return false
}

// tabAt finds the tab painted at a column; len(tabs) is the traffic, -1 none.
func (m *model) tabAt(x int) int {
	for _, l := range m.labels() {
		if x >= l.x && x < l.x+l.w {
			return l.tab
		}
	}
	return -1
}

// clickTab goes to the tab at a column.
func (m *model) clickTab(x int) {
	m.userNavigated = true
	switch i := m.tabAt(x); {
	case i == len(m.tabs):
		m.showList()
		m.setFocus(partTraffic)
	case i >= 0:
		m.toTab(i)
	}
}

// badgeOf is what a pane says beside its name.
func badgeOf(p app.Pane) string {
	if b, ok := p.(interface{ Badge() string }); ok {
		return b.Badge()
	}
	return ""
}
