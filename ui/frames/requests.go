package frames

import (
	"mcptea/record/timeline"
	"mcptea/ui/page"
)

// Requests holds the requests of a timeline whose exchanges pass the filter: the same ones that the list of
// exchanges shows.
type Requests struct {
	page.Scan // over the requests

	rows      Scan
	exchanges *Exchanges
	tl        *timeline.Timeline
	end       timeline.Snapshot // snapshot at the last update
}

// NewRequests returns the requests of a timeline over the frames of the program.
func (p *Program) NewRequests(tl *timeline.Timeline) Requests {
	r := Requests{rows: p.NewScan(), exchanges: NewExchanges(p.Store()), tl: tl}
	r.rows.ByExchange = true
	return r
}

// On reports whether the filter leaves requests out.
func (r *Requests) On() bool {
	if r.rows.version != r.rows.Generation() {
		r.Look(r.end)
	}
	return r.rows.Filter.On()
}

// Look reads new requests up to the end of a snapshot, within a time budget, and reports whether there are
// more.
func (r *Requests) Look(end timeline.Snapshot) (behind bool) {
	r.end = end
	if !r.rows.Filter.On() {
		if r.rows.version != r.rows.Generation() {
			r.From(0)
			r.exchanges, r.rows.version = NewExchanges(r.rows.store), r.rows.Generation()
		}
		return false
	}
	gen := uint64(end.Published)
	behind = r.rows.Look(end.Rows, gen)
	behind = r.exchanges.Look(&r.rows, int32(end.Rows), gen) || behind
	if root, changed := r.exchanges.changes(); changed {
		if i := r.tl.From(root); i != timeline.None {
			r.From(i)
		}
	}
	r.rows.Filter.behind = r.Advance(end.Requests, func(from, to int) int {
		for i := from; i < to; i++ {
			q, ok := r.tl.Request(i)
			if !ok {
				return end.Requests
			}
			if r.exchanges.passes(r.rows.store.Root(q.Row)) {
				r.Passed = append(r.Passed, int32(i))
			}
		}
		return to
	}) || behind || r.rows.Filter.behind
	return r.rows.Filter.behind
}
