package client

import (
	"errors"
	"net/http"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
)

// noteListening records the exchange of a GET on which the server sends messages of its own.
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

// noteElsewhere reports once that a response arrived on the stream of GET: a server must not send it there
// (2025-03-26, transports, "Listening for Messages from the Server").
func (c *Client) noteElsewhere(frame []byte, e jsonrpc.Envelope) {
	p := c.pending(e.ID.Of(frame).ID())
	if p != nil && c.toldElsewhere.CompareAndSwap(false, true) {
		c.emitNote("the response to " + shortMethod(p.method) + " came on the stream of GET: a server must send it in the response to its POST; other clients do not get it")
	}
}

// lost ends a request for which a response can no longer arrive. If the response may still arrive on another
// stream, the request waits lostGrace for it. The transport calls lost.
func (c *Client) lost(id jsonrpc.ID, err error) {
	p := c.pending(id)
	if p == nil {
		return
	}
	if c.listens.Load() && (errors.Is(err, mcphttp.ErrEmpty) || errors.Is(err, mcphttp.ErrStreamUnanswered)) {
		select {
		case p.lost <- err:
			return
		default:
		}
	}
	p.deliver(reply{err: err})
}

// lostGrace bounds the wait for a response whose exchange has ended without it, while the stream
// of GET is open: some servers send all responses there.
const lostGrace = 2 * time.Second
