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

// limits tracks the rate limit of the server. While the server accepts no requests, all probes share one pause.
// It is safe for concurrent use.
type limits struct {
	every    time.Duration // configured minimum time between requests
	told     func(Pause)   // called for each pause; may be nil
	deadline time.Time     // latest end of a pause in this run

	mu     sync.Mutex
	next   time.Time // earliest time of the next request because of every
	pauses mcphttp.Pauses
	waited time.Duration // total of all pauses, including the rest of the current one
	paced  time.Duration // total delay of requests because of every
	said   bool          // the server has signaled a rate limit
	over   *Because      // why nothing is sent again, or nil
}

// A Pause is a pause due to a rate limit.
type Pause struct {
	Until    time.Time // end of the pause
	Deadline time.Time // end of the run
}

// maxResent bounds the repetitions of a rate-limited request.
const maxResent = 5

// limitsRate begins the cause of probes not judged because of rate limits.
const limitsRate = "the server limits the rate of requests"

// pass blocks until a request may be sent or ctx is done.
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

// sleep waits for d. It reports whether ctx is still active.
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

// note evaluates a response and reports whether its request should be sent again after [limits.pass].
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

// because returns the reason for not judging a request that the server did not accept.
func (l *limits) because() *Because {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.over, &Because{Cause: limitsRate, Why: limitsRate + ": more requests at once than it takes"})
}

// isOver reports whether the server accepts no more requests in this run.
func (l *limits) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over != nil
}

// isLimited reports whether the server or the configuration limits the rate.
func (l *limits) isLimited() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said || l.every > 0
}

// total returns the pauses so far, and their sum with the delays due to pacing.
func (l *limits) total() (waited, held time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waited = l.waited - max(0, time.Until(l.pauses.Until))
	return waited, waited + l.paced
}

// timeout is like context.WithTimeoutCause, but pauses do not count.
func (l *limits) timeout(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	_, before := l.total()
	go func() { // returns when ctx is done
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

// statusOfError returns the HTTP status and headers of an error, if any.
func statusOfError(err error) (status int, h http.Header) {
	var of *transport.StatusError
	if errors.As(err, &of) {
		return of.Status, of.Header
	}
	return 0, nil
}
