package browse

import (
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
	"mcptea/ui/paint"
)

// maxScan bounds the rows that one refresh reads for one call.
const maxScan = 2000

// scanUnmatched looks among the new frames for responses without a request: one
// of them may be the response to the call, under another id.
func (p *Pane) scanUnmatched(c *call) {
	s := p.session.Store()
	if s == nil {
		return
	}
	rows := int32(s.Snapshot().Rows)
	if !c.scanning {
		c.scanning, c.scanned, c.unmatched = true, p.rowAt(c, rows), store.None
	}
	for end := min(rows, c.scanned+maxScan); c.scanned < end; c.scanned++ {
		row, ok := s.Row(c.scanned)
		if ok && row.Dir == transport.In && row.Kind.IsResponse() && row.Flags&(store.UnknownID|store.NoID) != 0 && row.Time >= c.Started.UnixNano() {
			c.unmatched = c.scanned
		}
	}
}

// rowAt is a row from which on the frames are newer than a call.
func (p *Pane) rowAt(c *call, rows int32) int32 {
	s := p.session.Store()
	i := rows
	for i > 0 && rows-i < maxScan {
		row, ok := s.Row(i - 1)
		if !ok || row.Time < c.Started.UnixNano() {
			break
		}
		i--
	}
	return i
}

// unmatchedRow names an unmatched response in a call that waits, or that waited in
// vain.
func (p *Pane) unmatchedRow(s *sheet, c *call) {
	if p.lateRow(s, c) {
		return
	}
	if c.unmatched == store.None || !c.scanning || s.Left() <= 0 || c.over && c.err == nil {
		return
	}
	st := p.session.Store()
	head, err := st.Head(c.unmatched, 1<<10)
	if err != nil {
		return
	}
	row, _ := st.Row(c.unmatched)
	what := "without an id"
	if row.Flags&store.NoID == 0 {
		what = "with an unknown id"
		if id := jsonrpc.Scan(head).ID.Of(head); len(id) > 0 {
			what = "with the unknown id " + string(id[:min(len(id), 40)])
		}
	}
	text := "#" + strconv.Itoa(int(c.unmatched)+1) + " came " + what + "; it may be the response to this call"
	lines := s.Pal.WrapMost(text, max(s.W-4, 1), min(2, s.Left()))
	for i, line := range lines {
		s.Line(func(r *paint.Row) {
			if i == 0 {
				r.Put(s.Pal.WarnBold, "?")
			}
			r.To(3)
			r.Put(s.Pal.Text, line)
			if i == len(lines)-1 && row.Kind == jsonrpc.Response {
				r.Gap(2)
				r.PutBytes(s.Pal.Muted, head)
			}
		})
	}
}

// lateRow names the response that came after the call had timed out or was
// cancelled. It reports false when none has come.
func (p *Pane) lateRow(s *sheet, c *call) bool {
	st := p.session.Store()
	if st == nil || !c.over || c.err == nil || c.flight.Row == store.None || s.Left() <= 0 {
		return false
	}
	_, answer := st.Related(c.flight.Row)
	row, ok := st.Row(answer)
	if answer == store.None || !ok || row.Flags&store.Late == 0 {
		return false
	}
	s.Line(func(r *paint.Row) {
		r.Put(s.Pal.WarnBold, "! ")
		r.Put(s.Pal.Text, "#"+strconv.Itoa(int(answer)+1)+" is the response to this call; it came "+
			paint.HumanDuration(time.Unix(0, row.Time).Sub(c.Started))+" after the request")
	})
	return true
}
