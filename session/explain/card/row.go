package card

import (
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

// OfRow returns the card for the subject of a row: the code of an error, the status of a failed HTTP response,
// isError, or otherwise the method. asHTTP prefers the status. wrong reports whether the card is about a
// failure.
func OfRow(s *store.Store, r revision.Revision, i int32, asHTTP bool) (c Card, wrong, ok bool) {
	row, ok := s.Row(i)
	if !ok {
		return Card{}, false, false
	}
	x, carried := s.ExchangeOf(row.Exchange)
	if row.Kind == store.KindExchange {
		x.Status, carried = row.Status(), true
	}
	failed := carried && x.Status >= http.StatusBadRequest
	_, coded := row.ErrorCode().Number()
	if (row.Kind == store.KindExchange || asHTTP || failed && !coded && row.Kind != jsonrpc.Response) && x.Status != 0 {
		return ofRowStatus(r, row, x), failed, true
	}
	where := Where{Revision: r}
	switch {
	case row.Kind == jsonrpc.ErrorResponse && isInjected(s, i):
		return Card{}, false, false // mcptea or its user wrote it: the causes of a peer's error are not its causes
	case row.Kind == jsonrpc.ErrorResponse:
		body, err := s.Head(i, mostOfError)
		if err != nil {
			return Card{}, false, false
		}
		where.Wire, where.Sender = true, revision.Server
		where.Method, where.HTTP = s.Method(row.Method), x.Status
		if row.Dir == transport.Out {
			where.Sender = revision.Client
		}
		c, ok := OfError(body, where)
		return c, ok, ok
	case row.Flags&store.ToolError != 0:
		c, ok := Find("isError", where)
		return c, false, ok // the remarks on the frame contain it in one line
	case row.IsFrame() && row.Kind != jsonrpc.Invalid:
		c, ok := Find("method "+s.Method(row.Method), where)
		return c, false, ok && c.Kind == Method
	}
	return Card{}, false, false
}

// isInjected reports whether no peer has written a frame.
func isInjected(s *store.Store, row int32) bool {
	c, changed := s.Change(row)
	return changed && c.What == record.Added
}

// mostOfError is the number of bytes of a frame that are searched for its error.
const mostOfError = 64 << 10

func ofRowStatus(r revision.Revision, row store.Row, x transport.Exchange) Card {
	where := Where{
		Revision: r, Wire: true, Verb: x.Method, URL: x.URL,
		Session: x.RequestHeader.Get("Mcp-Session-Id") != "", Message: string(x.ResponseBody),
		Login: x.Purpose == transport.PurposeAuthorization,
	}
	where.Code, _ = row.ErrorCode().Number()
	return OfStatus(x.Status, where)
}
