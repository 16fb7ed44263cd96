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
)

// Session is what the pane reads.
type Session interface {
	UpdateFindings(*session.Findings) bool
	Store() *store.Store
}

// Pane is the list of rules that have fired and the finding that is selected.
// It belongs to the goroutine that draws.
type Pane struct {
	s     Session
	found session.Findings

	groups []*session.Group // those that pass the filter, in the order shown
	lines  []line
	open   map[string]bool // the rules that are unfolded
	cursor int             // among the lines
	chosen bool            // the person has moved; until then it is the first line

	input input.Filter
	words []string
	least lint.Severity // the mildest that is shown

	top     int // of the list, in lines
	rows    []int
	area    struct{ list, sheet rect }
	excerpt *excerpt
}

// line is a line of the list: a rule, or one of its findings.
type line struct {
	g *session.Group
	f int // place among its findings; -1 for the rule itself
}

// finding is the one that a line stands for: of a rule, the newest.
func (l line) finding() *lint.Finding {
	if l.f < 0 {
		return &l.g.Newest
	}
	return &l.g.Findings[l.f]
}

// spot identifies a line, however the list grows. How often a rule has fired for
// a cause tells two findings at the same place apart.
type spot struct {
	rule  string
	alone bool
	row   int32
	path  string
	times int
}

func spotOf(l line) spot {
	if l.f < 0 {
		return spot{rule: l.g.Rule.ID}
	}
	f := l.finding()
	return spot{rule: l.g.Rule.ID, alone: true, row: f.Row, path: f.Path, times: f.Times}
}

// rect is a part of the pane, in its cells.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// New returns the pane over a session's findings.
func New(s Session) *Pane { return &Pane{s: s, open: map[string]bool{}, least: lint.Info} }

// Context implements the contract of panes.
func (p *Pane) Context() command.Context {
	if len(p.found.Groups) == 0 {
		return command.Global // nothing of the pane's own works yet
	}
	return command.Problems
}

// Busy reports whether a clock runs: none does, the session tells when it has
// got further.
func (p *Pane) Busy() bool { return false }

// Total is how many errors and warnings there are, and the worst of them.
func (p *Pane) Total() (n int, worst lint.Severity) {
	if worst = lint.Warn; p.found.Errors > 0 {
		worst = lint.Error
	}
	return p.found.Errors + p.found.Warnings, worst
}

// Badge is how many errors and warnings there are.
func (p *Pane) Badge() string {
	n, _ := p.Total()
	if n == 0 {
		return ""
	}
	return paint.HumanCount(n)
}

// Refresh takes note of what is new.
func (p *Pane) Refresh(session.State, []store.Flow, time.Time, int) {
	if p.s.UpdateFindings(&p.found) {
		p.list()
	}
}

// list makes the lines anew and keeps the cursor where it was.
func (p *Pane) list() {
	at, had := p.selected()
	p.groups = p.groups[:0]
	for i := range p.found.Groups {
		if g := &p.found.Groups[i]; p.passes(g) {
			p.groups = append(p.groups, g)
		}
	}
	slices.SortStableFunc(p.groups, byGravity)
	p.lines = p.lines[:0]
	for _, g := range p.groups {
		p.lines = append(p.lines, line{g, -1})
		for i := 0; p.open[g.Rule.ID] && i < len(g.Findings); i++ {
			p.lines = append(p.lines, line{g, i})
		}
	}
	if !p.chosen || !had {
		p.cursor = 0
	} else {
		p.find(spotOf(at))
	}
	p.cursor = max(0, min(p.cursor, len(p.lines)-1))
}

// byGravity puts the worst first, and what is muted last. Among its like, a rule
// stays where it is while more is found.
func byGravity(a, b *session.Group) int {
	muted := func(g *session.Group) int {
		if g.Muted {
			return 1
		}
		return 0
	}
	return cmp.Or(muted(a)-muted(b), cmp.Compare(a.Rule.Severity, b.Rule.Severity), cmp.Compare(a.Rule.ID, b.Rule.ID))
}

// find puts the cursor on a line, or on the rule that it belonged to.
func (p *Pane) find(at spot) {
	whole := -1
	for i, l := range p.lines {
		switch {
		case spotOf(l) == at:
			p.cursor = i
			return
		case l.f < 0 && l.g.Rule.ID == at.rule:
			whole = i
		}
	}
	if whole >= 0 {
		p.cursor = whole
	}
}

// selected is the line under the cursor.
func (p *Pane) selected() (line, bool) {
	if p.cursor < 0 || p.cursor >= len(p.lines) {
		return line{}, false
	}
	return p.lines[p.cursor], true
}

func (p *Pane) move(to int) {
	p.cursor = max(0, min(to, len(p.lines)-1))
	p.chosen = true
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

// Cursor is where the text cursor stands while the filter is typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.input.CursorX()
	return x + 1, 1, ok
}
