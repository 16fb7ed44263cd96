package problems

import (
	"strconv"
	"time"

	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
	"mcptea/ui/widget/masterdetail"
)

// lowPane is the height below which rules have one row where the detail is under
// the list.
const lowPane = 22

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.low = w < p.view.Layout.Beside && h < lowPane
	title := []paint.Span{{Text: "Problems"}}
	switch p.minSeverity {
	case lint.Warn:
		title = append(title, paint.Span{Style: pal.Accent, Text: "  errors, warnings"})
	case lint.Error:
		title = append(title, paint.Span{Style: pal.Accent, Text: "  errors"})
	}
	return p.view.Paint(pal, w, h, focused, masterdetail.Content{
		Title: title,
		Note:  p.note(pal),
		Above: func(w int) []string { return p.filterRow(pal, w) },
		Empty: func(w, h int) []string { return p.empty(pal, w, h) },
		Detail: func(at masterdetail.Rect, _ bool) masterdetail.Box {
			return p.detail(pal, js, at)
		},
	})
}

// note counts the findings, or the frames that are not checked yet.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	if n := p.found.Behind; n > 0 {
		return []paint.Span{{Style: pal.Warn, Text: paint.Plural(n, "frame") + " not checked yet"}}
	}
	var spans []paint.Span
	add := func(st paint.Style, text string) {
		if len(spans) > 0 {
			text = "  " + text
		}
		spans = append(spans, paint.Span{Style: st, Text: text})
	}
	for i, n := range p.count.by {
		if s := lint.Severity(i); n > 0 {
			add(severity.Style(pal, s), severity.Sign(pal, s)+" "+paint.HumanCount(n))
		}
	}
	if n := p.count.yours; n > 0 {
		text := "yours " + paint.HumanCount(n)
		if p.count.more {
			text += "+"
		}
		add(pal.Muted, text)
	}
	return spans
}

func (p *Pane) filterRow(pal *paint.Palette, w int) []string {
	if !p.input.Shown() {
		return nil
	}
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Gap(1)
	p.input.Put(r, pal, pal.Text, max(r.Left()-3, 1))
	return []string{r.String()}
}

func (p *Pane) empty(pal *paint.Palette, w, h int) []string {
	s := paint.NewSheet(pal, w, h)
	checks := "MCP"
	if rev := p.st.Handshake.Revision; rev != "" {
		checks += " " + string(rev)
	}
	switch {
	case p.filtering():
		s.Text(pal.Muted, "No finding matches the filter. "+command.KeyOf(command.Back)+" clears it.", 4)
	case p.found.Behind > 0:
		s.Text(pal.Muted, "No problems found yet. "+paint.Plural(p.found.Behind, "frame")+" not checked yet.", 4)
	default:
		s.Text(pal.Strong, "No problems found.", 2)
		s.Blank()
		s.Text(pal.Text, "Every frame is checked against "+checks+".", 4)
	}
	return s.Rows
}

// height is the number of rows of a line: a rule has a second one for the message
// of its newest finding.
func (p *Pane) height(i int) int {
	if p.lines[i].i < 0 && !p.low {
		return 2
	}
	return 1
}

func (p *Pane) itemRow(r *paint.Row, pal *paint.Palette, i, row int, _ bool) {
	switch l := p.lines[i]; {
	case l.i >= 0:
		p.findingRow(r, pal, l)
	case row == 0:
		p.ruleRow(r, pal, l.group)
	default:
		st := pal.Text
		if l.group.Muted {
			st = pal.Muted
		}
		r.Right(paint.Span{Style: pal.Muted, Text: clock(&l.group.Newest) + " "})
		r.Gap(4)
		r.Put(st, l.group.Newest.Message)
	}
}

// ruleRow writes the rule, the responsible side and the number of findings.
func (p *Pane) ruleRow(r *paint.Row, pal *paint.Palette, g *session.Group) {
	sign, id, slug := severity.Style(pal, g.Rule.Severity), severity.Bold(pal, g.Rule.Severity), pal.TextBold
	times := pal.Times + paint.HumanCount(g.Count)
	right := []paint.Span{{Style: pal.Muted, Text: g.Newest.Fault.String()}}
	switch {
	case g.Muted:
		sign, id, slug = pal.Muted, pal.Muted, pal.Muted
		right = []paint.Span{{Style: pal.Muted, Text: "muted  " + times}}
	case g.Count > 1:
		right = append(right, paint.Span{Style: pal.Text, Text: "  " + times})
	}
	r.Right(append(right, paint.Span{Text: " "})...)
	fold := pal.Folded
	if p.open[g.Rule.ID] {
		fold = pal.Unfolded
	}
	r.Put(pal.Muted, fold+" ")
	r.Put(sign, severity.Sign(pal, g.Rule.Severity)+" ")
	r.Put(id, g.Rule.ID+" ")
	r.Put(slug, g.Rule.Slug)
}

// findingRow writes the frame of a finding and the place in it.
func (p *Pane) findingRow(r *paint.Row, pal *paint.Palette, l line) {
	f, st := l.finding(), pal.Text
	if l.group.Muted {
		st = pal.Muted
	}
	r.Right(paint.Span{Style: pal.Muted, Text: clock(f) + " "})
	r.Gap(4)
	if f.Row < 0 {
		r.Put(st, f.Message)
		return
	}
	r.Put(pal.Muted, frameNumber(f.Row)+" ")
	r.Spans(p.frame(pal, f.Row, st)...)
	r.Gap(1)
	r.Put(pal.Value, tail(pal, f.Where(), r.Left()))
}

func clock(f *lint.Finding) string { return f.Time.Format(time.TimeOnly) }

func frameNumber(row int32) string { return "#" + strconv.Itoa(int(row)+1) }
