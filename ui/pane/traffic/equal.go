package traffic

import (
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// sumUp makes the row of the first of several equal exchanges represent all of them: their bytes, the duration
// of the slowest, the number of failed and pending ones, and the most severe finding.
func (p *Pane) sumUp(pal *paint.Palette, e *exchange, equal []int32) {
	e.equal, e.live, e.open = len(equal), nil, false
	failed, unread, pending := 0, 0, 0
	fastest, worst, found := time.Duration(-1), (*lint.Finding)(nil), 0
	e.row.Size, e.end.Size, e.took = 0, 0, 0
	for _, root := range equal {
		r, _ := p.store.Row(root)
		e.row.Size += r.Size
		of, n := p.app.Source.WorstIn(root, r.Pair)
		if found += n; of != nil && (worst == nil || of.Severity < worst.Severity) {
			worst = of
		}
		end, ok := p.store.Row(r.Pair)
		if ok {
			took := max(0, time.Duration(end.Time-r.Time))
			e.response, e.took, e.end.Size = r.Pair, max(e.took, took), e.end.Size+end.Size
			fastest = paint.If(fastest < 0, took, min(fastest, took))
		}
		switch {
		case ok && end.IsError() || endOf(&r) != "":
			failed++
		case ok && end.ReadFault() != jsonrpc.FaultNone:
			unread++
		case r.Flags&store.Pending != 0:
			pending++
		}
	}
	of := " of " + strconv.Itoa(len(equal))
	switch {
	case failed > 0:
		e.outcome.set(pal.Error, pal.FailMark, strconv.Itoa(failed)+of+" failed", pal.Error)
	case unread > 0:
		e.outcome.set(pal.Warn, pal.WarnMark, strconv.Itoa(unread)+of+" not read", pal.Warn)
	case pending > 0:
		e.outcome.set(pal.Warn, p.spinner(pal), strconv.Itoa(pending)+of+" pending", pal.Text)
	case fastest >= 0:
		from, to := phrase.Took(fastest), phrase.Took(e.took)
		e.outcome.set(pal.OK, pal.OKMark, paint.If(from == to, "each in "+to, from+" to "+to), pal.Text)
	}
	if e.notes = nil; worst != nil {
		e.notes = []paint.Span{{Style: app.SeverityStyle(pal, worst.Severity), Text: flaws(pal, worst, found)}}
	}
}
