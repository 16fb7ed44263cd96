package browse

import (
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// strip shows the calls of an item in one row, newest last and the selected one in bold: their durations in
// milliseconds, a sign for each failure and each different result, and a line between connections. If there is
// not enough room, the oldest calls are left out. A click selects a call.
func (e *Item) strip(c *app.Canvas) {
	pal := c.Pal
	c.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Put(pal.Muted, paint.If(e.item.Kind == "resources", "reads", "calls"))
		marks, widths := make([]paint.Spans, len(e.calls)), make([]int, len(e.calls))
		compared, differ := 0, 0
		for i, c := range e.calls {
			marks[i] = c.mark(pal, e.p.tick, e.shown())
			if i > 0 && c.attempt != e.calls[i-1].attempt {
				marks[i] = append(paint.Spans{{Style: pal.Border, Text: "  " + pal.Lines.Left}}, marks[i]...)
			}
			widths[i] = paint.SpansWidth(marks[i])
			compared += paint.If(!c.failed() && c.sum != 0 && e.shown().sum != 0, 1, 0)
			differ += paint.If(c.differsFrom(e.shown()), 1, 0)
		}
		unit := " ms"
		switch {
		case differ > 0:
			unit += "   " + pal.Differs + " not this result"
		case compared > 1:
			unit += "   same result"
		}
		from, to := window(widths, e.at, r.Left()-display.Width(unit))
		if to-from < len(widths) {
			from, to = window(widths, e.at, r.Left()-display.Width(unit)-2)
		}
		if from > 0 {
			r.Put(pal.Muted, " "+pal.Ellipsis)
		}
		for i := from; i < to; i++ {
			c.Click(r.Used(), 0, widths[i], 1, func(int, int) { e.at = i })
			r.Spans(marks[i]...)
		}
		r.Put(pal.Muted, unit)
		if back := c.Names.Name("call.previous"); back != "" && e.p.inResult {
			keys := paint.Spans{{Style: pal.AccentBold, Text: "   " + back}, {Style: pal.Muted, Text: " older  "}, {Style: pal.AccentBold, Text: c.Names.Name("call.next")}, {Style: pal.Muted, Text: " newer"}}
			if paint.SpansWidth(keys) <= r.Left() {
				r.Spans(keys...)
			}
		}
	})
}

// differsFrom reports whether both calls succeeded with different results.
func (c *call) differsFrom(other *call) bool {
	return !c.failed() && c.sum != 0 && other.sum != 0 && c.sum != other.sum
}

// mark returns the duration of a call, with a sign if it failed or its result differs from the selected call.
func (c *call) mark(pal *paint.Palette, t app.Tick, shown *call) paint.Spans {
	took, sign := paint.Span{Style: paint.If(c == shown, pal.TextBold, pal.Muted), Text: phrase.Milliseconds(c.ended)}, paint.Span{}
	switch {
	case !c.over:
		took.Text, sign = phrase.Milliseconds(t.Now.Sub(c.Started)), paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, t.Spin)}
	case c.outcome.level == stopped:
		sign = paint.Span{Style: pal.Warn, Text: pal.Absent}
	case c.failed():
		sign = paint.Span{Style: pal.Error, Text: pal.FailMark}
	case c.differsFrom(shown):
		sign = paint.Span{Style: pal.Warn, Text: pal.Differs}
	}
	all := paint.Spans{{Text: "  "}, took}
	all.If(sign.Text != "", sign.Style, " "+sign.Text)
	return all
}

// window returns the range of marks that fit into room cells: the mark at the given index, then newer ones,
// then older ones.
func window(widths []int, at, room int) (from, to int) {
	fits := func(i int) bool {
		room -= widths[i]
		return room >= 0
	}
	from, to = at, at+1
	fits(at)
	for to < len(widths) && fits(to) {
		to++
	}
	for from > 0 && fits(from-1) {
		from--
	}
	return from, to
}
