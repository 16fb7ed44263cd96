package failure

import (
	"errors"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/explain/card"
)

// CardOf is the card of what an error is about: the code that the server
// returned, the HTTP status, or the step at which connecting failed.
func CardOf(err error, r revision.Revision) (card.Card, bool) {
	var (
		rpc    *client.RPCError
		status *transport.StatusError
		step   *client.ConnectError
	)
	method, connecting := "", errors.As(err, &step)
	if connecting {
		method = first(err)
	}
	switch {
	case errors.As(err, &rpc) && !rpc.NoCode:
		return card.OfCode(rpc.Code, whereOf(rpc, r, method)), true
	case errors.As(err, &status):
		return card.OfStatus(status.Status, card.Where{
			Revision: r, Wire: true, Verb: status.Method, Session: errors.Is(err, mcphttp.ErrSessionExpired),
			Message: string(status.Body),
		}), true
	case connecting:
		return card.Find("step "+step.Step, card.Where{Revision: r})
	}
	return card.Card{}, false
}

// whereOf is what an error of the server says of itself.
func whereOf(err *client.RPCError, r revision.Revision, method string) card.Where {
	w := card.Where{Revision: r, Wire: true, Sender: revision.Server, Method: method, Message: err.Message}
	for name := range jsonrpc.Members(err.Data) {
		w.Data = append(w.Data, string(name))
	}
	return w
}
