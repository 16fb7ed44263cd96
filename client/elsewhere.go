package client

import (
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// noteListening remembers the exchange of GET on which the server sends messages of its own.
func (c *Client) noteListening(x transport.Exchange) {
	if x.Purpose != transport.PurposeListen || x.Method != http.MethodGet {
		return
	}
	open := x.Phase != transport.ExchangeDone && x.Err == "" && (x.Status == 0 || x.Status == http.StatusOK)
	switch {
	case open:
		c.listening.Store(x.ID)
		c.listens.Store(x.Status == http.StatusOK)
	case c.listening.Load() == x.ID:
		c.listens.Store(false)
	}
}

// noteElsewhere tells once that a response came on the stream of GET: a server must not send it
// there (2025-03-26, transports, "Listening for Messages from the Server").
func (c *Client) noteElsewhere(frame []byte, e jsonrpc.Envelope) {
	p := c.pending(e.ID.Of(frame).ID())
	if p != nil && c.toldElsewhere.CompareAndSwap(false, true) {
		c.emitNote("the response to " + shortMethod(p.method) + " came on the stream of GET: a server must send it in the response to its POST; other clients do not get it")
	}
}
