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
			l.wait(t.Context(), 10)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("a burst took %s", took)
		}
		for range 2 * maxRate {
			l.wait(t.Context(), 10)
		}
		if took := time.Since(start); took < 1900*time.Millisecond || took > 2100*time.Millisecond {
			t.Errorf("two seconds of messages took %s", took)
		}
		time.Sleep(time.Hour)
		start = time.Now()
		l.wait(t.Context(), maxBurstBytes+2*maxByteRate) // a message that is larger than the burst
		if took := time.Since(start); took < 1900*time.Millisecond || took > 2100*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		if l.wait(ctx, 100*maxByteRate) {
			t.Error("waits longer than its context")
		}
	})
}

// The bounds themselves: 1,000 messages or 16 MiB at once, then 500 messages or 4 MiB per second.
func TestLimiter_Bounds(t *testing.T) {
	for name, tt := range map[string]struct {
		n, size int
		want    time.Duration
	}{
		"messages":              {1000, 1, 0},
		"more messages":         {1500, 1, time.Second},
		"bytes":                 {1, 16 << 20, 0},
		"more bytes":            {5, 4 << 20, time.Second},
		"bytes of many":         {1000, 24 << 20 / 1000, 2 * time.Second},
		"one of twice the rate": {1, 24 << 20, 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			var l limiter
			start := time.Now()
			for range tt.n {
				l.wait(t.Context(), tt.size)
			}
			if took := time.Since(start).Round(50 * time.Millisecond); took != tt.want {
				t.Errorf("%s: %s, want %s", name, took, tt.want)
			}
		})
	}
}
