package inbox

import (
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

func (e *entry) elicits() bool { return e.ask.Method == client.MethodElicitation }

// sheet is the inside of the request's box while it is painted.
type sheet struct {
	paint.Sheet
	js paint.JSONStyles
}

func (s *sheet) blankTo(n int) {
	for len(s.Rows) < n {
		s.Blank()
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
	s := &sheet{paint.NewSheet(pal, w-2, h-2), js}
	p.fill(s, e, focused)
	return paint.Box(pal, w, h, focused, title, []paint.Span{{Style: pal.Muted, Text: pal.Cut(e.note, w/3)}}, s.Rows)
}

// fill stacks the request, the answer, the keys, and what happens otherwise.
// When it gets tight the empty rows go first, then the request scrolls.
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
	if n := len(e.ask.Result); n > 0 && !e.waits() && answer == 0 && len(s.Rows)+gap < room {
		s.blankTo(len(s.Rows) + gap)
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.Muted, " answer    ")
			r.Foreign(s.Pal.Text, strings.Join(strings.Fields(string(e.ask.Result)), " "))
		})
	}
	if answer > 0 {
		s.blankTo(len(s.Rows) + gap)
		p.answerPart(s, e, answer, focused)
	}
	if len(s.Rows) < room {
		s.blankTo(len(s.Rows) + min(gap, room-len(s.Rows)))
	}
	s.Rows = append(s.Rows, hints...)
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
	if c.pal != s.Pal || c.w != s.W || c.gaps != gaps {
		c.pal, c.w, c.gaps = s.Pal, s.W, gaps
		c.rows = factRows(s.Pal, s.js, e.facts, s.W, gaps)
	}
	return c.rows
}

// requestPart paints n rows of the request and says when there are more.
func (p *Pane) requestPart(s *sheet, e *entry, rows []string, n int) {
	e.top = max(0, min(e.top, len(rows)-n))
	p.area.request = rect{p.area.item.x, p.area.item.y, s.W, n}
	s.Rows = append(s.Rows, rows[e.top:e.top+n]...)
	s.hidden(len(s.Rows)-n, e.top > 0, e.top+n < len(rows))
}

// hidden says at the ends of the rows from at on that there are more.
func (s *sheet) hidden(at int, above, below bool) {
	corner := func(i int, glyph string) {
		if i >= at && i < len(s.Rows) && s.W > 2 {
			s.Rows[i] = paint.Slice(s.Rows[i], 0, s.W-2) + s.Pal.Accent.Render(glyph) + " "
		}
	}
	if above {
		corner(at, s.Pal.Up)
	}
	if below {
		corner(len(s.Rows)-1, s.Pal.Down)
	}
}

// answerHeight is how many rows the answer would like, its rule included.
func (e *entry) answerHeight(s *sheet) int {
	switch {
	case e.asJSON:
		return 1 + min(max(e.json.Lines()+1, 4), max(s.H*3/5, 4))
	case e.shape == form:
		n := max(e.draft.Form.Height(s.Pal, s.W), 1)
		if len(e.draft.Beside) > 0 {
			n++
		}
		return 1 + n
	}
	return 2 + min(max(e.text.LineCount()+1, 4), max(s.H/2, 3))
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
	s.Line(func(r *paint.Row) {
		n := r.Left() - 1
		r.Painted(paint.Rule(s.Pal, n, paint.Span{Style: s.Pal.Text, Text: title}), n)
	})
	if h--; h <= 0 {
		return
	}
	w := max(s.W-2, 1)
	p.area.answer = rect{p.area.item.x + 1, p.area.item.y + len(s.Rows), w, h}
	switch {
	case e.asJSON:
		for _, row := range e.json.Rows(s.Pal, s.js, w, h, focused) {
			s.Line(func(r *paint.Row) { r.Painted(row, w) })
		}
	case e.shape == form:
		p.formPart(s, e, h, focused)
	default:
		p.textPart(s, e, h)
	}
}

func (p *Pane) formPart(s *sheet, e *entry, h int, focused bool) {
	if e.draft.Form.Len() == 0 {
		s.Line(func(r *paint.Row) { r.Put(s.Pal.Muted, "there is nothing to fill in") })
		return
	}
	below := 0
	if len(e.draft.Beside) > 0 && h > 1 {
		below = 1
	}
	p.area.answer = rect{p.area.item.x, p.area.item.y + len(s.Rows), s.W, h - below}
	at := len(s.Rows)
	s.Rows = append(s.Rows, e.draft.Form.Rows(s.Pal, s.W, h-below, focused)...)
	above, after := e.draft.Form.Hidden()
	s.hidden(at, above, after)
	if below > 0 {
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.Muted, "and ")
			r.Foreign(s.Pal.Text, string(e.draft.Beside))
		})
	}
}

// textPart paints the text of a model and what it says of itself.
func (p *Pane) textPart(s *sheet, e *entry, h int) {
	w := max(s.W-2, 1)
	facts := h > 1
	if facts {
		h--
	}
	p.area.answer.h = h
	for _, row := range e.text.Rows(s.Pal, s.Pal.Field, w, h, edit.Plain(paint.Style{})) {
		s.Line(func(r *paint.Row) { r.Painted(row, w) })
	}
	if facts {
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.Muted, "stop reason ")
			r.Foreign(s.Pal.Text, e.stop)
			r.Put(s.Pal.Muted, "   model ")
			r.Foreign(s.Pal.Text, e.model)
		})
	}
}

// hintRows name the keys that work, in as many rows as that takes.
func (p *Pane) hintRows(s *sheet, e *entry) []string {
	h := &sheet{Sheet: paint.NewSheet(s.Pal, s.W, 0)}
	if e.waits() && !e.asJSON && e.shape == form && e.draft.Warned != nil {
		h.Line(func(r *paint.Row) {
			r.Put(s.Pal.Warn, s.Pal.WarnMark+" ")
			r.Put(s.Pal.AccentBold, command.KeyOf(command.SendResponse))
			r.Put(s.Pal.Text, " again sends it all the same   ")
			r.Foreign(s.Pal.Warn, e.draft.Said)
		})
		return h.Rows
	}
	for names := p.hints(e); len(names) > 0 || len(h.Rows) == 0; {
		h.Line(func(r *paint.Row) {
			for first := true; len(names) > 0; first = false {
				k, l := command.KeyOf(names[0]), label(e, names[0])
				if !first && r.Left() < paint.Width(k)+paint.Width(l)+2 {
					return
				}
				r.Put(s.Pal.AccentBold, k)
				r.Put(s.Pal.Muted, " "+l)
				r.Gap(min(3, r.Left()))
				names = names[1:]
			}
		})
	}
	return h.Rows
}

// lastRow says what happens when nobody does anything, or what has happened.
func (p *Pane) lastRow(s *sheet, e *entry) {
	s.Line(func(r *paint.Row) {
		if !e.waits() {
			r.Put(outcomeStyle(s.Pal, e.ask.State), outcome(e))
			r.Put(s.Pal.Muted, byWhom(e.ask.By)+" after "+paint.HumanDuration(max(e.ask.Answered.Sub(e.ask.Arrived), 0)))
			if !e.ask.Completed.IsZero() {
				r.Put(s.Pal.OK, "   completed at "+e.ask.Completed.Format("15:04:05"))
			}
			return
		}
		if e.sent {
			r.Put(s.Pal.Warn, paint.Spinner(s.Pal, p.spin)+" the answer is on its way")
			return
		}
		if e.ask.Required() {
			r.Put(s.Pal.Muted, "request "+string(e.ask.Of)+" was refused until then (-32042)")
			if !e.ask.Completed.IsZero() {
				r.Put(s.Pal.OK, "   completed at "+e.ask.Completed.Format("15:04:05"))
			}
			return
		}
		left := max(e.ask.Deadline.Sub(p.now), 0).Round(time.Second)
		st := s.Pal.Muted
		if left < time.Minute {
			st = s.Pal.Warn
		}
		verb := "declined"
		if e.elicits() {
			verb = "cancelled"
		}
		r.Put(st, verb+" by itself in "+clock(left))
		if e.during.id != "" {
			r.Put(s.Pal.Muted, "   call ")
			r.Foreign(s.Pal.Muted, e.during.id)
			r.Put(s.Pal.Muted, " waits too")
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
