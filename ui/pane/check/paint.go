package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/session/probe"
	"mcptea/session/report"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// lowPane is the height below which the progress has no box.
const lowPane = 24

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, _ paint.JSONStyles, w, h int, focused bool) []string {
	if len(p.groups) == 0 {
		p.st = p.c.State()
		p.collect()
		p.list()
	}
	top := p.progress(pal, w, h)
	p.above = len(top)
	title := []paint.Span{{Text: "Groups"}}
	if p.failures {
		title = append(title, paint.Span{Style: pal.Accent, Text: "  failures only"})
	}
	return append(top, p.view.Paint(pal, w, h-len(top), focused, masterdetail.Content{
		Title:  title,
		Above:  func(w int) []string { return p.heading(pal, w) },
		Empty:  func(w, h int) []string { return p.empty(pal, w, h) },
		Detail: func(at masterdetail.Rect, _ bool) masterdetail.Box { return p.detail(pal, at) },
	})...)
}

// progress is what the run has done so far: two rows, in a box where there is room.
func (p *Pane) progress(pal *paint.Palette, w, h int) []string {
	inner := w
	if h >= lowPane {
		inner = w - 2
	}
	rows := []string{p.barRow(pal, inner), p.currentRow(pal, inner)}
	if h < lowPane {
		return rows
	}
	return paint.Box(pal, w, 4, false, []paint.Span{{Style: pal.TextBold, Text: "Check"}}, p.note(pal), rows)
}

// note is what the run may do.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	text := "calls read-only tools only"
	if n := len(p.st.Allowed); n > 0 {
		text = "calls read-only tools and " + paint.Cut(paint.Sanitize(strings.Join(p.st.Allowed, ", ")), 40)
	}
	if p.st.Seed != 0 {
		text += fmt.Sprintf(" %s seed %d", pal.Separator, p.st.Seed)
	}
	return []paint.Span{{Style: pal.Muted, Text: text}}
}

// maxBar bounds the width of the bar of the progress.
const maxBar = 36

func (p *Pane) barRow(pal *paint.Palette, w int) string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Right(append(p.totals(pal), paint.Span{Text: " "})...)
	r.Gap(1)
	switch st := &p.st; {
	case st.Started.IsZero():
		r.Put(pal.Text, paint.Plural(len(probe.Catalogue()), "probe")+"  ")
		r.Put(pal.Muted, "correct, unusual and malformed messages, and how the server reacts")
	case st.Running:
		size := min(maxBar, max(w/3, 8))
		done := 0.0
		if st.Total > 0 {
			done = float64(st.Done) / float64(st.Total)
		}
		r.Painted(paint.Bar(pal, size, done), size)
		r.Put(pal.TextBold, fmt.Sprintf("  %d", st.Done))
		r.Put(pal.Text, fmt.Sprintf(" of %d  ", st.Total))
		r.Put(pal.Muted, paint.HumanDuration(max(0, p.now.Sub(st.Started))))
	default:
		r.Put(pal.TextBold, paint.Plural(st.Done, "probe"))
		r.Put(pal.Muted, fmt.Sprintf("  %s in %s", paint.Plural(st.Sent, "frame"), paint.HumanDuration(st.Took.Round(10*time.Millisecond))))
	}
	return r.String()
}

// totals count the outcomes.
func (p *Pane) totals(pal *paint.Palette) []paint.Span {
	n := map[probe.Verdict]int{}
	for i := range p.groups {
		for v, of := range p.groups[i].counts {
			n[v] += of
		}
	}
	var spans []paint.Span
	for _, v := range []probe.Verdict{probe.Pass, probe.Warn, probe.Fail, probe.Failure} {
		if n[v] == 0 {
			continue
		}
		style, sign := p.sign(pal, v)
		word := string(v)
		if v == probe.Failure {
			word = "not judged"
		}
		spans = append(spans, paint.Span{Style: style, Text: fmt.Sprintf("  %s %d %s", sign, n[v], word)})
	}
	return spans
}

// currentRow names what runs now, or how to begin, and what was skipped.
func (p *Pane) currentRow(pal *paint.Palette, w int) string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	if text := p.skipped(pal); text != "" {
		r.Right(paint.Span{Style: pal.Muted, Text: text + " "})
	}
	r.Gap(1)
	key := func(id command.ID) string { return command.KeyIn(command.Check, id, false) }
	switch st := &p.st; {
	case st.Running && len(st.Current) > 0:
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" ")
		for i, e := range st.Current {
			if i > 0 {
				r.Put(pal.Muted, "  ")
			}
			r.Put(pal.Muted, e.ID+" ")
			r.Put(pal.TextBold, e.Slug)
		}
	case st.Running:
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" ")
		r.Put(pal.Text, "connecting")
	case st.Err != nil:
		r.Put(pal.Error, pal.FailMark+" Cannot connect: ")
		r.Put(pal.Text, st.Err.Error())
	case st.Stopped != nil:
		r.Put(pal.Warn, pal.WarnMark+" incomplete: ")
		r.Put(pal.Text, st.Stopped.Error())
	case st.Started.IsZero():
		r.Put(pal.AccentBold, key(command.RunProbes))
		r.Put(pal.Text, " run all   ")
		r.Put(pal.Muted, "on its own connections; calls read-only tools only")
	default:
		r.Put(pal.AccentBold, key(command.RunProbes))
		r.Put(pal.Muted, " run all   ")
		r.Put(pal.AccentBold, key(command.RunFailed))
		r.Put(pal.Muted, " run failed again")
	}
	return r.String()
}

// skipped counts the probes that were skipped, by the reason.
func (p *Pane) skipped(pal *paint.Palette) string {
	var reports []probe.Report
	for i := range p.groups {
		for _, it := range p.groups[i].probes {
			if it.report != nil {
				reports = append(reports, *it.report)
			}
		}
	}
	return report.Skipped(reports, " "+pal.Separator+" ")
}

// columns are the outcomes that the list counts.
var columns = []struct {
	verdict probe.Verdict
	title   string
}{{probe.Pass, "pass"}, {probe.Warn, "warn"}, {probe.Fail, "fail"}, {probe.Skipped, "skip"}, {"", "left"}}

const columnWidth = 5

// heading is the words of the filter, and the names of the columns.
func (p *Pane) heading(pal *paint.Palette, w int) []string {
	var rows []string
	r := pal.Row()
	if p.input.Shown() {
		r.Start(w, paint.Style{})
		r.Gap(1)
		p.input.Put(r, pal, pal.Text, max(r.Left()-3, 1))
		rows = append(rows, r.String())
	}
	r.Start(w, paint.Style{})
	r.Gap(w - len(columns)*columnWidth - 1)
	for _, c := range columns {
		r.CellRight(pal.Muted, c.title, columnWidth)
	}
	return append(rows, r.String())
}

func (p *Pane) empty(pal *paint.Palette, w, h int) []string {
	s := paint.NewSheet(pal, w, h)
	s.Text(pal.Muted, "No probe matches. "+command.KeyOf(command.Back)+" shows all.", 4)
	return s.Rows
}

// sign is the sign of an outcome, with its color.
func (p *Pane) sign(pal *paint.Palette, v probe.Verdict) (paint.Style, string) {
	switch v {
	case probe.Pass:
		return pal.OK, pal.OKMark
	case probe.Warn:
		return pal.Warn, pal.WarnMark
	case probe.Fail:
		return pal.Error, pal.FailMark
	case probe.Failure:
		return pal.Warn, "?"
	case probe.Skipped:
		return pal.Muted, pal.Absent
	}
	return pal.Muted, pal.Separator
}

func (p *Pane) itemRow(r *paint.Row, pal *paint.Palette, i, _ int, _ bool) {
	if l := p.lines[i]; l.item != nil {
		p.probeRow(r, pal, l.item)
	} else {
		p.groupRow(r, pal, l.group)
	}
}

// groupRow writes a group and how many of its probes have each outcome.
func (p *Pane) groupRow(r *paint.Row, pal *paint.Palette, g *group) {
	var right []paint.Span
	for _, c := range columns {
		n, style := g.counts[c.verdict], pal.Muted
		switch c.verdict {
		case "":
			n = g.left
		case probe.Pass:
			style = pal.OK
		case probe.Warn:
			style = pal.Warn
		case probe.Fail:
			style = pal.ErrorBold
		}
		text := ""
		if n > 0 {
			text = paint.HumanCount(n)
		}
		right = append(right, paint.Span{Style: style, Text: strings.Repeat(" ", max(columnWidth-paint.Width(text), 0)) + text})
	}
	r.Right(append(right, paint.Span{Text: " "})...)
	fold := pal.Folded
	if p.isOpen(g) {
		fold = pal.Unfolded
	}
	style, sign := p.sign(pal, g.verdict())
	if slices.ContainsFunc(g.probes, func(i *item) bool { return i.running }) {
		style, sign = pal.Warn, paint.Spinner(pal, p.spin)
	}
	r.Put(pal.Muted, fold+" ")
	r.Put(style, sign+" ")
	name := pal.Text
	if g.verdict() == probe.Skipped {
		name = pal.Muted
	}
	r.Put(name, g.name)
}

// probeRow writes a probe with its outcome and its level.
func (p *Pane) probeRow(r *paint.Row, pal *paint.Palette, it *item) {
	right := string(it.entry.Level)
	style, sign := p.sign(pal, "")
	name := pal.Muted
	if it.report != nil {
		style, sign = p.sign(pal, it.report.Verdict)
		right = string(it.report.Requirement())
		if it.isBad() {
			name = pal.TextBold
		} else if it.report.Verdict == probe.Pass {
			name = pal.Text
		}
		if len(p.st.Servers) > 1 {
			right = it.report.Revision
		}
		if it.report.Verdict == probe.Skipped {
			right = paint.Cut(paint.Sanitize(it.report.Skip), 22)
		}
	}
	if it.running {
		style, sign = pal.Warn, paint.Spinner(pal, p.spin)
	}
	r.Right(paint.Span{Style: pal.Muted, Text: right + " "})
	r.Gap(2)
	r.Put(style, sign+" ")
	r.Put(pal.Muted, it.entry.ID+" ")
	r.Put(name, it.entry.Slug)
}
