package inspector

import (
	"strconv"

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
	joined    bool // the number follows that of the tab before without a blank
}

// lead is the key of the tab between blanks.
func (l *label) lead() string {
	switch {
	case l.joined:
		return l.num
	case l.name == "":
		return " " + l.num
	case l.num == "": // the user has taken the key away
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

// labels are the entries of the tab row with their columns. What does not fit is left out step by
// step, names last: blanks, the counts of lists, long names, the number of frames and the blank at
// the end of an entry, the names of empty tabs, then one name after the other from the right.
func (m *model) labels() (all []label) {
	for step := range nameless + len(m.tabs) {
		gap, end := 1, 1
		if step >= 1 {
			gap = 0
		}
		if step >= 5 {
			end = 0
		}
		all = m.labelsOf(step < 3 && m.W >= wideWidth, step < 2 || step == 3, step < 5, step-nameless)
		x := 0
		for i := range all {
			l := &all[i]
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
			if x += l.w; l.w > 0 {
				x += gap
			}
		}
		if x-gap-end <= m.W {
			break
		}
	}
	return all
}

// nameless is the step of labels from which names are left out.
const nameless = 6

// labelsOf are the entries without their columns; names of empty tabs are left out from 0 on, and so
// many others.
func (m *model) labelsOf(long, counts, frames bool, left int) []label {
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
		if !long {
			l.name = t.short
		}
		if left >= 0 && l.empty && !l.active {
			l.name = "" // the number keeps its place
		}
		if !l.keep && (!counts || len(l.changes) > 0) {
			l.badge = ""
		}
		all = append(all, l)
	}
	for i := len(all) - 1; i >= 0 && left > 0; i-- {
		if l := &all[i]; l.name != "" && !l.active && l.badge == "" && l.tab < len(m.tabs) {
			l.name = ""
			left--
		}
	}
	join(all)
	return all
}

// join writes numbers without names that follow each other as a range.
func join(all []label) {
	for from := 0; from < len(all); from++ {
		to := from
		for to < len(all) && all[to].name == "" && all[to].badge == "" && len(all[to].changes) == 0 && all[to].num == follows(all[from].num, to-from) {
			to++
		}
		if to-from > 2 {
			for i := from + 1; i < to-1; i++ {
				all[i].num, all[i].joined = paint.If(i == from+1, phrase.Signs("–"), ""), true
			}
			all[to-1].joined = true
		}
		from = max(from, to-1)
	}
}

// follows is the digit that is n behind another one.
func follows(num string, n int) string {
	digit, err := strconv.Atoi(num)
	if err != nil || digit+n > 9 {
		return "none"
	}
	return strconv.Itoa(digit + n)
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
