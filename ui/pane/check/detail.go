package check

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
	"mcptea/session/report"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
	"mcptea/ui/widget/masterdetail"
)

// detail paints the selected probe or group into the inside of its box.
func (p *Pane) detail(pal *paint.Palette, at masterdetail.Rect) masterdetail.Box {
	l, ok := p.selected()
	if !ok {
		return masterdetail.Box{}
	}
	s := paint.NewSheet(pal, at.W, at.H)
	s.Margin = 10
	if l.item == nil {
		return p.groupDetail(&s, l.group)
	}
	it := l.item
	box := masterdetail.Box{
		Title: []paint.Span{{Style: pal.Muted, Text: it.entry.ID + " "}, {Style: pal.TextBold, Text: it.entry.Slug}},
		Note:  []paint.Span{{Style: pal.Muted, Text: string(it.entry.Level)}},
	}
	if it.report != nil {
		style, sign := p.sign(pal, it.report.Verdict)
		box.Title = append([]paint.Span{{Style: style, Text: sign + " "}}, box.Title...)
		box.Note[0].Text = it.report.Revision
		if level := it.report.Requirement(); level != "" {
			box.Note[0].Text = string(level) + " " + pal.Separator + " " + it.report.Revision
		}
	}
	p.fill(&s, it)
	box.Rows = s.Rows
	return box
}

// groupDetail says what the probes of a group are about.
func (p *Pane) groupDetail(s *paint.Sheet, g *group) masterdetail.Box {
	title := g.name
	for _, known := range probe.Groups() {
		if known.Name == g.name {
			title = known.Title
		}
	}
	s.Text(s.Pal.Strong, paint.Plural(len(g.probes), "probe"), 1)
	s.Blank()
	for _, it := range g.probes {
		if s.Left() < 2 {
			s.Text(s.Pal.Muted, s.Pal.Ellipsis, 1)
			break
		}
		style, sign := p.sign(s.Pal, "")
		if it.report != nil {
			style, sign = p.sign(s.Pal, it.report.Verdict)
		}
		s.Line(func(r *paint.Row) {
			r.Put(style, sign+" ")
			r.Put(s.Pal.Muted, it.entry.ID+" ")
			r.Cell(s.Pal.Text, it.entry.Slug, min(24, s.W/3))
			r.Put(s.Pal.Muted, " "+paint.Sanitize(it.entry.Sends))
		})
	}
	return masterdetail.Box{Title: []paint.Span{{Style: s.Pal.TextBold, Text: title}}, Rows: s.Rows}
}

// fill stacks what a probe has found, the fix, the evidence and where the
// requirement is written: in this order, since what does not fit is cut off at the
// end.
func (p *Pane) fill(s *paint.Sheet, it *item) {
	pal := s.Pal
	f, n, ok := p.finding(it)
	gap := func() {
		if s.H >= 16 {
			s.Blank()
		}
	}
	switch {
	case ok:
		p.message(s, f)
		gap()
		if f.Hint != "" && wrong(f) {
			p.fix(s, f.Hint)
			gap()
		}
		if n > 1 {
			p.cases(s, it)
			gap()
		}
		p.exit(s, f)
		p.frames(s, f)
	case it.report == nil:
		s.Text(pal.Muted, "Not run yet. "+command.KeyIn(command.Check, command.RunSelected, false)+" runs this probe.", 2)
		gap()
	case it.report.Verdict == probe.Skipped:
		s.Text(pal.Text, "Skipped: "+it.report.Skip, 3)
		gap()
	case it.report.Verdict == probe.Failure:
		s.Text(pal.Warn, "Not judged: "+it.report.Skip, 4)
		gap()
	default:
		s.Text(pal.OK, "Passed.", 1)
		gap()
	}
	p.facts(s, it, f)
}

// message writes what was found, in the color of its severity.
func (p *Pane) message(s *paint.Sheet, f probe.Finding) {
	style := severity.Bold(s.Pal, f.Severity)
	text := f.Message
	if f.Subject != "" && !strings.Contains(text, f.Subject) {
		text = f.Subject + ": " + text
	}
	s.Text(style, text, max(s.H/4, 2))
	if f.Accepted {
		s.Text(s.Pal.Muted, "Accepted by the baseline.", 1)
	}
}

func (p *Pane) fix(s *paint.Sheet, hint string) {
	arrow := s.Pal.ArrowOut
	for i, line := range s.Pal.WrapMost(hint, max(s.W-4, 1), max(s.H/4, 2)) {
		s.Line(func(r *paint.Row) {
			if i == 0 {
				r.Put(s.Pal.Accent, arrow+" ")
			} else {
				r.Gap(2)
			}
			r.Put(s.Pal.Text, line)
		})
	}
}

// cases lists the findings of the probe.
func (p *Pane) cases(s *paint.Sheet, it *item) {
	const most = 6
	all := findings(it.report)
	from := max(0, min(p.found-most/2, len(all)-most))
	label := fmt.Sprintf("%d of %d", p.found+1, len(all))
	for i := from; i < min(from+most, len(all)) && s.Left() > 4; i++ {
		f := all[i]
		s.Fact(label, func(r *paint.Row) {
			style := s.Pal.Muted
			if i == p.found {
				style = s.Pal.TextBold
			}
			r.Put(severity.Style(s.Pal, f.Severity), severity.Sign(s.Pal, f.Severity)+" ")
			if f.Case != "" {
				r.Put(style, f.Case)
			} else {
				r.Put(style, f.Message)
			}
		})
		label = ""
	}
}

// exit writes how the process has ended.
func (p *Pane) exit(s *paint.Sheet, f probe.Finding) {
	if f.Exit == nil || len(f.Exit.Stderr) == 0 {
		return
	}
	const most = 4
	lines := f.Exit.Stderr[max(0, len(f.Exit.Stderr)-most):]
	for i, text := range lines {
		label := ""
		if i == 0 {
			label = "stderr"
		}
		s.Fact(label, func(r *paint.Row) { r.Put(s.Pal.Muted, text) })
	}
}

// maxLines bounds the rows of a frame.
const maxLines = 5

// frames writes the evidence: the frames, whose number in the window of frames is
// that of their row.
func (p *Pane) frames(s *paint.Sheet, f probe.Finding) {
	if len(f.Frames) == 0 || s.Left() < 3 {
		return
	}
	s.Line(func(r *paint.Row) {
		if row := f.Frames[0].Row; row != store.None {
			r.Right(paint.Span{Style: s.Pal.AccentBold, Text: command.KeyIn(command.Check, command.ShowEvidence, false)},
				paint.Span{Style: s.Pal.Muted, Text: fmt.Sprintf(" opens #%d ", row+1)})
		}
		r.Put(s.Pal.TextBold, "evidence")
	})
	for _, frame := range f.Frames {
		arrow, style := s.Pal.ArrowOut, s.Pal.Out
		if frame.Dir == transport.In {
			arrow, style = s.Pal.ArrowIn, s.Pal.In
		}
		lines := bytes.SplitN(bytes.TrimSpace(frame.Bytes), []byte("\n"), maxLines+1)
		for i, text := range lines[:min(len(lines), maxLines)] {
			if s.Left() < 4 {
				return
			}
			s.Line(func(r *paint.Row) {
				r.Put(s.Pal.Faint, s.Pal.Vertical+" ")
				if i == 0 {
					r.Put(style, arrow+" ")
					if frame.Row != store.None {
						r.Cell(s.Pal.Muted, fmt.Sprintf("#%d", frame.Row+1), 7)
					}
				} else {
					r.To(3 + 2 + 7)
				}
				r.PutBytes(s.Pal.Text, text)
			})
		}
	}
	s.Blank()
}

// facts are what the catalog says of the probe, and how to run it in a shell.
func (p *Pane) facts(s *paint.Sheet, it *item, f probe.Finding) {
	pal := s.Pal
	if it.report == nil || !it.isBad() {
		s.FactText("sends", pal.Text, it.entry.Sends, 3)
		s.FactText("passes", pal.Text, it.entry.Pass, 3)
		s.FactText("fails", pal.Text, it.entry.Fail, 3)
	}
	if u := report.SpecURL(it.entry, p.revision(it)); u != "" && s.Left() > 1 {
		s.FactText("spec", pal.Link, strings.TrimPrefix(u, "https://"), 2)
	}
	if f.Rule != nil && s.Left() > 1 {
		s.FactText("rule", pal.Muted, f.Rule.ID+" "+f.Rule.Slug, 1)
	}
	if it.report != nil {
		for _, name := range slices.Sorted(maps.Keys(it.report.Measure)) {
			if s.Left() > 1 {
				s.FactText("measure", pal.Muted, fmt.Sprintf("%g  %s", it.report.Measure[name], name), 1)
			}
		}
	}
	text, err := p.commandLine(it.entry).For(shell.Of(os.Getenv("SHELL"), runtime.GOOS))
	if err != nil || s.Left() < 1 {
		return
	}
	for s.Left() > 1 {
		s.Blank()
	}
	s.Line(func(r *paint.Row) {
		r.Right(paint.Span{Style: pal.AccentBold, Text: command.KeyIn(command.Check, command.CopyCommand, false)}, paint.Span{Style: pal.Muted, Text: " copy "})
		r.Put(pal.Muted, text)
	})
}
