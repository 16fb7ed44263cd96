package traffic

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/ui/paint"
)

// seekSlice bounds the rows that one step of a search for errors reads, which takes a few milliseconds.
const seekSlice = 50000

// A seek is a search for the next error. A long search continues with each refresh, until the user does
// something else.
type seek struct {
	step   int  // 1 or -1, or 0 if there is no search
	at     int  // index of the next shown row to read
	within bool // only the rows hidden behind that row remain to be read
	passed int  // index of the next row to read among the rows that match the filter; noPlace at first
	missed bool
}

// noPlace is the absent index.
const noPlace = -1

// closedSlice bounds the matching rows that one step reads in a folded exchange.
const closedSlice = 1000

const noMoreErrors = "no more errors in this direction"

func (p *Pane) seekError(step int) {
	at := p.cursor()
	p.seek = seek{step: step, at: at + step, passed: noPlace}
	if step > 0 && p.scan.On() && p.isClosed(p.Selected()) {
		p.seek.at, p.seek.within = at, true
	}
	if step > 0 && p.together(p.Selected()) != nil {
		p.seek.at = at // the frames in it are read next
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

// advanceSeek reads more rows.
func (p *Pane) advanceSeek() {
	s := &p.seek
	for left := paint.If(p.byExchange, seekSlice/5, seekSlice); left > 0; left-- { // reading an exchange takes several lookups
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

// foundAt returns the match at an index: its row, or a row hidden behind it, in the direction of the search, or
// None. done is false if there are more rows to read.
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

// matchIn returns the first row of a folded exchange, after the root, that matches the filter, or the last one
// if the search goes back, or None. done is false if there are more rows to read.
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

// passedWithin returns the next row after the root of an exchange among the matching rows. It starts at the
// index at, and advances it. It returns None if there is none; done is false if it has read most rows and there
// are more.
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

// errorAt returns the row at an index where the search for errors stops, or None. If equal
// exchanges share the row, it is the first one with an error in the direction of the search, except
// the selected one. Otherwise it is the row itself, if it has an error, or if it is a frame of an
// unfolded exchange that matches the filter.
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

// isMatch reports whether a frame matches the filter. The frame belongs to an unfolded exchange,
// and all its frames are visible.
func (p *Pane) isMatch(row int32) bool {
	return p.byExchange && p.scan.On() && p.store.Root(row) != row && p.scan.Matches(row)
}

// isWrong reports whether an exchange has an error of any kind.
func (p *Pane) isWrong(root int32) bool {
	r, _ := p.store.Row(root)
	if p.mended(r.Conn) {
		return false
	}
	return p.isError(root) || r.HasOtherResponse() || endOf(&r) != "" || p.flawed[root] || p.endsWrong(&r, root)
}

// endsWrong reports whether an exchange ended with an error: in the response to its first or newest request, or
// in the state of its task.
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

// isError reports whether a frame is an error, or has a finding that is one.
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
