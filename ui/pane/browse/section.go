package browse

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// callSection shows the call on show under a rule: how far it is, or what it
// gave.
func (p *Pane) callSection(s *sheet, js paint.JSONStyles, e *entry, focused bool) {
	c := e.shown()
	if c == nil || s.Left() < 2 {
		return
	}
	out := c.word(s.Pal)
	title := []paint.Span{{Style: s.Pal.TextBold, Text: c.title(e.shape.done)}, {Style: s.Pal.Muted, Text: " "}, out}
	found := p.findings(c)
	if c.over {
		if word, ok := p.findingsWord(s.Pal, c, found); ok {
			title = append(title, word)
		}
		if c.outcome.level != timedOut {
			title = append(title, paint.Span{Style: s.Pal.Muted, Text: " " + paint.HumanDuration(c.ended)})
		}
		if n := len(c.answer.Frame); n > 0 {
			title = append(title, paint.Span{Style: s.Pal.Muted, Text: "  " + paint.HumanSize(int64(n))})
		}
		if v := c.top(); v != nil && v.Raw() {
			title = append(title, paint.Span{Style: s.Pal.Muted, Text: "  as sent"})
		}
		if v := c.top(); v != nil && v.Markdown() {
			title = append(title, p.markdownHint(s.Pal)...)
		}
		if c.Resent() {
			title = append(title, paint.Span{Style: s.Pal.Warn, Text: "  sent again as " + string(c.Last()) + " in a new session"})
		}
		if age, ok := p.age(s.Pal, e, c); ok {
			title = append(title, age)
		}
	} else {
		title[0].Style = s.Pal.Warn
		title[2].Style = s.Pal.Muted
	}
	s.Line(func(r *paint.Row) {
		r.Painted(paint.Rule(s.Pal, r.Left()-1, title...), r.Left()-1)
	})
	history := 0
	if len(e.calls) > 1 && s.Left() > 2 {
		history = 1
	}
	switch {
	case !c.over:
		p.waiting(s, c)
	case c.view == nil:
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.Muted, paint.Spinner(s.Pal, p.spin)+" reading "+paint.HumanSize(int64(len(c.answer.Frame))))
		})
	case c.top() == nil:
		p.layerWaits(s, c)
	case c.crash != nil && c.top() == c.view && !c.view.Raw():
		p.crashRows(s, c, s.Left()-history)
	default:
		rows := p.findingRows(s.Pal, s.W-2, c, found)
		rows = rows[:min(len(rows), max(s.Left()-history-2, 0))]
		p.unmatchedRow(s, c)
		p.result(s, js, c, s.Left()-history-len(rows), focused)
		for _, row := range rows {
			s.Line(row)
		}
	}
	if history > 0 && s.Left() > 0 {
		for !c.over && s.Left() > 2 && len(s.Rows) < s.H-1 {
			s.Blank()
			break
		}
		p.history(s, e)
	}
}

// markdownHint says how Markdown is shown, and names the key for the other way.
func (p *Pane) markdownHint(pal *paint.Palette) []paint.Span {
	now, other := "Markdown", "source"
	if pal.Source {
		now, other = "Markdown source", "rendered"
	}
	key := command.KeyIn(command.Result, command.ToggleMarkdown, p.part != inResult)
	return []paint.Span{{Style: pal.Muted, Text: "  " + now + "  "}, {Style: pal.AccentBold, Text: key}, {Style: pal.Muted, Text: " " + other}}
}

// result paints what a call gave in h rows.
func (p *Pane) result(s *sheet, js paint.JSONStyles, c *call, h int, focused bool) {
	if h <= 0 {
		return
	}
	x, w := 1, max(s.W-2, 1)
	if c.top().Raw() {
		x, w = 0, s.W // a tree has a margin of its own
	}
	if title, _ := c.layers.Title(p.now); title != "" && h > 2 {
		h--
		s.Line(func(r *paint.Row) {
			r.Right(paint.Span{Style: s.Pal.AccentBold, Text: p.key(command.Back)}, paint.Span{Style: s.Pal.Muted, Text: " result "})
			r.Put(s.Pal.Value, title)
		})
	}
	p.area.result = rect{p.area.item.x + x, p.area.item.y + len(s.Rows), w, h}
	for _, row := range c.top().Rows(s.Pal, js, w, h, focused) {
		s.R.Start(s.W, paint.Style{})
		s.R.Gap(x)
		s.R.Painted(row, w)
		s.Rows = append(s.Rows, s.R.String())
	}
}

// layerWaits shows what is waited for over a result.
func (p *Pane) layerWaits(s *sheet, c *call) {
	title, wait := c.layers.Title(p.now)
	s.Line(func(r *paint.Row) {
		r.Right(paint.Span{Style: s.Pal.AccentBold, Text: p.key(command.Back)}, paint.Span{Style: s.Pal.Muted, Text: " cancel "})
		r.Put(s.Pal.Warn, paint.Spinner(s.Pal, p.spin)+" ")
		r.Put(s.Pal.Muted, paint.HumanDuration(wait)+"  ")
		r.Put(s.Pal.Text, title)
	})
}

// waiting shows how far a call is.
func (p *Pane) waiting(s *sheet, c *call) {
	if p.taskWaiting(s, c) {
		return
	}
	f := &c.flight
	elapsed := paint.HumanDuration(max(p.now.Sub(c.Started), 0))
	fraction, left := c.progress(p.now)
	tail := []paint.Span{{Style: s.Pal.Muted, Text: elapsed}}
	deadline, limited := p.session.Deadline(c.Last())
	if limited {
		tail[0].Text += ", times out in " + wholeSeconds(deadline.Sub(p.now))
	}
	if left >= 0 {
		tail = append(tail, paint.Span{Style: s.Pal.Muted, Text: "   about " + paint.HumanDuration(left) + " left"})
	}
	s.Line(func(r *paint.Row) {
		if fraction >= 0 {
			n := min(max(r.Left()*2/5, 10), r.Left())
			r.Painted(paint.Bar(s.Pal, n, fraction), n)
			r.Put(s.Pal.TextBold, "  "+strconv.Itoa(int(fraction*100))+"%  ")
		} else {
			r.Put(s.Pal.Warn, paint.Spinner(s.Pal, p.spin)+" ")
			switch {
			case p.session.IsHeld(c.Last()):
				r.Put(s.Pal.Warn, "held by a breakpoint: ")
				r.Put(s.Pal.AccentBold, p.key(command.TabIntercept))
				r.Put(s.Pal.Muted, " intercept  ")
			case c.NeedsInput() || p.asked(c):
				r.Put(s.Pal.Asked, "input required: ")
				r.Put(s.Pal.AccentBold, p.key(command.TabInbox))
				r.Put(s.Pal.Muted, " inbox  ")
			case f.Reports > 0:
				r.Put(s.Pal.TextBold, strconv.FormatFloat(f.Progress, 'g', 12, 64))
				r.Put(s.Pal.Muted, " so far  ")
			case !limited:
				r.Put(s.Pal.Muted, "waiting for the response  ")
			}
		}
		need := 3
		for _, t := range tail {
			need += paint.Width(t.Text)
		}
		if room := min(r.Left()-need, paint.Width(paint.Sanitize(f.Message))); room > 8 {
			r.Cell(s.Pal.Text, f.Message, room)
			r.Gap(3)
		}
		r.Spans(tail...)
	})
	if s.Left() <= 0 {
		return
	}
	s.Line(func(r *paint.Row) {
		r.Put(s.Pal.AccentBold, p.key(command.CancelCall))
		r.Put(s.Pal.Muted, " cancel")
		if limited {
			r.Gap(3)
			r.Put(s.Pal.AccentBold, p.key(command.ExtendTimeout))
			r.Put(s.Pal.Muted, " 30 s more")
		}
		if s.W < 78 && f.Message != "" {
			r.Gap(3)
			r.Put(s.Pal.Muted, f.Message)
		}
	})
	p.unmatchedRow(s, c)
}

// asked reports whether the server waits for the user before it responds to a call.
// Nothing names the call in the request of a server over stdio: it is the only one that
// is pending.
func (p *Pane) asked(c *call) bool {
	asked := false
	for i := range p.flights {
		switch f := &p.flights[i]; {
		case f.Dir == transport.In:
			asked = asked || f.Method == client.MethodSampling || f.Method == client.MethodElicitation
		case f.ID != string(c.Last()) && !strings.HasSuffix(f.Method, "/list"):
			return false
		}
	}
	return asked
}

// wholeSeconds writes the rest of a timeout.
func wholeSeconds(d time.Duration) string {
	n := max(0, int((d+time.Second-1)/time.Second))
	if n < 60 {
		return strconv.Itoa(n) + " s"
	}
	return fmt.Sprintf("%dm%02ds", n/60, n%60)
}

// history names the calls to this item, newest last, the one on show in bold.
// That one is always there; the older ones go first when there is no room.
func (p *Pane) history(s *sheet, e *entry) {
	s.Line(func(r *paint.Row) {
		if back := command.KeyOf(command.PreviousCall); back != "" && p.part == inResult {
			r.Put(s.Pal.AccentBold, back+" "+command.KeyOf(command.NextCall)+" ")
		}
		r.Put(s.Pal.Muted, "calls ")
		marks := make([][]paint.Span, len(e.calls))
		for i, c := range e.calls {
			marks[i] = c.mark(s.Pal, i == e.at)
		}
		from, to := window(marks, e.at, r.Left())
		if to-from < len(marks) {
			for i, c := range e.calls {
				if i != e.at {
					marks[i] = c.shortMark(s.Pal)
				}
			}
			from, to = window(marks, e.at, r.Left()-4)
		}
		if from > 0 {
			r.Put(s.Pal.Muted, " "+s.Pal.Ellipsis)
		}
		for _, m := range marks[from:to] {
			r.Spans(m...)
		}
		if to < len(marks) {
			r.Put(s.Pal.Muted, s.Pal.Ellipsis)
		}
	})
}

// mark is a call in the history.
func (c *call) mark(pal *paint.Palette, shown bool) []paint.Span {
	st := pal.Muted
	if shown {
		st = pal.TextBold
	}
	m := []paint.Span{{Text: " "}, {Style: st, Text: string(c.ID) + " "}, c.word(pal)}
	if c.over {
		m = append(m, paint.Span{Style: pal.Muted, Text: " " + paint.HumanDuration(c.ended)})
	}
	return append(m, paint.Span{Text: "  "})
}

// shortMark is a mark for where not all of them have room.
func (c *call) shortMark(pal *paint.Palette) []paint.Span {
	out := c.word(pal)
	if c.over && c.failed() {
		out.Text = pal.FailMark
	}
	return []paint.Span{{Style: pal.Muted, Text: " " + string(c.ID) + " "}, out, {Text: "  "}}
}

// window is which of the marks fit into room cells: the one at a place, then
// the newer ones, then the older ones.
func window(marks [][]paint.Span, at, room int) (from, to int) {
	fits := func(i int) bool {
		for _, sp := range marks[i] {
			room -= paint.Width(sp.Text)
		}
		return room >= 0
	}
	from, to = at, at+1
	fits(at)
	for to < len(marks) && fits(to) {
		to++
	}
	for from > 0 && fits(from-1) {
		from--
	}
	return from, to
}
