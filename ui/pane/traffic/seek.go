package traffic

import (
	"mcptea/session/lint"
	"mcptea/ui/action"
	"mcptea/ui/verdict"
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

const noMoreErrors = "no more errors that way"

func (p *Pane) seekError(step int) action.Action {
	p.seek = seek{step: step, at: p.cursor + step}
	p.follow = false
	p.advanceSeek()
	if p.seek.missed {
		p.seek = seek{}
		return action.Flash{Text: noMoreErrors}
	}
	return nil
}

// advanceSeek looks at further rows.
func (p *Pane) advanceSeek() {
	s := &p.seek
	for range seekSlice {
		if s.at < 0 || s.at >= p.Len() {
			*s = seek{missed: true}
			return
		}
		if row := p.row(s.at); p.isError(row) {
			p.cursor, p.follow = s.at, false
			*s = seek{}
			return
		}
		s.at += s.step
	}
}

// isError reports whether a frame is one, or a rule calls something about it
// one.
func (p *Pane) isError(row int32) bool {
	if r, ok := p.store.Row(row); ok && r.IsError() {
		return true
	}
	worst := verdict.Worst(p.judge.FindingsAt(row))
	return worst != nil && worst.Rule.Severity == lint.Error
}
