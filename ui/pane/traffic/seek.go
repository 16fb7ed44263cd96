package traffic

import (
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
	step   int // 1 or -1; 0 when there is nothing to search for
	at     int // the place among the rows shown to look at next
	missed bool
}

const noMoreErrors = "no more errors in this direction"

func (p *Pane) seekError(step int) {
	at := p.cursor()
	p.seek = seek{step: step, at: at + step}
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
		p.app.Say(paint.If(p.scan.On(), "No more matches or errors in this direction.", "No more errors in this direction."))
	}
}

// advanceSeek looks at further rows.
func (p *Pane) advanceSeek() {
	s := &p.seek
	for range paint.If(p.byExchange, seekSlice/5, seekSlice) { // an exchange is looked at in several places
		if s.at < 0 || s.at >= p.Len() {
			*s = seek{missed: true}
			return
		}
		if row := p.errorAt(s.at, s.step); row != store.None {
			*s = seek{}
			p.Select(row)
			return
		}
		s.at += s.step
	}
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
