package problems

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// detail is the selected line in full. It has no commands, so it never has the focus.
type detail struct {
	*Pane
	line line
	part excerpt // excerpt of the finding selected last
}

// The methods of [app.Pane].
func (*detail) Commands() []keys.Command { return nil }
func (*detail) Motion(keys.Motion) bool  { return false }

// Paint paints the finding, the fix, the catalog's text, and the evidence.
func (d *detail) Paint(c *app.Canvas, focused bool) {
	e, pal := d.line.entry, c.Pal
	if e == nil {
		d.group(c, d.line.group, focused)
		return
	}
	style, sign := d.sign(pal, e)
	s := doc.On(c.Box([]paint.Span{{Style: style, Text: sign + " "}, {Style: pal.Muted, Text: e.id + " "}, {Style: pal.TextBold, Text: e.slug}}, []paint.Span{{Style: style, Text: display.Sanitize(rank(pal, e))}}, focused))
	d.add(s)
	s.Paint()
}

// needs returns the number of rows that the detail of a line wants. A group needs none.
func (p *Pane) needs(l line, s *app.Screen, w, h int) int {
	if l.entry == nil {
		return 0
	}
	p.detail.line = l
	return doc.Measure(s, w-2, h, p.detail.add) + 2
}

// add adds the texts of an entry.
func (d *detail) add(s *doc.Doc) {
	e, pal := d.line.entry, s.Pal
	f, ok := e.at(d.line.i)
	if ok {
		s.Text(app.SeverityBold(pal, f.severity), f.message, max(s.H/2, 2)).Give(1, 2)
		s.Gap()
		fix(s, f.hint)
	} else {
		s.Text(pal.Text, d.outcome(s, e), 4)
	}
	s.Gap()
	switch {
	case e.rule != nil:
		d.ofRule(s, f.lint)
	case e.requirement != nil:
		d.ofRequirement(s, e, f)
	default:
		d.ofProbe(s, e, f)
	}
}

// rank describes the severity of an entry, in the words of its catalog.
func rank(pal *paint.Palette, e *entry) string {
	switch {
	case e.state == muted:
		return "muted"
	case e.rule != nil:
		return e.rule.Severity.String()
	case e.requirement != nil:
		return strings.TrimPrefix(e.topic, partPrefix)
	case e.report == nil:
		return string(e.probe.Level)
	}
	versions := e.report.Revision
	if len(e.report.Versions) > 1 {
		versions = strings.Join(e.report.Versions, ", ")
	}
	if level := e.report.Requirement(); level != "" {
		return string(level) + " " + pal.Separator + " " + versions
	}
	return versions
}

// outcome describes a probe without findings, as a sentence.
func (d *detail) outcome(s *doc.Doc, e *entry) string {
	if e.requirement != nil {
		return requirementText(e)
	}
	switch e.state {
	case waiting:
		return "Not run yet. " + s.Names.Name("again") + " runs this probe."
	case running:
		return "Running."
	case skipped:
		return "Skipped: " + e.report.Why()
	case unjudged:
		return "Not judged: " + e.report.Why()
	}
	return "Passed."
}

// fix adds the fix.
func fix(s *doc.Doc, hint string) {
	margin := s.Margin
	s.Margin = 2
	s.FactText(s.Pal.ArrowOut, s.Pal.Text, hint, max(s.H/4, 2)).Give(1, 2)
	s.Margin = margin
}

// ofRule writes the catalog's text about the rule, and the frame around the place.
func (d *detail) ofRule(s *doc.Doc, f *lint.Finding) {
	pal, g := s.Pal, d.line.entry.rule
	facts(s, report.LintFacts(f, report.Frames), report.HeadRule, report.HeadPlace)
	when := clock(f)
	if f.Row < 0 {
		when += ", not about one frame"
	}
	s.FactText("time", pal.Text, when, 1).Give(6, 0)
	if n, kept := g.Count, len(g.Findings); n > 1 {
		text := phrase.Digits(n)
		if kept < n {
			text += ", the newest " + phrase.Digits(kept) + " are listed"
		}
		s.FactText("count", pal.Text, text, 1).Give(6, 0)
	}
	if f.Row < 0 {
		return
	}
	e := d.part
	if e.reference != referenceOf(f) {
		e = excerpt{}
	}
	title := append([]paint.Span{{Style: pal.Muted, Text: "frame " + frameNumber(f.Row) + " "}}, d.frame(pal, f.Row, pal.Text)...)
	if where := f.Where(); where != "" {
		if e.tree != nil && !e.found {
			where += " (missing)"
		}
		title = append(title, paint.Span{Style: pal.Value, Text: "  " + tail(pal, where, s.W-8-paint.SpansWidth(title))})
	}
	s.Gap()
	s.Rule(title...)
	s.Rest(e.wants(), e.paint).Give(1, 3)
}

// ofProbe adds the cases of a probe, its description in the catalog, and the evidence.
func (d *detail) ofProbe(s *doc.Doc, e *entry, f found) {
	pal := s.Pal
	if e.outdated > 0 {
		s.FactText("outdated", pal.Warn, "judged "+e.beforeRestart()+"; "+s.Names.Name("again")+" runs the probe again", 2).Give(1, 0)
	}
	d.cases(s)
	if !e.isBad() {
		s.FactText("sends", pal.Text, e.probe.Sends, 3)
		s.FactText("passes", pal.Text, e.probe.Pass, 3)
		s.FactText("fails", pal.Text, e.probe.Fail, 3)
	}
	if f.probe == nil {
		s.FactLink("spec", d.specOf(e), strings.TrimPrefix(d.specOf(e), "https://"), 2).Give(7, 1)
	} else {
		facts(s, report.Facts(e.report, f.probe))
	}
	if e.report != nil {
		for _, name := range slices.Sorted(maps.Keys(e.report.Measure)) {
			s.FactText("measure", pal.Muted, fmt.Sprintf("%g  %s", e.report.Measure[name], name), 1).Give(8, 0)
		}
	}
	d.command(s, e)
	if f.probe != nil {
		evidence(s, report.Facts(e.report, f.probe))
	}
}

// command writes the command that runs an entry in a shell.
func (d *detail) command(s *doc.Doc, e *entry) {
	if text, err := d.commandLine(e).For(shell.OfUser()); err == nil {
		s.FactText("command", s.Pal.Muted, text, 2).Give(8, 0)
	}
}

// facts adds the evidence of a finding other than its frames. It leaves out what is displayed
// elsewhere.
func facts(s *doc.Doc, all []report.Fact, said ...report.Head) {
	before := ""
	for _, fact := range all {
		style, label := s.Pal.Text, fact.Label
		switch {
		case fact.Frame != nil, fact.Head != report.NoHead && slices.Contains(said, fact.Head):
			continue
		case fact.Head == report.HeadSide:
			style = s.Pal.TextBold
		case fact.Foreign, fact.Gives >= report.Detail:
			style = s.Pal.Muted
		}
		if label == before {
			label = ""
		}
		before = fact.Label
		text := strings.TrimPrefix(fact.Text, "https://")
		if fact.Short != "" && display.Width(text) > s.W-s.Margin-1 {
			text = fact.Short
		}
		if fact.Short != "" {
			s.FactLink(label, fact.Text, text, 3).Give(fact.Gives+1, 0)
			continue
		}
		s.FactText(label, style, text, 3).Give(fact.Gives+1, 0)
	}
}

// maxCases is the number of findings of a probe that are listed together.
const maxCases = 6

// cases lists the findings of a probe that has several.
func (d *detail) cases(s *doc.Doc) {
	all, at, label := d.line.entry.cases, max(d.line.i, 0), "cases"
	from := max(0, min(at-maxCases/2, len(all)-maxCases))
	for i := from; i < min(from+maxCases, len(all)) && len(all) > 1; i++ {
		f, style := &all[i], paint.If(i == at, s.Pal.TextBold, s.Pal.Muted)
		s.Fact(label, paint.Span{Style: app.SeverityStyle(s.Pal, f.Severity), Text: app.SeveritySign(s.Pal, f.Severity) + " "}, paint.Span{Style: style, Text: cmp.Or(f.Case, f.Message)}).Give(4, 0)
		label = paint.If(i == from && len(all) > maxCases, fmt.Sprintf("%d of %d", maxCases, len(all)), "")
	}
}

// maxLines is the number of rows that a frame wants.
const maxLines = 5

// evidence adds the frames among facts. They are numbered as in the window of frames.
func evidence(s *doc.Doc, all []report.Fact) {
	titled := false
	for i := range all {
		frame := all[i].Frame
		if frame == nil {
			continue
		}
		if !titled {
			s.Gap()
			title := []paint.Span{{Style: s.Pal.TextBold, Text: "evidence"}}
			if n := frameNumber(frame.Row); n != "" {
				title = append(title, paint.Span{Style: s.Pal.AccentBold, Text: "  " + s.Names.Name("finding.frame")}, paint.Span{Style: s.Pal.Muted, Text: " shows " + n})
			}
			s.Rule(title...)
			titled = true
		}
		arrow, style := s.Pal.ArrowOut, s.Pal.Out
		if frame.Dir == transport.In {
			arrow, style = s.Pal.ArrowIn, s.Pal.In
		}
		sign := paint.Span{Style: style, Text: paint.Pad(arrow+" "+frameNumber(frame.Row), evidenceMargin)}
		text := all[i].Text
		if frame.Place != "" { // the place is visible
			text = all[i].Excerpt(maxLines * max(1, s.W-evidenceMargin-2))
		}
		s.Sign(sign, s.Pal.Text, text, maxLines).Give(1, 1)
	}
}

// evidenceMargin is the width of the direction and the number of a frame.
const evidenceMargin = 9

// group paints the contents of a group.
func (d *detail) group(c *app.Canvas, g *group, focused bool) {
	title := phrase.Capital(g.name)
	if i := topicIndex(g.name); i >= 0 {
		title = probe.Groups()[i].Title
	}
	s := doc.On(c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: title}}, nil, focused))
	if g.entries[0].state == waiting {
		if len(d.found.Groups) == 0 && len(d.st.Reports) == 0 {
			d.nothingFound(s)
			s.Gap()
		}
		s.Text(s.Pal.Text, phrase.Count(len(g.entries), "probe")+" can send correct, unusual and malformed messages and see how the server reacts: on connections of their own, calling read-only tools only.", 4)
		s.Gap()
		s.Keys(1, doc.Key{ID: "finding.frame", Label: "run"}, doc.Key{ID: "setting", Label: "allow tools"})
		s.Gap()
	}
	if g.isDirectory() {
		s.Text(s.Pal.Text, "Requirements of "+strings.Join(d.dirs.names, ", ")+" as of "+directory.Date(d.dirs.names)+"; the directories change them.", 2)
		s.Gap()
	}
	s.Rest(len(g.entries), func(c *app.Canvas) {
		for _, e := range g.entries[:min(len(g.entries), c.H)] {
			c.Line(func(r *paint.Row) {
				style, sign := d.sign(c.Pal, e)
				r.Gap(1)
				r.Put(style, sign+" ")
				r.Put(c.Pal.Muted, e.id+" ")
				r.Cell(c.Pal.Text, e.slug, min(24, c.W/3))
				r.Gap(1)
				switch {
				case e.probe == nil || e.isBad() || e.requirement != nil:
					r.Put(c.Pal.Muted, e.message())
				case e.state == skipped:
					r.Put(c.Pal.Muted, e.report.Why())
				default:
					r.Put(c.Pal.Muted, e.probe.Sends)
				}
			})
		}
	}).Give(9, 0)
	s.Paint()
}
