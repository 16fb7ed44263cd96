package inspector

import (
	"slices"
	"strconv"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/diff"
	"mcptea/ui/paint"
)

// A label is one entry of the tab row.
type label struct {
	tab       int // index in tabs; len(tabs) is Traffic
	num, name string
	badge     []paint.Span // text after the name: a count, or news for the user
	usual     int          // cells to keep for a badge, even while there is none
	kept      int          // cells kept
	room      int          // cells up to the next entry
	asks      bool         // a badge must be seen
	list      bool         // the badge is the count of a list
	active    bool
	empty     bool // the tab is empty
	x, w      int
	joined    bool // the number follows the number of the previous tab without a blank
}

// urgent reports whether the user must see the badge.
func (l *label) urgent() bool { return l.asks && len(l.badge) > 0 }

// showsBadge reports whether the badge fits before the next entry.
func (l *label) showsBadge() bool { return len(l.badge) > 0 && l.kept > 0 && l.badgeWidth() <= l.room }

// badgeWidth returns the width of the badge with a blank before each part.
func (l *label) badgeWidth() (w int) {
	for _, b := range l.badge {
		w += 1 + display.Width(b.Text)
	}
	return w
}

// lead returns the key of the tab between blanks.
func (l *label) lead() string {
	switch {
	case l.joined:
		return l.num
	case l.name == "":
		return " " + l.num
	case l.num == "": // the user has unbound the key
		return " "
	}
	return " " + l.num + " "
}

// tabRow returns the second row.
func (m *model) tabRow() string {
	p := m.Pal
	var r paint.Row
	r.Start(m.W, paint.Style{})
	for _, l := range m.labels() {
		r.To(l.x)
		ground, number, text := paint.Style{}, p.Accent, p.Text
		switch {
		case l.active:
			ground, number, text = p.Selected, p.Accent, p.Strong
		case l.urgent() && !l.showsBadge():
			text = l.badge[0].Style
		case l.empty:
			text = p.Muted
		}
		r.Put(number.On(ground), l.lead())
		r.Put(text.On(ground), l.name)
		if l.showsBadge() {
			for _, b := range l.badge {
				r.Put(b.Style.On(ground), " "+b.Text)
			}
		}
		if l.active && l.room > 0 {
			r.GapOn(ground, min(1, l.x+l.w+1-r.Used()))
		}
	}
	return r.String()
}

// labels returns the entries of the tab row with their columns. Names have priority over badges.
// The long names are used if the cells for all badges remain. Otherwise the short names are used.
// If these are too long, they are truncated, and then fewer entries have names. The remaining cells
// are reserved for badges, even if there are none now, so that no tab moves when a count appears or
// grows. They are reserved first for badges that must be seen, then for those of lists, then for
// the others. The rest is blank between the entries.
func (m *model) labels() (all []label) {
	if all = m.labelsOf(0); m.W >= wideWidth {
		m.lengthen(all)
	}
	for i := len(all) - 1; i >= 0 && place(all, 0) > m.W; i-- {
		if l := &all[i]; !l.active {
			l.name = l.name[:min(len(l.name), beginOfName)]
		}
	}
	for left := 1; place(all, 0) > m.W && left <= len(m.tabs); left++ {
		all = m.labelsOf(left)
	}
	m.keepCells(all)
	if place(all, 1) > m.W {
		place(all, 0)
	}
	return all
}

// keepCells keeps cells for the badges of as many groups of entries as fit, fewer for a count
// if there are no more.
func (m *model) keepCells(all []label) {
	for _, group := range badges(all) {
		for _, most := range []int{m.W, digitCells, signCells, 0} {
			for _, l := range group {
				l.kept = min(l.usual, most)
				if l.list && most < m.W {
					l.kept = 0
				}
			}
			if place(all, 0) <= m.W {
				break
			}
		}
	}
}

// lengthen gives entries their long names, from the left, if cells for all badges remain. It ignores the current
// counts and the tabs that appear later, so that neither changes a name.
func (m *model) lengthen(all []label) {
	var fixed []label
	for _, l := range all {
		if l.tab == len(m.tabs) || !comesLater(m.tabs[l.tab].ID) {
			l.kept = l.usual
			fixed = append(fixed, l)
		}
	}
	long := map[int]bool{}
	for i := range fixed {
		l := &fixed[i]
		if short := l.name; l.tab < len(m.tabs) {
			l.name = m.tabs[l.tab].name
			if long[l.tab] = place(fixed, 0) <= m.W; !long[l.tab] {
				l.name = short
			}
		}
	}
	for i := range all {
		if l := &all[i]; l.tab < len(m.tabs) && (long[l.tab] || comesLater(m.tabs[l.tab].ID)) {
			l.name = m.tabs[l.tab].name
		}
	}
}

// comesLater reports whether a tab appears only after an action of the user, such as a breakpoint or a build.
func comesLater(id string) bool {
	return slices.Contains([]string{tabIntercept, tabBuild, tabBranch, tabApps}, id)
}

// beginOfName is the number of letters of a shortened name.
const beginOfName = 4

// The cells that are reserved for a badge: for a sign, or for a digit or a count with a blank after
// it. With the blank, it is not read as the number of the next entry.
const signCells, digitCells, countCells = 2, 3, 4

// usualCells returns the number of cells that are kept for the badge of a tab. The number of items of a list seldom
// changes, so that its own width is kept. A large count is shown, too: the entries after it move when it gets a digit.
func usualCells(id string, l *label) int {
	w := l.badgeWidth()
	switch {
	case id == tabServer:
		return signCells
	case l.list || comesLater(id) || id == tabSkills || id == tabEvents:
		return max(digitCells, w+1)
	case w > countCells:
		return w + 1
	case id == tabProblems:
		return countCells
	}
	return digitCells
}

// place sets the columns of the entries, with blanks between them, and returns their width.
func place(all []label, gap int) (x int) {
	for i := range all {
		l := &all[i]
		l.x, l.w = x, display.Width(l.lead())+display.Width(l.name)+l.kept
		x += l.w
		if l.room = l.kept; i+1 < len(all) && !all[i+1].joined {
			x, l.room = x+gap, l.kept+gap
		}
	}
	return x
}

// badges returns the entries that may have a badge, in the order in which cells are kept for them; lists are one
// group.
func badges(all []label) (groups [][]*label) {
	var urgent, others, signs [][]*label
	var lists []*label
	for i := range all {
		switch l := &all[i]; {
		case l.usual == 0 || l.name == "":
		case l.asks:
			urgent = append(urgent, []*label{l})
		case l.list:
			lists = append(lists, l)
		case l.usual <= signCells: // the header has the state, too
			signs = append(signs, []*label{l})
		default:
			others = append(others, []*label{l})
		}
	}
	if len(lists) > 0 {
		urgent = append(urgent, lists)
	}
	return slices.Concat(urgent, others, signs)
}

// labelsOf returns the entries without columns and without some names: from the right, the names of empty tabs
// first, and of tabs with an urgent badge last.
func (m *model) labelsOf(left int) []label {
	p := m.Pal
	var all []label
	traffic := label{tab: len(m.tabs), num: m.Key(tabTraffic), name: "Traffic", usual: 1}
	traffic.active = m.layout.tab.empty() && m.layout.pins.empty() || m.inTraffic()
	for i, t := range m.tabs {
		if t.ID == tabSkills { // tabs that appear later come after it
			all = append(all, traffic)
		}
		if m.hidden(i) {
			continue
		}
		l := label{tab: i, num: m.Key(t.ID), name: t.short}
		l.active, l.empty = i == m.activeTab && !m.layout.tab.empty() && !m.inTraffic(), m.emptyTab(i)
		list, ok := m.lists[t.ID]
		if ok {
			l.badge = diff.Counts(p, list.Changes(), "")
		}
		if badge := display.Sanitize(badgeOf(t.pane)); badge != "" && len(l.badge) == 0 {
			l.badge = []paint.Span{{Style: p.Muted, Text: badge}}
			if t.asks != nil {
				l.badge[0].Style = t.asks(p)
			}
		}
		l.list, l.asks = ok, t.asks != nil
		l.usual = usualCells(t.ID, &l)
		all = append(all, l)
	}
	for _, goes := range []func(l *label) bool{
		func(l *label) bool { return l.empty },
		func(l *label) bool { return !l.urgent() },
		func(*label) bool { return true },
	} {
		for i := len(all) - 1; i >= 0 && left > 0; i-- {
			if l := &all[i]; l.name != "" && !l.active && l.tab < len(m.tabs) && goes(l) {
				l.name = "" // the position of the number stays
				left--
			}
		}
	}
	join(all)
	return all
}

// join writes successive numbers without names as a range.
func join(all []label) {
	for from := 0; from < len(all); from++ {
		to := from
		for to < len(all) && all[to].name == "" && all[to].num == follows(all[from].num, to-from) {
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

// follows returns the digit that is n after another one.
func follows(num string, n int) string {
	digit, err := strconv.Atoi(num)
	if err != nil || digit+n > 9 {
		return "none"
	}
	return strconv.Itoa(digit + n)
}

// emptyTab reports whether a tab is empty.
func (m *model) emptyTab(i int) bool {
	p, ok := m.tabs[i].pane.(app.Emptied)
	return ok && p.Empty()
}

// hidden reports whether a tab is left out because it is empty and stays empty. Its key works nevertheless.
func (m *model) hidden(i int) bool {
	p, ok := m.tabs[i].pane.(app.Absent)
	return i != m.activeTab && ok && !p.Present()
}

// tabAt returns the index of the tab at a column, len(tabs) for Traffic, or -1.
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
		m.showTraffic()
	case i >= 0:
		m.tabs[i].Run()
	}
}

// badgeOf returns the badge of a pane.
func badgeOf(p app.Pane) string {
	if b, ok := p.(app.Badged); ok {
		return b.Badge()
	}
	return ""
}
