package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

// limits is what a run knows of how many requests a server takes. While the server takes none, all
// probes wait: one pause for all of them. It may be used from any goroutine.
type limits struct {
	every    time.Duration // between two requests, by the configuration; 0 for none
	told     func(Pause)   // about each pause; nil without
	deadline time.Time     // of the run: what would end later is not waited for

	mu     sync.Mutex
	next   time.Time // when the next request may be sent, by every
	pauses mcphttp.Pauses
	waited time.Duration // of all pauses, those that are under way in full
	paced  time.Duration // that requests were held back by every
	said   bool          // the server has said that it limits the rate
	over   *Because      // why nothing is sent again; nil while it is
}

// Pause is one that a run makes since the server limits the rate of requests.
type Pause struct {
	Until    time.Time // when it ends
	Deadline time.Time // when the run ends in any case
}

// maxResent is how often one request is sent again to a server that limits the rate.
const maxResent = 5

// limitsRate is the cause of what was not judged for it.
const limitsRate = "the server limits the rate of requests"

// pass waits until a request may be sent, or the context ends.
func (l *limits) pass(ctx context.Context) {
	for {
		l.mu.Lock()
		now := time.Now()
		wait := l.pauses.Until.Sub(now)
		if wait <= 0 && l.every > 0 {
			slot := l.next
			if slot.Before(now) {
				slot = now
			}
			l.next = slot.Add(l.every)
			held := slot.Sub(now)
			l.paced += held
			l.mu.Unlock()
			sleep(ctx, held)
			return
		}
		l.mu.Unlock()
		if wait <= 0 {
			return
		}
		if !sleep(ctx, wait) {
			return
		}
	}
}

// sleep waits, and reports whether the context lasts.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// note takes a response, and reports whether its request is to be sent again, after [limits.pass].
func (l *limits) note(status int, h http.Header) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if !mcphttp.IsLimit(status, h) {
		if status != 0 && status < http.StatusInternalServerError {
			l.pauses.Taken(now)
		}
		return false
	}
	l.said = true
	if l.over != nil {
		return false
	}
	pause := l.pauses.Length(mcphttp.PauseOf(h, now))
	more, outcome := l.pauses.Begin(now, pause, l.deadline)
	switch {
	case outcome == mcphttp.PauseTooLong:
		l.over = &Because{Cause: limitsRate + ": raise --max-time, or send fewer requests with --pace", Why: fmt.Sprintf("%s: it asks for a pause of %s, and the check ends before (--max-time, or fewer requests with --pace)", limitsRate, phrase.Duration(pause))}
		return false
	case outcome == mcphttp.PauseInVain:
		l.over = &Because{Cause: limitsRate, Why: fmt.Sprintf("%s, also after %d pauses: HTTP status %d", limitsRate, mcphttp.MaxPauses, status)}
		return false
	case more > 0 && l.told != nil:
		l.told(Pause{Until: l.pauses.Until, Deadline: l.deadline})
	}
	l.waited += more
	return true
}

// because is why something that the server did not take is not judged.
func (l *limits) because() *Because {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.over, &Because{Cause: limitsRate, Why: limitsRate + ": more requests at once than it takes"})
}

// isOver reports that the server takes no more requests, however long is waited.
func (l *limits) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over != nil
}

// isLimited reports a rate that is limited, by the server or the configuration.
func (l *limits) isLimited() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said || l.every > 0
}

// total is the time of all pauses so far; held is that and what requests were held back.
func (l *limits) total() (waited, held time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waited = l.waited - max(0, time.Until(l.pauses.Until))
	return waited, waited + l.paced
}

// timeout is context.WithTimeoutCause for work that does not go on during pauses.
func (l *limits) timeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	_, before := l.total()
	go func() { // ends with the context
		for left := d; left > 0; {
			if !sleep(ctx, left) {
				return
			}
			_, now := l.total()
			left, before = now-before, now
		}
		cancel(cause)
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// statusOfError is the status of an HTTP response that an error is about, and its headers.
func statusOfError(err error) (status int, h http.Header) {
	var of *transport.StatusError
	if errors.As(err, &of) {
		return of.Status, of.Header
	}
	return 0, nil
}
