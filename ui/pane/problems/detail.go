package problems

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
	"mcptea/ui/widget/masterdetail"
)

// Heights of the inside of the detail. Below lowDetail the frame and its place are
// in the line over the excerpt, and what the catalogue of rules says is left out.
const (
	lowDetail  = 17
	roomDetail = 20
)

// detail paints the selected finding into the inside of its box.
func (p *Pane) detail(pal *paint.Palette, js paint.JSONStyles, at masterdetail.Rect) masterdetail.Box {
	l, _ := p.selected()
	f, level := l.finding(), l.group.Rule.Severity
	s := paint.NewSheet(pal, at.W, at.H)
	s.Margin = 9
	p.fill(&s, js, l)
	note := paint.Span{Style: severity.Style(pal, level), Text: severity.Word(level)}
	if l.group.Muted {
		note = paint.Span{Style: pal.Muted, Text: "muted"}
	}
	return masterdetail.Box{
		Title: []paint.Span{{Style: severity.Bold(pal, level), Text: f.Rule.ID + " "}, {Style: pal.TextBold, Text: f.Rule.Slug}},
		Note:  []paint.Span{note},
		Rows:  s.Rows,
	}
}

// fill stacks the message, the fix, the responsible side and the frame: in this
// order, since what does not fit is cut off at the end.
func (p *Pane) fill(s *paint.Sheet, js paint.JSONStyles, l line) {
	f, low := l.finding(), s.H < lowDetail
	gap := func(room int) {
		if s.H >= room {
			s.Blank()
		}
	}
	const rest = 5 // rows: the side, the line over the excerpt, and three of that
	s.Text(s.Pal.Strong, f.Message, max(s.H/5, 2))
	gap(roomDetail)
	s.Text(s.Pal.Text, f.Hint, max(min(s.H/3, s.Left()-rest), 2))
	gap(lowDetail)
	s.Fact("fix in", func(r *paint.Row) {
		if low {
			r.Right(paint.Span{Style: s.Pal.Muted, Text: f.Rule.Spec + " "})
		}
		r.Put(s.Pal.TextBold, severity.FixIn(f))
	})
	if !low {
		p.facts(s, l)
	}
	if l.group.Muted {
		s.FactText("muted", s.Pal.Muted, command.KeyOf(command.MuteRule)+" unmutes the rule", 1)
	}
	if f.Row < 0 {
		s.FactText("time", s.Pal.Text, clock(f)+", not about one frame", 1)
		return
	}
	gap(roomDetail)
	p.paintExcerpt(s, js, f, low)
}

// facts writes the frame, the place, and what the catalogue says of the rule.
func (p *Pane) facts(s *paint.Sheet, l line) {
	f := l.finding()
	if f.Row >= 0 {
		s.Fact("frame", func(r *paint.Row) {
			r.Right(paint.Span{Style: s.Pal.Muted, Text: clock(f) + " "})
			r.Put(s.Pal.Text, frameNumber(f.Row)+" ")
			r.Spans(p.frame(s.Pal, f.Row, s.Pal.Text)...)
		})
		if where := p.where(f); where != "" {
			s.FactText("place", s.Pal.Value, tail(s.Pal, where, s.W-2-s.Margin), 1)
		}
	}
	if l.group.Count > 1 {
		s.FactText("count", s.Pal.Text, countText(l), 1)
	}
	if f.Rule.Spec != "" {
		s.FactText("spec", s.Pal.Text, f.Rule.Spec, 1)
	}
	const excerpt = 6 // rows
	if room := s.Left() - excerpt; f.Rule.Condition != "" && room > 0 {
		s.FactText("trigger", s.Pal.Muted, f.Rule.Condition, min(room, 3))
	}
}

// where is the place of a finding in its frame.
func (p *Pane) where(f *lint.Finding) string {
	where := f.Where()
	if e := p.load(f); where != "" && e.tree != nil && !e.found {
		where += " (missing)"
	}
	return where
}

// tail is the end of a place that does not fit: the last members tell most.
func tail(pal *paint.Palette, place string, w int) string {
	place = paint.Sanitize(place)
	over := paint.Width(place) - w
	if over <= 0 || w < 2 {
		return place
	}
	rest, _ := paint.SkipCells(place, over+1)
	return pal.Ellipsis + rest
}

// countText is the number of findings of the rule.
func countText(l line) string {
	text := paint.HumanCount(l.group.Count)
	if n := len(l.group.Findings); n < l.group.Count {
		text += ", the newest " + paint.HumanCount(n) + " are listed"
	}
	return text
}

// frame says what the frame of a row is: its direction and its method.
func (p *Pane) frame(pal *paint.Palette, row int32, st paint.Style) []paint.Span {
	info, ok := p.s.Store().Row(row)
	switch {
	case !ok:
		return nil
	case info.Kind == store.KindProcess:
		return []paint.Span{{Style: st, Text: "process"}}
	case !info.IsFrame():
		return []paint.Span{{Style: st, Text: "HTTP"}}
	}
	arrow := paint.Span{Style: pal.In, Text: pal.ArrowIn + " "}
	if info.Dir == transport.Out {
		arrow = paint.Span{Style: pal.Out, Text: pal.ArrowOut + " "}
	}
	spans := []paint.Span{arrow}
	what := paint.Sanitize(p.s.Store().Method(info.Method))
	switch {
	case info.Kind.IsResponse() && what != "":
		spans = append(spans, paint.Span{Style: pal.Muted, Text: "response to "})
	case info.Kind.IsResponse():
		what = "response"
	case info.Kind == jsonrpc.Batch:
		what = "batch"
	case what == "":
		what = info.Fault.String()
	}
	return append(spans, paint.Span{Style: st, Text: what})
}
