package problems

import (
	"context"
	"fmt"
	"io"
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/atomicfile"
	"mcptea/session/probe/checker"
	"mcptea/session/report"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// The reasons why commands do nothing now.

func isEntry(l line) string {
	if l.entry == nil {
		return "Select a finding or a probe first."
	}
	return ""
}

func isRule(l line) string {
	if l.entry == nil || l.entry.rule == nil {
		return "Select a finding of a lint rule first."
	}
	return ""
}

func isProbe(l line) string {
	if l.entry == nil || l.entry.probe == nil {
		return "Select a probe first."
	}
	return ""
}

func hasOutcome(l line) string {
	if why := isEntry(l); why != "" {
		return why
	}
	if l.entry.probe != nil && l.entry.report == nil {
		return "The probe has not run yet."
	}
	return ""
}

func hasRule(l line) string {
	if l.explained() == nil {
		return "The selected line belongs to no lint rule."
	}
	return ""
}

func (p *Pane) hasSpec(l line) string {
	if p.specOf(l.entry) == "" {
		return "It refers to no page."
	}
	return ""
}

func (p *Pane) noServer() string {
	if p.probes == nil {
		return "A recording has no server to check."
	}
	return ""
}

func (p *Pane) cannotRun() string {
	if p.st.Running {
		return "The probes are running: " + p.app.Key("check.stop") + " stops them."
	}
	return p.noServer()
}

func (p *Pane) cannotRunFailed() string {
	if why := p.cannotRun(); why != "" || len(p.failed()) > 0 {
		return why
	}
	return "No probe has failed."
}

func (p *Pane) notRunning() string {
	if !p.st.Running {
		return "No probe is running."
	}
	return ""
}

func (p *Pane) noReport() string {
	switch {
	case len(p.st.Reports) == 0 && p.probes != nil:
		return "No outcome to write yet: " + p.app.Key("check.run-selected") + " runs the probes."
	case p.st.Running:
		return "The probes are still running."
	}
	return p.noServer()
}

func (p *Pane) nothing() string {
	if len(p.found.Groups) == 0 && len(p.st.Reports) == 0 {
		return "No problems found."
	}
	return ""
}

func (p *Pane) nothingWrong() string {
	if !slices.ContainsFunc(p.entries, (*entry).isBad) {
		return "No error and no warning."
	}
	return ""
}

// enter shows the frames of a finding, unfolds a group, or runs what was not run yet.
func (p *Pane) enter(l line) {
	switch {
	case l.entry == nil && l.group.entries[0].state == waiting && !p.st.Running:
		p.run(p.ids(l))
	case l.entry == nil:
		p.open[l.group.name] = !p.isOpen(l.group.name, !l.group.rest)
		p.Keep()
		p.list()
	case l.entry.rule != nil:
		p.jump(l)
	case l.entry.state == waiting && !p.st.Running:
		p.run(p.ids(l))
	default:
		p.evidence(l)
	}
}

// jump shows the frame of a finding at its place.
func (p *Pane) jump(l line) {
	switch f := l.entry.finding(l.i); {
	case f.Row < 0:
		p.app.Say("This finding is not about one frame.")
	case f.AtByte():
		p.app.ShowPlace(f.Row, f.Path, f.Offset)
	default:
		p.app.ShowPlace(f.Row, f.Path, -1)
	}
}

// evidence shows the frames of a finding of a probe.
func (p *Pane) evidence(l line) {
	f := l.entry.found(l.i)
	if f == nil {
		p.app.Say("This probe has found nothing.")
		return
	}
	var rows []int32
	for _, frame := range f.Frames {
		if frame.Row != store.None {
			rows = append(rows, frame.Row)
		}
	}
	if rows == nil {
		p.app.Say("This finding is not about single frames.")
		return
	}
	p.Frames(l.entry.id+" "+l.entry.slug(), rows)
}

// ids are the probes of a line; none for all.
func (p *Pane) ids(l line) (ids []string) {
	switch {
	case l.entry != nil && l.entry.probe != nil:
		return []string{l.entry.id}
	case l.entry == nil && !l.group.rest:
		return p.idsOf(func(e *entry) bool { return e.topic == l.group.name })
	case l.entry == nil && len(p.st.Reports) > 0:
		return p.idsOf(func(e *entry) bool { return restNames[e.state] == l.group.name })
	}
	return nil
}

func (p *Pane) failed() []string { return p.idsOf((*entry).isBad) }

func (p *Pane) idsOf(wanted func(*entry) bool) (ids []string) {
	for _, e := range p.entries {
		if e.probe != nil && wanted(e) && !slices.Contains(ids, e.id) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// run runs probes; all without ids.
func (p *Pane) run(only []string) {
	p.app.Go(func(context.Context) func() {
		if p.probes.Start(checker.Selection{Only: only}) {
			return nil
		}
		return func() { p.app.Fail("Cannot start the probes.") }
	})
}

func (p *Pane) stop() {
	p.probes.Stop()
	p.app.Say("Stopping the probes.")
}

// allow chooses the tools that the probes may call although they are not read-only.
func (p *Pane) allow() {
	var tools []string
	for _, item := range p.tick.State.Lists[client.Tools.Name].Items {
		if v, _ := jsonrpc.Member(item.Raw, "annotations", "readOnlyHint"); string(v) != "true" {
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
		Text: "The probes call these tools only if you allow it. Their calls have made-up arguments and may change what the server manages.",
		Load: func() []dialog.Entry {
			entries := make([]dialog.Entry, len(tools))
			for i, tool := range tools {
				entries[i] = dialog.Entry{Key: tool, Name: tool, Current: isAllowed(i)}
			}
			return entries
		},
		Stays:  func(int) bool { return true },
		Accept: func(i int) { p.probes.Allow(tools[i], !isAllowed(i)) },
	}.Open(p.app)
}

// report asks for the format and the file of the report of the probes, and writes it.
func (p *Pane) report() {
	formats := report.Formats()
	d := dialog.Pick{
		Title: "Report of the probes", Verb: "write", Width: 76, Label: "file", Empty: "Type the path of a file.",
		File: func(i int) string { return formats[i].File },
	}
	for _, f := range formats {
		d.Entries = append(d.Entries, dialog.Entry{Name: f.Name, Summary: f.Title})
	}
	d.Accept = func(_ context.Context, i int, path string) (func(), error) {
		st := p.probes.State()
		if err := atomicfile.Write(path, func(w io.Writer) error { return formats[i].Write(w, st.Summary(), p.Version) }); err != nil {
			return nil, fmt.Errorf("cannot write the report: %w", dialog.Reason(err))
		}
		return func() { p.app.Say(fmt.Sprintf("Wrote %s (%s).", path, formats[i].Name)) }, nil
	}
	d.Open(p.app)
}

// mute mutes a rule and says so: a muted rule is easily forgotten. It stays selected, so
// that the same command unmutes it.
func (p *Pane) mute(l line) {
	rule, on := p.setMuted(l)
	if on {
		p.app.Say(rule + " is muted in this session" + p.undone("mute"))
		return
	}
	p.app.Say(rule + " is no longer muted.")
}

func (p *Pane) setMuted(l line) (rule string, on bool) {
	p.Keep()
	rule, on = l.entry.id, !l.entry.rule.Muted
	p.s.Mute(rule, on)
	return rule, on
}

// undone ends a sentence about a command which the same command undoes.
func (p *Pane) undone(id string) string {
	if key := p.app.Key(id); key != "" {
		return ". " + key + " unmutes it."
	}
	return ": " + p.app.Key("commands") + " mute unmutes it."
}

func (p *Pane) muteAlways(l line) {
	if p.MuteAlways == nil {
		p.mute(l)
		return
	}
	rule, on := p.setMuted(l)
	p.app.Go(func(context.Context) func() {
		file, err := p.MuteAlways(rule, on)
		return func() {
			switch {
			case err != nil:
				p.app.Fail("Only in this session: " + err.Error())
			case on:
				p.app.Say(rule + " is muted in every session (" + file + ")" + p.undone("mute.always"))
			default:
				p.app.Say(rule + " is no longer muted, and is removed from " + file + ".")
			}
		}
	})
}

// specOf is the address of what an entry goes by; empty without one.
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

// commandLine is the command that runs a probe in a shell.
func (p *Pane) commandLine(e *entry) *shell.Line {
	l := &shell.Line{}
	l.Add("mcptea", "check", "--only", e.id)
	l.AddTarget(p.Flags, p.s.Target())
	return l
}

func (p *Pane) copyText(l line) {
	if l.entry.probe != nil {
		p.app.Copy(paint.SanitizeLines(report.Text(l.entry.probe, l.entry.report)), nil, "outcome of the probe")
		return
	}
	f, name := l.entry.finding(l.i), ""
	if f.Row >= 0 {
		name = fmt.Sprintf("frame %d", f.Row+1)
		if m := p.method(f.Row); m != "" {
			name += " (" + m + ")"
		}
	}
	p.app.Copy(paint.SanitizeLines(f.Text(name)), nil, "finding")
}

func (p *Pane) copyJSON(l line) {
	var text []byte
	var err error
	if f := l.entry; f.probe != nil {
		text, err = report.JSON(f.report)
	} else {
		text, err = f.finding(l.i).JSON(int(f.finding(l.i).Row) + 1)
	}
	if err != nil {
		p.app.Fail(err.Error())
		return
	}
	p.app.Copy(paint.EscapeJSON(string(text)), nil, "finding as JSON")
}
