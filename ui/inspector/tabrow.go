package inspector

import (
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/diff"
	"mcptea/ui/paint"
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
	p := m.Pal
	var r paint.Row
	r.Start(m.W, paint.Style{})
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
// left out step by step: blanks, the names of empty tabs, the counts of lists, long names, the
// blank at the end of an entry, the number of frames. A narrow screen has no long names: what fits
// there depends on what there is.
func (m *model) labels() []label {
	const last = 6
	for step := range last + 1 {
		gap, end := 1, 1
		if step >= 1 {
			gap = 0
		}
		if step >= 5 {
			end = 0
		}
		labels := m.labelsOf(step < 4 && m.W >= wideWidth, step < 2, step < 3, step < last)
		x := 0
		for i := range labels {
			l := &labels[i]
			l.x, l.w = x, display.Width(l.lead())+display.Width(l.name)+end
			if l.name == "" {
				l.w -= end
			}
			if l.badge != "" {
				l.w += 1 + display.Width(l.badge)
			}
			for _, c := range l.changes {
				l.w += 1 + display.Width(c.Text)
			}
			x += l.w + gap
		}
		if x-gap-end <= m.W || step == last {
			return labels
		}
	}
	return nil
}

// labelsOf are the entries without their columns.
func (m *model) labelsOf(long, empty, counts, frames bool) []label {
	p := m.Pal
	var all []label
	traffic := label{tab: len(m.tabs), num: m.Key(tabTraffic), name: "Traffic", style: p.Muted}
	if n := m.snap.Rows; n > 0 && frames {
		traffic.badge = phrase.Digits(n)
	}
	traffic.active = m.layout.tab.empty() && m.layout.pins.empty() || m.inTraffic()
	for i, t := range m.tabs {
		if t.ID == tabSkills { // those that come and go are behind it
			all = append(all, traffic)
		}
		if m.hidden(i) {
			continue
		}
		l := label{tab: i, num: m.Key(t.ID), name: t.name, badge: display.Sanitize(badgeOf(t.pane)), style: p.Muted}
		l.active, l.empty = i == m.activeTab && !m.layout.tab.empty() && !m.inTraffic(), m.emptyTab(i)
		if t.asks != nil {
			l.style = t.asks(p)
		}
		list, ok := m.lists[t.ID]
		if l.keep = !ok; ok {
			l.changes = diff.Counts(p, list.Changes(), "")
		}
		switch {
		case l.empty && !l.active && !empty && m.W < wideWidth:
			l.name = "" // the number keeps its place
		case !long:
			l.name = t.short
		}
		if !l.keep && (!counts || len(l.changes) > 0) {
			l.badge = ""
		}
		all = append(all, l)
	}
	return all
}

// emptyTab reports whether there is nothing in a tab.
func (m *model) emptyTab(i int) bool {
	p, ok := m.tabs[i].pane.(app.Emptied)
	return ok && p.Empty()
}

// hidden reports whether a tab is left out: one with nothing in it and nothing to come. Its key works
// all the same.
func (m *model) hidden(i int) bool {
	p, ok := m.tabs[i].pane.(app.Absent)
	return i != m.activeTab && ok && !p.Present()
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
		m.arrives("Traffic", m.showTraffic)()
	case i >= 0:
		m.tabs[i].Run()
	}
}

// badgeOf is what a pane says beside its name.
func badgeOf(p app.Pane) string {
	if b, ok := p.(app.Badged); ok {
		return b.Badge()
	}
	return ""
}
