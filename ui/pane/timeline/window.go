package timeline

import (
	"time"

	"mcptea/record/timeline"
)

// window is the part of the session that the axis shows.
type window struct {
	mode windowMode
	from time.Time
	span time.Duration
}

type windowMode uint8

const (
	fitsRows     windowMode = iota // from the start of the first visible request to the end of the last
	wholeSession                   // the whole session
	fixed                          // the window that the user has zoomed or panned to
)

// minSpan is the shortest time that the axis shows.
const minSpan = 10 * time.Microsecond

// toggleWhole changes the range of the axis, and returns a sentence about it.
func (w *window) toggleWhole() (sentence string) {
	if w.mode == wholeSession {
		w.mode = fitsRows
		return "The axis shows the visible requests."
	}
	w.mode = wholeSession
	return "The axis shows the whole session."
}

// end returns the end of the session, or now while something is pending.
func (p *Pane) end(r *timeline.Request) time.Time {
	if r.IsPending {
		return p.now
	}
	return r.End
}

// fit sets the window for the visible requests.
func (p *Pane) fit(list []shownRow) {
	w := &p.window
	switch w.mode {
	case fixed:
		return
	case wholeSession:
		w.from, w.span = p.snap.Begin, p.snap.End.Sub(p.snap.Begin)
	case fitsRows:
		var from, to time.Time
		for i := range list {
			r := &list[i]
			if from.IsZero() || r.Start.Before(from) {
				from = r.Start
			}
			end := p.end(&r.Request)
			if r.IsSubscription {
				end = r.Start // it ends with the connection
			}
			if end.After(to) {
				to = end
			}
		}
		w.from, w.span = from, to.Sub(from)
	}
	w.span = max(w.span, minSpan)
	w.span += w.span / 50 // keep the end of the last one visible
}

// zoom multiplies the visible range by a fraction, around the selected request.
func (p *Pane) zoom(numerator, denominator time.Duration) {
	w := &p.window
	whole := max(p.snap.End.Sub(p.snap.Begin), minSpan)
	center := w.from.Add(w.span / 2)
	if r, ok := p.tl.Request(p.cursor()); ok && w.has(r.Start) {
		center = r.Start
	}
	before := center.Sub(w.from) * numerator / denominator
	w.mode, w.from = fixed, center.Add(-before)
	w.span = min(max(w.span*numerator/denominator, minSpan), whole+whole/10)
	p.clamp()
}

func (w *window) has(at time.Time) bool {
	return !at.Before(w.from) && at.Before(w.from.Add(w.span))
}

// pan moves the window by a quarter of its width. If the selected request is then outside of it, the next one
// in the window is selected.
func (p *Pane) pan(direction time.Duration) {
	w := &p.window
	w.mode = fixed
	w.from = w.from.Add(direction * w.span / 4)
	p.clamp()
	r, ok := p.tl.Request(p.cursor())
	if !ok || w.has(r.Start) || r.Start.Before(w.from) && p.end(&r).After(w.from) {
		return
	}
	if i := p.tl.At(w.from); i != timeline.None {
		if next, ok := p.tl.Request(p.walk(i, 0)); ok && w.has(next.Start) {
			p.selectRequest(next.Index)
		}
	}
}

// clamp keeps a part of the session in the window.
func (p *Pane) clamp() {
	w := &p.window
	if last := p.snap.End.Add(-w.span / 10); w.from.After(last) {
		w.from = last
	}
	if first := p.snap.Begin.Add(-w.span / 10); w.from.Before(first) {
		w.from = first
	}
}

// bringIntoWindow pans to the selected request when it is out of a fixed window.
func (p *Pane) bringIntoWindow() {
	w := &p.window
	r, ok := p.tl.Request(p.cursor())
	if !ok || w.mode != fixed || w.has(r.Start) || r.Start.Before(w.from) && p.end(&r).After(w.from) {
		return
	}
	w.from = r.Start.Add(-w.span / 10)
	p.clamp()
}

// column returns the column of the axis for a time. It may be outside of the window.
func (w *window) column(at time.Time, columns int) int {
	d := at.Sub(w.from)
	if d < 0 {
		return -1
	}
	return int(float64(d) / float64(max(w.span, 1)) * float64(columns))
}

// ticks returns the distance between two marks of the axis: 1, 2 or 5 of a unit, at least apart columns.
func (w *window) ticks(columns, apart int) time.Duration {
	least := w.span * time.Duration(apart) / time.Duration(max(columns, 1))
	for unit := time.Microsecond; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if n*unit >= least {
				return n * unit
			}
		}
		if unit > 1000*time.Hour {
			return unit
		}
	}
}
