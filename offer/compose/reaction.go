package compose

import (
	"bytes"
	"cmp"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/store"
)

// LargeFrame is the size, in bytes, from which a frame is not kept for comparison.
const LargeFrame = 1 << 20

// NoReaction is the outcome of a frame without a response.
const NoReaction = "none in 2 s"

// serverExited is the outcome of a frame if the process of the server then ended by itself.
const serverExited = "server exited"

// Frames of the server are listed for reactionTime after a frame, and at most maxReaction of them. maxLooked
// bounds the rows that are read in one refresh.
const (
	reactionTime = 2 * time.Second
	maxReaction  = 20
	maxLooked    = 4096
)

// A Reaction holds the frames of the server after a sent frame, whatever their ids: the server cannot return
// the id of a frame that it cannot read.
type Reaction struct {
	Plain bool  // the frame is a notification and gets no response
	Row   int32 // row of the frame; store.None until it is recorded
	Sent  int64 // time in Unix nanoseconds
	Rows  []int32
	More  int // frames that are not in Rows
	// Likely is the row of the most likely response, or store.None.
	Likely int32
	Over   bool // the time is over
	Exited bool // the process of the server ended by itself in that time, without a response

	store *store.Store // record of the session, or nil
	frame []byte       // sent frame; nil if it is large
	next  int32        // next row to read
}

// NewReaction returns a Reaction that starts at the current end of the store. frame is nil if it is large.
func NewReaction(s *store.Store, frame []byte) *Reaction {
	r := &Reaction{store: s, frame: frame, Row: store.None, Likely: store.None}
	if s == nil {
		return r
	}
	e := jsonrpc.Scan(frame)
	r.Plain = e.Kind == jsonrpc.Notification && e.Flaws == 0
	r.next = int32(s.Snapshot().Rows)
	return r
}

// Refresh reads the new rows of the store. started is when sending the frame began.
func (r *Reaction) Refresh(started, now time.Time) {
	s := r.store
	if r.Over || s == nil {
		return
	}
	to := min(int32(s.Snapshot().Rows), r.next+maxLooked)
	for ; r.next < to && !r.Over; r.next++ {
		row, ok := s.Row(r.next)
		switch {
		case !ok || !row.IsFrame() || row.IsEvent():
		case r.Row == store.None:
			if r.isOwn(r.next, &row) {
				r.Row, r.Sent = r.next, row.Time
			}
		case row.Time > r.Sent+int64(reactionTime):
			r.Over = true
		case row.Dir == transport.In:
			r.add(r.next, &row)
		}
	}
	since := started
	if r.Row != store.None {
		since = time.Unix(0, r.Sent)
	}
	r.Over = r.Over || r.next >= int32(s.Snapshot().Rows) && now.Sub(since) > reactionTime
}

// Exit records when the process of the server exited by itself. It ends the reaction to a frame sent shortly
// before; an earlier or later exit does not count.
func (r *Reaction) Exit(at time.Time) {
	if after := at.UnixNano() - r.Sent; r.Row != store.None && r.Likely == store.None && after >= 0 && after <= int64(reactionTime) {
		r.Exited, r.Over = true, true
	}
}

func (r *Reaction) isOwn(i int32, row *store.Row) bool {
	if row.Dir != transport.Out {
		return false
	}
	if r.frame == nil {
		return row.Size > LargeFrame
	}
	if int(row.Size) != len(r.frame) {
		return false
	}
	body, err := r.store.Body(i)
	return err == nil && bytes.Equal(body, r.frame)
}

func (r *Reaction) add(i int32, row *store.Row) {
	unmatched := row.Pair == store.None && row.Flags&(store.NoID|store.UnknownID) != 0
	answers := row.Kind.IsResponse() || row.Kind == jsonrpc.Batch
	if r.Likely == store.None && answers && (unmatched || row.Pair == r.Row) {
		r.Likely = i
	}
	switch {
	case r.Plain && !unmatched:
	case len(r.Rows) < maxReaction:
		r.Rows = append(r.Rows, i)
	default:
		r.More++
	}
}

// Outcome describes the outcome in one or two words, or returns "" while frames may still arrive. isError
// reports whether it is a failure by itself.
func (r *Reaction) Outcome() (text string, isError bool) {
	switch {
	case r.Likely != store.None:
		row, _ := r.store.Row(r.Likely)
		if row.Kind == jsonrpc.ErrorResponse {
			return cmp.Or(row.ErrorCode().String(), "error without a code"), true
		}
		return row.Kind.String(), false
	case r.Exited:
		return serverExited, true
	case r.Plain:
		return "sent", false
	case !r.Over:
		return "", false
	}
	return NoReaction, false
}
