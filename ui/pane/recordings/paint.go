package recordings

import (
	"slices"
	"strings"

	"mcptea/session/lint"
	"mcptea/session/recordings"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
	"mcptea/ui/widget/masterdetail"
)

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, _ paint.JSONStyles, w, h int, focused bool) []string {
	return p.view.Paint(pal, w, h, focused, masterdetail.Content{
		Title: []paint.Span{{Text: "Recordings"}},
		Note:  p.note(pal),
		Above: func(w int) []string { return p.above(pal, w) },
		Empty: func(w, h int) []string { return p.empty(pal, w, h) },
		Detail: func(at masterdetail.Rect, _ bool) masterdetail.Box {
			return p.detail(pal, at)
		},
	})
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	count := paint.HumanCount(len(p.all))
	if len(p.words) > 0 {
		count = paint.HumanCount(len(p.shown)) + " of " + count
	}
	return []paint.Span{
		{Style: pal.Muted, Text: count + "  by "}, {Style: pal.Accent, Text: p.order.String()},
	}
}

// column is a column of the list, right of the server.
type column struct {
	name  string
	width int
	from  int // width of the list from which it is shown
	order order
	cell  func(p *Pane, pal *paint.Palette, r *recordings.Recording) []paint.Span
}

var columns = []column{
	{"when", 16, 0, byTime, func(p *Pane, pal *paint.Palette, r *recordings.Recording) []paint.Span {
		st := pal.Text
		if r.Live {
			st = pal.OK
		}
		return []paint.Span{{Style: st, Text: p.when(r)}}
	}},
	{"transport", 9, 90, orders, func(_ *Pane, pal *paint.Palette, r *recordings.Recording) []paint.Span {
		if r.Summary == nil {
			return nil
		}
		return []paint.Span{{Style: pal.Muted, Text: paint.Sanitize(r.Summary.Transport)}}
	}},
	{"protocol", 10, 130, orders, func(_ *Pane, pal *paint.Palette, r *recordings.Recording) []paint.Span {
		if r.Summary == nil {
			return nil
		}
		return []paint.Span{{Style: pal.Muted, Text: paint.Sanitize(r.Summary.Revision)}}
	}},
	{"duration", -8, 110, orders, func(_ *Pane, pal *paint.Palette, r *recordings.Recording) []paint.Span {
		if r.Summary == nil {
			return nil
		}
		return []paint.Span{{Style: pal.Text, Text: paint.HumanDuration(r.Summary.Duration())}}
	}},
	{"frames", -10, 56, orders, func(p *Pane, pal *paint.Palette, r *recordings.Recording) []paint.Span {
		if r.Summary == nil {
			return nil
		}
		return []paint.Span{{Style: pal.Text, Text: p.count(r, r.Summary.Frames())}}
	}},
	{"findings", -13, 0, byFindings, (*Pane).findings},
	{"size", -7, 70, bySize, func(_ *Pane, pal *paint.Palette, r *recordings.Recording) []paint.Span {
		return []paint.Span{{Style: pal.Muted, Text: paint.HumanSize(r.Size)}}
	}},
}

// count is a number of what was read; there may be more.
func (p *Pane) count(r *recordings.Recording, n int) string {
	if r.Summary.Partial {
		return paint.HumanCount(n) + "+"
	}
	return paint.HumanCount(n)
}

// findings are the findings by severity, or why there are none.
func (p *Pane) findings(pal *paint.Palette, r *recordings.Recording) []paint.Span {
	s := r.Summary
	switch {
	case r.Err != nil:
		return []paint.Span{{Style: pal.Error, Text: "unreadable"}}
	case s == nil:
		return []paint.Span{{Style: pal.Muted, Text: paint.Spinner(pal, p.spin)}}
	case s.Failure != "":
		return []paint.Span{{Style: pal.Error, Text: "not connected"}}
	case s.FindingErrors+s.FindingWarnings == 0:
		return []paint.Span{{Style: pal.Muted, Text: pal.Absent}}
	}
	return severities(pal, s)
}

func severities(pal *paint.Palette, s *recordings.Summary) []paint.Span {
	var spans []paint.Span
	for severityOf, n := range map[lint.Severity]int{lint.Error: s.FindingErrors, lint.Warn: s.FindingWarnings} {
		if n > 0 {
			spans = append(spans, paint.Span{Style: severity.Style(pal, severityOf), Text: severity.Sign(pal, severityOf) + " " + paint.HumanCount(n)})
		}
	}
	if len(spans) == 2 {
		if spans[0].Style == severity.Style(pal, lint.Warn) {
			slices.Reverse(spans)
		}
		spans[1].Text = " " + spans[1].Text
	}
	return spans
}

// widths are what the other columns leave to the server, and to its target where there
// is room for that.
func widths(w int) (server, target int) {
	rest := w - 4
	for _, c := range columns {
		if w >= c.from {
			rest -= max(c.width, -c.width) + 2
		}
	}
	if w < targetWidth {
		return max(rest, 1), 0
	}
	server = max(rest*2/5, 16)
	return server, rest - server - 2
}

// targetWidth is the width of the list from which the target is shown.
const targetWidth = 124

// above are the filter and the names of the columns.
func (p *Pane) above(pal *paint.Palette, w int) []string {
	var rows []string
	r := pal.Row()
	if p.input.Shown() {
		r.Start(w, paint.Style{})
		r.Gap(1)
		p.input.Put(r, pal, pal.Text, max(r.Left()-3, 1))
		rows = append(rows, r.String())
	}
	r.Start(w, paint.Style{})
	r.Gap(3)
	style := func(o order) paint.Style {
		if o == p.order {
			return pal.Accent
		}
		return pal.Muted
	}
	server, target := widths(w)
	r.Cell(style(byServer), "server", server)
	if target > 0 {
		r.Gap(2)
		r.Cell(pal.Muted, "target", target)
	}
	for _, c := range columns {
		switch {
		case w < c.from:
		case c.width < 0:
			r.Gap(2)
			r.CellRight(style(c.order), c.name, -c.width)
		default:
			r.Gap(2)
			r.Cell(style(c.order), c.name, c.width)
		}
	}
	return append(rows, r.String())
}

func (p *Pane) itemRow(r *paint.Row, pal *paint.Palette, i, _ int, selected bool) {
	rec := p.shown[i]
	w := r.Left() + r.Used()
	switch {
	case slices.Contains(p.marks, rec.Path):
		r.Put(pal.WarnBold, pal.Mark+" ")
	case rec.Live:
		r.Put(pal.OK, pal.Dot+" ")
	case rec.Err != nil || rec.Summary != nil && rec.Summary.Damage != "":
		r.Put(pal.Warn, pal.WarnMark+" ")
	default:
		r.Gap(2)
	}
	name := pal.Text
	if selected {
		name = pal.Strong
	}
	server, target := widths(w)
	r.Cell(name, serverOf(rec), server)
	if target > 0 {
		r.Gap(2)
		text := ""
		switch {
		case rec.Tap != nil:
			text = strings.TrimSpace("tap " + rec.Tap.Name)
		case rec.Summary != nil && rec.Summary.Server != "":
			text = rec.Summary.Target
		}
		r.Cell(pal.Muted, text, target)
	}
	for _, c := range columns {
		if w < c.from {
			continue
		}
		spans, used, width := c.cell(p, pal, rec), 0, max(c.width, -c.width)
		for _, s := range spans {
			used += paint.Width(s.Text)
		}
		r.Gap(2)
		end := r.Used() + width
		if c.width < 0 {
			r.Gap(width - used)
		}
		for _, s := range spans {
			r.Put(s.Style, pal.Cut(s.Text, max(0, end-r.Used())))
		}
		r.To(end)
	}
}

func (p *Pane) empty(pal *paint.Palette, w, h int) []string {
	s := paint.NewSheet(pal, w, h)
	switch {
	case p.err != nil:
		s.Text(pal.Error, "Cannot read the directory of recordings: "+p.err.Error(), 3)
	case !p.listed:
		s.Text(pal.Muted, "Reading the directory.", 1)
	case len(p.words) > 0:
		s.Text(pal.Muted, "No recording matches the filter. "+command.KeyOf(command.Back)+" clears it.", 2)
	default:
		s.Text(pal.Strong, "No recordings yet.", 2)
		s.Blank()
		s.Text(pal.Text, "The inspector records each session in "+p.catalog.Dir()+".", 3)
		s.Blank()
		s.Text(pal.Muted, "To make one: mcptea demo", 2)
	}
	return s.Rows
}
