package problems

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/verdict"
)

// sheet is the inside of a box while it is painted.
type sheet struct {
	pal  *paint.Palette
	r    *paint.Row
	w, h int
	rows []string
}

func (s *sheet) left() int { return s.h - len(s.rows) }

func (s *sheet) line(write func(r *paint.Row)) {
	s.r.Start(s.w, paint.Style{})
	s.r.Gap(1)
	write(s.r)
	s.rows = append(s.rows, s.r.String())
}

func (s *sheet) blank() { s.line(func(*paint.Row) {}) }

// text writes a text that need not be trusted, in at most n rows.
func (s *sheet) text(st paint.Style, text string, n int) {
	for _, part := range limit(s.pal, text, max(s.w-2, 1), n) {
		s.line(func(r *paint.Row) { r.Put(st, part) })
	}
}

// margin is the width of the words that stand before the facts.
const margin = 8

// fact writes a word in the margin and what there is to say, in at most n rows.
func (s *sheet) fact(label string, st paint.Style, text string, n int) {
	for _, part := range limit(s.pal, text, max(s.w-2-margin, 1), n) {
		s.line(func(r *paint.Row) {
			r.Cell(s.pal.Muted, label, margin)
			r.Put(st, part)
		})
		label = ""
	}
}

// limit wraps a text into at most n rows; where it is cut, the last one says so.
func limit(pal *paint.Palette, text string, w, n int) []string {
	parts := paint.WrapFirst(text, w, n+1)
	if len(parts) > n {
		parts = parts[:n]
		parts[n-1] = pal.Cut(parts[n-1]+strings.Repeat(" ", w), w)
	}
	return parts
}

// sheetBox paints the finding of a line with its corner at x and y.
func (p *Pane) sheetBox(pal *paint.Palette, js paint.JSONStyles, l line, x, y, w, h int) []string {
	p.area.sheet = rect{x + 1, y + 1, max(w-2, 0), max(h-2, 0)}
	f, severity := l.finding(), l.g.Rule.Severity
	title := []paint.Span{{Style: verdict.Bold(pal, severity), Text: f.Rule.ID + " "}, {Style: pal.TextBold, Text: f.Rule.Slug}}
	note := []paint.Span{{Style: verdict.Style(pal, severity), Text: verdict.Word(severity)}}
	if l.g.Muted {
		note = []paint.Span{{Style: pal.Muted, Text: "muted"}}
	}
	s := &sheet{pal: pal, r: pal.Row(), w: p.area.sheet.w, h: p.area.sheet.h}
	p.whole(s, js, l)
	return paint.Box(pal, w, h, false, title, note, s.rows)
}

// whole stacks what is known of a finding. When it gets tight, what stands in
// the catalogue gives way before the frame does.
func (p *Pane) whole(s *sheet, js paint.JSONStyles, l line) {
	f := l.finding()
	gap := func(room int) {
		if s.h >= room {
			s.blank()
		}
	}
	s.text(s.pal.Strong, f.Message, max(s.h/5, 2))
	gap(20)
	if f.Hint != "" {
		s.text(s.pal.Text, f.Hint, max(s.h/5, 2))
	}
	gap(17)
	tight := s.h < 17
	s.line(func(r *paint.Row) {
		if tight {
			r.Right(paint.Span{Style: s.pal.Muted, Text: f.Rule.Spec + " "})
		}
		r.Cell(s.pal.Muted, "who", margin)
		r.Put(s.pal.Text, verdict.Who(f))
	})
	p.where(s, f, tight)
	if l.g.Count > 1 && !tight {
		s.fact("times", s.pal.Text, p.often(l), 1)
	}
	frame := 6 // the rule across and what one can make sense of
	if tight {
		frame = 5
	}
	if f.Rule.Spec != "" && !tight {
		s.fact("spec", s.pal.Text, f.Rule.Spec, 1)
	}
	if f.Rule.When != "" && s.left() > frame {
		s.fact("fires", s.pal.Muted, "when "+f.Rule.When, max(min(s.left()-frame, 3), 1))
	}
	if l.g.Muted && s.left() > frame {
		s.fact("muted", s.pal.Muted, command.KeyOf(command.ProblemMute)+" counts it again", 1)
	}
	if s.left() >= 2 && f.Row >= 0 {
		gap(20)
		p.around(s, js, f)
	}
}

// where says in which frame it is, and at which place of it: in a row of its
// own, unless it is tight.
func (p *Pane) where(s *sheet, f *lint.Finding, tight bool) {
	if f.Row < 0 {
		s.fact("time", s.pal.Text, clock(*f)+", about no frame of its own", 1)
		return
	}
	where := f.Where()
	if e := p.load(f); where != "" && e.tree != nil && !e.there {
		where += "  is not there"
	}
	s.line(func(r *paint.Row) {
		r.Right(paint.Span{Style: s.pal.Muted, Text: clock(*f) + " "})
		r.Cell(s.pal.Muted, "frame", margin)
		r.Put(s.pal.Text, "#"+strconv.Itoa(int(f.Row)+1)+" ")
		p.frame(r, s.pal, f.Row, s.pal.Text)
		if tight {
			r.Gap(2)
			r.Put(s.pal.Value, tail(s.pal, where, r.Left()))
		}
	})
	if where != "" && !tight {
		s.fact("place", s.pal.Value, tail(s.pal, where, s.w-2-margin), 1)
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
	case info.Kind.IsAnswer() && what != "":
		r.Put(pal.Muted, "answer to ")
	case info.Kind.IsAnswer():
		what = "an answer"
	case info.Kind == jsonrpc.Batch:
		what = "batch"
	case what == "":
		what = info.Fault.String()
	}
	r.Foreign(st, what)
}
