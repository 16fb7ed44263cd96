package problems

import (
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
)

// sheet is the inside of a box while it is painted.
type sheet struct{ paint.Sheet }

// margin is the width of the words that stand before the facts.
const margin = 8

// fact writes a word in the margin and what there is to say, in at most n rows.
func (s *sheet) fact(label string, st paint.Style, text string, n int) {
	for _, part := range s.Pal.WrapMost(text, max(s.W-2-margin, 1), n) {
		s.Line(func(r *paint.Row) {
			r.Cell(s.Pal.Muted, label, margin)
			r.Put(st, part)
		})
		label = ""
	}
}

// sheetBox paints the finding of a line with its corner at x and y.
func (p *Pane) sheetBox(pal *paint.Palette, js paint.JSONStyles, l line, x, y, w, h int) []string {
	p.area.sheet = rect{x + 1, y + 1, max(w-2, 0), max(h-2, 0)}
	f, worst := l.finding(), l.g.Rule.Severity
	title := []paint.Span{{Style: severity.Bold(pal, worst), Text: f.Rule.ID + " "}, {Style: pal.TextBold, Text: f.Rule.Slug}}
	note := []paint.Span{{Style: severity.Style(pal, worst), Text: severity.Word(worst)}}
	if l.g.Muted {
		note = []paint.Span{{Style: pal.Muted, Text: "muted"}}
	}
	s := &sheet{paint.NewSheet(pal, p.area.sheet.w, p.area.sheet.h)}
	p.whole(s, js, l)
	return paint.Box(pal, w, h, false, title, note, s.Rows)
}

// whole stacks what is known of a finding. When it gets tight, what stands in
// the catalogue gives way before the frame does.
func (p *Pane) whole(s *sheet, js paint.JSONStyles, l line) {
	f := l.finding()
	gap := func(room int) {
		if s.H >= room {
			s.Blank()
		}
	}
	s.Text(s.Pal.Strong, f.Message, max(s.H/5, 2))
	gap(20)
	if f.Hint != "" {
		s.Text(s.Pal.Text, f.Hint, max(s.H/5, 2))
	}
	gap(17)
	tight := s.H < 17
	s.Line(func(r *paint.Row) {
		if tight {
			r.Right(paint.Span{Style: s.Pal.Muted, Text: f.Rule.Spec + " "})
		}
		r.Cell(s.Pal.Muted, "fix in", margin)
		r.Put(s.Pal.Text, severity.FixIn(f))
	})
	p.where(s, f, tight)
	if l.g.Count > 1 && !tight {
		s.fact("times", s.Pal.Text, p.often(l), 1)
	}
	frame := 6 // the rule across and what one can make sense of
	if tight {
		frame = 5
	}
	if f.Rule.Spec != "" && !tight {
		s.fact("spec", s.Pal.Text, f.Rule.Spec, 1)
	}
	if f.Rule.Condition != "" && s.Left() > frame {
		s.fact("fires", s.Pal.Muted, "when "+f.Rule.Condition, max(min(s.Left()-frame, 3), 1))
	}
	if l.g.Muted && s.Left() > frame {
		s.fact("muted", s.Pal.Muted, command.KeyOf(command.MuteRule)+" counts it again", 1)
	}
	if s.Left() >= 2 && f.Row >= 0 {
		gap(20)
		p.around(s, js, f)
	}
}

// where says in which frame it is, and at which place of it: in a row of its
// own, unless it is tight.
func (p *Pane) where(s *sheet, f *lint.Finding, tight bool) {
	if f.Row < 0 {
		s.fact("time", s.Pal.Text, clock(*f)+", about no frame of its own", 1)
		return
	}
	where := f.Where()
	if e := p.load(f); where != "" && e.tree != nil && !e.there {
		where += "  is not there"
	}
	s.Line(func(r *paint.Row) {
		r.Right(paint.Span{Style: s.Pal.Muted, Text: clock(*f) + " "})
		r.Cell(s.Pal.Muted, "frame", margin)
		r.Put(s.Pal.Text, "#"+strconv.Itoa(int(f.Row)+1)+" ")
		p.frame(r, s.Pal, f.Row, s.Pal.Text)
		if tight {
			r.Gap(2)
			r.Put(s.Pal.Value, tail(s.Pal, where, r.Left()))
		}
	})
	if where != "" && !tight {
		s.fact("place", s.Pal.Value, tail(s.Pal, where, s.W-2-margin), 1)
	}
}

// tail is the end of a place that does not fit: what is meant stands there.
func tail(pal *paint.Palette, place string, w int) string {
	place = paint.Sanitize(place)
	over := paint.Width(place) - w
	if over <= 0 || w < 2 {
		return place
	}
	rest, _ := paint.SkipCells(place, over+1)
	return pal.Ellipsis + rest
}

// often says how many times the rule has fired.
func (p *Pane) often(l line) string {
	text := paint.HumanCount(l.g.Count)
	if n := len(l.g.Findings); n < l.g.Count {
		text += ", of which the newest " + paint.HumanCount(n) + " are kept one by one"
	}
	return text
}

// frame says what the frame of a row is: where it went and its method.
func (p *Pane) frame(r *paint.Row, pal *paint.Palette, row int32, st paint.Style) {
	info, ok := p.s.Store().Row(row)
	if !ok {
		return
	}
	if !info.IsFrame() {
		kind := "HTTP"
		if info.Kind == store.KindProcess {
			kind = "process"
		}
		r.Put(st, kind)
		return
	}
	arrow, arrowStyle := pal.ArrowIn, pal.In
	if info.Dir == transport.Out {
		arrow, arrowStyle = pal.ArrowOut, pal.Out
	}
	r.Put(arrowStyle, arrow+" ")
	what := p.s.Store().Method(info.Method)
	switch {
	case info.Kind.IsResponse() && what != "":
		r.Put(pal.Muted, "answer to ")
	case info.Kind.IsResponse():
		what = "an answer"
	case info.Kind == jsonrpc.Batch:
		what = "batch"
	case what == "":
		what = info.Fault.String()
	}
	r.Foreign(st, what)
}
