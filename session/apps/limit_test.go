package apps

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l limiter
		start := time.Now()
		for range maxBurst {
			l.take(t.Context(), 10)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("a burst took %s", took)
		}
		for range 2 * maxRate {
			l.take(t.Context(), 10)
		}
		if took := time.Since(start); took < 1900*time.Millisecond || took > 2100*time.Millisecond {
			t.Errorf("two seconds of messages took %s", took)
		}
		time.Sleep(time.Hour)
		start = time.Now()
		l.take(t.Context(), maxBurstBytes+2*maxByteRate) // a message that is larger than the burst
		if took := time.Since(start); took < 1900*time.Millisecond || took > 2100*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		if l.take(ctx, 100*maxByteRate) {
			t.Error("waits longer than its context")
		}
	})
}
