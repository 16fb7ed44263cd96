package call

import (
	"math/bits"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// strip shows the calls of the item, newest last, the one on show in bold: how long each took in
// milliseconds, as a bar too, and whether it gave the same as the one on show. A line is between those
// of two connections, so that it is the history of an edit. The one on show is always there; the older
// ones go first when there is no room. A click shows a call.
func (e *Item) strip(c *app.Canvas) {
	pal := c.Pal
	fastest := e.fastest()
	c.Line(func(r *paint.Row) {
		r.Gap(1)
		if back := c.Names.Name("call.previous"); back != "" && e.p.inResult {
			r.Put(pal.AccentBold, back+" "+c.Names.Name("call.next")+" ")
		}
		r.Put(pal.Muted, "calls")
		const unit = " ms  "
		took, gave := make([]paint.Spans, len(e.calls)), make([]paint.Spans, len(e.calls))
		widths := make([]int, len(e.calls))
		for i, c := range e.calls {
			took[i], gave[i] = c.took(pal, e.p.tick, fastest, i == e.at), c.gave(pal, e.shown())
			if i > 0 && c.attempt != e.calls[i-1].attempt {
				took[i] = append(paint.Spans{{Style: pal.Border, Text: "  " + pal.Lines.Left}}, took[i]...)
			}
			widths[i] = paint.SpansWidth(took[i]) + paint.SpansWidth(gave[i])
		}
		from, to := window(widths, e.at, r.Left()-len(unit))
		if to-from < len(widths) {
			from, to = window(widths, e.at, r.Left()-len(unit)-2)
		}
		if from > 0 {
			r.Put(pal.Muted, " "+pal.Ellipsis)
		}
		put := func(all []paint.Spans) {
			for i := from; i < to; i++ {
				c.Click(r.Used(), 0, paint.SpansWidth(all[i]), 1, func(int, int) { e.at = i })
				r.Spans(all[i]...)
			}
		}
		put(took)
		r.Put(pal.Muted, unit)
		put(gave)
	})
}

// fastest is the shortest duration of the calls that went well and took any time; 0 without one.
func (e *Item) fastest() (least time.Duration) {
	for _, c := range e.calls {
		if c.over && !c.failed() && c.ended > 0 && (least == 0 || c.ended < least) {
			least = c.ended
		}
	}
	return least
}

// took is how long a call took: each level of the bar is twice as long as the one before, and the
// lowest the fastest call. One that failed has its mark in the place of the bar.
func (c *call) took(pal *paint.Palette, t app.Tick, fastest time.Duration, shown bool) paint.Spans {
	st, mark := paint.If(shown, pal.TextBold, pal.Muted), paint.Span{Style: pal.In, Text: pal.Levels[0]}
	switch {
	case !c.over:
		return paint.Spans{{Text: "  "}, {Style: st, Text: phrase.Milliseconds(t.Now.Sub(c.Started))}, {Style: pal.Warn, Text: " " + paint.Spinner(pal, t.Spin)}}
	case c.outcome.level == stopped:
		mark = paint.Span{Style: pal.Warn, Text: pal.Absent}
	case c.failed():
		mark = paint.Span{Style: pal.Error, Text: pal.FailMark}
	case fastest > 0:
		mark.Text = pal.Levels[max(0, min(bits.Len64(uint64(max(0, c.ended)/fastest)), len(pal.Levels))-1)]
	}
	mark.Text = " " + mark.Text
	return paint.Spans{{Text: "  "}, {Style: st, Text: phrase.Milliseconds(c.ended)}, mark}
}

// gave is whether a call gave the same as another one; a dot where that is not known.
func (c *call) gave(pal *paint.Palette, shown *call) paint.Spans {
	st, sign := paint.If(c == shown, pal.TextBold, pal.Muted), "="
	switch {
	case c.sum == 0 || shown.sum == 0:
		sign = pal.Unread
	case c.sum != shown.sum:
		st, sign = pal.Warn, pal.Differs
	}
	return paint.Spans{{Text: " "}, {Style: st, Text: sign}}
}

// window is which of the marks fit into room cells, by their widths: the one at a place, then the newer
// ones, then the older ones.
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
