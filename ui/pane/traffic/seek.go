package traffic

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/session/checks/lint"
	"mcptea/session/record/store"
	"mcptea/ui/paint"
)

// seekSlice is how many rows are looked at for an error at a time: as many as
// take a few milliseconds.
const seekSlice = 50000

// seek is a search for the next error. A long one goes on with each refresh,
// until the user does something else.
type seek struct {
	step   int  // 1 or -1; 0 when there is nothing to search for
	at     int  // the place among the rows shown to look at next
	within bool // only what the row of that place hides is to be looked at: the row itself was
	passed int  // the place among the rows that pass the filter to look at next for it; noPlace at first
	missed bool
}

// noPlace is the place of nothing.
const noPlace = -1

// closedSlice is how many rows that pass the filter are looked at in a closed exchange at a time.
const closedSlice = 1000

const noMoreErrors = "no more errors in this direction"

func (p *Pane) seekError(step int) {
	at := p.cursor()
	p.seek = seek{step: step, at: at + step, passed: noPlace}
	if step > 0 && p.scan.On() && p.isClosed(p.Selected()) {
		p.seek.at, p.seek.within = at, true
	}
	if step > 0 && p.together(p.Selected()) != nil {
		p.seek.at = at // the frames in it come next
	}
	p.follow = false
	p.flawed = map[int32]bool{}
	if p.byExchange {
		for _, row := range p.app.Source.ErrorRows() {
			p.flawed[p.store.Root(row)] = true
		}
	}
	p.advanceSeek()
	if p.seek.missed {
		p.seek = seek{}
		p.app.Say(paint.If(p.scan.On(), "No more errors in this direction, and no more matches within exchanges.", "No more errors in this direction."))
	}
}

// advanceSeek looks at further rows.
func (p *Pane) advanceSeek() {
	s := &p.seek
	for left := paint.If(p.byExchange, seekSlice/5, seekSlice); left > 0; left-- { // an exchange is looked at in several places
		if s.at < 0 || s.at >= p.Len() {
			*s = seek{missed: true}
			return
		}
		row, done := p.foundAt(p.row(s.at))
		if row != store.None {
			*s = seek{}
			p.Select(row)
			return
		}
		if !done {
			left -= closedSlice
			continue
		}
		s.at, s.within, s.passed = s.at+s.step, false, noPlace
	}
}

// foundAt is what the search finds at a place: its row, or what that hides, in the direction of the
// search. None without one; done is false while there is more to look at.
func (p *Pane) foundAt(shown int32) (row int32, done bool) {
	s := &p.seek
	if s.step > 0 && !s.within {
		if row := p.errorAt(s.at, s.step); row != store.None {
			return row, true
		}
	}
	s.within = true
	if p.scan.On() && p.isClosed(shown) {
		if row, done = p.matchIn(shown); row != store.None || !done {
			return row, done
		}
	}
	if s.step > 0 {
		return store.None, true
	}
	return p.errorAt(s.at, s.step), true
}

// matchIn is the first row of a closed exchange, after the root, that passes the filter, or the last one
// where the search goes back. None without one; done is false while there are more rows to look at.
func (p *Pane) matchIn(root int32) (row int32, done bool) {
	s, passed := &p.seek, p.scan.Passed
	if row := p.exchanges.BestIn(root); row != store.None {
		return paint.If(row == root, store.None, row), true
	}
	r, _ := p.store.Row(root)
	end := max(r.Newest(root), r.Pair, root)
	if s.passed == noPlace {
		s.passed, _ = slices.BinarySearch(passed, paint.If(s.step > 0, root+1, end+1))
		if s.step < 0 {
			s.passed--
		}
	}
	return p.passedWithin(root, &s.passed, s.step, closedSlice)
}

// passedWithin is the next row after the root of an exchange among those that pass, from a place in them, which it
// moves. None without one; done is false where it has looked at so many and there are more.
func (p *Pane) passedWithin(root int32, at *int, step, most int) (row int32, done bool) {
	passed := p.scan.Passed
	r, _ := p.store.Row(root)
	end := max(r.Newest(root), r.Pair, root)
	for range most {
		if *at < 0 || *at >= len(passed) || passed[*at] <= root || passed[*at] > end {
			return store.None, true
		}
		if row := passed[*at]; p.store.Root(row) == root {
			return row, true
		}
		*at += step
	}
	return store.None, false
}

// errorAt is the row with an error at a place: among equal exchanges the first of them
// in the direction of the search, otherwise the row of the place; None without one.
func (p *Pane) errorAt(at, step int) int32 {
	row := p.row(at)
	if equal := p.together(row); equal != nil {
		for i := range equal {
			one := equal[paint.If(step > 0, i, len(equal)-1-i)]
			if one != p.Selected() && p.isWrong(one) {
				return one
			}
		}
		return store.None
	}
	if p.isClosed(row) {
		return paint.If(p.isWrong(row), row, store.None)
	}
	return paint.If(p.isError(row) || p.isMatch(row), row, store.None)
}

// isMatch reports whether a frame of an open exchange, all of which are shown, is one that the filter has found.
func (p *Pane) isMatch(row int32) bool {
	return p.byExchange && p.scan.On() && p.store.Root(row) != row && p.scan.Matches(row)
}

// isWrong reports whether anything about an exchange is an error.
func (p *Pane) isWrong(root int32) bool {
	r, _ := p.store.Row(root)
	if p.mended(r.Conn) {
		return false
	}
	return p.isError(root) || r.HasOtherResponse() || endOf(&r) != "" || p.flawed[root] || p.endsWrong(&r, root)
}

// endsWrong reports whether a response of the exchange of a root is an error: that of its first request
// or of its newest one, or the state of its task.
func (p *Pane) endsWrong(r *store.Row, root int32) bool {
	for _, row := range []int32{r.Pair, r.Newest(root)} {
		if row == store.None {
			continue
		}
		if p.isError(row) {
			return true
		}
		if newest, _ := p.store.Row(row); newest.Kind == jsonrpc.Request && newest.Pair != store.None && p.isError(newest.Pair) {
			return true
		}
	}
	return false
}

// isError reports whether a frame is one, or a rule calls something about it
// one.
func (p *Pane) isError(row int32) bool {
	r, ok := p.store.Row(row)
	switch {
	case ok && p.mended(r.Conn):
		return false
	case ok && r.IsError():
		return true
	}
	worst := lint.Worst(p.app.Source.FindingsAt(row))
	return worst != nil && worst.Severity == lint.Error
}
