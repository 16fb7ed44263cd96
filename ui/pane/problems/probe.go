package problems

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"mcptea/client/transport"
	"mcptea/session/probe"
	"mcptea/session/shell"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
)

// group paints what is in a group.
func (d *detail) group(c *app.Canvas, g *group, focused bool) {
	title := strings.ToUpper(g.name[:1]) + g.name[1:]
	for _, known := range probe.Groups() {
		if known.Name == g.name {
			title = known.Title
		}
	}
	s := doc.On(c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: title}}, nil, focused))
	if g.entries[0].state == waiting {
		d.waiting(s, g)
	}
	for _, e := range g.entries {
		style, sign := d.sign(s.Pal, e)
		does := e.message(-1)
		switch {
		case e.state == skipped:
			does = e.report.Skip
		case e.probe != nil && !e.isBad():
			does = e.probe.Sends
		}
		s.Row(paint.Span{Style: style, Text: sign + " "}, paint.Span{Style: s.Pal.Muted, Text: e.id + " "}, paint.Span{Style: s.Pal.Text, Text: e.slug() + "  "}, paint.Span{Style: s.Pal.Muted, Text: does})
	}
	s.Paint()
}

// waiting says what the probes do, and how to run them.
func (d *detail) waiting(s *doc.Doc, g *group) {
	if len(d.found.Groups) == 0 && len(d.st.Reports) == 0 {
		d.nothingFound(s)
		s.Gap()
	}
	s.Text(s.Pal.Text, paint.Plural(len(g.entries), "probe")+" can send correct, unusual and malformed messages and see how the server reacts: on connections of their own, calling read-only tools only.", 4)
	s.Gap()
	s.Keys(1, doc.Key{ID: "finding.frame", Label: "run"}, doc.Key{ID: "check.allow", Label: "allow tools"})
	s.Gap()
}

// probe paints what a probe has found, what to do, the evidence, and where the
// requirement is written.
func (d *detail) probe(c *app.Canvas, l line, focused bool) {
	e, pal := l.entry, c.Pal
	style, sign := d.sign(pal, e)
	note := string(e.probe.Level)
	if r := e.report; r != nil {
		note = r.Revision
		if level := r.Requirement(); level != "" {
			note = string(level) + " " + pal.Separator + " " + r.Revision
		}
	}
	s := doc.On(c.Box([]paint.Span{{Style: style, Text: sign + " "}, {Style: pal.Muted, Text: e.id + " "}, {Style: pal.TextBold, Text: e.slug()}}, []paint.Span{{Style: pal.Muted, Text: paint.Sanitize(note)}}, focused))
	f := e.found(l.i)
	switch {
	case f != nil:
		s.Text(severity.Bold(pal, f.Severity), e.message(max(l.i, 0)), max(s.H/4, 2))
		s.Gap()
		fix(s, f.Hint)
		s.Gap()
		d.cases(s, l)
		exit(s, f)
		evidence(s, f)
	case e.state == waiting:
		s.Text(pal.Muted, "Not run yet. "+s.Names.Name("check.run-selected")+" runs this probe.", 2)
	case e.state == skipped:
		s.Text(pal.Text, "Skipped: "+e.report.Skip, 3)
	case e.state == unjudged:
		s.Text(pal.Warn, "Not judged: "+e.report.Skip, 4)
	case e.state == passed:
		s.Text(pal.OK, "Passed.", 1)
	}
	s.Gap()
	if !e.isBad() {
		s.FactText("sends", pal.Text, e.probe.Sends, 3)
		s.FactText("passes", pal.Text, e.probe.Pass, 3)
		s.FactText("fails", pal.Text, e.probe.Fail, 3)
	}
	if u := d.specOf(e); u != "" {
		s.FactText("spec", pal.Link, strings.TrimPrefix(u, "https://"), 2).Give(7, 1)
	}
	if f != nil && f.Rule != nil {
		s.FactText("rule", pal.Muted, f.Rule.ID+" "+f.Rule.Slug, 1).Give(7, 0)
	}
	if e.report != nil {
		for _, name := range slices.Sorted(maps.Keys(e.report.Measure)) {
			s.FactText("measure", pal.Muted, fmt.Sprintf("%g  %s", e.report.Measure[name], name), 1).Give(8, 0)
		}
	}
	if text, err := d.commandLine(e).For(shell.Of(os.Getenv("SHELL"), runtime.GOOS)); err == nil {
		s.FactText("command", pal.Muted, text, 2).Give(8, 1)
	}
	s.Paint()
}

// fix says what to do.
func fix(s *doc.Doc, hint string) {
	margin := s.Margin
	s.Margin = 2
	s.FactText(s.Pal.ArrowOut, s.Pal.Text, hint, max(s.H/4, 2)).Give(1, 2)
	s.Margin = margin
}

// maxCases is how many findings of a probe are listed.
const maxCases = 6

// cases lists the findings of a probe that has several.
func (d *detail) cases(s *doc.Doc, l line) {
	all := l.entry.cases
	if len(all) < 2 {
		return
	}
	at := max(l.i, 0)
	from := max(0, min(at-maxCases/2, len(all)-maxCases))
	label := "cases"
	for i, f := range all[from:min(from+maxCases, len(all))] {
		style := s.Pal.Muted
		if from+i == at {
			style = s.Pal.TextBold
		}
		text := f.Case
		if text == "" {
			text = f.Message
		}
		s.Fact(label, paint.Span{Style: severity.Style(s.Pal, f.Severity), Text: severity.Sign(s.Pal, f.Severity) + " "}, paint.Span{Style: style, Text: text}).Give(4, 0)
		label = ""
	}
	s.Gap()
}

// exit writes the end of what a process has written to stderr before it ended.
func exit(s *doc.Doc, f *probe.Finding) {
	if f.Exit == nil {
		return
	}
	const most = 4
	label := "stderr"
	for _, text := range f.Exit.Stderr[max(0, len(f.Exit.Stderr)-most):] {
		s.FactText(label, s.Pal.Muted, text, 1).Give(3, 0)
		label = ""
	}
}

// maxLines bounds the rows of a frame.
const maxLines = 5

// evidence writes the frames, whose number in the window of frames is that of their row.
func evidence(s *doc.Doc, f *probe.Finding) {
	if len(f.Frames) == 0 {
		return
	}
	pal := s.Pal
	s.FactRow("evidence", func(r *paint.Row) {
		if n := frameNumber(f.Frames[0].Row); n != "" {
			r.Right(paint.Span{Style: pal.AccentBold, Text: s.Names.Name("finding.frame")}, paint.Span{Style: pal.Muted, Text: " opens " + n + " "})
		}
	})
	var lines []func(r *paint.Row)
	for _, frame := range f.Frames {
		text := bytes.SplitN(bytes.TrimSpace(frame.Bytes), []byte("\n"), maxLines+1)
		for i, part := range text[:min(len(text), maxLines)] {
			lines = append(lines, func(r *paint.Row) {
				r.Gap(1)
				r.Put(pal.Faint, pal.Vertical+" ")
				if i == 0 {
					arrow(r, pal, frame.Dir)
					r.Cell(pal.Muted, frameNumber(frame.Row), 7)
				}
				r.To(3 + 2 + 7)
				r.PutBytes(pal.Text, part)
			})
		}
	}
	s.Add(len(lines), func(n int) {
		for _, write := range lines[:n] {
			s.Line(write)
		}
	}).Give(2, 2)
}

func arrow(r *paint.Row, pal *paint.Palette, dir transport.Direction) {
	if dir == transport.In {
		r.Put(pal.In, pal.ArrowIn+" ")
		return
	}
	r.Put(pal.Out, pal.ArrowOut+" ")
}
