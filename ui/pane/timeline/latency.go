package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record/timeline"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// A column is the sort order of the latencies.
type column uint8

const (
	byP95 column = iota
	byP50
	byMax
	byCount
	byErrors
	byName
	columnCount
)

var columnNames = [columnCount]string{"p95", "p50", "max", "n", "errors", "request"}

func (c column) compare(a, b timeline.Latency) int {
	order := 0
	switch c {
	case byP95:
		order = cmp.Compare(b.P95, a.P95)
	case byP50:
		order = cmp.Compare(b.P50, a.P50)
	case byMax:
		order = cmp.Compare(b.Max, a.Max)
	case byCount:
		order = b.Count - a.Count
	case byErrors:
		order = b.Errors - a.Errors
	}
	return cmp.Or(order, cmp.Compare(a.Method, b.Method), cmp.Compare(a.Name, b.Name))
}

// latencies paints the table of the methods and tools.
func (p *Pane) latencies(c *app.Canvas) {
	pal, list := c.Pal, p.latency
	counts := p.app.Store().Snapshot()
	note := []paint.Span{{Style: pal.Muted, Text: phrase.Count(counts.Frames(), "frame") + " " + pal.Separator + " sorted by "}, {Style: pal.Accent, Text: columnNames[p.sort]}}
	in := c.Box([]paint.Span{{Style: pal.TextBold, Text: "Latency"}, {Style: pal.Muted, Text: paint.If(p.requests.On(), " ms, of all requests", " ms")}}, note, false)
	selected, _ := p.tl.Request(p.cursor())
	at := slices.IndexFunc(list, func(l timeline.Latency) bool { return isOf(&l, &selected) })
	rows := max(in.H-1, 0)
	first := 0 // the list begins with the rows that come first in its order; a request that the user selected is kept visible
	if !p.follow {
		first = max(0, at-rows+1)
	}
	in.Hides(first, max(len(list)-first-rows, 0))
	number, last := 8, 0
	if in.W >= 74 {
		last = min(in.W-74+4, 32)
	}
	label := in.W - 2 - 6 - 8 - 3*number - last - 2
	if last > 0 {
		label--
	}
	in.Line(func(r *paint.Row) {
		r.Gap(1)
		p.heading(pal, r, byName, label, false)
		p.heading(pal, r, byCount, 6, true)
		p.heading(pal, r, byErrors, 8, true)
		for _, c := range []column{byP50, byP95, byMax} {
			p.heading(pal, r, c, number, true)
		}
		if last > 0 {
			r.Gap(2)
			r.Put(pal.Muted, "last "+strconv.Itoa(last))
		}
	})
	if len(list) == 0 {
		in.Say(1, pal.Muted, "No response yet.")
	}
	for i := first; i < len(list) && in.Left() > 0; i++ {
		in.Line(func(r *paint.Row) { p.latencyRow(pal, r, in.W, &list[i], i == at, label, number, last) })
	}
}

func (p *Pane) heading(pal *paint.Palette, r *paint.Row, c column, w int, right bool) {
	st := paint.If(c == p.sort, pal.Accent, pal.Muted)
	if right {
		r.CellRight(st, columnNames[c], w)
		return
	}
	r.Cell(st, columnNames[c], w)
}

func isOf(l *timeline.Latency, q *timeline.Request) bool {
	return l.Dir == q.Dir && l.Method == q.Method && l.Name == q.Name
}

func (p *Pane) latencyRow(pal *paint.Palette, r *paint.Row, w int, l *timeline.Latency, selected bool, label, number, last int) {
	if selected {
		r.Start(w, pal.Selected)
	}
	r.Gap(1)
	end := r.Used() + label - 1
	put := func(st paint.Style, text string) { r.Put(st, pal.Label(text, max(0, end-r.Used()))) }
	method := pal.Text
	if l.Dir == transport.In {
		put(pal.Asked, pal.ArrowIn+" ")
		method = pal.Asked
	}
	if l.Name == "" || label >= 30 {
		put(method, l.Method+" ")
	}
	put(pal.Value, l.Name)
	r.To(end + 1)
	r.CellRight(pal.Muted, phrase.Digits(l.Count), 6)
	errors := paint.If(l.Errors > 0, pal.Error, pal.Muted)
	r.CellRight(errors, phrase.Digits(l.Errors), 8)
	for i, d := range []time.Duration{l.P50, l.P95, l.Max} {
		st := paint.If(p.sort == []column{byP50, byP95, byMax}[i], pal.Strong, pal.Muted)
		if !l.IsTimed() {
			r.CellRight(pal.Muted, pal.Absent, number)
			continue
		}
		r.CellRight(st, phrase.Milliseconds(d), number)
	}
	if last > 0 {
		r.Gap(2)
		p.bars(pal, r, l, last)
	}
}

// bars writes the newest durations, the newest on the right.
func (p *Pane) bars(pal *paint.Palette, r *paint.Row, l *timeline.Latency, w int) {
	values, failed := l.Last, l.Failed
	if n := len(values) - w; n > 0 {
		values, failed = values[n:], failed[n:]
	}
	r.Gap(w - len(values))
	longest := time.Duration(1)
	for _, d := range values {
		longest = max(longest, d)
	}
	for i, d := range values {
		st := paint.If(failed[i], pal.Error, pal.Accent)
		r.Put(st, pal.Levels[min(int(d*time.Duration(len(pal.Levels))/longest), len(pal.Levels)-1)])
	}
}
