package check

import (
	"os"
	"runtime"
	"slices"

	"mcptea/session/failure/card"
	"mcptea/session/probe"
	"mcptea/session/probe/checker"
	"mcptea/session/report"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/widget/masterdetail"
)

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.Back:
		return p.back()
	case command.NextPane, command.PreviousPane:
		return action.Leave{Forward: name == command.NextPane}
	case command.FilterProbes:
		p.input.Open()
		return nil
	case command.FailuresOnly:
		p.failures = !p.failures
		p.list()
		return nil
	case command.RunProbes:
		return p.start(nil)
	case command.RunFailed:
		return p.runFailed()
	case command.StopProbes:
		if !p.st.Running {
			return action.Flash{Text: "No check is running."}
		}
		p.c.Stop()
		return action.Flash{Text: "Stopping the check"}
	case command.AllowTool:
		return action.AllowTool{}
	case command.WriteReport:
		if len(p.st.Reports) == 0 {
			return action.Flash{Text: "No outcome to write yet: " + command.KeyOf(command.RunProbes) + " runs the probes."}
		}
		return action.WriteReport{}
	}
	l, ok := p.selected()
	if !ok {
		return nil
	}
	if p.move(name) {
		return nil
	}
	if p.fold(name, l) {
		return nil
	}
	return p.onProbe(name, l)
}

// back clears the filter, or leaves the pane.
func (p *Pane) back() action.Action {
	switch {
	case p.input.Clear():
		p.apply()
	case p.failures:
		p.failures = false
		p.list()
	default:
		return action.Leave{}
	}
	return nil
}

// move moves the cursor, or selects another finding of the probe.
func (p *Pane) move(name command.ID) bool {
	before := p.view.List.Index()
	defer func() {
		if p.view.List.Index() != before {
			p.found = 0
		}
	}()
	switch name {
	case command.NextFailure:
		p.seek(1)
	case command.PreviousFailure:
		p.seek(-1)
	case command.NextCase:
		p.found++ // finding bounds it
	case command.PreviousCase:
		p.found = max(p.found-1, 0)
	default:
		return command.ApplyScroll(&p.view.List, name)
	}
	return true
}

// seek selects the next probe with a finding, in a direction; it unfolds its group.
func (p *Pane) seek(step int) {
	current, _ := p.selected()
	var order []line
	at := -1
	for i := range p.groups {
		g := &p.groups[i]
		order = append(order, line{group: g})
		if current.item == nil && current.group == g {
			at = len(order) - 1
		}
		var bad []*item
		for _, it := range g.probes {
			if p.passes(it) && (it.isBad() || it == current.item) {
				bad = append(bad, it)
			}
		}
		for _, it := range sorted(bad) {
			order = append(order, line{group: g, item: it})
			if it == current.item {
				at = len(order) - 1
			}
		}
	}
	for n := 1; n <= len(order); n++ {
		l := order[((at+step*n)%len(order)+len(order))%len(order)]
		if l.item != nil && l.item.isBad() {
			p.open[l.group.name], p.closed[l.group.name] = true, false
			p.list()
			p.view.List.Select(l.key())
			p.view.List.Pin(true)
			return
		}
	}
}

// fold shows or hides the probes of a group. It reports false for another command.
func (p *Pane) fold(name command.ID, l line) bool {
	g := l.group.name
	switch name {
	case command.ToggleFold:
		p.setOpen(g, !p.isOpen(l.group))
	case command.Collapse:
		p.setOpen(g, false)
	case command.Expand:
		if p.isOpen(l.group) && l.item == nil {
			p.view.List.Move(1)
			return true
		}
		p.setOpen(g, true)
	case command.ExpandAll, command.CollapseAll:
		for i := range p.groups {
			p.setOpen(p.groups[i].name, name == command.ExpandAll)
		}
	default:
		return false
	}
	p.view.List.Pin(true)
	p.list()
	if _, ok := p.selected(); ok && name != command.Expand && !p.isOpen(l.group) {
		p.view.List.Select(lineKey{group: g})
	}
	return true
}

func (p *Pane) setOpen(group string, on bool) {
	p.open[group], p.closed[group] = on, !on
}

// onProbe carries out a command on the selected probe or group.
func (p *Pane) onProbe(name command.ID, l line) action.Action {
	if name == command.RunSelected {
		return p.start(idsOf(l))
	}
	if l.item == nil {
		if name == command.ShowEvidence {
			if len(p.st.Reports) == 0 && !p.st.Running {
				return p.start(nil)
			}
			p.fold(command.ToggleFold, l)
			return nil
		}
		return action.Flash{Text: "Select a probe first."}
	}
	f, _, found := p.finding(l.item)
	switch name {
	case command.ShowEvidence:
		return p.evidence(l.item)
	case command.OpenSpec:
		if u := report.SpecURL(l.item.entry, p.revision(l.item)); u != "" {
			return action.OpenPage{URL: u}
		}
		return action.Flash{Text: "This probe refers to no page."}
	case command.Explain:
		if found && f.Rule != nil {
			return action.Explain{Card: card.OfRule(f.Rule)}
		}
		return action.Flash{Text: "This finding belongs to no lint rule."}
	case command.CopyCommand:
		return p.copyCommand(l.item.entry)
	}
	return nil
}

// revision is the protocol version of a probe's outcome.
func (p *Pane) revision(it *item) string {
	if it.report != nil {
		return it.report.Revision
	}
	return string(p.session.Handshake.Revision)
}

// evidence shows the frames of a probe, those of the selected finding first.
func (p *Pane) evidence(it *item) action.Action {
	f, _, ok := p.finding(it)
	if !ok {
		return action.Flash{Text: "This probe has found nothing."}
	}
	show := action.ShowProbeFrames{Title: it.entry.ID + " " + it.entry.Slug, Row: store.None}
	for _, frame := range f.Frames {
		if frame.Row == store.None {
			continue
		}
		if show.Row == store.None {
			show.Row = frame.Row
		}
		show.Rows = append(show.Rows, frame.Row)
	}
	if show.Row == store.None {
		return action.Flash{Text: "This finding is not about single frames."}
	}
	return show
}

// idsOf are the probes of a line.
func idsOf(l line) []string {
	if l.item != nil {
		return []string{l.item.entry.ID}
	}
	var ids []string
	for _, it := range l.group.probes {
		ids = append(ids, it.entry.ID)
	}
	return ids
}

func (p *Pane) runFailed() action.Action {
	var ids []string
	for i := range p.st.Reports {
		if r := &p.st.Reports[i]; r.Verdict == probe.Fail || r.Verdict == probe.Failure || r.Verdict == probe.Warn {
			ids = append(ids, r.Entry.ID)
		}
	}
	if len(ids) == 0 {
		return action.Flash{Text: "No probe has failed."}
	}
	return p.start(ids)
}

// start runs probes; all without ids.
func (p *Pane) start(ids []string) action.Action {
	if p.st.Running {
		return action.Flash{Text: "A check is running: " + command.KeyIn(command.Check, command.StopProbes, false) + " stops it."}
	}
	if len(ids) == 0 {
		p.view.List.Pin(false)
	}
	if !p.c.Start(checker.Selection{Only: ids}) {
		return action.Flash{Text: "Cannot start the check.", Wrong: true}
	}
	return nil
}

// copyCommand copies the command that runs a probe in a shell.
func (p *Pane) copyCommand(e *probe.Entry) action.Action {
	line := p.commandLine(e)
	text, err := line.For(shell.Of(os.Getenv("SHELL"), runtime.GOOS))
	if err != nil {
		return action.Flash{Text: "no command for this: " + err.Error(), Wrong: true}
	}
	return action.Copy{Text: text, What: "command", Needs: line.Variables()}
}

func (p *Pane) commandLine(e *probe.Entry) *shell.Line {
	l := &shell.Line{}
	l.Add("mcptea", "check", "--only", e.ID)
	l.AddTarget(p.flags, p.s.Target())
	return l
}

// Click selects a line; on the selected one it unfolds the group, or shows the
// frames of the finding.
func (p *Pane) Click(x, y int) action.Action {
	if p.view.Click(x, y-p.above) != masterdetail.Again {
		return nil
	}
	return p.Do(command.ShowEvidence)
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) { p.view.Scroll(x, y-p.above, n) }

// sorted sorts probes as the list does.
func sorted(items []*item) []*item {
	slices.SortStableFunc(items, byVerdict)
	return items
}

// Works reports whether a command of the last line does something now.
func (p *Pane) Works(id command.ID) bool {
	l, ok := p.selected()
	bad := slices.ContainsFunc(p.groups, func(g group) bool { return g.isBad() })
	switch id {
	case command.StopProbes:
		return p.st.Running
	case command.RunProbes, command.RunSelected:
		return !p.st.Running
	case command.RunFailed:
		return !p.st.Running && bad
	case command.NextFailure, command.FailuresOnly:
		return bad
	case command.ShowEvidence:
		return ok && l.item != nil && len(findings(l.item.report)) > 0
	case command.OpenSpec, command.Explain:
		return ok && l.item != nil
	case command.WriteReport:
		return len(p.st.Reports) > 0 && !p.st.Running
	}
	return true
}
