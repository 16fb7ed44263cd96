package timeline

import (
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/timeline"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// The layout of the pane: the waterfall at the top, and below it the latencies, with the phases of the selected
// request next to them if there is room.
const (
	lowerBody  = 18 // height from which there is a lower part
	phasesBody = 100
	maxLower   = 15
)

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	lower := 0
	if c.H >= lowerBody {
		lower = min(max(c.H*36/100, 7), maxLower)
	}
	top, bottom := c.Over(c.H - lower)
	title, note := p.border(c.Pal)
	in := top.Box(title, note, focused)
	p.app.Clickable(top)
	p.app.Filter.Paint(in)
	body := in.Below()
	p.waterfall(body, focused)
	body.Click(0, above, body.W, p.height, func(_, y int) { p.press(y) })
	body.Wheel(p.Move)
	p.app.Filter.Candidates(top)
	if lower == 0 {
		return
	}
	left := c.W
	if c.W >= phasesBody {
		left = c.W * 61 / 100
	}
	latency, phases := bottom.Neighbors(left)
	p.latencies(latency)
	if left < c.W {
		p.phases(phases)
	}
}

// columns holds the widths of a row in the waterfall.
type columns struct{ id, label, chart, took int }

func columnsFor(w int) columns {
	c := columns{id: 5, label: 22, took: 10}
	switch {
	case w >= 160:
		c.id, c.label, c.took = 10, 44, 14
	case w >= 110:
		c.id, c.label, c.took = 10, 32, 14
	}
	c.chart = max(8, w-1-c.id-3-c.label-1-c.took-1)
	return c
}

// before the chart: the mark of the selected row, the id, the arrow, and the label.
func (c columns) left() int { return 1 + c.id + 3 + c.label + 1 }

const above = 2 // overview and axis

// waterfall paints the overview, the axis, the requests, and the lines of stderr.
func (p *Pane) waterfall(on *app.Canvas, focused bool) {
	c, pal := columnsFor(on.W), on.Pal
	if p.snap.Requests == 0 || p.cursor() == timeline.None {
		p.height = 0
		p.empty(on)
		return
	}
	below := 1 // stderr
	if on.H >= 16 {
		below = 2 // and the row of the legend
	}
	list := p.shown(max(1, on.H-above-below))
	p.fit(list)
	guides := p.guides(c.chart)
	on.Line(func(r *paint.Row) { p.overview(pal, r, c) })
	on.Line(func(r *paint.Row) { p.axis(pal, r, c, on.W) })
	for i := range list {
		on.Line(func(r *paint.Row) { p.request(pal, r, c, on.W, &list[i], guides, focused) })
	}
	for on.Left() > below {
		on.Line(func(*paint.Row) {})
	}
	on.Line(func(r *paint.Row) { p.stderr(pal, r, c) })
	if below > 1 {
		on.Line(func(r *paint.Row) { p.legend(pal, r) })
	}
}

func (p *Pane) empty(c *app.Canvas) {
	switch {
	case !p.snap.CaughtUp:
		c.Say(2, c.Pal.Muted, paint.Spinner(c.Pal, p.spin)+" Reading the session.")
	case p.requests.On():
		c.Say(2, c.Pal.Muted, p.app.Filter.NoMatches("request", p.app.Key("back")))
	default:
		c.Say(2, c.Pal.Muted, "No requests yet.")
	}
}

// overview writes the whole session in one row, with the part that the axis shows.
func (p *Pane) overview(pal *paint.Palette, r *paint.Row, c columns) {
	r.Gap(2)
	length := p.snap.End.Sub(p.snap.Begin)
	r.Put(pal.Muted, "session ")
	r.Put(pal.Text, phrase.Took(length))
	if !p.snap.CaughtUp {
		r.Put(pal.Warn, " "+paint.Spinner(pal, p.spin)+" reading")
	}
	r.To(c.left())
	counts, most := p.tl.Overview(c.chart), 1
	for _, n := range counts {
		most = max(most, n)
	}
	at := func(t time.Time) int {
		return int(float64(t.Sub(p.snap.Begin)) / float64(max(length, 1)) * float64(c.chart))
	}
	from, to := at(p.window.from), max(at(p.window.from.Add(p.window.span)), at(p.window.from)+1)
	for i, n := range counts {
		st, ground := pal.Muted, paint.Style{}
		if i >= from && i < to {
			st, ground = pal.Accent, pal.Selected
		}
		if n == 0 {
			r.GapOn(ground, 1)
			continue
		}
		r.Put(st.On(ground), pal.Levels[min(n*len(pal.Levels)/most, len(pal.Levels)-1)])
	}
	r.Gap(1)
	text := phrase.Took(p.window.span)
	if r.Left() >= len(text)+len(" shown") {
		text += " shown"
	}
	r.Put(pal.Muted, text)
}

// guides returns the columns of the marks on the axis.
func (p *Pane) guides(chart int) map[int]bool {
	guides := map[int]bool{}
	step := p.window.ticks(chart, 12)
	for i := 0; ; i++ {
		x := p.window.column(p.window.from.Add(time.Duration(i)*step), chart)
		if x >= chart || i > chart {
			return guides
		}
		guides[x] = true
	}
}

func (p *Pane) axis(pal *paint.Palette, r *paint.Row, c columns, w int) {
	r.Gap(1)
	r.CellRight(pal.Muted, "id", c.id)
	r.Gap(3)
	r.Put(pal.Muted, "request")
	r.To(c.left())
	step := p.window.ticks(c.chart, 12)
	for i := 0; i <= c.chart; i++ {
		offset := time.Duration(i) * step
		x := p.window.column(p.window.from.Add(offset), c.chart)
		text := "+" + phrase.Took(offset)
		if i == 0 {
			text = p.window.from.Local().Format("15:04:05.000")
			if step >= time.Second {
				text = p.window.from.Local().Format("15:04:05")
			}
		}
		if x+display.Width(text) > c.chart {
			break
		}
		if r.Used() > c.left()+x-1 && i > 0 {
			continue
		}
		r.To(c.left() + x)
		r.Put(pal.Muted, text)
	}
	r.To(w - 1 - c.took)
	r.CellRight(pal.Muted, "ms", c.took)
}
