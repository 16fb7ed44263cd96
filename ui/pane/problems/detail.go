package problems

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/jsonview"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
	"mcptea/ui/widget/hexview"
)

// lowDetail is the height below which the frame and its place are in the line over the
// excerpt.
const lowDetail = 17

// detail is the selected finding in full. It has no commands, so it never has the focus.
type detail struct {
	*Pane
	line line
	part *excerpt // the last one that was read
}

// The methods of [app.Pane].
func (*detail) Commands() []keys.Command { return nil }
func (*detail) Motion(keys.Motion) bool  { return false }
func (*detail) Refresh(app.Tick) bool    { return false }

func (d *detail) Paint(c *app.Canvas, focused bool) {
	switch l := d.line; {
	case l.entry == nil:
		d.group(c, l.group, focused)
	case l.entry.probe != nil:
		d.probe(c, l, focused)
	default:
		d.rule(c, l, focused)
	}
}

// rule paints a finding of a rule.
func (d *detail) rule(c *app.Canvas, l line, focused bool) {
	f, pal := l.entry.finding(l.i), c.Pal
	style, sign := d.sign(pal, l.entry)
	note := paint.Span{Style: severity.Style(pal, f.Rule.Severity), Text: severity.Word(f.Rule.Severity)}
	if l.entry.state == muted {
		note = paint.Span{Style: pal.Muted, Text: "muted"}
	}
	s := doc.On(c.Box([]paint.Span{{Style: style, Text: sign + " "}, {Style: pal.Muted, Text: f.Rule.ID + " "}, {Style: pal.TextBold, Text: f.Rule.Slug}}, []paint.Span{note}, focused))
	low := s.H < lowDetail
	s.Text(pal.Strong, f.Message, max(s.H/5, 2))
	s.Gap()
	fix(s, f.Hint)
	s.Gap()
	s.FactRow("fix in", func(r *paint.Row) {
		if low {
			r.Right(paint.Span{Style: pal.Muted, Text: f.Rule.Spec + " "})
		}
	}, paint.Span{Style: pal.TextBold, Text: severity.FixIn(f)})
	if !low {
		d.facts(s, f)
	}
	switch e := d.load(f); {
	case f.Row < 0:
		s.FactText("time", pal.Text, clock(f)+", not about one frame", 1)
	case e.shows() || low:
		s.Gap()
		s.Rule(d.heading(pal, f, low, s.W)...)
		s.Rest(e.wants(), e.paint).Give(1, 3)
	}
	s.Paint()
}

// facts are the frame, the place, and what the catalogue says of the rule.
func (d *detail) facts(s *doc.Doc, f *lint.Finding) {
	if f.Row >= 0 {
		s.FactRow("frame", func(r *paint.Row) {
			r.Right(paint.Span{Style: s.Pal.Muted, Text: clock(f) + " "})
			r.Put(s.Pal.Text, frameNumber(f.Row)+" ")
		}, d.frame(s.Pal, f.Row, s.Pal.Text)...)
		if where := d.where(f); where != "" {
			s.FactText("place", s.Pal.Value, tail(s.Pal, where, s.W-2-s.Margin), 1)
		}
	}
	if n, kept := d.line.entry.rule.Count, len(d.line.entry.rule.Findings); n > 1 {
		text := paint.HumanCount(n)
		if kept < n {
			text += ", the newest " + paint.HumanCount(kept) + " are listed"
		}
		s.FactText("count", s.Pal.Text, text, 1).Give(6, 0)
	}
	if f.Rule.Spec != "" {
		s.FactText("spec", s.Pal.Text, f.Rule.Spec, 1).Give(7, 0)
	}
	if f.Rule.Condition != "" {
		s.FactText("trigger", s.Pal.Muted, f.Rule.Condition, 3).Give(8, 0)
	}
}

// heading is the line over the excerpt.
func (d *detail) heading(pal *paint.Palette, f *lint.Finding, low bool, w int) []paint.Span {
	title := []paint.Span{{Style: pal.Muted, Text: "frame " + frameNumber(f.Row)}}
	if !low {
		return title
	}
	title = append(append(title, paint.Span{Text: " "}), d.frame(pal, f.Row, pal.Text)...)
	used := 8 // the line itself
	for _, span := range title {
		used += paint.Width(span.Text)
	}
	if where := d.where(f); where != "" {
		title = append(title, paint.Span{Style: pal.Value, Text: "  " + tail(pal, where, w-used)})
	}
	return title
}

// where is the place of a finding in its frame.
func (d *detail) where(f *lint.Finding) string {
	where := f.Where()
	if e := d.load(f); where != "" && e.tree != nil && !e.found {
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

// maxExcerpt is the size in bytes up to which a frame is read while drawing.
const maxExcerpt = 256 << 10

// excerpt is the frame of a finding, ready to be painted.
type excerpt struct {
	row    int32
	path   string
	offset int

	large int64 // the size of a frame that is not read
	err   error
	tree  *jsonview.View
	found bool // the path names a value of the tree
	bytes *hexview.View
}

// wants is how many rows are good to have.
func (e *excerpt) wants() int {
	if e.tree != nil {
		return min(e.tree.Doc().Len(), 9)
	}
	return 9
}

func (e *excerpt) shows() bool { return e.err != nil || e.large > 0 || e.tree != nil || e.bytes != nil }

// load returns the excerpt of a finding; the last one is kept.
func (d *detail) load(f *lint.Finding) *excerpt {
	if e := d.part; e != nil && e.row == f.Row && e.path == f.Path && e.offset == f.Offset {
		return e
	}
	e := &excerpt{row: f.Row, path: f.Path, offset: f.Offset}
	d.part = e
	info, ok := d.s.Store().Row(f.Row)
	switch {
	case !ok || !info.IsFrame():
	case info.Size > maxExcerpt:
		e.large = int64(info.Size)
	default:
		e.read(d.s.Store(), f)
	}
	return e
}

func (e *excerpt) read(s *store.Store, f *lint.Finding) {
	body, err := s.Body(f.Row)
	if e.err = err; err != nil {
		return
	}
	parsed, broken := jsonview.Parse(body)
	if f.AtByte() || broken != nil && f.Path == "" {
		at := max(f.Offset, 0)
		e.bytes = hexview.New(body)
		e.bytes.SetMode(hexview.Text)
		if f.AtByte() {
			e.bytes.Mark(min(at, len(body)-1), at+1)
		}
		return
	}
	e.tree = jsonview.NewView(parsed)
	e.found = e.tree.SelectPointer(f.Path)
}

// paint writes the lines of the frame around the place.
func (e *excerpt) paint(c *app.Canvas) {
	say := func(st paint.Style, text string) {
		c.Line(func(r *paint.Row) { r.Gap(1); r.Put(st, paint.Sanitize(text)) })
	}
	switch {
	case e.err != nil:
		say(c.Pal.Warn, e.err.Error())
	case e.large > 0:
		say(c.Pal.Muted, paint.HumanSize(e.large)+"; "+c.Names.Name("finding.frame")+" shows the frame at the place.")
	case e.bytes != nil:
		c.Rows(e.bytes.Rows(c.Pal, c.W, c.H)...)
	case e.tree != nil:
		c.Rows(e.tree.Rows(c.Pal, c.JS, c.W, c.H, false)...)
	}
}
