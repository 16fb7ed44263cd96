package problems

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	if !p.st.Started.IsZero() {
		rows := 1
		if p.saysLeftOut() {
			rows = 2
		}
		var top *app.Canvas
		top, c = c.Over(rows)
		top.Line(p.progress(c.Pal))
		if rows > 1 {
			top.Line(p.leftOut(c))
		}
	}
	p.Page.Paint(c, focused)
}

// calls describes in at most w cells what the probes may call. The least important part is left out first:
// texts are never cut.
func (p *Pane) calls(pal *paint.Palette, w int) string {
	tools := "read-only tools only"
	if n := len(p.st.Allowed); n > 0 {
		tools = "read-only tools and " + pal.Cut(display.Sanitize(strings.Join(p.st.Allowed, ", ")), 40)
	}
	parts := []string{tools, "on connections of their own"}
	if p.st.Seed != 0 {
		parts = append(parts, fmt.Sprintf("seed %d", p.st.Seed))
	}
	for ; len(parts) > 0; parts = parts[:len(parts)-1] {
		if text := strings.Join(parts, " "+pal.Separator+" "); display.Width(text) <= w {
			return text
		}
	}
	return ""
}

// countOutdated counts the probes that have judged a server that a restart has replaced.
func countOutdated(entries []*entry) (n int) {
	for _, e := range entries {
		if e.outdated > 0 && e.state != skipped {
			n++
		}
	}
	return n
}

// beforeRestart names the restart that has replaced the server that the probe has judged.
func (e *entry) beforeRestart() string { return fmt.Sprintf("before restart %d", e.outdated) }

// maxBar bounds the width of the bar of the progress.
const maxBar = 40

// progress returns what writes the progress of the probes, the running probe, and the outcomes.
func (p *Pane) progress(pal *paint.Palette) func(*paint.Row) {
	return func(r *paint.Row) {
		st := &p.st
		r.Gap(1)
		if !st.Running {
			ended := paint.Spans{
				{Style: pal.TextBold, Text: phrase.Count(st.Done, "probe")},
				{Style: pal.Muted, Text: fmt.Sprintf("  %s sent in %s", phrase.Count(st.Sent, "frame"), phrase.Took(st.Took.Round(10*time.Millisecond)))},
			}
			if n := countOutdated(p.entries); n > 0 {
				ended = append(ended, paint.Span{Style: pal.Warn, Text: fmt.Sprintf("  %s outdated", phrase.Count(n, "outcome"))})
			}
			r.Right(paint.Span{Style: pal.Muted, Text: p.calls(pal, r.Left()-paint.SpansWidth(ended)-3) + " "})
			r.Spans(ended...)
			return
		}
		size, done := min(maxBar, max(r.Left()/3, 8)), 0.0
		if st.Total > 0 {
			done = float64(st.Done) / float64(st.Total)
		}
		r.Painted(paint.Bar(pal, size, done), size)
		r.Put(pal.TextBold, fmt.Sprintf("  %d", st.Done))
		r.Put(pal.Text, fmt.Sprintf(" of %d  ", st.Total))
		r.Put(pal.Muted, phrase.Took(max(0, p.tick.Now.Sub(st.Started))))
		r.Put(pal.Warn, "  "+paint.Spinner(pal, p.tick.Spin)+" ")
		if len(st.Current) == 0 {
			r.Put(pal.Text, "connecting")
		}
		for _, e := range st.Current {
			r.Put(pal.Muted, e.ID+" ")
			r.Put(pal.Text, e.Slug+"  ")
		}
	}
}

// saysLeftOut reports whether there is text about findings that were left out.
func (p *Pane) saysLeftOut() bool {
	n, _ := p.skipped()
	return p.st.Err != nil || p.st.Stopped != nil || n > 0 || len(report.Uncalled(p.st.Servers)) > 0
}

// leftOut returns a function that writes why the run ended early, or which findings were left out and why.
func (p *Pane) leftOut(c *app.Canvas) func(*paint.Row) {
	pal := c.Pal
	return func(r *paint.Row) {
		r.Gap(1)
		switch {
		case p.st.Err != nil:
			r.Put(pal.Error, pal.FailMark+" Cannot connect: ")
			r.Put(pal.Text, p.st.Err.Error())
			return
		case p.st.Stopped != nil:
			r.Put(pal.Warn, pal.WarnMark+" incomplete: ")
			r.Put(pal.Text, p.st.Stopped.Error()+"   ")
		}
		if tools := report.Uncalled(p.st.Servers); len(tools) > 0 {
			key := c.Names.Name("setting")
			r.Right(paint.Span{Style: pal.AccentBold, Text: key}, paint.Span{Style: pal.Muted, Text: " allow "})
			r.Put(pal.Muted, pal.Absent+" "+report.NotCalledBrief(tools)+"   ")
		}
		if n, why := p.skipped(); n > 0 {
			r.Put(pal.Muted, fmt.Sprintf("%s %d skipped: %s", pal.Absent, n, why))
		}
	}
}

// skipped counts the skipped probes, and lists the reasons with their counts.
func (p *Pane) skipped() (n int, why string) {
	var reports []probe.Report
	for _, e := range p.entries {
		if e.isProbe() && e.report != nil {
			reports = append(reports, *e.report)
		}
	}
	return report.Skipped(reports, ", ")
}

func (p *Pane) title() []paint.Span {
	title := "Problems"
	if p.flat {
		title += "  by severity"
	}
	return []paint.Span{{Text: title}}
}

// note counts the findings, or the frames that are not checked yet.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	if n := p.found.Behind; n > 0 {
		return []paint.Span{{Style: pal.Warn, Text: phrase.Count(n, "frame") + " not checked yet"}}
	}
	var spans []paint.Span
	add := func(st paint.Style, text string) {
		if len(spans) > 0 {
			text = "  " + text
		}
		spans = append(spans, paint.Span{Style: st, Text: text})
	}
	for i, n := range p.total.Server {
		if s := lint.Severity(i); n > 0 {
			add(app.SeverityStyle(pal, s), app.SeveritySign(pal, s)+" "+phrase.Digits(n))
		}
	}
	n := 0
	for _, of := range p.total.Client {
		n += of
	}
	if n > 0 {
		text := paint.If(p.s.Store().Header().IsTap(), "host ", "yours ") + phrase.Digits(n)
		if p.total.More {
			text += "+"
		}
		add(pal.Muted, text)
	}
	return spans
}

// nothingFound adds what was checked without a finding.
func (p *Pane) nothingFound(d *doc.Doc) {
	if n := p.found.Behind; n > 0 {
		d.Text(d.Pal.Muted, "No problems found yet. "+phrase.Count(n, "frame")+" not checked yet.", 4)
		return
	}
	checks := "MCP"
	if rev := p.tick.State.Handshake.Revision; rev != "" {
		checks += " " + string(rev)
	}
	d.Text(d.Pal.Strong, "No problems found.", 2)
	d.Gap()
	d.Text(d.Pal.Text, "Every frame is checked against "+checks+".", 4)
}

// signOf returns the sign of a state, with its color.
func signOf(pal *paint.Palette, s state) (paint.Style, string) {
	switch s {
	case failed:
		return pal.Error, pal.FailMark
	case warned, byLibrary:
		return pal.Warn, pal.WarnMark
	case unjudged:
		return pal.Warn, "?"
	case noted:
		return pal.Accent, "i"
	case passed, mended:
		return pal.OK, pal.OKMark
	case skipped:
		return pal.Muted, pal.Absent
	}
	return pal.Muted, pal.Separator
}

// sign returns the sign of an entry. A muted rule keeps its sign, and a running probe has a spinner.
func (p *Pane) sign(pal *paint.Palette, e *entry) (paint.Style, string) {
	switch {
	case e.running:
		return pal.Warn, paint.Spinner(pal, p.tick.Spin)
	case e.state == muted || e.state == earlier:
		return pal.Muted, app.SeveritySign(pal, e.rule.Severity)
	case e.outdated > 0:
		_, sign := signOf(pal, e.state)
		return pal.Muted, sign
	}
	return signOf(pal, e.state)
}

// across returns what writes rows that are not entries: groups, and single findings.
func (p *Pane) across(l line) func(r *paint.Row, pal *paint.Palette, selected bool) {
	switch {
	case l.entry == nil:
		return func(r *paint.Row, pal *paint.Palette, _ bool) { p.groupRow(r, pal, l.group) }
	case l.i >= 0:
		return func(r *paint.Row, pal *paint.Palette, _ bool) { p.findingRow(r, pal, l) }
	}
	return nil
}

// groupRow writes a topic with the number of its findings by state, or a group that is not listed one by one
// with its topics or reasons.
func (p *Pane) groupRow(r *paint.Row, pal *paint.Palette, g *group) {
	fold := paint.If(p.words || p.isOpen(g.name, !g.isRest()), pal.Unfolded, pal.Folded)
	if g.isRest() && !g.isDirectory() {
		style, sign := signOf(pal, g.entries[0].state)
		r.Put(pal.Muted, fold+" ")
		r.Put(style, sign)
		r.Put(pal.Text, fmt.Sprintf(" %d %s   ", len(g.entries), g.name))
		if n := countOutdated(g.entries); n > 0 {
			r.Put(pal.Warn, fmt.Sprintf("%d outdated   ", n))
		}
		if g.name == restNames[skipped] {
			_, why := p.skipped()
			r.Put(pal.Muted, why)
		} else {
			r.Put(pal.Muted, byTopic(g.entries))
		}
		return
	}
	hidden := func(e *entry) bool { return !p.Shows(line{g, e, -1}) }
	all := countFindings(slices.DeleteFunc(slices.Clone(g.entries), hidden))
	for _, e := range p.entries {
		if e.state == passed && e.topic == g.name && !g.isDirectory() && !hidden(e) {
			all[passed]++ // those are in a separate group
		}
	}
	var right []paint.Span
	all[passed] += all[mended]
	for _, s := range []state{failed, warned, unjudged, noted, byHand, passed, skipped} {
		if all[s] > 0 {
			style, sign := signOf(pal, s)
			right = append(right, paint.Span{Style: style, Text: fmt.Sprintf("  %s %d", sign, all[s])})
		}
	}
	r.Right(append(right, paint.Span{Text: " "})...)
	r.Put(pal.Muted, fold+" ")
	r.Put(pal.TextBold, g.name)
}

// idOf returns the id of an entry after the sign of its state, indented under its group. Most ids have at most
// five cells, so that the texts do not move when others become visible.
func (p *Pane) idOf(l line, pal *paint.Palette) []paint.Span {
	style, sign := p.sign(pal, l.entry)
	return []paint.Span{{Style: style, Text: paint.If(l.group.name != "", "  ", "") + sign + " "}, {Style: pal.Muted, Text: fmt.Sprintf("%-5s", l.entry.id)}}
}

// message describes an entry in its row.
func (p *Pane) message(l line, pal *paint.Palette) []paint.Span {
	st := pal.Text
	switch s := l.entry.state; {
	case s == muted, s == skipped, s == waiting, s == earlier, l.entry.outdated > 0:
		st = pal.Muted
	}
	return []paint.Span{{Style: st, Text: l.entry.message()}}
}

// noteOf describes findings that are not blamed on the server.
func noteOf(l line, pal *paint.Palette) []paint.Span {
	switch e := l.entry; {
	case e.rule == nil:
	case e.state == muted:
		return []paint.Span{{Style: pal.Muted, Text: "muted"}}
	case e.rule.Newest.Fault == lint.Client:
		return []paint.Span{{Style: pal.Muted, Text: "client"}}
	}
	return nil
}

// times returns how often an entry was found, if more than once.
func times(l line, pal *paint.Palette) []paint.Span {
	n := len(l.entry.cases)
	if l.entry.rule != nil {
		n = l.entry.rule.Count
	}
	if n < 2 || l.entry.requirement != nil {
		return nil
	}
	return []paint.Span{{Style: pal.Text, Text: pal.Times + phrase.Digits(n)}}
}

// last returns where an entry was found last, or what requires it.
func (p *Pane) last(l line, pal *paint.Palette) []paint.Span {
	e, text := l.entry, ""
	switch {
	case e.rule != nil && e.rule.Newest.Row >= 0:
		text = frameNumber(e.rule.Newest.Row)
	case e.rule != nil:
	case e.requirement != nil:
		text = p.requiredBy(e)
	case e.outdated > 0:
		text = e.beforeRestart()
	case e.isBad():
		text = cmp.Or(e.versions(), "probe")
	}
	return []paint.Span{{Style: pal.Muted, Text: text}}
}

// findingRow writes one finding of a rule or of a probe.
func (p *Pane) findingRow(r *paint.Row, pal *paint.Palette, l line) {
	f, _ := l.entry.at(l.i)
	at, text := f.lint, pal.Text
	if l.entry.state == muted {
		text = pal.Muted
	}
	if at != nil {
		r.Right(paint.Span{Style: pal.Muted, Text: clock(at) + " "})
	}
	r.Gap(5)
	switch {
	case at == nil:
		r.Put(app.SeverityStyle(pal, f.severity), app.SeveritySign(pal, f.severity)+" ")
		r.Put(pal.Muted, f.name+"  ")
		r.Put(text, f.message)
	case at.Row < 0:
		r.Put(text, f.message)
	case l.entry.isVaried():
		r.Put(pal.Muted, frameNumber(at.Row)+" ")
		r.Put(text, f.message)
	default:
		r.Put(pal.Muted, frameNumber(at.Row)+" ")
		r.Spans(p.frame(pal, at.Row, text)...)
		r.Gap(1)
		r.Put(pal.Value, tail(pal, at.Where(), r.Left()))
	}
}

func clock(f *lint.Finding) string { return f.Time.Format(time.TimeOnly) }

func frameNumber(row int32) string {
	if row == store.None {
		return ""
	}
	return "#" + strconv.Itoa(int(row)+1)
}
