package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/transport"
)

// ping sends a ping and waits for any response. A blank line ends what a server may
// take for the beginning of a frame.
func (c *Conn) ping(ctx context.Context) Outcome {
	frame := c.Ping()
	if c.raw {
		frame = c.Request("ping", "")
	}
	l := c.link
	w := l.expect(frame, false, true)
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
	select {
	case <-w.complete:
		took := time.Since(start)
		c.r.notePing(took)
		return Outcome{Kind: Result, Took: took}
	case <-l.client.Done():
		return Outcome{Kind: Dead}
	case <-ctx.Done():
		return Outcome{Kind: Dead, Err: fmt.Errorf("no response to ping within %s", c.r.timers.alive)}
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
