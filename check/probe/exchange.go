package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// A mode says which reaction to a frame is expected.
type mode uint8

const (
	expected  mode = iota // well-formed request: there must be a response
	patient               // call: may take longer than the timeout
	tolerated             // response optional: wait as long as a ping takes
)

// errNoPong ends an exchange because a ping sent after the frame got no response.
var errNoPong = errors.New("no response to a ping")

// exchange sends a frame and waits for its outcome. If the server limits the rate, it pauses and
// sends the frame again.
func (c *Conn) exchange(ctx context.Context, frame []byte, m mode, timeout time.Duration) (o Outcome) {
	limits := &c.r.limits
	for range maxResent {
		limits.pass(ctx)
		o = c.through(ctx, c.link(), frame, m, timeout)
		if !limits.note(o.Status, o.Header) || ctx.Err() != nil {
			break
		}
	}
	return o
}

// through is like exchange, but uses the given link and no rate limiting.
func (c *Conn) through(ctx context.Context, l *link, frame []byte, m mode, timeout time.Duration) Outcome {
	start := time.Now()
	before := l.countDamaged()
	w := l.expect(frame, m == tolerated, !c.r.isStream())
	inTime, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	complete := w.complete
	if m == tolerated && c.r.isStream() {
		complete = nil // responses may arrive until the ping after the frame is answered
	}
	followed := make(chan error, 1)
	go func() { followed <- c.follow(inTime, l, w, m) }() // returns when the exchange ends
	var err error
	ended := false
	select {
	case <-complete:
		select {
		case <-l.client.Done():
			ended = true
		case <-time.After(0):
		}
	case err = <-followed:
	case <-inTime.Done():
	case <-l.client.Done():
		ended = true
	}
	if err == errNoPong && !ended { // both may be true, because the end of stdin is noticed before the end of stdout
		ended = l.endsSoon(ctx)
	}
	o := l.outcome(w)
	o.Sent, o.Took, o.link = frame, time.Since(start), l
	if inTime.Err() != nil && ctx.Err() == nil && !ended {
		l.did("stopped waiting for a response after " + phrase.Duration(timeout))
	}
	switch {
	case ctx.Err() != nil:
		o.Kind, o.Err = Network, context.Cause(ctx)
	case ended:
		o.Kind = Dead
	case err == errNoPong && !c.raw: // nothing has ended; mcptea stopped waiting
		o.Kind = Mute
		l.mute.Store(true)
	case err == errNoPong: // the server need not answer a ping before initialize
	case err != nil && inTime.Err() == nil:
		o.fail(err)
	}
	if o.Kind == Silent {
		o.settle()
	}
	switch {
	case o.Kind == Silent && o.Status >= 400:
		o.Kind = Refused
	case o.Kind == Silent:
		if m == expected {
			o.Kind = Hang
		}
		o.absence = c.absenceOf(l, w, before, len(w.ids) > 0 && !c.r.isStream() && inTime.Err() == nil)
		if o.absence.by == otherID {
			o.evidence = append(o.evidence, o.absence.frame)
		}
	case o.Kind == Mute && len(o.Responses) > 0:
		o.settle()
	case o.Kind == Network && !c.reachable(ctx):
		o.Kind = Dead
	}
	o.waited = o.Took
	switch c.note(frame, o); {
	case o.Kind == Dead:
		o.exit = l.exit(ctx)
	case o.Kind <= Silent:
		c.r.survived(l, contact{sent: frame, mode: m, status: o.Status, evidence: o.evidence})
	}
	l.mu.Lock()
	o.acts = l.actsSince(start)
	l.mu.Unlock()
	if o.Kind == Silent && m == tolerated && len(w.ids) > 0 && c.r.isStream() && !o.absence.isKnown() {
		o.late = l.keep(w, start)
	} else {
		l.unregister(w)
	}
	return o
}

// endsSoon reports whether the connection has ended, or ends within the time needed to detect the exit of its
// process.
func (l *link) endsSoon(ctx context.Context) bool {
	if !l.alive() {
		return true
	}
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-l.client.Done():
		return true
	case <-l.gone:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// follow sends a frame, and returns when there is no more reason to wait for responses.
func (c *Conn) follow(ctx context.Context, l *link, w *wait, m mode) error {
	if err := l.send(ctx, w); err != nil {
		return err
	}
	var quiet <-chan time.Time
	if m == tolerated && c.r.isStream() {
		if c.raw && len(w.ids) > 0 && c.respondsAlone(ctx, l, w) {
			return nil
		}
		if k := c.pingOn(ctx, l).Kind; k == Dead || k == Mute {
			return errNoPong
		}
		l.mu.Lock()
		w.atOnce = len(w.responses) > 0
		l.mu.Unlock()
		timer := time.NewTimer(c.r.quietTime())
		defer timer.Stop()
		quiet = timer.C
	}
	select {
	case <-w.complete:
	case <-quiet:
	case <-ctx.Done():
	}
	return nil
}

// respondsAlone reports whether a frame that was sent before initialize gets a response when the
// process has had time to start. If so, no ping is sent: a ping could end the server.
func (c *Conn) respondsAlone(ctx context.Context, l *link, w *wait) bool {
	l.mu.Lock()
	before := l.stage == stageBefore
	l.mu.Unlock()
	if !before {
		return false
	}
	wait := func(d time.Duration, done <-chan struct{}) bool {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-done:
			return true
		case <-timer.C:
		case <-ctx.Done():
		}
		return false
	}
	if !wait(time.Until(l.started.Add(c.r.start()*3/2))+c.r.quietTime(), w.complete) {
		return false
	}
	l.mu.Lock()
	w.atOnce = true
	l.mu.Unlock()
	wait(c.r.quietTime(), l.client.Done()) // gives the server time to end or to send more
	return true
}

// ping requests a sign of life and waits for any response. A server that never sends one is assumed to be
// alive.
func (c *Conn) ping(ctx context.Context) Outcome { return c.pingOn(ctx, c.link()) }

func (c *Conn) pingOn(ctx context.Context, l *link) Outcome {
	method := c.r.signOfLife()
	switch {
	case c.raw && (method == "ping" || method == "server/discover"):
		method = "ping" // the only request allowed before initialize
	case c.raw || c.r.life == "" && c.r.server.Took > 0:
		return Outcome{Kind: Result}
	}
	before := l.countDamaged()
	frame := c.Request(method, "")
	w := l.expect(frame, false, true)
	defer l.unregister(w)
	start := time.Now()
	limit := c.r.atLeast(aliveTimeout)
	if c.raw { // the process may not have started yet
		limit = c.r.firstTimeout(limit)
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	if err := l.send(ctx, w); err != nil {
		var status *transport.StatusError
		if errors.As(err, &status) {
			c.r.limits.note(status.Status, status.Header)
			return Outcome{Kind: Refused, Status: status.Status}
		}
		return Outcome{Kind: Dead, Err: err}
	}
	select {
	case <-w.complete:
		took := time.Since(start)
		c.r.note(&c.r.pings, took)
		return Outcome{Kind: Result, Took: took}
	case <-l.client.Done():
		return Outcome{Kind: Dead}
	case <-ctx.Done():
		if c.absenceOf(l, w, before, false).isKnown() {
			return Outcome{Kind: Result, Took: time.Since(start)} // a response in any form is a sign of life
		}
		l.did("stopped waiting for a response to " + method + " after " + phrase.Duration(limit))
		return Outcome{Kind: Mute, Err: fmt.Errorf("no response to %s within %s", method, limit)}
	}
}

// reachable reports whether a server that could not receive a frame accepts another one.
func (c *Conn) reachable(ctx context.Context) bool {
	if !c.link().alive() {
		return false
	}
	k := c.ping(ctx).Kind
	return k != Dead && k != Mute
}
