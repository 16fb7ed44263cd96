package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"mcptea/client/transport"
)

// mostAgain is how often a server that cannot answer now is asked once more.
const mostAgain = 2

// longestPause is how long a Retry-After may be that is waited for; whoever asks
// for more is told of it instead.
const longestPause = 10 * time.Second

// isBusy reports whether a status says that the same request may succeed a
// little later, and how long to wait at least.
func (c *Client) isBusy(err error) (pause time.Duration, ok bool) {
	var status *transport.StatusError
	if !errors.As(err, &status) {
		return 0, false
	}
	switch s := status.Status; {
	case s == http.StatusRequestTimeout, s == http.StatusTooManyRequests:
	case s/100 == 5 && s != http.StatusNotImplemented:
	default:
		return 0, false
	}
	pause = max(c.backoff, retryAfter(status.Header))
	return pause, pause <= longestPause
}

// retryAfter reads Retry-After, seconds or an HTTP-date (RFC 9110 §10.2.3); 0
// when there is none. A date counts from the Date of the response, where there is
// one: the clocks of the two machines may differ.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		const most = 1 << 31 // seconds; more would overflow a Duration
		return time.Duration(min(max(seconds, 0), most)) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(at.Sub(now), 0)
}

// persist asks again while the server says that it cannot answer now.
func (c *Client) persist(ctx context.Context, list *checklist, step string, ask func() (Response, error)) (Response, error) {
	for attempt := 1; ; attempt++ {
		answer, err := ask()
		pause, busy := c.isBusy(err)
		if !busy || attempt > mostAgain {
			return answer, err
		}
		pause *= time.Duration(attempt)
		list.pause(step, err.Error(), pause)
		if err := c.sleep(ctx, pause); err != nil {
			return Response{}, err
		}
	}
}

// pause says on a step that it will be tried again. What came after it begins
// anew with it.
func (l *checklist) pause(name, why string, pause time.Duration) {
	for s := l.running(); s != nil; s = l.running() {
		s.State = StepWaiting
		l.tap.Step(*s)
	}
	l.begin(name, why+"; asked again in "+transport.Took(pause), pause)
}

// sleep waits, unless the context or the connection ends first.
func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.quit:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
