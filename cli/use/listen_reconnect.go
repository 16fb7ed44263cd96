package use

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/session/session"
)

// errOver is the end of --for while there is no connection.
var errOver = errors.New("--for is over")

// lostError is the outcome of a request that got no response while listening began.
type lostError struct{ error }

// failed is the outcome of such a request: with --reconnect it is sent again on another connection,
// unless the server has refused it.
func (l *listener) failed(err error) error {
	var refused *client.RPCError
	if l.flags.reconnect && l.p.Ctx.Err() == nil && !errors.As(err, &refused) {
		return lostError{err}
	}
	return l.p.Outcome(l.s, err)
}

// lookAtStream looks at the stream of notifications of an HTTP server before 2026-07-28, which the
// transport opens again by itself. Without a response to that the server is gone; in a stream that
// was opened again changes are missing.
func (l *listener) lookAtStream() (again bool, err error) {
	st := l.s.State()
	if st.Handshake.Revision.IsStateless() {
		return false, nil // the subscription is its stream
	}
	for _, x := range l.s.Store().ExchangesSince(st.Started) {
		switch {
		case x.Purpose != "listen" || x.Status == 0 && x.Err == "": // it is still asked for
			continue
		case x.Status == 0:
			return true, l.lost(errors.New(x.Err))
		case x.Status != 200 || x.ID == l.stream:
			return false, nil
		}
		before := l.stream
		if l.stream = x.ID; before != 0 && l.flags.reconnect {
			return true, l.missed()
		}
		return false, nil
	}
	return false, nil
}

// reconnect makes a connection in place of the one that was lost, and listens on it, until that
// succeeds or the command ends.
func (l *listener) reconnect(lost error) error { return l.connectUntil(lost, l.reconnected) }

// connectAgain makes a connection in place of the one that was lost, until it succeeds or the command
// ends.
func (l *listener) connectAgain(lost error) error {
	return l.connectUntil(lost, func() error { return nil })
}

// connectUntil makes connections until begin succeeds on one.
func (l *listener) connectUntil(lost error, begin func() error) error {
	ctx, stop := context.WithCancel(l.p.Ctx)
	defer stop()
	if !l.deadline.IsZero() {
		ctx, stop = context.WithDeadlineCause(ctx, l.deadline, errOver)
		defer stop()
	}
	// The pause begins again once a connection has lasted, so that a server which ends each one is
	// not asked all the time.
	if l.pause == 0 || time.Since(l.since) > session.MaxReconnectPause {
		l.pause = session.MinReconnectPause
	}
	for err := error(lostError{lost}); ; {
		if gone := (lostError{}); errors.As(err, &gone) {
			l.say("connection lost: " + err.Error())
			if l.sub != nil {
				l.sub.Close()
			}
			l.sub, l.subscribed, l.stream = nil, nil, 0
		} else {
			l.say("cannot connect: " + err.Error())
		}
		l.say("connecting again in " + app.DurationText(l.pause))
		timer := time.NewTimer(l.pause)
		l.pause = min(2*l.pause, session.MaxReconnectPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		if err = ctx.Err(); err == nil {
			err = l.s.Restart(ctx)
		}
		switch cause := context.Cause(ctx); {
		case l.p.Ctx.Err() != nil:
			return context.Cause(l.p.Ctx)
		case errors.Is(cause, errOver):
			return errOver
		case err == nil:
			l.since = time.Now()
			if err = begin(); !errors.As(err, &lostError{}) {
				return err
			}
		}
	}
}

// reconnected listens on a new connection.
func (l *listener) reconnected() error {
	if err := l.open(); err != nil {
		return err
	}
	return l.missed()
}

// missed fetches the lists again and prints how they have changed while there was no connection.
// No notification says so, and none is counted.
func (l *listener) missed() error {
	kinds := l.s.Config().Lists
	// A list that was requested before the subscription may lack a change that came between them.
	if _, err := l.p.LoadLists(l.s, link.Nothing, kinds...); err != nil {
		return err
	}
	for _, k := range kinds {
		l.s.Fetch(k)
	}
	lists, err := l.p.LoadLists(l.s, link.Nothing, kinds...)
	if err != nil {
		return err
	}
	var methods []string
	for _, k := range kinds {
		if slices.Contains(methods, k.Changed) {
			continue
		}
		methods = append(methods, k.Changed)
		names := l.fetched(k.Changed)
		if i := slices.IndexFunc(names, func(name string) bool { return lists[name].Err != nil }); i >= 0 {
			l.say(fmt.Sprintf("cannot fetch %s again: %v", names[i], lists[names[i]].Err))
			continue
		}
		c := l.compare(names, lists)
		if len(c.Added)+len(c.Removed)+len(c.Changed) == 0 {
			continue
		}
		if err := l.print(notification{at: time.Now(), method: k.Changed, missed: true}, c); err != nil {
			return err
		}
	}
	return nil
}
