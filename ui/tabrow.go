package ui

import (
	"strconv"

	"mcptea/ui/paint"
	"mcptea/ui/verdict"
)

// tabRow is the second row.
func (m *model) tabRow() string {
	p := m.pal
	var r paint.Row
	r.Start(m.w, paint.Style{})
	gap := m.tabEnd()
	for i := range m.tabs {
		if m.hidden(i) {
			continue
		}
		num, name, badge := m.tabTexts(i)
		ground, number, text := paint.Style{}, p.Muted, p.Text
		if i == m.at && !m.layout.tab.empty() {
			ground, number, text = p.Selected, p.Accent, p.Strong
		}
		r.Put(number.On(ground), " "+num+" ")
		r.Put(text.On(ground), name)
		if badge != "" {
			st := p.Muted
			if m.tabs[i].pane == m.inbox {
				st = p.AskedBold // somebody waits
			}
			if m.tabs[i].pane == m.problems {
				_, worst := m.problems.Total()
				st = verdict.Style(p, worst)
			}
			r.Put(st.On(ground), " "+badge)
		}
		r.GapOn(ground, gap)
		r.Gap(m.tabGap())
	}
	if m.layout.tab.empty() && m.w >= wideWidth {
		text := "1-" + strconv.Itoa(len(m.tabs)) + " or esc go back to the tabs "
		if paint.Width(text) >= r.Left() {
			text = "esc goes back "
		}
		r.Right(paint.Span{Style: p.Muted, Text: text})
	}
	return r.String()
}

// hidden reports whether a tab is left out: that of the tasks, while there is
// nothing in it and nothing to come.
func (m *model) hidden(i int) bool { return m.tabs[i].pane == m.tasks && !m.tasks.Present() }

func (m *model) tabGap() int {
	if m.w >= wideWidth {
		return 1
	}
	return 0
}

// tabEnd is how many cells stay empty at the end of a tab: one, unless they are
// needed.
func (m *model) tabEnd() int {
	need := 0
	for i := range m.tabs {
		if !m.hidden(i) {
			need += m.tabWidth(i) + 1 + m.tabGap()
		}
	}
	if need > m.w+1 {
		return 0
	}
	return 1
}

// tabWidth is how many cells the texts of a tab take, the blank before them
// included.
func (m *model) tabWidth(i int) int {
	num, name, badge := m.tabTexts(i)
	w := len(num) + 2 + paint.Width(name)
	if badge != "" {
		w += 1 + paint.Width(badge)
	}
	return w
}

func (m *model) tabTexts(i int) (num, name, badge string) {
	t := m.tabs[i]
	name = t.name
	if m.w < wideWidth {
		name = t.short
	}
	return string(rune('1' + i)), name, paint.Sanitize(t.pane.Badge())
}

// tabAt finds the tab painted at a column.
func (m *model) tabAt(x int) int {
	at, gap := 0, m.tabEnd()
	for i := range m.tabs {
		if m.hidden(i) {
			continue
		}
		w := m.tabWidth(i) + gap
		if x >= at && x < at+w {
			return i
		}
		at += w + m.tabGap()
	}
	return -1
}
