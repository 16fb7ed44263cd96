package problems

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"mcptea/check/directory"
	"mcptea/check/report"
	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/session/explain/card"
	"mcptea/session/runs/checker"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// needs makes the reason why a command does nothing for a line.
func needs(ok func(line) bool, why string) func(line) string {
	return func(l line) string {
		if ok(l) {
			return ""
		}
		return why
	}
}

// What commands need of a line.
var (
	isEntry    = needs(func(l line) bool { return l.entry != nil }, "Select a finding or a probe first.")
	isRule     = needs(func(l line) bool { return l.entry != nil && l.entry.rule != nil }, "Select a finding of a lint rule first.")
	isProbe    = needs(func(l line) bool { return l.entry != nil && l.entry.probe != nil }, "Select a probe first.")
	hasCommand = needs(func(l line) bool { return !isOfFile(l) }, "Its command takes a file: mcptea check --directory registry FILE.")
	hasOutcome = needs(func(l line) bool { return l.entry.rule != nil || l.entry.report != nil }, "The probe has not run yet.")
	hasRule    = needs(func(l line) bool { return ruleOf(l) != nil }, "The selected line is not of a lint rule.")
)

// ruleOf returns the rule of a line, or nil.
func ruleOf(l line) *lint.Entry {
	if l.entry == nil {
		return nil
	}
	f, _ := l.entry.at(l.i)
	return f.rule
}

// explain shows the card of a line's rule, with its finding.
func (p *Pane) explain(l line) {
	f, _ := l.entry.at(l.i)
	p.app.Explain(card.OfFinding(f.rule, f.message, f.hint))
}

// reduce opens the window that reduces the session to the finding of a line; of several, to the first one.
func (p *Pane) reduce(l line) { p.Reduce(&l.entry.rule.Findings[max(l.i, 0)]) }

func (p *Pane) noServer() string {
	return keys.Reason(p.probes == nil, "A recording has no server to check.")
}

func (p *Pane) cannotRun() string {
	if p.st.Running {
		return "The probes are running: " + p.app.Key("check.stop") + " stops them."
	}
	return p.noServer()
}

// cannotRunLine returns why the subject of a line cannot be run, or "".
func (p *Pane) cannotRunLine(l line) string {
	if why := p.cannotRun(); why != "" || !l.group.isDirectory() || l.entry != nil && l.entry.requirement.Probes != "" {
		return why
	}
	return "It is judged without sending anything: there is nothing to run."
}

func (p *Pane) notRunning() string { return keys.Reason(!p.st.Running, "No probe is running.") }

func (p *Pane) noReport() string {
	switch {
	case len(p.st.Reports) == 0 && p.probes != nil:
		return "There are no results to write yet: " + p.app.Key("again") + " runs the probes."
	case p.st.Running:
		return "The probes are still running."
	}
	return p.noServer()
}

func (p *Pane) nothing() string {
	return keys.Reason(len(p.found.Groups) == 0 && len(p.st.Reports)+len(p.dirs.reports) == 0, "No problems found.")
}

func (p *Pane) nothingWrong() string {
	return keys.Reason(!slices.ContainsFunc(p.entries, (*entry).isBad), "No errors or warnings.")
}

// enter shows the frames of a finding, unfolds a group, or runs probes that were not run yet.
func (p *Pane) enter(l line) {
	switch {
	case p.awaits(l):
		p.run(p.ids(l))
	case l.entry == nil:
		p.open[l.group.name] = !p.isOpen(l.group.name, !l.group.isRest())
		p.Keep()
		p.list()
	case p.noEvidence(l) == "": // including by a click
		p.evidence(l)
	}
}

// enters returns the label of enter on the selected line.
func (p *Pane) enters() string {
	l, ok := p.Selected()
	switch {
	case !ok:
		return ""
	case p.awaits(l):
		return "run"
	case l.entry == nil:
		return paint.If(p.isOpen(l.group.name, !l.group.isRest()), "fold", "unfold")
	}
	return "frame"
}

// awaits reports whether a line is of probes that have not run yet.
func (p *Pane) awaits(l line) bool {
	if l.entry == nil {
		return !p.st.Running && l.group.entries[0].state == waiting
	}
	return !p.st.Running && l.entry.state == waiting
}

// evidence shows the frame of a finding at its place, or the frames of a probe.
func (p *Pane) evidence(l line) {
	f, _ := l.entry.at(l.i)
	if at := f.lint; at != nil {
		offset := -1
		if at.AtByte() {
			offset = at.Offset
		}
		p.app.ShowPlace(at.Row, at.Path, offset)
		return
	}
	p.Frames(l.entry.id+" "+l.entry.slug, f.rows())
}

// noEvidence returns why the frames of a line cannot be shown, or "".
func (p *Pane) noEvidence(l line) string {
	if l.entry == nil || l.entry.state == waiting && !p.st.Running {
		return "" // enter folds it or runs it
	}
	switch f, ok := l.entry.at(l.i); {
	case l.entry.requirement != nil:
		return "A requirement is not about one frame."
	case !ok:
		return "This probe found nothing."
	case f.lint != nil && f.lint.Row < 0, f.lint == nil && f.rows() == nil:
		return "This finding is not about one frame."
	}
	return ""
}

// rows returns the rows of the evidence.
func (f *found) rows() (rows []int32) {
	if f.probe == nil {
		return nil
	}
	for _, frame := range f.probe.Frames {
		if frame.Row != store.None {
			rows = append(rows, frame.Row)
		}
	}
	return rows
}

// ids returns the ids of a line's probes, or none for all.
func (p *Pane) ids(l line) (ids []string) {
	switch {
	case l.entry != nil && l.entry.requirement != nil:
		return p.idsOf(func(e *entry) bool { return e.probe.Group == l.entry.requirement.Probes })
	case l.entry != nil && l.entry.probe != nil:
		return []string{l.entry.id}
	case l.entry == nil && !l.group.isRest():
		return p.idsOf(func(e *entry) bool { return e.topic == l.group.name })
	case l.entry == nil && len(p.st.Reports) > 0:
		return p.idsOf(func(e *entry) bool { return restNames[e.state] == l.group.name })
	}
	return nil
}

func (p *Pane) failed() []string { return p.idsOf((*entry).isBad) }

func (p *Pane) idsOf(wanted func(*entry) bool) (ids []string) {
	for _, e := range p.entries {
		if e.isProbe() && wanted(e) && !slices.Contains(ids, e.id) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// run runs probes; all without ids.
func (p *Pane) run(only []string) {
	p.noteBad(only)
	p.app.Go(func(context.Context) func() {
		if p.probes.Start(checker.Selection{Only: only}) {
			return nil
		}
		return func() { p.app.Fail("Cannot start the probes.") }
	})
}

// runMany runs all probes, or asks whether to run only those that failed or warned.
func (p *Pane) runMany() {
	failed := p.failed()
	if len(failed) == 0 {
		p.run(nil)
		return
	}
	entries := []dialog.Entry{{Key: "failed", Name: "failed", Summary: phrase.Count(len(failed), "probe") + " that failed or warned"}, {Key: "all", Name: "all", Summary: phrase.Count(len(p.Probes), "probe")}}
	dialog.Choose{
		Title: "Run probes", Verb: "run", Width: 60,
		Len:    func() int { return len(entries) },
		Entry:  func(i int) dialog.Entry { return entries[i] },
		Accept: func(i int) { p.run([][]string{failed, nil}[i]) },
	}.Open(p.app)
}

func (p *Pane) stop() {
	p.probes.Stop()
	p.app.Say("Stopping the probes.")
}

// allow chooses the tools that the probes may call although they are not read-only.
func (p *Pane) allow() {
	var tools []string
	for _, item := range p.tick.State.Lists[client.Tools.Name].Items {
		if !client.IsReadOnly(item.Raw) {
			tools = append(tools, item.Name)
		}
	}
	if len(tools) == 0 {
		p.app.Say("All tools are annotated as read-only: the probes call them anyway.")
		return
	}
	isAllowed := func(i int) bool { return slices.Contains(p.probes.State().Allowed, tools[i]) }
	dialog.Choose{
		Title: "Tools that the probes may call", Verb: "allow, or no longer", Width: 72, Switches: true,
		Text:   "The probes call these tools only if you allow it. Their calls have made-up arguments and may change what the server manages.",
		Len:    func() int { return len(tools) },
		Entry:  func(i int) dialog.Entry { return dialog.Entry{Key: tools[i], Name: tools[i], Current: isAllowed(i)} },
		Stays:  func(int) bool { return true },
		Accept: func(i int) { p.probes.Allow(tools[i], !isAllowed(i)) },
	}.Open(p.app)
}

// report asks for the format and the file of the probes' report, and writes it.
func (p *Pane) report() {
	formats := report.Formats()
	d := dialog.Pick{
		Title: "Report of the probes", Verb: "write", Width: 76, Label: "file", Empty: "Type the path of a file.",
		File: func(i int) string { return formats[i].File },
	}
	for _, f := range formats {
		d.Entries = append(d.Entries, dialog.Entry{Name: f.Name, Summary: f.Title})
	}
	required := p.dirs.reports
	d.Accept = func(_ context.Context, i int, path string) (func(), error) {
		st := p.probes.State()
		summary := st.Summary()
		summary.Reports = slices.Concat(summary.Reports, required)
		if err := system.WriteFile(path, func(w io.Writer) error { return formats[i].Write(w, summary, p.Version) }); err != nil {
			return nil, fmt.Errorf("cannot write the report: %w", dialog.Reason(err))
		}
		return func() { p.app.Say(dialog.Wrote(path, formats[i].Name) + ".") }, nil
	}
	d.Open(p.app)
}

// mute mutes or unmutes a rule, and shows a message, because a muted rule is easily forgotten. always, if not
// nil, does it in every later session. The rule remains selected, so that the same command undoes it.
func (p *Pane) mute(l line, always func(rule string, on bool) (file string, err error)) {
	p.Keep()
	rule, on := l.entry.id, l.entry.state != muted
	p.s.Mute(rule, on)
	p.app.Go(func(context.Context) func() {
		where, removed, id := "in this session", "", "mute"
		if always != nil {
			file, err := always(rule, on)
			if err != nil {
				return func() { p.app.Fail("Only in this session: " + err.Error() + ".") }
			}
			where, removed, id = "in every session ("+file+")", ", and is removed from "+file, "mute.always"
		}
		return func() {
			switch key := p.app.Key(id); {
			case !on:
				p.app.Say(rule + " is no longer muted" + removed + ".")
			case key == "":
				p.app.Say(rule + " is muted " + where + ": " + p.app.Key("commands") + " mute unmutes it.")
			default:
				p.app.Say(rule + " is muted " + where + ". " + key + " unmutes it.")
			}
		}
	})
}

// specOf returns the URL of the specification for an entry, or "".
func (p *Pane) specOf(e *entry) string {
	revision := string(p.tick.State.Handshake.Revision)
	if e.rule != nil {
		return report.SpecURL(e.rule.Rule.Spec, revision)
	}
	if e.report != nil {
		revision = e.report.Revision
	}
	return report.SpecURL(e.probe.Spec, revision)
}

// commandLine returns the shell command that runs a probe.
func (p *Pane) commandLine(e *entry) *shell.Line {
	l := &shell.Line{}
	if e.requirement != nil {
		l.Add("mcptea", "check", "--directory", e.requirement.Directories[0])
		if of := e.requirement.Probes; of != "" && of != directory.Probes {
			l.Add("--only", of)
		}
	} else {
		l.Add("mcptea", "check", "--only", e.id)
	}
	l.AddTarget(p.Flags, p.s.Target())
	return l
}

func (p *Pane) copyText(l line) {
	f, _ := l.entry.at(l.i)
	if f.lint == nil {
		p.app.Copy(display.SanitizeLines(report.Text(l.entry.probe, l.entry.report)), nil, "outcome of the probe")
		return
	}
	name := ""
	if f.lint.Row >= 0 {
		name = fmt.Sprintf("frame %d", f.lint.Row+1)
		if m := p.method(f.lint.Row); m != "" {
			name += " (" + m + ")"
		}
	}
	shown := *f.lint
	if d := p.detail; d.part.reference == referenceOf(f.lint) {
		shown.Excerpt = d.part.text
	}
	p.app.Copy(display.SanitizeLines(report.LintText(&shown, name, report.Frames)), nil, "finding")
}

func (p *Pane) copyJSON(l line) {
	doc := any(nil)
	if f, _ := l.entry.at(l.i); f.lint != nil {
		doc = f.lint.Document(int(f.lint.Row) + 1)
	} else {
		doc = report.LineOf(l.entry.report)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		p.app.Fail(dialog.Sentence(err))
		return
	}
	p.app.Copy(display.EscapeJSON(string(text)), nil, "finding as JSON")
}
