package traffic

import (
	"math"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/record/flow"
	"mcptea/record/store"
	"mcptea/ui/paint"
)

// A grid holds the widths of the cells of an exchange. 0 leaves a cell out.
type grid struct {
	columns
	up, bar, down, subject int
	outcome                int // width of the widest outcome that was visible
	w                      int // width of the row in the cache
}

// The order at each width: number, time, request, sent, got, bar, ms, outcome. In narrow rows these are left
// out first: the bar, then the sizes, then the hour of the time, and last the time; never the arguments, the
// duration, the outcome.
const (
	idGrid   = 150
	barGrid  = 132
	sizeGrid = 100
)

// gridFor returns the columns for a width. Longer texts are cut, so that times and outcomes are aligned. Ids and outcomes
// widen their columns, outcomes in steps of outcomeStep, and at the same width neither gets narrower again: little moves
// while frames arrive.
func (p *Pane) gridFor(w int, list []exchange) grid {
	g := grid{columns: columnsFor(w, p.snap.Rows), w: w}
	g.id, g.size, g.took = 0, 0, min(g.took, 7)
	if w >= sizeGrid {
		g.up, g.down = 7, 7
	}
	if w >= barGrid {
		g.bar = 8
	}
	if p.grid.w == w {
		g.id, g.outcome = p.grid.id, p.grid.outcome
	}
	subject, step := 0, outcomeStep
	if w < sizeGrid {
		step /= 2 // a wider step would leave cells empty next to a request that is cut
	}
	for i := range list {
		e := &list[i]
		if w >= idGrid {
			g.fitID(e.subject.ID, w)
		}
		if !e.isPart && isExchange(&e.row) {
			g.outcome = max(g.outcome, (p.outcomeWidth(e)+step-1)/step*step)
			subject = max(subject, p.subjectWidth(e))
		}
	}
	if g.outcome == 0 || w >= sizeGrid {
		g.outcome = max(g.outcome, outcomeStep) // the name is not cut
	}
	room := w - g.fixed()
	g.subject = max(8, room-g.outcome, min(subject, room/2))
	return g
}

// outcomeStep is the number of cells by which the column of the outcomes grows. With a large step,
// few responses move the column.
const outcomeStep = 8

// outcomeWidth returns the width of a whole outcome, in cells.
func (p *Pane) outcomeWidth(e *exchange) int {
	n := paint.SpansWidth(e.notes)
	if n > 0 {
		n++
	}
	return 2 + wideOf(e.outcome.lead) + wideOf(p.outcomeIn(e, maxFound)) + n
}

// subjectWidth returns the width of a whole request with the blank after it, in cells.
func (p *Pane) subjectWidth(e *exchange) int {
	n := wideOf(p.argumentsIn(e, maxFound)) + 1
	for _, text := range []string{e.method(), e.subject.Name} {
		if text != "" {
			n += wideOf(text) + 1
		}
	}
	return n
}

// wideOf returns the width of a text in cells. It measures only the start of the text.
func wideOf(text string) int { return display.Width(display.Sanitize(display.Head(text, maxFound))) }

// fixed returns the width of the columns other than the request and the outcome.
func (g *grid) fixed() int {
	return 1 + g.seq + 1 + g.time + 2 + g.id + g.sizes() + g.took + 1 + 2
}

// sizes returns the width of the columns between the request and the duration, which a frame of an unfolded
// exchange does not have.
func (g *grid) sizes() (cells int) {
	for _, n := range []int{g.up, g.bar, g.down} {
		if n > 0 {
			cells += n + 1
		}
	}
	return cells
}

// sizeAt returns the cells from the start of the request to the end of a size, of the sent or received bytes,
// or 0 if these columns do not exist.
func (g *grid) sizeAt(dir transport.Direction) int {
	switch {
	case g.up == 0:
		return 0
	case dir == transport.Out:
		return g.subject + 1 + g.up
	}
	return g.subject + 1 + g.up + 1 + g.down
}

// method returns the method of a request, or "" if the name of a tool or prompt is enough.
func (e *exchange) method() string {
	if e.subject.Name != "" && flow.IsNamed(e.subject.Method) {
		return ""
	}
	return e.subject.Method
}

// A bar shows the duration of a call on a logarithmic scale, from shortest to longest. So the bar
// shows how slow the call is regardless of its neighbors. The bar of a request with progress shows
// the progress.
const shortest, longest = 100 * time.Microsecond, 100 * time.Second

func putBar(r *paint.Row, pal *paint.Palette, e *exchange, w int) {
	st := pal.Muted
	switch {
	case e.live != nil && e.live.HasTotal && e.live.Total > 0:
		putPart(r, pal, pal.Accent, min(max(e.live.Progress/e.live.Total, 0), 1), w, true)
		return
	case e.response == store.None && e.took == 0:
		return
	case e.live != nil, e.end.Flags&store.ToolError != 0:
		st = pal.Warn
	case e.end.Kind == jsonrpc.ErrorResponse && !e.end.IsExpected():
		st = pal.Error
	}
	part := math.Log(float64(max(e.took, shortest))/float64(shortest)) / math.Log(float64(longest)/float64(shortest))
	putPart(r, pal, st, min(part, 1), w, false)
}

// putPart fills a part of a bar of some cells, at least one cell; rest is the style of the remainder.
func putPart(r *paint.Row, pal *paint.Palette, st paint.Style, part float64, w int, rest bool) {
	n := max(1, int(part*float64(w)+0.5))
	for range n {
		r.Put(st, pal.BarLine)
	}
	for range w - n {
		if rest {
			r.Put(pal.Faint, pal.Dash)
		}
	}
}
