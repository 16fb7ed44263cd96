package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/timeline"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// phase is a part of a request.
type phase struct {
	name       string
	from, took time.Duration // relative to the start of the request
	share      bool          // its fraction of the total is shown
	style      paint.Style
	indent     bool
}

// messages returns the parts of a request whose frames arrive one by one, as over stdio: up to the first
// message of the server about it, and after that.
func (p *Pane) messages(pal *paint.Palette, q *timeline.Request, nested []timeline.Request, total time.Duration, st paint.Style) []phase {
	list, first := []phase{{name: "total", took: total, style: st}}, q.FirstMessage
	if len(nested) > 0 {
		first = min(first, nested[0].Start.Sub(q.Start))
	}
	if first > 0 && first < total {
		list = append(list, phase{name: "first message", took: first, style: pal.Muted, indent: true, share: true}, phase{name: "to the response", from: first, took: total - first, style: st, indent: true, share: true})
	}
	return list
}

// phasesOf returns the parts of a request: the phases of its HTTP exchange, the time that the
// server works, and the time that the server waits for its own requests.
func (p *Pane) phasesOf(pal *paint.Palette, q *timeline.Request, nested []timeline.Request) []phase {
	total := q.Took(p.now)
	st, _ := p.outcomeStyle(pal, q)
	var list []phase
	if q.Sent > 0 {
		list = append(list, phase{name: "queue", took: min(q.Sent, total), style: pal.Muted})
	}
	switch {
	case q.FirstByte > 0 && q.FirstByte < total:
		list = append(list,
			phase{name: "first byte", from: q.Sent, took: q.FirstByte - q.Sent, style: st},
			phase{name: "response", from: q.FirstByte, took: total - q.FirstByte, style: st})
	default:
		list = append(list, p.messages(pal, q, nested, total, st)...)
	}
	if len(nested) == 0 {
		return list
	}
	// The server's working time is not exact if it waited for more requests than are examined.
	list = append(list, phase{name: paint.If(q.Requests > len(nested), "server, at most", "server"), took: total - waiting(q, nested, p.now), share: true, style: pal.OK, indent: true})
	for i := range nested {
		n := &nested[i]
		list = append(list, phase{name: n.Method, from: n.Start.Sub(q.Start), took: n.Took(p.now), share: true, style: pal.Asked, indent: true})
	}
	return list
}

// waiting returns how long at least one of the nested requests was pending.
func waiting(q *timeline.Request, nested []timeline.Request, now time.Time) (sum time.Duration) {
	sorted := slices.Clone(nested)
	slices.SortStableFunc(sorted, func(a, b timeline.Request) int { return cmp.Compare(a.Start.UnixNano(), b.Start.UnixNano()) })
	end := q.Start.Add(q.Took(now))
	reached := q.Start
	for i := range sorted {
		from, to := sorted[i].Start, sorted[i].Start.Add(sorted[i].Took(now))
		if to.After(end) {
			to = end
		}
		if from.Before(reached) {
			from = reached
		}
		if to.After(from) {
			sum += to.Sub(from)
			reached = to
		}
	}
	return sum
}

// phases paints the box of the selected request.
func (p *Pane) phases(c *app.Canvas) {
	cursor := p.cursor()
	q, ok := p.tl.Request(cursor)
	_, run, _ := p.rowAt(cursor)
	if !ok {
		c.Box(nil, nil, false)
		return
	}
	nested := p.tl.NestedOf(cursor, maxNested)
	title := paint.Spans{{Style: c.Pal.Muted, Text: p.id(q.Row) + " "}, {Style: c.Pal.TextBold, Text: cmp.Or(q.Name, q.Method)}}
	title.If(run.Count > 0, c.Pal.Muted, "  1 of "+phrase.Digits(run.Count))
	in := c.Box(title, []paint.Span{{Style: c.Pal.Muted, Text: phrase.Milliseconds(q.Took(p.now)) + " ms"}}, false)
	facts := p.facts(&q)
	rows := paint.If(display.Width(facts) > in.W, 2, 1)
	top, bottom := in.Over(in.H - 1 - rows)
	list := p.phasesOf(c.Pal, &q, nested)
	for i := range list {
		top.Line(func(r *paint.Row) {
			r.Gap(1)
			p.phase(c.Pal, r, &list[i], q.Took(p.now))
		})
	}
	d := doc.On(bottom)
	d.Text(d.Pal.Muted, facts, rows)
	d.Keys(1, doc.Key{ID: "frame.open", Label: "frame"}, doc.Key{ID: "fold.toggle", Label: p.folding()})
	d.Paint()
}

// phase paints a part as a bar at its place in the whole.
func (p *Pane) phase(pal *paint.Palette, r *paint.Row, x *phase, total time.Duration) {
	const name, took, share = 22, 9, 6
	total = max(total, 1)
	if x.indent {
		r.Gap(2)
	}
	st := paint.If(x.style == pal.Asked, pal.Asked, pal.Muted)
	label := min(name, max(18, r.Left()/3))
	r.Put(st, pal.Label(x.name, label-r.Used()))
	r.To(label)
	r.CellRight(pal.Text, phrase.Milliseconds(x.took), took)
	r.Gap(2)
	room := r.Left() - share
	column := func(d time.Duration) int { return int(float64(d)/float64(total)*float64(room) + 0.5) }
	from := column(x.from)
	cells := column(x.from+x.took) - from
	r.Gap(min(from, room-1))
	if cells < 1 {
		r.Put(x.style, pal.BarPartial[0])
	} else {
		r.Fill(x.style, pal.BarDone, min(cells, r.Left()-share))
	}
	if x.share {
		r.Right(paint.Span{Style: pal.Muted, Text: fmt.Sprintf("%d%%", int(float64(x.took)/float64(total)*100+0.5))})
	}
}

// facts counts what belongs to a request.
func (p *Pane) facts(q *timeline.Request) string {
	var parts []string
	if q.Notifications > 0 {
		parts = append(parts, phrase.Count(q.Notifications, "notification"))
	}
	if q.Requests > 0 {
		parts = append(parts, phrase.Count(q.Requests, "server request"))
	}
	if n, all := p.tl.LinesBetween(q.Start, p.end(q)); n > 0 {
		parts = append(parts, phrase.Count(n, "stderr line")+paint.If(all, "", " and more"))
	}
	if len(parts) == 0 && q.Response >= 0 {
		return fmt.Sprintf("frames #%d and #%d", q.Row+1, q.Response+1)
	}
	return strings.Join(parts, phrase.Signs(" · "))
}
