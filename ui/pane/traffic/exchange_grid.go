package traffic

import (
	"math"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/record/store"
	"mcptea/ui/paint"
)

// grid are the widths of the cells of an exchange; 0 leaves one out.
type grid struct {
	columns
	up, bar, down, subject int
	w                      int // of the row that it was made for
}

const (
	// wideGrid is the width from which a row has sizes, a bar and the method of a tool call, and idGrid
	// that from which it has the id.
	wideGrid = 100
	idGrid   = 150
)

// gridFor fits the columns into a width, which alone decides where they are: what does not fit is cut, so
// that times and outcomes stand below each other, and nothing moves while frames come. Only ids make their
// column wider.
func (p *Pane) gridFor(w int, list []exchange) grid {
	g := grid{columns: columnsFor(w, p.snap.Rows), w: w}
	g.id, g.size = 0, 0
	switch {
	case w >= wideGrid:
		g.up, g.down, g.bar, g.took = 7, 7, 8, 7
	case w >= 72: // a bar of five cells says nothing
		g.took = 7
	case w >= 44:
		g.time, g.took = 0, 7
	default:
		g.time, g.took = 0, 6
	}
	if p.grid.w == w {
		g.id = p.grid.id
	}
	for i := range list {
		if w >= idGrid {
			g.fitID(list[i].subject.ID, w)
		}
	}
	g.subject = max(8, (w-g.fixed())*subjectShare/100)
	return g
}

// subjectShare is what the request has of the room that it shares with the outcome, in percent.
const subjectShare = 50

// fixed is what the columns take beside those of the request and of the outcome.
func (g *grid) fixed() int {
	return 1 + g.seq + 1 + g.time + 2 + g.id + g.sizes() + g.took + 1 + 2
}

// sizes are the cells of the columns between the request and the duration, which a frame of an open
// exchange does not have.
func (g *grid) sizes() (cells int) {
	for _, n := range []int{g.up, g.bar, g.down} {
		if n > 0 {
			cells += n + 1
		}
	}
	return cells
}

// method is that of a request. In a narrow row the tool says more than tools/call.
func (e *exchange) method(w int) string {
	if w < wideGrid && e.subject.Name != "" && (e.subject.Method == "tools/call" || e.subject.Method == "prompts/get") {
		return ""
	}
	return e.subject.Method
}

// A bar has a length for each duration from shortest to longest, on a logarithmic scale: it says how
// slow a call is whatever is beside it. That of a request that reports progress is how far it has come.
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
	case e.end.Kind == jsonrpc.ErrorResponse:
		st = pal.Error
	}
	part := math.Log(float64(max(e.took, shortest))/float64(shortest)) / math.Log(float64(longest)/float64(shortest))
	putPart(r, pal, st, min(part, 1), w, false)
}

// putPart fills a part of some cells, at least one; rest shows what is not filled.
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
