package bench_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/session/runs/bench"
)

// server responds after a time; while it stalls, responses wait for its end.
type server struct {
	takes      time.Duration
	stallUntil time.Time
	pending    atomic.Int64
	most       atomic.Int64
}

func (s *server) send(ctx context.Context) bench.Outcome {
	n := s.pending.Add(1)
	defer s.pending.Add(-1)
	if n > s.most.Load() { // one goroutine runs at a time between two waits
		s.most.Store(n)
	}
	wait := max(s.takes, time.Until(s.stallUntil))
	select {
	case <-time.After(wait):
		return bench.Outcome{}
	case <-ctx.Done():
		return bench.Outcome{Problem: "interrupted"}
	}
}

func TestRun_ClosedLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{takes: 10 * time.Millisecond}
		r := bench.Run(t.Context(), bench.Load{Workers: 4, Requests: 100}, s.send, nil)
		if r.Requests != 100 || time.Duration(r.Took) != 250*time.Millisecond || r.PerSecond != 400 || s.most.Load() != 4 {
			t.Errorf("%d requests in %s, %.0f a second, %d at once", r.Requests, time.Duration(r.Took), r.PerSecond, s.most.Load())
		}
		if time.Duration(r.Min) > 11*time.Millisecond || time.Duration(r.Max) < 10*time.Millisecond || r.Quantile(99) > 11*time.Millisecond {
			t.Errorf("the times are from %s to %s, p99 %s", time.Duration(r.Min), time.Duration(r.Max), r.Quantile(99))
		}
	})
}

// A stall of half a second must show in the times of all requests that were due in it,
// although one worker sent none of them meanwhile.
func TestRun_OpenLoopCountsFromTheDueTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{takes: time.Microsecond, stallUntil: time.Now().Add(500 * time.Millisecond)}
		r := bench.Run(t.Context(), bench.Load{Workers: 1, Rate: 100, Duration: time.Second}, s.send, nil)
		if r.Requests < 98 || r.Requests > 101 {
			t.Errorf("%d requests, expected about 100", r.Requests)
		}
		if p25 := r.Quantile(25); p25 < time.Microsecond || r.Quantile(75) < 200*time.Millisecond || r.Late < 45 {
			t.Errorf("p25 %s, p75 %s, %d late", p25, r.Quantile(75), r.Late)
		}
	})
}

func TestRun_WarmupDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{takes: 10 * time.Millisecond}
		r := bench.Run(t.Context(), bench.Load{Workers: 1, Duration: time.Second, Warmup: time.Second}, s.send, nil)
		if r.Requests < 98 || r.Requests > 100 || r.Failed != 0 {
			t.Errorf("%d requests, %d failed", r.Requests, r.Failed)
		}
	})
}

func TestRun_EndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 95*time.Millisecond)
		defer cancel()
		var shown int64
		r := bench.Run(ctx, bench.Load{Workers: 2}, (&server{takes: 10 * time.Millisecond}).send, func(n int64) { shown = n })
		if r.Requests != 18 || shown > 18 {
			t.Errorf("%d requests, %d shown", r.Requests, shown)
		}
	})
}

func TestBars_HoldAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		r := bench.Run(t.Context(), bench.Load{Workers: 1, Requests: 1000}, func(context.Context) bench.Outcome {
			n++
			time.Sleep(time.Duration(n%50+1) * time.Millisecond)
			if n%100 == 0 {
				return bench.Outcome{Problem: "tool error"}
			}
			return bench.Outcome{}
		}, nil)
		var sum int64
		for _, b := range r.Bars(12) {
			sum += b.Count
		}
		if sum != 1000 || r.Failed != 10 || r.Errors["tool error"] != 10 {
			t.Errorf("the bars hold %d of 1000; %v failed", sum, r.Errors)
		}
		if bars := r.Bars(12); bars[0].From > 2*time.Millisecond || bars[len(bars)-1].To < 49*time.Millisecond {
			t.Errorf("the bars are from %s to %s", bars[0].From, bars[len(bars)-1].To)
		}
	})
}

// Requests that a server does not take, since it limits their rate, are waited out by all workers together, sent again and
// counted apart: they are neither failures nor slow responses.
func TestRun_WaitsForTheLimitOfTheServer(t *testing.T) {
	limited := func(pause time.Duration, perWindow int64) bench.Send {
		var window, n atomic.Int64
		start := time.Now()
		return func(ctx context.Context) bench.Outcome {
			now := int64(time.Since(start) / (10 * time.Second))
			if window.Swap(now) != now {
				n.Store(0)
			}
			if n.Add(1) > perWindow {
				return bench.Outcome{Problem: "limit", Limited: true, Pause: pause}
			}
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
			}
			return bench.Outcome{}
		}
	}
	for _, test := range []struct {
		name     string
		load     bench.Load
		pause    time.Duration // that the server asks for
		requests int64
		failed   bool
		waits    bool
	}{
		{"a closed loop", bench.Load{Workers: 3, Requests: 50}, 10 * time.Second, 50, false, true},
		{"an open loop", bench.Load{Workers: 3, Rate: 100, Requests: 50}, 10 * time.Second, 50, false, true},
		{"a server that does not say how long", bench.Load{Workers: 3, Requests: 50}, 0, 50, false, true},
		{"a pause that is longer than the load", bench.Load{Workers: 1, Duration: 5 * time.Second}, 10 * time.Second, 21, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bench.Run(t.Context(), test.load, limited(test.pause, 20), nil)
				if r.Requests != test.requests || (r.Failed > 0) != test.failed || r.Limited == 0 || (r.Waited > 0) != test.waits {
					t.Errorf("%d requests, %d failed %v, %d limited, waited %s", r.Requests, r.Failed, r.Errors, r.Limited, time.Duration(r.Waited))
				}
				if time.Duration(r.Max) > time.Second || r.Waited > r.Took {
					t.Errorf("the longest response took %s; waited %s of %s", time.Duration(r.Max), time.Duration(r.Waited), time.Duration(r.Took))
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // waiting does not help: it ends
		r := bench.Run(t.Context(), bench.Load{Workers: 2, Requests: 50}, limited(time.Second, 0), nil)
		if r.Failed == 0 || r.Failed > 2 || r.Requests != r.Failed {
			t.Errorf("%d requests, %d failed, %d limited", r.Requests, r.Failed, r.Limited)
		}
	})
}
