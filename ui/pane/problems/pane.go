package problems

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// Session is what the pane reads.
type Session interface {
	UpdateFindings(*session.Findings) bool
	Store() *store.Store
}

// Pane is the list of violated rules and the selected finding. It belongs to the
// goroutine that draws.
type Pane struct {
	s     Session
	st    session.State
	found session.Findings
	count count

	groups []*session.Group // those that pass the filter, in the order shown
	lines  []line
	open   map[string]bool // the rules that are unfolded
	view   masterdetail.View[lineKey]
	low    bool // the pane has room for one row of each rule

	input       input.Filter
	words       input.Words
	minSeverity lint.Severity

	excerpt *excerpt
}

// line is a line of the list: a rule, or one of its findings.
type line struct {
	group *session.Group
	i     int // index of its findings; -1 for the rule itself
}

// finding is the one of a line, of a rule the newest.
func (l line) finding() *lint.Finding {
	if l.i < 0 {
		return &l.group.Newest
	}
	return &l.group.Findings[l.i]
}

// lineKey identifies a line while the list grows. Times tells two findings at the
// same place apart.
type lineKey struct {
	rule   string
	single bool
	row    int32
	path   string
	times  int
}

func (l line) key() lineKey {
	if l.i < 0 {
		return lineKey{rule: l.group.Rule.ID}
	}
	f := l.finding()
	return lineKey{rule: l.group.Rule.ID, single: true, row: f.Row, path: f.Path, times: f.Times}
}

// New returns the pane over the findings of a session.
func New(s Session) *Pane {
	p := &Pane{s: s, open: map[string]bool{}, minSeverity: lint.Info}
	p.view.Layout = masterdetail.Layout{Beside: 100, Percent: 40, Min: 44, Max: 76}
	p.view.List.Items = masterdetail.Items[lineKey]{
		Len:    func() int { return len(p.lines) },
		Key:    func(i int) lineKey { return p.lines[i].key() },
		Height: p.height,
		Row:    p.itemRow,
	}
	return p
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	if len(p.found.Groups) == 0 {
		return command.Global // no command of the pane works yet
	}
	return command.Problems
}

// Busy implements the contract of panes: no clock is shown.
func (p *Pane) Busy() bool { return false }

// Total is the number of errors and warnings and their highest severity, without
// those about frames of the user.
func (p *Pane) Total() (n int, worst lint.Severity) {
	if worst = lint.Warn; p.count.by[lint.Error] > 0 {
		worst = lint.Error
	}
	return p.count.by[lint.Error] + p.count.by[lint.Warn], worst
}

// Badge is the number of errors and warnings.
func (p *Pane) Badge() string {
	n, _ := p.Total()
	if n == 0 {
		return ""
	}
	return paint.HumanCount(n)
}

// Refresh reads the findings of the session.
func (p *Pane) Refresh(st session.State, _ []store.Flow, _ time.Time, _ int) {
	p.st = st
	if p.s.UpdateFindings(&p.found) {
		p.count = countOf(&p.found)
		p.list()
	}
}

// count is the number of findings, those of muted rules left out.
type count struct {
	by    [lint.Info + 1]int // by severity, about the server
	yours int                // about frames of the user: mcptea's own have none, see lint.OfSelf
	more  bool               // of yours: older findings are not kept one by one
}

func countOf(found *session.Findings) count {
	var c count
	for i := range found.Groups {
		g := &found.Groups[i]
		if g.Muted {
			continue
		}
		yours, more := yoursOf(g)
		c.yours += yours
		c.more = c.more || more
		c.by[g.Rule.Severity] += g.Count - yours
	}
	return c
}

// yoursOf counts the findings of a rule for which the client is responsible, which
// are about frames that the user wrote. It reports true when there may be more.
func yoursOf(g *session.Group) (n int, more bool) {
	switch g.Rule.Side {
	case lint.Client:
		return g.Count, false
	case lint.Server:
		return 0, false
	}
	for i := range g.Findings {
		if g.Findings[i].Fault == lint.Client {
			n++
		}
	}
	return n, n > 0 && g.Count > len(g.Findings)
}

// list builds the lines and keeps the cursor at its finding. Until the user has
// moved it, the first one is selected.
func (p *Pane) list() {
	was, had := p.selected()
	p.groups = p.groups[:0]
	for i := range p.found.Groups {
		if g := &p.found.Groups[i]; p.passes(g) {
			p.groups = append(p.groups, g)
		}
	}
	slices.SortStableFunc(p.groups, bySeverity)
	p.lines = p.lines[:0]
	for _, g := range p.groups {
		p.lines = append(p.lines, line{g, -1})
		for i := 0; p.open[g.Rule.ID] && i < len(g.Findings); i++ {
			p.lines = append(p.lines, line{g, i})
		}
	}
	list := &p.view.List
	pinned := list.Pinned()
	kept := list.Refresh()
	switch {
	case !pinned || !had:
		list.SelectIndex(0)
	case !kept: // folded away, or no longer kept
		list.Select(line{was.group, -1}.key())
	}
	list.Pin(pinned)
}

// bySeverity sorts errors first and muted rules last. Among equals a rule keeps its
// place while more is found.
func bySeverity(a, b *session.Group) int {
	muted := func(g *session.Group) int {
		if g.Muted {
			return 1
		}
		return 0
	}
	return cmp.Or(muted(a)-muted(b), cmp.Compare(a.Rule.Severity, b.Rule.Severity), cmp.Compare(a.Rule.ID, b.Rule.ID))
}

// selected is the line under the cursor.
func (p *Pane) selected() (line, bool) {
	i := p.view.List.Index()
	if i < 0 {
		return line{}, false
	}
	return p.lines[i], true
}

// Typing reports whether keys are text for the filter.
func (p *Pane) Typing() bool { return p.input.Typing() }

// Type takes a key while the filter is being typed.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	taken := p.input.Type(k, command.FilterKeys())
	p.apply()
	return nil, taken
}

// Paste takes pasted text while the filter is being typed.
func (p *Pane) Paste(text string) {
	if p.input.Paste(text) {
		p.apply()
	}
}

// Cursor is the cell of the text cursor while the filter is being typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.input.CursorX()
	return x + 1, 1, ok
}
