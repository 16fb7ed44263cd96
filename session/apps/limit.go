package apps

import (
	"context"
	"sync"
	"time"
)

// The limits for messages of an app: a burst, and a rate per second. The page waits until more is allowed, and
// drops what exceeds that.
const (
	maxBurst      = 1000
	maxRate       = 500
	maxBurstBytes = 16 << 20
	maxByteRate   = 4 << 20
)

// limiter bounds the rate of messages and bytes. The zero value has room for a burst.
type limiter struct {
	mu        sync.Mutex
	at        time.Time // time of used
	n, nBytes float64   // used and not yet given back
}

// wait waits until there is room for a message of a size. It reports false if the context ends
// first.
func (l *limiter) wait(ctx context.Context, size int) bool {
	l.mu.Lock()
	now := time.Now()
	if !l.at.IsZero() {
		passed := now.Sub(l.at).Seconds()
		l.n, l.nBytes = max(0, l.n-passed*maxRate), max(0, l.nBytes-passed*maxByteRate)
	}
	l.at = now
	l.n, l.nBytes = l.n+1, l.nBytes+float64(size)
	wait := max((l.n-maxBurst)/maxRate, (l.nBytes-maxBurstBytes)/maxByteRate)
	l.mu.Unlock()
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(time.Duration(wait * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
