// Package check is the pane of the active probes: groups of probes with their
// outcome, and what the selected one has found.
//
// It knows the outcome of probes. It must not know how they are run, or how frames
// are shown.
package check

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/session/probe"
	"mcptea/session/probe/checker"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// Checker runs the probes.
type Checker interface {
	State() checker.State
	Start(checker.Selection) bool
	Stop()
}

// Session is what the pane needs of one.
type Session interface {
	Target() client.Target
	Transport() string
}

// Pane is the list of probes and the selected one. It belongs to the goroutine that
// draws.
type Pane struct {
	s     Session
	c     Checker
	flags []shell.Flag

	st      checker.State
	session session.State
	now     time.Time
	spin    int

	groups []group
	lines  []line
	open   map[string]bool // groups that are unfolded
	closed map[string]bool // groups that the user has folded
	view   masterdetail.View[lineKey]
	found  int // index of the finding that is shown of the selected probe

	input    input.Filter
	words    input.Words
	failures bool // only what has warnings and errors is listed
	above    int  // rows of the progress at the last painting
}

// group is a group of probes with its outcome.
type group struct {
	name   string
	probes []*item
	counts map[probe.Verdict]int
	left   int // probes without an outcome
}

// item is a probe with its outcome in a protocol version; nil before that.
type item struct {
	entry   *probe.Entry
	report  *probe.Report
	running bool
}

// line is a line of the list: a group, or one of its probes.
type line struct {
	group *group
	item  *item // nil for the group itself
}

// lineKey identifies a line while the list changes.
type lineKey struct{ group, id, revision string }

func (l line) key() lineKey {
	if l.item == nil {
		return lineKey{group: l.group.name}
	}
	k := lineKey{group: l.group.name, id: l.item.entry.ID}
	if l.item.report != nil {
		k.revision = l.item.report.Revision
	}
	return k
}

// New returns the pane over a checker. The flags are those that the session was
// started with.
func New(s Session, c Checker, flags ...shell.Flag) *Pane {
	p := &Pane{s: s, c: c, flags: flags, open: map[string]bool{}, closed: map[string]bool{}}
	p.view.Layout = masterdetail.Layout{Beside: 100, Percent: 39, Min: 46, Max: 60, Height: 45}
	p.view.List.Items = masterdetail.Items[lineKey]{
		Len: func() int { return len(p.lines) },
		Key: func(i int) lineKey { return p.lines[i].key() },
		Row: p.itemRow,
	}
	return p
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Check }

// Busy reports whether a clock is shown.
func (p *Pane) Busy() bool { return p.st.Running }

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
	return x + 1, p.above + 1, ok
}

func (p *Pane) apply() {
	p.words = input.ParseWords(p.input.Value())
	p.list()
}

// Badge is the number of probes that have failed, or how far the run is.
func (p *Pane) Badge() string {
	failed := 0
	for i := range p.st.Reports {
		if p.st.Reports[i].Verdict == probe.Fail {
			failed++
		}
	}
	switch {
	case failed > 0:
		return paint.HumanCount(failed)
	case p.st.Running && p.st.Total > 0:
		return paint.HumanCount(100*p.st.Done/p.st.Total) + "%"
	}
	return ""
}

// Failed reports whether a probe has failed.
func (p *Pane) Failed() bool {
	return slices.ContainsFunc(p.st.Reports, func(r probe.Report) bool { return r.Verdict == probe.Fail })
}

// Refresh reads the outcome so far.
func (p *Pane) Refresh(st session.State, _ []store.Flow, now time.Time, spin int) {
	p.session, p.now, p.spin = st, now, spin
	if news := p.c.State(); news.Generation != p.st.Generation {
		p.st = news
		p.collect()
		p.list()
	}
}

// collect sorts the outcome into the groups of the catalog.
func (p *Pane) collect() {
	p.groups = p.groups[:0]
	of := map[*probe.Entry][]*probe.Report{}
	for i := range p.st.Reports {
		r := &p.st.Reports[i]
		of[r.Entry] = append(of[r.Entry], r)
	}
	for _, e := range probe.Catalogue() {
		if n := len(p.groups); n == 0 || p.groups[n-1].name != e.Group {
			p.groups = append(p.groups, group{name: e.Group, counts: map[probe.Verdict]int{}})
		}
		g := &p.groups[len(p.groups)-1]
		running := slices.Contains(p.st.Current, e)
		for _, r := range relevant(of[e]) {
			g.counts[r.Verdict]++
			g.probes = append(g.probes, &item{entry: e, report: r, running: running})
		}
		if len(of[e]) == 0 {
			g.left++
			g.probes = append(g.probes, &item{entry: e, running: running})
		}
	}
}

// relevant leaves out that a probe does not apply to a protocol version, if it does
// to another.
func relevant(reports []*probe.Report) []*probe.Report {
	if len(reports) < 2 {
		return reports
	}
	kept := slices.DeleteFunc(slices.Clone(reports), func(r *probe.Report) bool { return r.Verdict == probe.Skipped })
	if len(kept) == 0 {
		return reports[:1]
	}
	return kept
}

// verdict is the worst outcome in a group; empty while it has none.
func (g *group) verdict() probe.Verdict {
	for _, v := range []probe.Verdict{probe.Fail, probe.Failure, probe.Warn, probe.Pass, probe.Skipped} {
		if g.counts[v] > 0 {
			return v
		}
	}
	return ""
}

// isBad reports a group with a probe that the user has to look at.
func (g *group) isBad() bool {
	return g.counts[probe.Fail]+g.counts[probe.Failure]+g.counts[probe.Warn] > 0
}

// isBad reports an outcome that the user has to look at.
func (i *item) isBad() bool {
	return i.report != nil && (i.report.Verdict == probe.Fail || i.report.Verdict == probe.Warn || i.report.Verdict == probe.Failure)
}

// list builds the lines and keeps the cursor at its probe. Of groups with findings
// the probes that have them are listed also while the group is folded. Until the user has moved the cursor, the
// first probe that failed is selected.
func (p *Pane) list() {
	list := &p.view.List
	pinned := list.Pinned()
	p.lines = p.lines[:0]
	for i := range p.groups {
		g := &p.groups[i]
		var shown []*item
		all := len(p.words) > 0 || p.failures || p.open[g.name]
		for _, it := range g.probes {
			if p.passes(it) {
				shown = append(shown, it)
			}
		}
		if len(shown) == 0 {
			continue
		}
		slices.SortStableFunc(shown, byVerdict)
		p.lines = append(p.lines, line{group: g})
		if p.isOpen(g) {
			for _, it := range shown {
				if !all && !it.isBad() && !it.running {
					continue
				}
				p.lines = append(p.lines, line{group: g, item: it})
			}
		}
	}
	list.Refresh()
	if !pinned {
		p.selectFirst()
	}
	list.Pin(pinned)
}

// selectFirst selects the first probe that has failed, else the first with a
// warning.
func (p *Pane) selectFirst() {
	for _, v := range []probe.Verdict{probe.Fail, probe.Failure, probe.Warn} {
		if i := slices.IndexFunc(p.lines, func(l line) bool { return l.item != nil && l.item.report != nil && l.item.report.Verdict == v }); i >= 0 {
			p.selectLine(i)
			return
		}
	}
	p.selectLine(0)
}

func (p *Pane) selectLine(i int) {
	if i != p.view.List.Index() {
		p.found = 0
	}
	p.view.List.SelectIndex(i)
}

// byVerdict sorts what has to be looked at first.
func byVerdict(a, b *item) int {
	rank := func(i *item) int {
		switch {
		case i.running:
			return 1
		case i.report == nil:
			return 5
		}
		return map[probe.Verdict]int{probe.Fail: 0, probe.Failure: 2, probe.Warn: 2, probe.Pass: 3, probe.Skipped: 4}[i.report.Verdict]
	}
	return cmp.Compare(rank(a), rank(b))
}

// isOpen reports whether the probes of a group are listed.
func (p *Pane) isOpen(g *group) bool {
	if len(p.words) > 0 || p.failures {
		return !p.closed[g.name]
	}
	return p.open[g.name] || g.isBad() && !p.closed[g.name]
}

// passes reports whether the filter lists a probe.
func (p *Pane) passes(it *item) bool {
	if p.failures && !it.isBad() && !it.running {
		return false
	}
	if len(p.words) == 0 {
		return true
	}
	e := it.entry
	text := e.ID + " " + e.Slug + " " + e.Group + " " + string(e.Level) + " " + e.Sends
	if it.report != nil {
		text += " " + string(it.report.Verdict) + " " + it.report.Skip
		for _, f := range it.report.Findings {
			text += " " + f.Message + " " + f.Subject
		}
	}
	return p.words.Match(strings.ToLower(text))
}

// selected is the line under the cursor.
func (p *Pane) selected() (line, bool) {
	i := p.view.List.Index()
	if i < 0 {
		return line{}, false
	}
	return p.lines[i], true
}

// findings are those of a probe, the worst first.
func findings(r *probe.Report) []probe.Finding {
	if r == nil {
		return nil
	}
	sorted := slices.Clone(r.Findings)
	slices.SortStableFunc(sorted, func(a, b probe.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	return sorted
}

// finding is the one that is shown of the selected probe.
func (p *Pane) finding(it *item) (f probe.Finding, of int, ok bool) {
	all := findings(it.report)
	if len(all) == 0 {
		return f, 0, false
	}
	p.found = max(0, min(p.found, len(all)-1))
	return all[p.found], len(all), true
}

// wrong reports a finding that is more than an information.
func wrong(f probe.Finding) bool { return f.Severity != lint.Info && !f.Accepted }
