package timeline

import (
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/flow"
	"mcptea/record/timeline"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// numberWidth is the width of a duration, with a blank before it.
const numberWidth = 7

// request paints one row of the waterfall.
func (p *Pane) request(pal *paint.Palette, r *paint.Row, c columns, w int, q *shownRow, guides map[int]bool, focused bool) {
	r.StartItem(pal, w, q.Index == p.cursor(), focused)
	r.Find(p.app.Filter.Marks())
	id, method := pal.Muted, pal.Text
	if q.Dir == transport.In {
		id, method = pal.Asked, pal.Asked
	}
	text := display.Sanitize(p.id(q.Row))
	r.Gap(c.id - min(c.id, display.Width(text)))
	r.Put(id, pal.Cut(text, c.id))
	if set := p.store.MarkAt(q.Row); set.Marked || set.Note != "" {
		r.Put(pal.WarnBold, pal.Mark)
	} else {
		r.Gap(1)
	}
	r.Spans(frames.Arrow(pal, jsonrpc.Request, q.Dir))
	r.Gap(1)
	p.label(pal, r, c, q, method)
	r.To(c.left())
	for x, cell := range p.bar(pal, q, c.chart) {
		switch {
		case cell.glyph != "":
			r.Put(cell.style, cell.glyph)
		case guides[x]:
			r.Put(pal.Faint, pal.Guide)
		default:
			r.Gap(1)
		}
	}
	state, took := p.outcome(pal, q)
	width := max(numberWidth, display.Width(took.Text)+1)
	r.To(w - 1 - width - display.Width(state.Text))
	r.Put(state.Style, state.Text)
	r.CellRight(took.Style, took.Text, width)
}

// label writes the branch, the count, the method and the name of a request.
func (p *Pane) label(pal *paint.Palette, r *paint.Row, c columns, q *shownRow, method paint.Style) {
	end := c.left() - 1
	put := func(st paint.Style, text string) {
		if room := end - r.Used(); room > 0 {
			r.Put(st, pal.Label(text, room))
		}
	}
	switch {
	case q.run.Count > 0:
		put(pal.Accent, pal.Folded+" ")
		put(method, phrase.Digits(q.run.Count)+" "+pal.Times+" ")
	case q.Parent != timeline.None && !p.requests.On():
		branch := paint.If(q.IsLastNested, pal.Last, pal.Child)
		put(pal.Muted, branch+" ")
	case q.Nested != timeline.None && p.folded[q.Index]:
		put(pal.Accent, pal.Folded+" ")
	}
	if q.Name != "" && c.label < 30 { // the name is more informative than the method
		put(pal.Value, q.Name)
		return
	}
	put(method, q.Method)
	if q.Name != "" {
		put(method, " ")
		put(pal.Value, q.Name)
	}
}

// outcome describes how a request ended, and its duration in milliseconds.
func (p *Pane) outcome(pal *paint.Palette, q *shownRow) (state, took paint.Span) {
	took = paint.Span{Style: pal.Muted, Text: phrase.Milliseconds(q.Took(p.now))}
	if q.run.Count > 0 { // from the first request to the end of the last one, not the work of the server
		took.Text = "span " + took.Text
	}
	switch {
	case q.run.Failed > 0:
		state = paint.Span{Style: pal.Error, Text: pal.FailMark + " " + phrase.Digits(q.run.Failed)}
	case q.IsPending && q.IsSubscription:
		return paint.Span{}, paint.Span{Style: pal.OK, Text: "open"}
	case q.IsPending:
		return paint.Span{Style: pal.Warn, Text: p.waits(pal)}, paint.Span{Style: pal.Warn, Text: phrase.Milliseconds(q.Took(p.now))}
	case q.Status != 0:
		state = paint.Span{Style: pal.Error, Text: pal.FailMark + " " + strconv.Itoa(q.Status)}
	case q.IsError:
		state = paint.Span{Style: pal.Error, Text: pal.FailMark}
	case p.store.IsExpected(q.Response):
		state = paint.Span{Style: pal.Muted, Text: pal.Absent}
	case q.State == flow.Cancelled || q.State == flow.Late:
		state = paint.Span{Style: pal.Warn, Text: pal.Absent}
	}
	return state, took
}

// cell is one column of a bar; its glyph is empty outside of the bar.
type cell struct {
	glyph string
	style paint.Style
}

// maxNested and maxProgress bound the parts that are drawn for one request. The counts have no bound.
const (
	maxNested   = 200
	maxProgress = 500
)

// bar draws a request: the time in the queue, the work of the server, its waiting for
// its own requests, the body of the response, and marks for progress. Of a run each request is drawn,
// over a thin line.
func (p *Pane) bar(pal *paint.Palette, q *shownRow, chart int) []cell {
	cells := make([]cell, chart)
	w := &p.window
	end := p.end(&q.Request)
	from, to := w.column(q.Start, chart), w.column(end, chart)
	if to < 0 || from >= chart {
		return cells
	}
	st, line := p.outcomeStyle(pal, &q.Request)
	fill := func(from, to time.Time, glyph string, style paint.Style) {
		for x := max(0, w.column(from, chart)); x <= min(chart-1, w.column(to, chart)); x++ {
			cells[x] = cell{glyph, style}
		}
	}
	if from >= 0 && from == to {
		cells[from] = cell{paint.If(q.IsError, pal.FailMark, partial(pal, w, q.Start, end, chart)), st}
		return cells
	}
	if q.run.Count > 0 {
		fill(q.Start, end, pal.Lines.Top, pal.Faint)
		for i := q.Index; i <= q.run.Last; i += 1 + (q.run.Last-q.Index)/maxNested {
			if one, ok := p.tl.Request(i); ok && one.Parent == timeline.None {
				st, line := p.outcomeStyle(pal, &one)
				fill(one.Start, p.end(&one), line, st)
			}
		}
		return cells
	}
	fill(q.Start, end, line, st)
	if q.FirstByte > 0 && q.Start.Add(q.FirstByte).Before(end) {
		fill(q.Start.Add(q.FirstByte), end, pal.BarDone, st)
	}
	if q.Nested != timeline.None {
		for _, n := range p.tl.NestedOf(q.Index, maxNested) {
			if n.IsPending || n.Took(p.now) > w.span/time.Duration(chart) {
				fill(n.Start, p.end(&n), pal.BarRest, pal.Asked)
			}
		}
	}
	if q.Sent > 0 && w.column(q.Start.Add(q.Sent), chart) > from {
		fill(q.Start, q.Start.Add(q.Sent), pal.BarQueue, pal.Muted)
	}
	for _, n := range p.tl.NotificationsOf(q.Index, maxProgress) {
		if x := w.column(n.Time, chart); x >= 0 && x < chart && x < to && cells[x].glyph != "" {
			cells[x] = cell{pal.BarTick, pal.Accent}
		}
	}
	if from >= 0 {
		cells[from].glyph = pal.BarBegin
	}
	if to < chart && !q.IsPending {
		cells[to].glyph = paint.If(q.IsError, pal.FailMark, pal.BarEnd)
	}
	return cells
}

// partial returns a bar that is shorter than a cell.
func partial(pal *paint.Palette, w *window, from, to time.Time, chart int) string {
	part := float64(to.Sub(from)) / float64(max(w.span, 1)) * float64(chart)
	n := int(part * float64(len(pal.BarPartial)))
	return pal.BarPartial[min(max(n, 0), len(pal.BarPartial)-1)]
}

// outcomeStyle returns the color of a bar and its line, which shows the same without colors. A failed request has its
// mark at the end.
func (p *Pane) outcomeStyle(pal *paint.Palette, q *timeline.Request) (paint.Style, string) {
	line := paint.If(q.Dir == transport.In, pal.BarAsked, pal.BarLine)
	switch {
	case q.IsPending && !q.IsSubscription:
		return pal.Warn, pal.BarOpen
	case q.IsError:
		return pal.Error, line
	case q.State == flow.Cancelled, p.store.IsExpected(q.Response):
		return pal.Muted, line
	case q.Dir == transport.In:
		return pal.Asked, line
	}
	return pal.OK, line
}

// stderr marks the lines of stderr on the axis.
func (p *Pane) stderr(pal *paint.Palette, r *paint.Row, c columns) {
	if p.snap.Lines == 0 {
		return
	}
	r.Gap(1 + c.id + 3)
	r.Put(pal.Muted, "stderr "+phrase.Count(p.snap.Lines, "line"))
	r.To(c.left())
	at := func(x int) time.Time {
		return p.window.from.Add(time.Duration(float64(p.window.span) / float64(c.chart) * float64(x)))
	}
	for x := range c.chart {
		if n, _ := p.tl.LinesBetween(at(x), at(x+1)); n > 0 {
			r.Put(pal.Muted, pal.Point)
		} else {
			r.Gap(1)
		}
	}
}

// A sign is a sign of the legend.
type sign struct {
	style       paint.Style
	glyph, text string
}

func signsOf(pal *paint.Palette) []sign {
	return []sign{
		{pal.OK, pal.BarLine, "server"},
		{pal.OK, pal.BarDone, "response body"},
		{pal.Asked, pal.BarRest, "waits for its own request"},
		{pal.Asked, pal.BarAsked, "server request"},
		{pal.Warn, pal.BarOpen, "pending"},
		{pal.Error, pal.FailMark, "failed"},
		{pal.Accent, pal.BarTick, "progress"},
		{pal.Muted, pal.BarQueue, "queue"},
		{pal.Muted, pal.Point, "stderr"},
	}
}

// legend explains the signs.
func (p *Pane) legend(pal *paint.Palette, r *paint.Row) {
	r.Gap(2)
	for _, sign := range signsOf(pal) {
		if r.Left() < display.Width(sign.text)+4 {
			break
		}
		r.Put(sign.style, sign.glyph)
		r.Put(pal.Muted, " "+sign.text+"  ")
	}
}
