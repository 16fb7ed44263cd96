//go:build unix

package app

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// The first signal ends the context with its exit code; the second one ends the grace periods.
func TestListen_SecondSignalForces(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	p := NewApp(null, null, null, nil)
	done := p.Listen()
	defer done()
	signalled := func(sig syscall.Signal, ended <-chan struct{}) {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatalf("%v has no effect", sig)
		}
	}
	signalled(syscall.SIGTERM, p.Ctx.Done())
	if cause := SignalOf(context.Cause(p.Ctx)); cause == nil || cause.Code != 128+int(syscall.SIGTERM) {
		t.Errorf("the context ended with %v", context.Cause(p.Ctx))
	}
	if p.ForceCtx.Err() != nil {
		t.Error("one signal ends the grace periods")
	}
	for started := false; !started; runtime.Gosched() { // the watchdog would end the test
		p.Watchdog.mu.Lock()
		if started = p.Watchdog.timer != nil; started {
			p.Watchdog.timer.Stop()
			p.Watchdog.limited = true
		}
		p.Watchdog.mu.Unlock()
	}
	signalled(syscall.SIGINT, p.ForceCtx.Done())
	if cause := SignalOf(context.Cause(p.Ctx)); cause == nil || cause.Code != 128+int(syscall.SIGTERM) {
		t.Errorf("the second signal has changed the exit code: %v", cause)
	}
}

func TestWatchdog_Limits(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(w *watchdog)
		want time.Duration // 0 for never
	}{
		"started":           {func(*watchdog) {}, 2 * time.Second},
		"extended":          {func(w *watchdog) { w.Extend(5 * time.Second) }, 5 * time.Second},
		"limited":           {func(w *watchdog) { w.limit(time.Second) }, time.Second},
		"limited twice":     {func(w *watchdog) { w.limit(time.Second); w.limit(time.Minute) }, time.Second},
		"extended too late": {func(w *watchdog) { w.limit(time.Second); w.Extend(time.Minute) }, time.Second},
		"stopped":           {(*watchdog).stop, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var w watchdog
			w.limit(time.Second) // nothing is watched yet
			w.Extend(time.Second)
			start, expired := time.Now(), make(chan time.Duration, 1)
			w.start(2*time.Second, func() { expired <- time.Since(start) })
			tt.do(&w)
			time.Sleep(time.Hour)
			select {
			case after := <-expired:
				if after != tt.want {
					t.Errorf("%s: it expired after %v, want %v", name, after, tt.want)
				}
			default:
				if tt.want != 0 {
					t.Errorf("%s: it never expired", name)
				}
			}
		})
	}
}
