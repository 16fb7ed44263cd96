package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

// limits is what a run knows of how many requests a server takes. While the server takes none, all
// probes wait: one pause for all of them. It may be used from any goroutine.
type limits struct {
	every    time.Duration // between two requests, by the configuration; 0 for none
	told     func(Pause)   // about each pause; nil without
	deadline time.Time     // of the run: what would end later is not waited for

	mu     sync.Mutex
	next   time.Time     // when the next request may be sent, by every
	until  time.Time     // when the newest pause ends
	waited time.Duration // of all pauses, those that are under way in full
	paced  time.Duration // that requests were held back by every
	said   bool          // the server has said that it limits the rate
	pauses int           // one after the other, without a request that was taken between them
	over   *Because      // why nothing is sent again; nil while it is
}

// Pause is one that a run makes since the server limits the rate of requests.
type Pause struct {
	Until    time.Time // when it ends
	Deadline time.Time // when the run ends in any case
}

// The bounds of a run with a server that limits the rate.
const (
	// maxPauses is how many pauses in which no request is taken show that waiting does not help.
	maxPauses = 4
	// maxResent is how often one request is sent again.
	maxResent = 5
	// leastPause is how long is waited where the server does not say how long, doubled each time.
	leastPause = time.Second
	// pauseGrace is waited beside what the server says, which may be rounded.
	pauseGrace = 50 * time.Millisecond
)

// limitsRate is the cause of what was not judged for it.
const limitsRate = "the server limits the rate of requests"

// pass waits until a request may be sent, or the context ends.
func (l *limits) pass(ctx context.Context) {
	for {
		l.mu.Lock()
		now := time.Now()
		wait := l.until.Sub(now)
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

// isLimit reports a response that asks for a pause.
func isLimit(status int, h http.Header) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && h.Get("Retry-After") != ""
}

// note takes a response, and reports whether its request is to be sent again, after [limits.pass].
func (l *limits) note(status int, h http.Header) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if !isLimit(status, h) {
		if status != 0 && status < http.StatusInternalServerError && now.After(l.until) {
			l.pauses = 0
		}
		return false
	}
	l.said = true
	if l.over != nil {
		return false
	}
	pause, known := retryAfter(h, now)
	if !known {
		pause = leastPause << min(l.pauses, 6)
	}
	end := now.Add(pause + pauseGrace)
	switch {
	case !l.deadline.IsZero() && end.After(l.deadline):
		l.over = &Because{Cause: limitsRate + ": raise --max-time, or send fewer requests with --pace", Why: fmt.Sprintf("%s: it asks for a pause of %s, and the check ends before (--max-time, or fewer requests with --pace)", limitsRate, phrase.Duration(pause))}
		return false
	case !now.Before(l.until):
		if l.pauses++; l.pauses > maxPauses {
			l.over = &Because{Cause: limitsRate, Why: fmt.Sprintf("%s, also after %d pauses: HTTP status %d", limitsRate, maxPauses, status)}
			return false
		}
	}
	if end.After(l.until) {
		from := l.until
		if from.Before(now) {
			from = now
		}
		l.waited += end.Sub(from)
		if l.until = end; l.told != nil {
			l.told(Pause{Until: end, Deadline: l.deadline})
		}
	}
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
	waited = l.waited - max(0, time.Until(l.until))
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

// resets are the forms of the header RateLimit: of a draft of its specification, and of an older one.
var resets = lazyregexp.New(`(?:^|[;,\s])(?:t|reset)\s*=\s*(\d{1,9})`)

// retryAfter is how long a server asks to wait: by Retry-After, else by the headers about its limit. known is false where it does not say.
func retryAfter(h http.Header, now time.Time) (pause time.Duration, known bool) {
	if pause, known = mcphttp.RetryAfter(h, now); known {
		return min(pause, seconds(maxSeconds)), true
	}
	if m := resets().FindStringSubmatch(strings.ToLower(h.Get("RateLimit"))); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits
		return seconds(n), true
	}
	for _, name := range []string{"RateLimit-Reset", "X-RateLimit-Reset"} {
		n, err := strconv.Atoi(strings.TrimSpace(h.Get(name)))
		switch {
		case err != nil || n < 0:
		case n > 1_000_000_000: // a time, in seconds since 1970
			return max(time.Unix(int64(n), 0).Sub(now), 0), true
		default:
			return seconds(n), true
		}
	}
	return 0, false
}

// maxSeconds bounds what a server asks for: no run lasts that long.
const maxSeconds = 1_000_000

func seconds(n int) time.Duration { return time.Duration(min(n, maxSeconds)) * time.Second }
