package browse

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// callRows returns the minimum number of rows of the selected call, without its rule.
func (e *Item) callRows() int {
	rows := 0
	switch c := e.shown(); {
	case c == nil:
	case c.over:
		rows = 5
	default:
		rows = 2
	}
	if len(e.calls) > 1 {
		rows++
	}
	return rows
}

// repeatSection adds the progress of a repetition, if there is one.
func (e *Item) repeatSection(d *doc.Doc) {
	if e.repeat.Repetition == nil {
		return
	}
	d.Rule(paint.Span{Style: paint.If(e.repeat.Runs(), d.Pal.Warn, d.Pal.TextBold), Text: "many times"}).Give(2, 0)
	e.repeat.Rows(d)
}

// callSection adds the selected call below a rule: its progress or its result. It wants the given rows and
// fills the remaining space.
func (e *Item) callSection(d *doc.Doc, rows int, focused bool) {
	c, p := e.shown(), e.p
	if c == nil {
		return
	}
	found := p.besides(c)
	title := e.callTitle(d, c, found)
	if focused {
		title[0].Style = d.Pal.AccentBold
	}
	d.Rule(title...).Give(2, 0)
	d.Rest(rows, func(in *app.Canvas) {
		in.ClickText(0, 0, in.W, in.H, func(int, int) { p.ShowResult() })
		if len(e.calls) > 1 && in.H > 1 {
			body, last := in.Over(in.H - 1)
			in = body
			defer e.strip(last)
		}
		s := doc.On(in)
		switch {
		case !c.over:
			p.waiting(s, c)
		case c.crash != nil && c.view.IsRendered():
			crashRows(s, c)
		default:
			p.unmatched(s, c)
			e.resultRows(s, c, found, focused)
		}
		s.Paint()
	})
}

// resultRows adds the result of a call, with remedies and findings below it.
func (e *Item) resultRows(s *doc.Doc, c *call, found []lint.Finding, focused bool) {
	below := doc.On(s.Canvas)
	e.p.remedyRows(below, c)
	e.p.findingRows(below, c, found)
	if c.cutters != "" {
		below.FactText("cut by", below.Pal.Muted, c.cutters, 2)
	}
	n := min(below.Wants(), max(s.H-2, 0))
	c.view.Focus, c.view.Rests = e.p.ShowResult, e.enterHint
	s.Rest(1, func(in *app.Canvas) {
		top, bottom := in.Over(in.H - n)
		c.view.Paint(top, focused)
		below.Canvas = bottom
		below.Paint()
	})
}

// enterHint returns the message for enter in a result, where it does nothing.
func (e *Item) enterHint() string {
	key := e.p.app.Key
	if e.NoArguments() != "" {
		return key("again") + " reads it again, " + key("frame") + " shows the frame."
	}
	return key("edit") + " edits the arguments, " + key("again") + " sends them again, " + key("frame") + " shows the frame."
}

// callTitle returns the title of the selected call: name, outcome, duration, size.
func (e *Item) callTitle(d *doc.Doc, c *call, found []lint.Finding) []paint.Span {
	pal, p := d.Pal, e.p
	title := paint.Spans{{Style: pal.TextBold, Text: c.title(e.shape.Verb)}, {Style: pal.Muted, Text: " "}, c.word(pal)}
	if !c.over {
		title[0].Style, title[2].Style = pal.Warn, pal.Muted
		return title
	}
	if word, ok := p.findingsWord(pal, c, found); ok {
		title = append(title, word)
	}
	title.If(c.outcome.level != timedOut, pal.Muted, " "+phrase.Took(c.ended))
	size := len(title)
	title.If(c.size > 0, pal.Muted, "  "+phrase.Size(int64(c.size)))
	v := c.view.Top()
	title.If(v != nil && v.Raw(), pal.Muted, "  as sent")
	if v != nil && v.Markdown() {
		now, other := "Markdown", "source"
		if pal.Source {
			now, other = "Markdown source", "rendered"
		}
		title = append(title, paint.Span{Style: pal.Muted, Text: "  " + now + "  "}, paint.Span{Style: pal.AccentBold, Text: d.Names.Name("markdown")}, paint.Span{Style: pal.Muted, Text: " " + other})
	}
	title.If(c.Resent(), pal.Warn, "  sent again as "+c.Last().String()+" in a new session")
	if p.isBeforeRestart(c) {
		title[0].Style = pal.Muted
		title = append(title, paint.Span{Style: pal.Muted, Text: "  before the restart"})
	}
	if e.differs(c) { // even a digit meant as the key of a tab
		title = append(title, paint.Span{Style: pal.Warn, Text: "  arguments changed"})
	}
	if age, ok := p.age(pal, e, c); ok {
		title = append(title, age)
	}
	const around = 6 // the rule and the spaces
	if c.size > 0 && paint.SpansWidth(title) > d.W-around {
		title = slices.Delete(title, size, size+1) // the frame shows the size, too
	}
	return title
}

// waiting shows the progress of a pending call.
func (p *Panel) waiting(d *doc.Doc, c *call) {
	if p.taskWaiting(d, c) {
		return
	}
	deadline, limited := p.s.Deadline(c.Last())
	fraction, left := c.progress(p.tick.Now)
	tail, beside, below := phrase.Waited(c.Started, deadline, p.tick.Now), c.flight.Message, ""
	if d.W < besideProgress {
		beside, below = "", c.flight.Message
	}
	if left >= 0 {
		const bar = 20 // including the percentage
		about := "about " + phrase.Took(left) + " left"
		if left < time.Second {
			about = "less than 1 s left"
		}
		if whole := tail + "   " + about; bar+display.Width(whole) < d.W {
			tail = whole
		} else {
			below = strings.TrimSpace(about + "   " + below)
		}
	}
	d.Lines(1, func(r *paint.Row, _ int) { p.progressRow(d, r, c, fraction, beside, tail, limited) })
	hints := []doc.Key{{ID: "cancel.call", Label: "cancel"}}
	if limited {
		hints = append(hints, doc.Key{ID: "timeout.extend", Label: "30 s more"})
	}
	d.Text(d.Pal.Muted, below, 1)
	d.Keys(1, hints...)
	p.unmatched(d, c)
}

// besideProgress is the width from which the message of a progress notification is in the row of the bar.
const besideProgress = 100

// progressRow writes the progress of a call: the completed fraction, or the thing that it is
// waiting for, with a message and the tail after it.
func (p *Panel) progressRow(d *doc.Doc, r *paint.Row, c *call, fraction float64, message, tail string, limited bool) {
	f, pal := &c.flight, d.Pal
	_, consents := p.tick.State.Consent() // it waits for an authorization
	if fraction >= 0 {
		percent := "  " + strconv.Itoa(int(fraction*100)) + "%  "
		n := min(r.Left()*2/5, r.Left()-len(percent)-display.Width(tail)-1) // keep the deadline visible
		n = min(max(n, 10), r.Left())
		r.Painted(paint.Bar(pal, n, fraction), n)
		r.Put(pal.TextBold, percent)
	} else {
		r.Put(pal.Warn, paint.Spinner(pal, p.tick.Spin)+" ")
		switch {
		case p.s.IsHeld(c.Last()):
			r.Put(pal.Warn, "held by a breakpoint: ")
			r.Put(pal.AccentBold, d.Names.Name("tab.intercept"))
			r.Put(pal.Muted, " intercept  ")
		case consents:
			r.Put(pal.Asked, "authorization required: ")
			r.Put(pal.AccentBold, d.Names.Name("tab.server"))
			r.Put(pal.Muted, " shows the page  ")
		case c.NeedsInput() || p.asked(c):
			r.Put(pal.Asked, "input required: ")
			r.Put(pal.AccentBold, d.Names.Name("tab.inbox"))
			r.Put(pal.Muted, " respond  ")
		case f.Reports > 0:
			r.Put(pal.TextBold, strconv.FormatFloat(f.Progress, 'g', 12, 64))
			r.Put(pal.Muted, " so far  ")
		case c.Waits():
			r.Put(pal.Muted, "not sent: waiting for the restart  ")
		case !limited:
			r.Put(pal.Muted, "waiting for the response  ")
		}
	}
	if room := min(r.Left()-display.Width(tail)-4, display.Width(display.Sanitize(message))); room > 8 {
		r.Cell(pal.Text, message, room)
		r.Gap(3)
	}
	r.Put(pal.Muted, tail)
}

// isBeforeRestart reports whether the outcome of a call belongs to an earlier connection. A call that waited for the
// restart began before the connection of its response.
func (p *Panel) isBeforeRestart(c *call) bool {
	at := c.Started
	if st := p.s.Store(); st != nil && c.over && c.row != store.None {
		if row, ok := st.Row(c.row); ok {
			at = time.Unix(0, row.Time)
		}
	}
	return at.Before(p.tick.State.Started)
}

// asked reports whether the server is waiting for the user before it responds to the call. Over stdio a server
// request does not name its call, so asked is true only if the call is the only one pending.
func (p *Panel) asked(c *call) bool {
	only, ok := store.OnlyCall(p.tick.Pending)
	return ok && only.ID.Same(c.Last()) && slices.ContainsFunc(p.tick.Pending, func(f store.Flow) bool {
		return f.Dir == transport.In && (f.Method == client.MethodSampling || f.Method == client.MethodElicitation)
	})
}
