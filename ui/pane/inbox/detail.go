package inbox

import (
	"cmp"
	"strings"
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// detail is the selected request in full. It has the focus while its response is edited.
type detail struct {
	p *Pane
	e *entry
}

// Commands implements [app.Pane].
func (d detail) Commands() []keys.Command {
	if d.e.editor() == nil {
		return nil
	}
	return d.p.Inner.Commands
}

// Motion implements [app.Pane]: the response has the keys.
func (detail) Motion(keys.Motion) bool { return false }

// Refresh implements [app.Pane].
func (detail) Refresh(app.Tick) bool { return false }

// Paint implements [app.Pane]: the request, the response, the keys and the state. In a low
// pane the empty rows are left out first, then the request scrolls.
func (d detail) Paint(c *app.Canvas, focused bool) {
	e, pal, st := d.e, c.Pal, c.Pal.Text
	if e.waits() {
		st = pal.AskedBold
	}
	title := paint.Spans{{Style: st, Text: display.Sanitize(e.req.Method)}}
	title.If(e.call.name != "" && c.W > 60, pal.Muted, "  for "+e.call.name)
	ed := e.editor()
	if ed != nil && d.p.Inside() {
		c.Keys(ed) // before keys are named: letters are text
	}
	s := doc.On(c.Box(title, []paint.Span{{Style: pal.Muted, Text: pal.Cut(e.note, c.W/3)}}, focused))
	s.Wheel(e.view.Move)
	d.add(s, focused)
	if e.waits() && e.kind == formFields {
		s.Gap()
		s.WhereRoom("schema", e.schema)
	}
	s.Paint()
}

// needs returns the number of rows that the request and its response want.
func (d detail) needs(s *app.Screen, w, h int) int {
	return doc.Measure(s, w-2, h, func(s *doc.Doc) { d.add(s, false) }) + 2
}

// add adds the request, the response, the keys and the state.
func (d detail) add(s *doc.Doc, focused bool) {
	ed, e := d.e.editor(), d.e
	s.Margin = marginWidth
	d.request(s)
	if ed != nil && (e.waits() || d.p.Inside()) {
		s.Gap()
		d.response(s, ed, focused)
	} else {
		d.outcome(s)
	}
	s.Gap()
	d.keys(s)
	s.Lines(1, func(r *paint.Row, _ int) { d.state(r, s) }).Give(4, 0)
}

// request adds the rows of the request.
func (d detail) request(s *doc.Doc) {
	e, all := d.e, d.e.texts(s)
	s.Add(len(all), func(n int) {
		rows := e.view.Cut(all, n)
		above, below := e.view.Hidden()
		s.Rows(s.Pal.MarkHidden(rows, above, below)...)
	}).Give(8, min(len(all), max(s.H*2/5-1, 1)))
}

// response adds the editor of the response.
func (d detail) response(s *doc.Doc, ed editor, focused bool) {
	s.Rule(paint.Span{Style: s.Pal.Text, Text: ed.Title()}).Give(1, 0)
	x := ed.Margin()
	w := max(s.W-2*x, 1)
	rows := ed.Height(s.Pal, w, s.H)
	s.Add(rows, func(n int) {
		if n <= 0 {
			return
		}
		y := s.Next()
		for _, row := range ed.Rows(s.Canvas, w, n, focused) {
			s.Rows(strings.Repeat(" ", x) + row)
		}
		s.Click(x, y, w, n, func(x, y int) {
			d.p.Enter()
			ed.Click(x, y)
		})
		if cx, cy, ok := ed.Cursor(); ok && d.p.Inside() && cy >= 0 && cy < n {
			s.Field(ed, x+cx, y+cy)
		}
	}).Give(7, min(rows, 3))
}

// outcome adds the response that was sent, and the output of a sampler.
func (d detail) outcome(s *doc.Doc) {
	e, r := d.e, &d.e.req
	if len(r.Result)+len(r.Failure)+len(r.Stderr) > 0 {
		s.Gap()
	}
	if len(r.Result) > 0 && !d.e.waits() {
		s.Fact(paint.If(e.req.Unsent(), "not sent", "response"), paint.Span{Style: s.Pal.Text, Text: phrase.OneLine(string(r.Result))}).Give(2, 0)
	}
	s.FactText("error", s.Pal.Error, r.Failure, 2).Give(2, 0)
	s.FactText("stderr", s.Pal.Text, string(r.Stderr), maxRows).Give(3, 0)
}

// keys adds the keys that act on the request, or the problem of the form.
func (d detail) keys(s *doc.Doc) {
	e := d.e
	if f := e.form(); f != nil && e.waits() && f.Warned != nil {
		s.Lines(1, func(r *paint.Row, _ int) { f.PutWarning(r, s.Pal, s.Names.Name("respond")) })
		return
	}
	s.Keys(2, d.hints()...).Give(5, 1)
}

// ends returns the label for sending a response to a pending request.
func (e *entry) ends() string {
	if e.req.Required() {
		return "call again"
	}
	return cmp.Or(map[kind]string{formFields: "accept", visit: "accept (opens nothing)"}[e.kind], "respond")
}

// hints returns the commands named under a request, with their labels.
func (d detail) hints() (list []doc.Key) {
	e := d.e
	add := func(id, label string) { list = append(list, doc.Key{ID: id, Label: label}) }
	send := e.ends()
	switch {
	case !e.waits():
		add("frame", "frame")
		add("copy", "copy")
		return list
	case e.req.Required():
		add("respond", send)
		add("copy", "copy URL")
		add("respond.decline", d.p.declineLabel(e))
		add("frame", "frame")
		return list
	case d.p.Inside():
		add("respond", send)
	case e.editor() != nil:
		add("inbox.open", "edit")
		fallthrough
	default:
		add("respond", send)
	}
	add("respond.decline", d.p.declineLabel(e))
	switch {
	case e.kind == visit && !d.p.Inside():
		add("copy", "copy URL")
	case e.kind == sampling && d.p.Policies != nil:
		add("respond.sampler", "by command")
	}
	switch {
	case e.kind == invalid || e.kind == roots:
		add("frame", "frame")
	case e.asJSON:
		add("view.shown", "back")
	default:
		add("view.shown", "JSON")
	}
	return list
}

// state writes the outcome of the request, or what happens without a response.
func (d detail) state(r *paint.Row, s *doc.Doc) {
	e, pal, t := d.e, s.Pal, d.p.tick
	spin := t.Waits(pal)
	switch {
	case !e.waits():
		r.Spans(outcome(pal, e)...)
		r.Put(pal.Muted, " after "+phrase.Took(e.took()))
		if e.req.Kept() {
			r.Put(pal.Warn, "   "+sentWith(e.req.Others))
		}
		d.completed(r, pal)
		if e == d.p.last {
			r.Put(pal.AccentBold, "   "+s.Names.Name("back"))
			r.Put(pal.Muted, " to call id "+e.call.id)
		}
	case e.sent:
		r.Put(pal.Warn, spin+" sending the response")
	case e.req.Sampling():
		r.Put(pal.Warn, spin+" the sampler runs   ")
		r.Put(pal.Muted, "a response from here is sent in its place")
	case e.req.Required():
		r.Put(pal.Muted, "call id "+e.req.Of.String()+" failed with -32042: page required")
		d.completed(r, pal)
	default:
		left, st := max(e.req.Deadline.Sub(t.Now), 0), pal.Muted
		if left < time.Minute {
			st = pal.Warn
		}
		verb := paint.If(e.elicits(), "mcptea cancels in ", "mcptea declines in ")
		r.Put(st, verb+phrase.Countdown(left))
		if e.call.id != "" {
			r.Put(pal.Muted, "   call "+e.call.id+" waits for this")
		}
	}
}

func (d detail) completed(r *paint.Row, pal *paint.Palette) {
	if !d.e.req.Completed.IsZero() {
		r.Put(pal.OK, "   completed at "+d.e.req.Completed.Format(time.TimeOnly))
	}
}
