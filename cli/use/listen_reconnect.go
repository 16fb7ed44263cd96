package use

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/target"
)

// The pause before a connection is made again, which doubles, as that of a session.
const (
	minReconnectPause = time.Second
	maxReconnectPause = 30 * time.Second
)

// errOver is the end of --for while there is no connection.
var errOver = errors.New("--for is over")

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

// reconnect makes a connection in place of the one that was lost, until it succeeds or the command
// ends.
func (l *listener) reconnect(lost error) error {
	if l.sub != nil {
		l.sub.Close()
	}
	l.sub, l.subscribed, l.stream = nil, nil, 0
	ctx, stop := context.WithCancel(l.p.Ctx)
	defer stop()
	if !l.deadline.IsZero() {
		ctx, stop = context.WithDeadlineCause(ctx, l.deadline, errOver)
		defer stop()
	}
	l.say("connection lost: " + lost.Error())
	for pause := minReconnectPause; ; pause = min(2*pause, maxReconnectPause) {
		l.say("connecting again in " + app.DurationText(pause))
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		err := ctx.Err()
		if err == nil {
			err = l.s.Restart(ctx)
		}
		switch cause := context.Cause(ctx); {
		case l.p.Ctx.Err() != nil:
			return context.Cause(l.p.Ctx)
		case errors.Is(cause, errOver):
			return errOver
		case err == nil:
			return l.reconnected()
		}
		l.say("cannot connect: " + err.Error())
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
	for _, k := range kinds {
		l.s.Fetch(k)
	}
	lists, err := l.p.LoadLists(l.s, target.Nothing, kinds...)
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
