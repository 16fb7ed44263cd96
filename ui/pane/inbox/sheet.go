package inbox

import (
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

func (e *entry) elicits() bool { return e.ask.Method == client.AskElicitation }

// sheet is the inside of the request's box while it is painted.
type sheet struct {
	pal  *paint.Palette
	js   paint.JSONStyles
	r    *paint.Row
	w, h int
	rows []string
}

func (s *sheet) line(write func(r *paint.Row)) {
	s.r.Start(s.w, paint.Style{})
	s.r.Gap(1)
	write(s.r)
	s.rows = append(s.rows, s.r.String())
}

func (s *sheet) blankTo(n int) {
	for len(s.rows) < n {
		s.line(func(*paint.Row) {})
	}
}

// itemBox paints the selected request with its corner at x and y.
func (p *Pane) itemBox(pal *paint.Palette, js paint.JSONStyles, e *entry, x, y, w, h int, focused bool) []string {
	p.area.item = rect{x + 1, y + 1, max(w-2, 0), max(h-2, 0)}
	st := pal.Text
	if e.waits() {
		st = pal.AskedBold
	}
	title := []paint.Span{{Style: st, Text: paint.Sanitize(e.ask.Method)}}
	if e.during.name != "" && w > 60 {
		title = append(title, paint.Span{Style: pal.Muted, Text: "  for " + paint.Cut(paint.Sanitize(e.during.name), w/4)})
	}
	s := &sheet{pal: pal, js: js, r: pal.Row(), w: max(w-2, 0), h: max(h-2, 0)}
	p.fill(s, e, focused)
	return paint.Box(pal, w, h, focused, title, []paint.Span{{Style: pal.Muted, Text: pal.Cut(e.note, w/3)}}, s.rows)
}

// fill stacks the request, the answer, the keys, and what happens otherwise.
// When it gets tight the empty rows go first, then the request scrolls.
func (p *Pane) fill(s *sheet, e *entry, focused bool) {
	hints := p.hintRows(s, e)
	if s.h < 14 {
		hints = hints[:1]
	}
	foot := len(hints)
	if s.h >= 7 {
		foot++
	}
	room := max(s.h-foot, 0)
	answer := 0
	if p.answers(e) {
		answer = e.answerHeight(s)
	}
	gap := 1
	rows := e.requestRows(s, true)
	if len(rows)+answer+2*gap > room {
		gap = 0
		rows = e.requestRows(s, false)
	}
	request := len(rows)
	if request+answer > room {
		request = max(room-answer, min(request, room*2/5))
		answer = room - request
	}
	p.requestPart(s, e, rows, request)
	if answer > 0 {
		s.blankTo(len(s.rows) + gap)
		p.answerPart(s, e, answer, focused)
	}
	if len(s.rows) < room {
		s.blankTo(len(s.rows) + min(gap, room-len(s.rows)))
	}
	s.rows = append(s.rows, hints...)
	if foot > len(hints) {
		p.lastRow(s, e)
	}
}

// answers reports whether an answer is shown: one that can be sent, or one that
// somebody was writing when it no longer could.
func (p *Pane) answers(e *entry) bool {
	return (e.waits() || p.part == inAnswer) && (e.asJSON || e.shape != page)
}

func (e *entry) requestRows(s *sheet, gaps bool) []string {
	c := &e.painted
	if c.pal != s.pal || c.w != s.w || c.gaps != gaps {
		c.pal, c.w, c.gaps = s.pal, s.w, gaps
		c.rows = factRows(s.pal, s.js, e.facts, s.w, gaps)
	}
	return c.rows
}

// requestPart paints n rows of the request and says when there are more.
func (p *Pane) requestPart(s *sheet, e *entry, rows []string, n int) {
	e.top = max(0, min(e.top, len(rows)-n))
	p.area.request = rect{p.area.item.x, p.area.item.y, s.w, n}
	s.rows = append(s.rows, rows[e.top:e.top+n]...)
	s.hidden(len(s.rows)-n, e.top > 0, e.top+n < len(rows))
}

// hidden says at the ends of the rows from at on that there are more.
func (s *sheet) hidden(at int, above, below bool) {
	corner := func(i int, glyph string) {
		if i >= at && i < len(s.rows) && s.w > 2 {
			s.rows[i] = paint.Slice(s.rows[i], 0, s.w-2) + s.pal.Accent.Render(glyph) + " "
		}
	}
	if above {
		corner(at, s.pal.Up)
	}
	if below {
		corner(len(s.rows)-1, s.pal.Down)
	}
}

// answerHeight is how many rows the answer would like, its rule included.
func (e *entry) answerHeight(s *sheet) int {
	switch {
	case e.asJSON:
		return 1 + min(max(e.json.Lines()+1, 4), max(s.h*3/5, 4))
	case e.shape == form:
		n := max(e.draft.Form.Height(s.pal, s.w), 1)
		if len(e.draft.Beside) > 0 {
			n++
		}
		return 1 + n
	}
	return 2 + min(max(e.text.LineCount()+1, 4), max(s.h/2, 3))
}

// answerPart paints the answer that is being written in h rows.
func (p *Pane) answerPart(s *sheet, e *entry, h int, focused bool) {
	title := "your answer"
	switch {
	case e.asJSON:
		title = "your answer, the whole result"
	case e.shape == sampling:
		title = "your answer as the model"
	}
	s.line(func(r *paint.Row) {
		n := r.Left() - 1
		r.Painted(paint.Rule(s.pal, n, paint.Span{Style: s.pal.Text, Text: title}), n)
	})
	if h--; h <= 0 {
		return
	}
	w := max(s.w-2, 1)
	p.area.answer = rect{p.area.item.x + 1, p.area.item.y + len(s.rows), w, h}
	switch {
	case e.asJSON:
		for _, row := range e.json.Rows(s.pal, s.js, w, h, focused) {
			s.line(func(r *paint.Row) { r.Painted(row, w) })
		}
	case e.shape == form:
		p.formPart(s, e, h, focused)
	default:
		p.textPart(s, e, h)
	}
}

func (p *Pane) formPart(s *sheet, e *entry, h int, focused bool) {
	if e.draft.Form.Len() == 0 {
		s.line(func(r *paint.Row) { r.Put(s.pal.Muted, "there is nothing to fill in") })
		return
	}
	below := 0
	if len(e.draft.Beside) > 0 && h > 1 {
		below = 1
	}
	p.area.answer = rect{p.area.item.x, p.area.item.y + len(s.rows), s.w, h - below}
	at := len(s.rows)
	s.rows = append(s.rows, e.draft.Form.Rows(s.pal, s.w, h-below, focused)...)
	above, after := e.draft.Form.Hidden()
	s.hidden(at, above, after)
	if below > 0 {
		s.line(func(r *paint.Row) {
			r.Put(s.pal.Muted, "and ")
			r.Foreign(s.pal.Text, string(e.draft.Beside))
		})
	}
}

// textPart paints the text of a model and what it says of itself.
func (p *Pane) textPart(s *sheet, e *entry, h int) {
	w := max(s.w-2, 1)
	facts := h > 1
	if facts {
		h--
	}
	p.area.answer.h = h
	for _, row := range e.text.Rows(s.pal, s.pal.Field, w, h, edit.Plain(paint.Style{})) {
		s.line(func(r *paint.Row) { r.Painted(row, w) })
	}
	if facts {
		s.line(func(r *paint.Row) {
			r.Put(s.pal.Muted, "stop reason ")
			r.Foreign(s.pal.Text, e.stop)
			r.Put(s.pal.Muted, "   model ")
			r.Foreign(s.pal.Text, e.model)
		})
	}
}

// hintRows name the keys that work, in as many rows as that takes.
func (p *Pane) hintRows(s *sheet, e *entry) []string {
	h := &sheet{pal: s.pal, r: s.r, w: s.w}
	if e.waits() && !e.asJSON && e.shape == form && e.draft.Warned != nil {
		h.line(func(r *paint.Row) {
			r.Put(s.pal.Warn, s.pal.WarnMark+" ")
			r.Put(s.pal.AccentBold, command.KeyOf(command.InboxAnswer))
			r.Put(s.pal.Text, " again sends it all the same   ")
			r.Foreign(s.pal.Warn, e.draft.Said)
		})
		return h.rows
	}
	for names := p.hints(e); len(names) > 0 || len(h.rows) == 0; {
		h.line(func(r *paint.Row) {
			for first := true; len(names) > 0; first = false {
				k, l := command.KeyOf(names[0]), label(e, names[0])
				if !first && r.Left() < paint.Width(k)+paint.Width(l)+2 {
					return
				}
				r.Put(s.pal.AccentBold, k)
				r.Put(s.pal.Muted, " "+l)
				r.Gap(min(3, r.Left()))
				names = names[1:]
			}
		})
	}
	return h.rows
}

// lastRow says what happens when nobody does anything, or what has happened.
func (p *Pane) lastRow(s *sheet, e *entry) {
	s.line(func(r *paint.Row) {
		if !e.waits() {
			r.Put(outcomeStyle(s.pal, e.ask.State), outcome(e))
			r.Put(s.pal.Muted, byWhom(e.ask.By)+" after "+paint.HumanDuration(max(e.ask.Answered.Sub(e.ask.Arrived), 0)))
			return
		}
		if e.sent {
			r.Put(s.pal.Warn, paint.Spinner(s.pal, p.spin)+" the answer is on its way")
			return
		}
		left := max(e.ask.Deadline.Sub(p.now), 0).Round(time.Second)
		st := s.pal.Muted
		if left < time.Minute {
			st = s.pal.Warn
		}
		verb := "declined"
		if e.elicits() {
			verb = "cancelled"
		}
		r.Put(st, verb+" by itself in "+clock(left))
		if e.during.id != "" {
			r.Put(s.pal.Muted, "   call ")
			r.Foreign(s.pal.Muted, e.during.id)
			r.Put(s.pal.Muted, " waits too")
		}
	})
}

// clock writes what is left to the second: "4:58".
func clock(d time.Duration) string {
	n := int(d / time.Second)
	sec := strconv.Itoa(n % 60)
	if n%60 < 10 {
		sec = "0" + sec
	}
	return strconv.Itoa(n/60) + ":" + sec
}
