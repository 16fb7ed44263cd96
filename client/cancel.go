package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// Cancel cancels a pending request and notifies the server (specification, basic
// / utilities / cancellation). The reason may be empty. initialize cannot be
// cancelled. A stateless request over HTTP is cancelled by closing its exchange
// (2026-07-28).
func (c *Client) Cancel(ctx context.Context, id jsonrpc.ID, reason string) error {
	p := c.pending(id)
	switch {
	case !id.Present():
		return errors.New("a cancellation must name the id of a request")
	case p != nil && p.method == "initialize":
		return errors.New("initialize must not be cancelled")
	case p != nil:
		p.deliver(reply{err: ErrCancelled})
		if c.requestCanceler() != nil {
			return nil // the goroutine that waits for the response does it
		}
	}
	return c.sendCancellation(ctx, id, reason)
}

// requestCanceler returns the transport if it can cancel a request without a message.
func (c *Client) requestCanceler() transport.RequestCanceler {
	if a, ok := c.transport().(transport.RequestCanceler); ok && c.isStateless() {
		return a
	}
	return nil
}

// sendCancellation cancels a request at the server. If no notification can name the id, it ends the
// HTTP exchange of the request, or does nothing on other transports.
func (c *Client) sendCancellation(ctx context.Context, id jsonrpc.ID, reason string) error {
	canceler, closes := c.transport().(transport.RequestCanceler)
	if c.isStateless() && closes && canceler.CancelRequest(id) {
		return nil
	}
	var err error
	if isRequestID(id) {
		params := append([]byte(`{"requestId":`), id.String()...)
		if reason != "" {
			params = fmt.Appendf(params, `,"reason":%s`, jsonrpc.Quote(reason))
		}
		err = c.Notify(ctx, "notifications/cancelled", append(params, '}'))
	}
	if closes {
		canceler.CancelRequest(id)
	}
	return err
}

// cancelAfter cancels a request at the server after a timeout or the end of the context. It sends a
// message, or closes the HTTP exchange of a stateless request. announced reports whether a message
// announces the cancellation. The error is err, or a *CancelledError with err if the exchange was
// closed. initialize is never cancelled.
func (c *Client) cancelAfter(ctx context.Context, r call, err error, tried <-chan struct{}) (announced bool, lost error) {
	var timeout *TimeoutError
	reason, silent := "", c.requestCanceler() != nil
	switch {
	case errors.As(err, &timeout):
		reason = transport.ReasonTimedOut + " after " + phrase.Duration(timeout.After)
	case ctx.Err() != nil:
		reason = context.Cause(ctx).Error()
	case silent && errors.Is(err, ErrCancelled):
	default:
		return false, err // a failure of the transport, or of the response
	}
	if r.Method == "initialize" || r.silent {
		return false, err
	}
	started := c.startCancellation(func() {
		if silent {
			<-tried // before that there is nothing to cancel
		}
		// The caller's context may have ended.
		ctx, stop := context.WithTimeout(context.Background(), cancellationTimeout)
		defer stop()
		_ = c.sendCancellation(ctx, r.ID, reason) // a failure shows in the traffic
	})
	if silent {
		return false, &CancelledError{Err: err}
	}
	return started && isRequestID(r.ID), err
}

// cancellationTimeout bounds the sending of a cancellation. cancellationGrace bounds the wait
// of Close for cancellations that are being sent.
const (
	cancellationTimeout = 2 * time.Second
	cancellationGrace   = time.Second
)

// startCancellation sends a cancellation in a goroutine that Close waits for
// before it closes the transport. It returns false when the client is closing.
func (c *Client) startCancellation(send func()) bool {
	return c.startIn(&c.cancellations, send)
}

// awaitCancellations waits for the cancellations that are being sent, until the
// grace period or the context ends.
func (c *Client) awaitCancellations(ctx context.Context) {
	sent := make(chan struct{})
	go func() {
		c.cancellations.Wait() // each cancellation has a time limit
		close(sent)
	}()
	timer := time.NewTimer(cancellationGrace)
	defer timer.Stop()
	select {
	case <-sent:
	case <-timer.C:
	case <-ctx.Done():
	}
}
