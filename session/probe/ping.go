package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/transport"
)

// pingLater pings on the same connection, after what was sent before. A blank line
// ends what a server may take for the beginning of a frame.
func (c *Conn) pingLater(ctx context.Context) <-chan Outcome {
	answered := make(chan Outcome, 1)
	go func() { answered <- c.ping(ctx) }() // ends with the alive timeout
	return answered
}

// ping sends a ping and waits for any response.
func (c *Conn) ping(ctx context.Context) Outcome {
	frame := c.Ping()
	if c.raw {
		frame = c.Request("ping", "")
	}
	l := c.link
	w := newWait(frame, expected)
	l.register(w)
	defer l.unregister(w)
	start := time.Now()
	ctx, stop := context.WithTimeout(ctx, c.r.timers.alive)
	defer stop()
	if err := l.client.Send(ctx, frame); err != nil {
		var status *transport.StatusError
		if errors.As(err, &status) {
			return Outcome{Kind: Refused, Status: status.Status}
		}
		return Outcome{Kind: Dead, Err: err}
	}
	for {
		select {
		case a := <-w.got:
			if a.frame.Bytes != nil || a.done {
				took := time.Since(start)
				c.r.notePing(took)
				return Outcome{Kind: Result, Frame: a.frame.Bytes, Took: took}
			}
		case <-l.client.Done():
			return Outcome{Kind: Dead}
		case <-ctx.Done():
			return Outcome{Kind: Dead, Err: fmt.Errorf("no response to ping within %s", c.r.timers.alive)}
		}
	}
}

// reachable reports whether a server that a frame could not be sent to accepts
// another one.
func (c *Conn) reachable(ctx context.Context) bool {
	if !c.link.alive() {
		return false
	}
	p := c.ping(ctx)
	return p.Kind != Dead
}
