package composer

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/phrase"
	"mcptea/session/store"
	"mcptea/ui/paint"
)

// reactionTime is how long after a frame the frames of the server are listed, and
// maxReaction how many of them. maxLooked bounds the rows that are read at a refresh.
const (
	reactionTime = 2 * time.Second
	maxReaction  = 20
	maxLooked    = 4096
)

// reaction are the frames of the server after a frame that was sent, whatever their
// ids: the server cannot return the id of a frame that it cannot read.
type reaction struct {
	frame []byte // that was sent; nil for a large one
	plain bool   // it is a notification, to which there is no response
	next  int32  // the row to look at next
	row   int32  // of the frame; store.None until it is there
	sent  int64  // when, in Unix nanoseconds
	rows  []int32
	more  int // frames that are not in rows
	// likely is the row of what is most likely the response; store.None without one.
	likely int32
	over   bool // the time is over
}

// newReaction begins at the end of what the store has now.
func (p *Pane) newReaction(frame []byte) *reaction {
	r := &reaction{frame: frame, row: store.None, likely: store.None}
	if p.session == nil || p.session.Store() == nil {
		return r
	}
	e := jsonrpc.Scan(frame)
	r.plain = e.Kind == jsonrpc.Notification && e.Flaws == 0
	r.next = int32(p.session.Store().Snapshot().Rows)
	return r
}

// refresh takes the new rows of the store.
func (r *reaction) refresh(s *store.Store, started, now time.Time) {
	if r.over || s == nil {
		return
	}
	to := min(int32(s.Snapshot().Rows), r.next+maxLooked)
	for ; r.next < to && !r.over; r.next++ {
		row, ok := s.Row(r.next)
		switch {
		case !ok || !row.IsFrame() || row.IsEvent():
		case r.row == store.None:
			if r.isOwn(s, r.next, &row) {
				r.row, r.sent = r.next, row.Time
			}
		case row.Time > r.sent+int64(reactionTime):
			r.over = true
		case row.Dir == transport.In:
			r.take(r.next, &row)
		}
	}
	since := started
	if r.row != store.None {
		since = time.Unix(0, r.sent)
	}
	r.over = r.over || r.next >= int32(s.Snapshot().Rows) && now.Sub(since) > reactionTime
}

func (r *reaction) isOwn(s *store.Store, i int32, row *store.Row) bool {
	if row.Dir != transport.Out {
		return false
	}
	if r.frame == nil {
		return row.Size > maxForm
	}
	if int(row.Size) != len(r.frame) {
		return false
	}
	body, err := s.Body(i)
	return err == nil && bytes.Equal(body, r.frame)
}

func (r *reaction) take(i int32, row *store.Row) {
	unmatched := row.Pair == store.None && row.Flags&(store.NoID|store.UnknownID) != 0
	answers := row.Kind.IsResponse() || row.Kind == jsonrpc.Batch
	if r.likely == store.None && answers && (unmatched || row.Pair == r.row) {
		r.likely = i
	}
	switch {
	case r.plain && !unmatched:
	case len(r.rows) < maxReaction:
		r.rows = append(r.rows, i)
	default:
		r.more++
	}
}

// outcome is that of the frame in one or two words; empty while frames may come.
func (r *reaction) outcome(s *store.Store) (text string, isError bool) {
	switch {
	case r.likely != store.None:
		row, _ := s.Row(r.likely)
		if row.Kind == jsonrpc.ErrorResponse {
			return strconv.FormatInt(row.Code, 10), true
		}
		return row.Kind.String(), false
	case r.plain:
		return "sent", false
	case !r.over:
		return "", false
	}
	return "none in 2 s", false
}

// likely is the row of what is most likely the response to the frame that was sent last;
// store.None without one.
func (p *Pane) likely() int32 {
	if p.reaction == nil {
		return store.None
	}
	return p.reaction.likely
}

// observed is a response without a frame of its id, with what is most likely the
// response.
func (p *Pane) observed(r response) response {
	body, err := p.session.Store().Head(r.key.likely, maxShown+1)
	if err != nil {
		r.isErr, r.what = true, phrase.Capital(err.Error())
		return r
	}
	r.err, r.lines = nil, indented(body)
	if e := jsonrpc.Scan(body); e.Kind == jsonrpc.ErrorResponse {
		message, _ := jsonrpc.Member(body, "error", "message")
		text, _ := jsonrpc.Unquote(message)
		p.explain(&r, body, &client.RPCError{Code: e.Code, Message: text})
	}
	return r
}

// reactionRows list the frames of the reaction, the likely response first in words.
func (p *Pane) reactionRows(pal *paint.Palette, w, h int) []string {
	if p.reaction == nil || p.session == nil {
		return nil
	}
	r, s := p.reaction, p.session.Store()
	var rows []string
	row := pal.Row()
	for _, i := range r.rows {
		if len(rows) == h-1 && len(r.rows)+r.more > h {
			row.Start(w, paint.Style{})
			row.Put(pal.Muted, strconv.Itoa(len(r.rows)+r.more-len(rows))+" more in Traffic")
			return append(rows, row.String())
		}
		f, ok := s.Row(i)
		if !ok {
			continue
		}
		row.Start(w, paint.Style{})
		st := pal.Muted
		if i == r.likely {
			st = pal.Text
		}
		row.Put(st, "#"+strconv.Itoa(int(i)+1)+" ")
		row.Put(pal.OK, pal.ArrowIn+" ")
		kind := st
		if f.Kind == jsonrpc.ErrorResponse {
			kind = pal.Error
		}
		row.Put(kind, whatOf(s, &f))
		row.Put(st, idOf(&f)+", "+paint.HumanDuration(max(0, time.Duration(f.Time-r.sent)))+" later")
		if i == r.likely {
			row.Put(pal.TextBold, ": most likely the response")
		}
		rows = append(rows, row.String())
	}
	return rows
}

// whatOf is a frame in one or two words.
func whatOf(s *store.Store, f *store.Row) string {
	switch f.Kind {
	case jsonrpc.ErrorResponse:
		return "error " + strconv.FormatInt(f.Code, 10)
	case jsonrpc.Response:
		return "result"
	case jsonrpc.Request, jsonrpc.Notification:
		return s.Method(f.Method)
	case jsonrpc.Batch:
		return "batch"
	}
	return "not a message"
}

// idOf says which id a response has.
func idOf(f *store.Row) string {
	switch {
	case f.Flags&store.NoID != 0:
		return ", no id"
	case f.Flags&store.UnknownID != 0:
		return ", unmatched id"
	case f.Pair != store.None:
		return ", response to #" + strconv.Itoa(int(f.Pair)+1)
	}
	return ""
}

// indented is a frame on several lines; as it is when it is long or not JSON.
func indented(text []byte) []string {
	var b bytes.Buffer
	if len(text) <= maxShown && json.Indent(&b, text, "", "  ") == nil {
		return foldMeta(strings.Split(b.String(), "\n"))
	}
	return []string{string(text[:min(len(text), maxShown)])}
}
