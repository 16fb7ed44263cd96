package failure

import (
	"errors"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/explain/card"
)

// CardOf returns the card of the subject of an error: the code that the server returned, the HTTP status, or
// the step at which connecting failed.
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
	if errors.As(err, &rpc) {
		if code, ok := rpc.Code.Number(); ok {
			return card.OfCode(code, whereOf(rpc, r, method)), true
		}
	}
	switch {
	case errors.As(err, &status):
		return card.OfStatus(status.Status, card.Where{
			Revision: r, Wire: true, Verb: status.Method, URL: status.URL, Session: errors.Is(err, mcphttp.ErrSessionExpired),
			Message: string(status.Body),
		}), true
	case connecting:
		return card.Find("step "+step.Step, card.Where{Revision: r})
	}
	return card.Card{}, false
}

// AddTo adds the observations to the card of a step. If there is advice, it replaces the usual advice of the
// card.
func (e Explanation) AddTo(c *card.Card) {
	for _, f := range []card.Fact{{Label: "here", Text: strings.TrimSpace(e.Sentence + " " + e.Cause())}, {Label: "try", Text: e.Try()}} {
		if f.Text != "" {
			c.Facts = append(c.Facts, f)
		}
	}
	if e.Try() != "" {
		c.Cause, c.Check = "", ""
	}
}

// whereOf returns the place and the data of an error of the server.
func whereOf(err *client.RPCError, r revision.Revision, method string) card.Where {
	w := card.Where{Revision: r, Wire: true, Sender: revision.Server, Method: method, Message: err.Message}
	for name := range jsonrpc.Members(err.Data) {
		w.Data = append(w.Data, string(name))
	}
	return w
}
