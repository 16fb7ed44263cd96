package inbox

import (
	"slices"
	"strings"
	"time"

	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
	"mcptea/ui/widget/masterdetail"
)

// sheet is the inside of the box of a request while it is painted.
type sheet struct {
	paint.Sheet
	js paint.JSONStyles
}

// blanks appends n empty rows.
func (s *sheet) blanks(n int) {
	for range n {
		s.Blank()
	}
}

// detail paints the selected request into the inside of its box.
func (p *Pane) detail(pal *paint.Palette, js paint.JSONStyles, at masterdetail.Rect, focused bool) masterdetail.Box {
	e := p.selected()
	st := pal.Text
	if e.waits() {
		st = pal.AskedBold
	}
	title := []paint.Span{{Style: st, Text: paint.Sanitize(e.req.Method)}}
	if e.call.name != "" && at.W > 58 {
		title = append(title, paint.Span{Style: pal.Muted, Text: "  for " + paint.Cut(paint.Sanitize(e.call.name), at.W/4)})
	}
	s := &sheet{paint.NewSheet(pal, at.W, at.H), js}
	p.fill(s, e, focused)
	return masterdetail.Box{Title: title, Note: []paint.Span{{Style: pal.Muted, Text: pal.Cut(e.note, at.W/3)}}, Rows: s.Rows}
}

// fill stacks the request, the response, the keys and the state. In a low pane the
// empty rows are left out first, then the request scrolls.
func (p *Pane) fill(s *sheet, e *entry, focused bool) {
	hints := p.hintRows(s, e)
	if s.H < 14 {
		hints = hints[:1]
	}
	foot := len(hints)
	if s.H >= 7 {
		foot++
	}
	room := max(s.H-foot, 0)
	response := 0
	if p.showsResponse(e) {
		response = e.responseHeight(s)
	}
	rows, packed := e.requestRows(s)
	gap := 1
	if len(rows)+response+2*gap > room {
		gap, rows = 0, packed
	}
	request := len(rows)
	if request+response > room {
		request = max(room-response, min(request, room*2/5))
		response = room - request
	}
	s.Rows = append(s.Rows, e.view.Rows(rows, s.W, request)...)
	above, below := e.view.Hidden()
	s.markHidden(len(s.Rows)-request, above, below)
	if n := len(e.req.Result); n > 0 && !e.waits() && response == 0 && len(s.Rows)+gap < room {
		s.blanks(gap)
		s.Margin = marginWidth
		s.Fact("response", func(r *paint.Row) {
			r.Put(s.Pal.Text, strings.Join(strings.Fields(string(e.req.Result)), " "))
		})
	}
	if e.req.Failure != "" && response == 0 && len(s.Rows)+gap < room {
		s.blanks(gap)
		s.Margin = marginWidth
		s.FactText("error", s.Pal.Error, e.req.Failure, 2)
	}
	if n := len(e.req.Stderr); n > 0 && response == 0 && len(s.Rows)+gap < room {
		s.Margin = marginWidth
		s.FactText("stderr", s.Pal.Text, string(e.req.Stderr), room-len(s.Rows))
	}
	if response > 0 {
		s.blanks(gap)
		p.paintResponse(s, e, response, focused)
	}
	s.blanks(max(min(gap, room-len(s.Rows)), 0))
	s.Rows = append(s.Rows, hints...)
	if foot > len(hints) {
		s.Line(func(r *paint.Row) { p.state(r, s.Pal, e) })
	}
}

// showsResponse reports whether a response is shown: one that can be sent, or one
// that was being edited when the request was withdrawn.
func (p *Pane) showsResponse(e *entry) bool {
	return (e.waits() || p.editing()) && (e.asJSON || e.kind != page)
}

// requestRows are the rows of the request, with and without empty ones.
func (e *entry) requestRows(s *sheet) (spaced, packed []string) {
	c := &e.painted
	if c.pal != s.Pal || c.w != s.W {
		c.pal, c.w = s.Pal, s.W
		c.spaced = paintLines(s.Pal, s.js, e.lines, s.W, true)
		c.packed = c.spaced
		if slices.Contains(e.lines, line{}) {
			c.packed = paintLines(s.Pal, s.js, e.lines, s.W, false)
		}
	}
	return c.spaced, c.packed
}

// markHidden marks the first and the last of the rows from one on where there are
// more above or below.
func (s *sheet) markHidden(from int, above, below bool) {
	mark := func(i int, glyph string) {
		if i >= from && i < len(s.Rows) && s.W > 2 {
			s.Rows[i] = paint.Slice(s.Rows[i], 0, s.W-2) + s.Pal.Accent.Render(glyph) + " "
		}
	}
	if above {
		mark(from, s.Pal.Up)
	}
	if below {
		mark(len(s.Rows)-1, s.Pal.Down)
	}
}

// responseHeight is the number of rows for the response, with the line over it.
func (e *entry) responseHeight(s *sheet) int {
	switch {
	case e.asJSON:
		return 1 + min(max(e.json.Lines()+1, 4), max(s.H*3/5, 4))
	case e.kind == form:
		n := max(e.draft.Form.Height(s.Pal, s.W), 1)
		return 1 + n
	}
	return 2 + min(max(e.text.LineCount()+1, 4), max(s.H/2, 3))
}

// paintResponse paints the response in h rows.
func (p *Pane) paintResponse(s *sheet, e *entry, h int, focused bool) {
	title := "response"
	switch {
	case e.asJSON:
		title = "response: the whole result as JSON"
	case e.kind == sampling:
		title = "response as the model"
	}
	s.Rule(paint.Span{Style: s.Pal.Text, Text: title})
	if h--; h <= 0 {
		return
	}
	at := p.view.Detail()
	w := max(s.W-2, 1)
	p.response = masterdetail.Rect{X: at.X + 1, Y: at.Y + len(s.Rows), W: w, H: h}
	switch {
	case e.asJSON:
		for _, row := range e.json.Rows(s.Pal, s.js, w, h, focused) {
			s.Line(func(r *paint.Row) { r.Painted(row, w) })
		}
	case e.kind == form:
		p.paintForm(s, e, h, focused)
	default:
		p.paintText(s, e, h)
	}
}

func (p *Pane) paintForm(s *sheet, e *entry, h int, focused bool) {
	if e.draft.Form.Len() == 0 {
		s.Line(func(r *paint.Row) { r.Put(s.Pal.Muted, "no fields") })
		return
	}
	p.response = masterdetail.Rect{X: p.response.X - 1, Y: p.response.Y, W: s.W, H: h}
	from := len(s.Rows)
	s.Rows = append(s.Rows, e.draft.Form.Rows(s.Pal, s.W, h, focused)...)
	above, after := e.draft.Form.Hidden()
	s.markHidden(from, above, after)
}

// paintText paints the text of a sampling response, and the members beside it.
func (p *Pane) paintText(s *sheet, e *entry, h int) {
	w := max(s.W-2, 1)
	members := h > 1
	if members {
		h--
	}
	p.response.H = h
	for _, row := range e.text.Rows(s.Pal, s.Pal.Field, w, h, edit.Plain(paint.Style{})) {
		s.Line(func(r *paint.Row) { r.Painted(row, w) })
	}
	if members {
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.Muted, "stop reason ")
			r.Put(s.Pal.Text, e.stop)
			r.Put(s.Pal.Muted, "   model ")
			r.Put(s.Pal.Text, e.model)
		})
	}
}

// hintRows are the keys that work on the request, or what is wrong with the form.
func (p *Pane) hintRows(s *sheet, e *entry) []string {
	h := paint.NewSheet(s.Pal, s.W, 0)
	if e.waits() && !e.asJSON && e.kind == form && e.draft.Warned != nil {
		h.Line(func(r *paint.Row) { e.draft.Warning().Put(r, s.Pal, p.keyOf(command.SendResponse)) })
		return h.Rows
	}
	var hints []paint.Hint
	for _, id := range p.commands(e) {
		hints = append(hints, paint.Hint{Key: p.keyOf(id), Label: label(e, id)})
	}
	h.Hints(s.H, hints...)
	if len(h.Rows) == 0 {
		h.Blank()
	}
	return h.Rows
}

// keyOf is the key of a command where the focus is.
func (p *Pane) keyOf(id command.ID) string { return command.KeyIn(p.Context(), id, p.Typing()) }

// commands are the commands that are named under a request.
func (p *Pane) commands(e *entry) []command.ID {
	switch {
	case !e.waits():
		return []command.ID{command.ShowRequestFrame, command.CopyRequest}
	case e.kind == roots:
		return []command.ID{command.OpenRequest, command.SendResponse, command.DeclineRequest, command.ShowRequestFrame, command.CopyRequest}
	case e.req.Required():
		return []command.ID{command.SendResponse, command.CopyRequest, command.DeclineRequest, command.ShowRequestFrame}
	}
	ids := []command.ID{command.SendResponse, command.DeclineRequest, command.DismissRequest}
	if e.kind == page && !p.editing() {
		return append(ids, command.CopyRequest, command.ToggleResponseJSON)
	}
	if !p.editing() && e.writable() {
		ids = append([]command.ID{command.OpenRequest}, ids...)
	}
	if e.kind != invalid {
		ids = append(ids, command.ToggleResponseJSON)
	}
	return ids
}

// label is what a command does with this request.
func label(e *entry, id command.ID) string {
	switch id {
	case command.OpenRequest:
		return "edit"
	case command.SendResponse:
		switch {
		case e.req.Required():
			return "call again"
		case e.kind == form:
			return "accept"
		case e.kind == page:
			return "accept (opens nothing)"
		}
	case command.DismissRequest:
		switch {
		case e.elicits():
			return "cancel"
		case e.kind == roots:
			return "decline"
		}
		return "error"
	case command.ToggleResponseJSON:
		if e.asJSON {
			return "back"
		}
	case command.CopyRequest:
		if e.kind == page {
			return "copy URL"
		}
	}
	c, _ := command.Named(id)
	return c.Label()
}

// state writes the outcome of the request, or what happens without a response.
func (p *Pane) state(r *paint.Row, pal *paint.Palette, e *entry) {
	completed := func() {
		if !e.req.Completed.IsZero() {
			r.Put(pal.OK, "   completed at "+e.req.Completed.Format(time.TimeOnly))
		}
	}
	switch {
	case !e.waits():
		r.Spans(outcome(pal, e)...)
		r.Put(pal.Muted, " after "+paint.HumanDuration(e.took()))
		completed()
		if p.caller != "" && e.call.tab == p.caller && e.sent {
			r.Put(pal.AccentBold, "   "+p.keyOf(command.Back))
			r.Put(pal.Muted, " to call ")
			r.Put(pal.Muted, e.call.id)
		}
	case e.sent:
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" sending the response")
	case e.req.Sampling():
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" the sampler runs   ")
		r.Put(pal.Muted, "a response from here is sent in its place")
	case e.req.Required():
		r.Put(pal.Muted, "call ")
		r.Put(pal.Muted, string(e.req.Of))
		r.Put(pal.Muted, " failed with -32042: it requires the page first")
		completed()
	default:
		left, st := max(e.req.Deadline.Sub(p.now), 0), pal.Muted
		if left < time.Minute {
			st = pal.Warn
		}
		verb := "mcptea declines in "
		if e.elicits() {
			verb = "mcptea cancels in "
		}
		r.Put(st, verb+paint.HumanCountdown(left))
		if e.call.id != "" {
			r.Put(pal.Muted, "   call ")
			r.Put(pal.Muted, e.call.id)
			r.Put(pal.Muted, " is blocked")
		}
	}
}
