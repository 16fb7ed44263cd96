package frames

import (
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/explain/card"
	"mcptea/session/record/store"
	"mcptea/session/session"
)

// Frames is where cards look frames up, and what was around them.
type Frames interface {
	Store() *store.Store
	State() session.State
}

// CardOfRow is the card of what a row is about: the code of an error, the status
// of an HTTP answer that is no success, isError, or else the method. asHTTP asks
// for the status first. Wrong reports whether the card is about something that
// failed.
func CardOfRow(f Frames, i int32, asHTTP bool) (c card.Card, wrong, ok bool) {
	row, ok := f.Store().Row(i)
	if !ok {
		return card.Card{}, false, false
	}
	x, carried := f.Store().ExchangeOf(row.Exchange)
	if row.Kind == store.KindExchange {
		x.Status, carried = int(row.Code), true
	}
	failed := carried && x.Status >= http.StatusBadRequest
	if (row.Kind == store.KindExchange || asHTTP || failed && !row.Kind.IsResponse()) && x.Status != 0 {
		return cardOfStatus(f, row, x), failed, true
	}
	where := card.Where{Revision: f.State().Handshake.Revision}
	switch {
	case row.Kind == jsonrpc.ErrorResponse:
		body, err := f.Store().Head(i, mostOfError)
		if err != nil {
			return card.Card{}, false, false
		}
		where.Wire, where.Sender = true, revision.Server
		where.Method, where.HTTP = f.Store().Method(row.Method), x.Status
		if row.Dir == transport.Out {
			where.Sender = revision.Client
		}
		c, ok := card.OfError(body, where)
		return c, ok, ok
	case row.Flags&store.ToolError != 0:
		c, ok := card.Find("isError", where)
		return c, false, ok // the remarks on the frame say it in a line
	case row.IsFrame() && row.Kind != jsonrpc.Invalid:
		c, ok := card.Find("method "+f.Store().Method(row.Method), where)
		return c, false, ok && c.Kind == card.Method
	}
	return card.Card{}, false, false
}

// mostOfError is how much of a frame is looked at for its error.
const mostOfError = 64 << 10

func cardOfStatus(f Frames, row store.Row, x transport.Exchange) card.Card {
	where := card.Where{
		Revision: f.State().Handshake.Revision, Wire: true, Verb: x.Method,
		Session: x.RequestHeader.Get("Mcp-Session-Id") != "", Message: string(x.ResponseBody),
	}
	if row.Kind == jsonrpc.ErrorResponse {
		where.Code = row.Code
	}
	return card.OfStatus(x.Status, where)
}
