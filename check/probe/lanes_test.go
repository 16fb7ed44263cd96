package probe

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// startAll starts n processes at once, each of which takes as long as took says of how many start then.
func startAll(s *starters, n int, took func(n int) time.Duration) {
	done := make(chan struct{})
	for range n {
		go func() {
			end := s.begin()
			time.Sleep(took(n))
			end()
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
}

// Starts that wait for something else than the processor run beside each other, and others do not.
func TestStarters_FindOut(t *testing.T) {
	const alone = 3 * time.Second
	for _, tt := range []struct {
		name  string
		alone time.Duration
		took  func(n int) time.Duration
		waits bool
	}{
		{"they sleep", alone, func(int) time.Duration { return alone }, true},
		{"a little slower beside others", alone, func(int) time.Duration { return alone * 5 / 4 }, true},
		{"one processor", alone, func(n int) time.Duration { return time.Duration(n) * alone }, false},
		{"two processors", alone, func(n int) time.Duration { return time.Duration(n) * alone / 2 }, false},
		{"fast ones", 0, func(int) time.Duration { return time.Millisecond }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &starters{alone: tt.alone}
				startAll(s, 1, func(int) time.Duration { return alone })
				if s.waits() {
					t.Error("one alone says nothing")
				}
				startAll(s, 3, tt.took)
				if s.waits() != tt.waits {
					t.Errorf("waits: %v", s.waits())
				}
				if startAll(s, 12, func(int) time.Duration { return 10 * alone }); s.waits() {
					t.Error("they go on beside each other although they take ten times longer")
				}
			})
		})
	}
}

// So many probes run at once as are allowed, more as soon as more are, and none is forgotten when the run is stopped.
func TestStarters_Lanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &starters{alone: time.Second}
		ctx, stop := context.WithCancel(t.Context())
		entered := make(chan struct{}, 20)
		for range 20 {
			go func() {
				s.enter(ctx)
				entered <- struct{}{}
			}()
		}
		synctest.Wait()
		if n := len(entered); n != lanes {
			t.Errorf("%d run", n)
		}
		startAll(s, 2, func(int) time.Duration { return time.Second })
		synctest.Wait()
		if n := len(entered); n != lanesMost {
			t.Errorf("%d run when starts wait", n)
		}
		s.leave()
		synctest.Wait()
		if n := len(entered); n != lanesMost+1 {
			t.Errorf("%d have run", n)
		}
		stop()
		for range 20 {
			<-entered
		}
	})
}
