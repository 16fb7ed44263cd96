// Package problems implements the pane of problems: the findings of the session and of the probes that the
// user runs, in one list, and the selected entry in full.
package problems

import (
	"slices"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/session/runs/checker"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/widget"
)

// Session is the part of a session that the pane uses.
type Session interface {
	UpdateFindings(*session.Findings) bool
	Store() *store.Store
	Mute(rule string, on bool)
	Target() client.Target
	Redact(text string) string
}

// Checker runs the probes.
type Checker interface {
	State() checker.State
	Allow(tool string, on bool)
	Start(checker.Selection) bool
	Stop()
}

// A Pane is the list of problems and the selected entry.
type Pane struct {
	page.Page[line, lineKey]
	// MuteAlways mutes a rule in every later session, and returns the changed file. It is called outside of
	// Update. It is nil if that is impossible.
	MuteAlways func(rule string, on bool) (file string, err error)
	// Frames shows frames of the probes, which are not in the record of the session; the
	// first one is selected.
	Frames  func(title string, rows []int32)
	Reduce  func(f *lint.Finding) // opens the window that reduces the session to a finding
	Probes  []*probe.Entry        // listed probes
	Flags   []shell.Flag          // flags that the session was started with
	Version string                // version of mcptea, for reports

	app    app.App
	s      Session
	probes Checker // nil if there is no server
	tick   app.Tick
	found  session.Findings
	st     checker.State
	dirs   directories

	entries []*entry
	total   session.FindingCounts
	shown   []*entry // entries in the order of the list, including those of folded groups
	lines   []line
	open    map[string]bool // groups and entries that the user has folded or unfolded
	flat    bool            // grouped by severity instead of topic
	words   bool            // the filter contains words: everything is unfolded
	detail  detail
	rerun   rerun
	scanner *store.Scanner // used by the filter
}

// New returns the pane for the findings of a session and its probes. probes is nil if there is no server.
func New(a app.App, s Session, probes Checker) *Pane {
	p := &Pane{app: a, s: s, probes: probes, open: map[string]bool{}}
	p.detail.Pane, p.detail.part.row = p, store.None
	if probes != nil {
		p.Probes = probe.Catalogue()
	}
	p.Init(page.Spec[line, lineKey]{
		Noun: "finding", Title: p.title, Note: p.note,
		Len: func() int { return len(p.lines) },
		At:  func(i int) line { return p.lines[i] },
		Key: keyOf, Parent: p.parent, Heading: func(l line) bool { return l.entry == nil },
		Across: p.across,
		Columns: []widget.Column[line]{
			{Width: 14, Cell: p.idOf},
			{Cell: p.message},
			{Width: 6, Right: true, Cell: noteOf},
			{Width: 6, Right: true, Cell: times},
			{Width: 24, Right: true, Cell: p.last},
		},
		Language: filter.Findings, Passes: p.passes, Values: p.values, Empty: p.nothingFound, Open: p.enter,
		Detail: func(l line) app.Pane { p.detail.line = l; return &p.detail },
		Needs:  p.needs,
		Layout: page.Layout{Beside: 150, Height: 60, Fixed: true, Texts: true},
	})
	p.Name, p.Own = "problems", p.commands()
	return p
}

func (p *Pane) commands() []keys.Command {
	fold := func(id, on, label, help, words string, footer int, do func(line)) keys.Command {
		return p.Do(keys.Command{ID: id, Keys: keys.On(on), Label: label, Help: help, Words: words, Footer: footer}, func(l line) {
			do(l)
			p.Keep()
			p.list() // the cursor of a folded line moves to its parent
		})
	}
	toggle := fold("fold.toggle", "space", "fold", "Fold or unfold a group, or the findings of a rule or probe", "collapse expand", 20, func(l line) {
		name, standard := p.foldOf(l)
		p.open[name] = !p.isOpen(name, standard)
	})
	toggle.Now = p.folding
	return []keys.Command{
		p.Do(keys.Command{ID: "finding.frame", Keys: keys.On("enter"), Label: "frame/run", Now: p.enters, Help: "Show the frames of the finding; unfold a group; run what was not run yet", Words: "frame wire", Footer: 10}, p.enter, p.noEvidence),
		{ID: "check.stop", Verb: keys.End, Label: "stop", Help: "Stop the probes; what they have found stays", Words: "cancel end", Footer: 11, Run: p.stop, Off: p.notRunning},
		p.Do(keys.Command{ID: "again", Verb: keys.Again, Label: "run", Help: "Run the selected probe or group of probes; on a finding of the session, all probes", Words: "start repeat check", Footer: 12}, func(l line) { p.run(p.ids(l)) }, p.cannotRunLine),
		{ID: "match.next", Verb: keys.NextMatch, Label: "next finding", Help: "Go to the next error or warning", Words: "failure", Footer: 13, Run: func() { p.seek(1) }, Off: p.nothingWrong},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous finding", Help: "Go to the previous error or warning", Words: "failure", Run: func() { p.seek(-1) }, Off: p.nothingWrong},
		toggle,
		fold("fold.close", "h left", "fold", "Hide the findings of the rule or probe, then its group", "collapse", 0, func(l line) {
			name, standard := p.foldOf(l)
			if l.entry != nil && !p.isOpen(name, standard) && l.group.name != "" {
				name = l.group.name
			}
			p.open[name] = false
		}),
		fold("fold.open", "l right", "unfold", "Show the findings of the rule or probe, or the group", "expand", 0, func(l line) {
			name, standard := p.foldOf(l)
			if p.isOpen(name, standard) && l.i < 0 {
				p.Motion(keys.Down)
			}
			p.open[name] = true
		}),
		fold("fold.open-all", "+", "unfold all", "Show all findings of all groups", "expand", 0, func(line) { p.foldAll(true) }),
		fold("fold.close-all", "-", "fold all", "Show the groups only", "collapse", 0, func(line) { p.foldAll(false) }),
		{ID: "sort", Verb: keys.Sort, Label: "sort", Help: "Sort by topic or by severity", Words: "group order", Footer: 27, Run: func() { p.flat = !p.flat; p.list() }},
		{ID: "filter.by", Verb: keys.FilterBy, Label: "severity", Help: "Filter by severity: errors and warnings, errors only, or all", Words: "level failures", Footer: 28, Run: func() { p.CycleFilter("severity", "warning", "error") }, Off: p.nothing},
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter findings and probes by rule, severity, tool, method, words and more", Words: "search find", Footer: 19, Run: p.StartFilter},
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the finding as text", Words: "clipboard", Footer: 21}, p.copyText, isEntry),
		p.Do(keys.Command{ID: "copy.other", Verb: keys.CopyOther, Label: "copy JSON", Help: "Copy the finding as JSON, as mcptea lint and mcptea check print it", Words: "clipboard"}, p.copyJSON, isEntry, hasOutcome),
		p.Do(keys.Command{ID: "copy.command", Label: "copy as command", Help: "Copy the command that runs this probe in a shell", Words: "cli script clipboard"}, func(l line) { p.app.CopyCommand(p.commandLine(l.entry)) }, isProbe, hasCommand),
		p.Do(keys.Command{ID: "explain", Verb: keys.Explain, Label: "explain", Help: "Explain the error, status, step, rule or method", Words: "why what means code", Footer: 15}, p.explain, hasRule),
		p.Do(keys.Command{ID: "open", Verb: keys.Open, Label: "open spec", Help: "Open the section of the specification in the browser", Words: "documentation browser", Footer: 16}, func(l line) { p.app.OpenPage(p.specOf(l.entry)) }, isEntry, needs(func(l line) bool { return p.specOf(l.entry) != "" }, "It has no page to open.")),
		p.Do(keys.Command{ID: "finding.reduce", Verb: keys.Write, Label: "reduce", Help: "Reduce the session to the frames that this finding needs, with invented values, for an issue", Words: "minimize smallest report issue anonymize redact share", Footer: 14}, p.reduce, isEntry, isRule, needs(func(l line) bool { return len(l.entry.rule.Findings) > 0 }, "It has no finding.")),
		p.Do(keys.Command{ID: "mute", Label: "mute", Help: "Mute this rule in this session, or unmute it", Words: "ignore hide suppress"}, func(l line) { p.mute(l, nil) }, isRule),
		p.Do(keys.Command{ID: "mute.always", Label: "mute always", Help: "Mute this rule in config.yaml, or unmute it", Words: "ignore hide suppress"}, func(l line) { p.mute(l, p.MuteAlways) }, isRule),
		{ID: "check.directory", Label: "directory", Help: "List what a directory of servers requires, judged without sending anything", Words: "submission requirements claude openai registry", Run: p.chooseDirectory},
		{ID: "check.run", Keys: keys.On("*"), Label: "run all or failed", Help: "Run all probes, or those again that failed or warned", Words: "start begin repeat check tests suite security conformance", Run: p.runMany, Off: p.cannotRun},
		{ID: "setting", Keys: keys.On(","), Label: "allow tool", Help: "Choose tools that the probes may call although they are not read-only", Words: "permit call settings preferences options configuration", Footer: 23, Run: p.allow, Off: p.noServer},
		{ID: "check.report", Verb: keys.Export, Label: "report", Help: "Write a report of the probes: Markdown, JSON, JUnit or SARIF", Words: "export save", Footer: 24, Run: p.report, Off: p.noReport},
	}
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	news := p.tick.State.Current != t.State.Current || len(p.tick.State.Restarts) != len(t.State.Restarts)
	p.tick = t
	news = p.s.UpdateFindings(&p.found) || news
	if p.probes != nil {
		if st := p.probes.State(); st.Generation != p.st.Generation || p.entries == nil {
			p.st, news = st, true
			p.noteRerun()
		}
	}
	words := p.Filtering()
	refiltered := words != p.words
	if p.words = words; news || p.leftMended() {
		p.build()
	} else if refiltered {
		p.list()
	}
	p.judge()
	return p.Page.Refresh(t) || p.st.Running
}

// build makes the entries and the list.
func (p *Pane) build() {
	current := p.tick.State.Current
	now, before := p.found.Since(current), p.found.Before(current)
	p.entries = append(ruleEntries(&now, &before), probeEntries(&p.tick.State, &p.st, p.Probes)...)
	for i := range p.dirs.reports {
		p.entries = append(p.entries, requirement(&p.dirs.reports[i]))
	}
	p.keepMended()
	p.total = countOf(&now, p.entries)
	p.list()
}

// seek selects the next error or warning, in a direction; it unfolds its group.
func (p *Pane) seek(step int) {
	l, _ := p.Selected()
	at := -1
	switch {
	case l.entry != nil:
		at = slices.Index(p.shown, l.entry)
	case l.group != nil:
		if at = slices.Index(p.shown, l.group.entries[0]); step > 0 {
			at--
		}
	}
	n := len(p.shown)
	for k := 1; k <= n; k++ {
		e := p.shown[((at+k*step)%n+n)%n]
		if !e.isBad() {
			continue
		}
		if p.selectEntry(e); k == n {
			p.app.Say("This is the only error or warning.")
		}
		return
	}
}

// selectEntry selects an entry, in its group, which is unfolded.
func (p *Pane) selectEntry(e *entry) {
	for _, g := range p.groups() {
		if slices.Contains(g.entries, e) {
			p.open[g.name] = true
		}
	}
	p.Keep()
	p.list()
	p.Select(e.key())
}

// ShowFinding selects a finding: the entry of its rule and, if there are several findings, the one at its
// place.
func (p *Pane) ShowFinding(f lint.Finding) {
	p.ClearFilter()
	for _, e := range p.entries {
		if e.rule == nil || e.rule.Rule != f.Rule || e.rule.Severity != f.Severity || e.state == earlier {
			continue
		}
		if p.selectEntry(e); len(e.rule.Findings) > 1 {
			p.open[e.id] = true
			p.list()
		}
		for _, l := range p.lines {
			if l.entry != e || l.i < 0 {
				continue
			}
			if one := &e.rule.Findings[l.i]; one.Row == f.Row && one.Path == f.Path {
				p.Select(keyOf(l))
				break
			}
		}
		return
	}
}

// Subject implements [app.Pointed]: the frame that the selected finding is about.
func (p *Pane) Subject() app.Subject {
	at := app.Subject{Row: store.None}
	l, ok := p.Selected()
	if !ok || l.entry == nil || l.entry.rule == nil || len(l.entry.rule.Findings) == 0 {
		return at
	}
	at.Row = l.entry.rule.Findings[max(l.i, 0)].Row
	return at
}

// Total returns the number of errors and of warnings, without those about frames that the user wrote.
func (p *Pane) Total() (errors, warnings int) {
	n := p.total.Server
	if p.s.Store().Header().IsTap() {
		for i, of := range p.total.Client {
			n[i] += of
		}
	}
	return n[lint.Error], n[lint.Warn]
}

// Badge returns the number of errors and warnings, or the progress of the probes.
func (p *Pane) Badge() string {
	errors, warnings := p.Total()
	switch n := errors + warnings; {
	case n > 0:
		return phrase.Digits(n)
	case p.st.Running && p.st.Total > 0:
		return phrase.Digits(100*p.st.Done/p.st.Total) + "%"
	}
	return ""
}
