package probe

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	mcphttp "mcptea/client/transport/http"
)

// How long a server asks to wait, in each form that is in use.
func TestRetryAfter_Forms(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	later := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, tt := range []struct {
		header http.Header
		want   time.Duration
		known  bool
	}{
		{http.Header{"Retry-After": {"42"}}, 42 * time.Second, true},
		{http.Header{"Retry-After": {" 0 "}}, 0, true},
		{http.Header{"Retry-After": {later(90 * time.Second)}}, 90 * time.Second, true},
		{http.Header{"Retry-After": {later(90 * time.Second)}, "Date": {later(60 * time.Second)}}, 30 * time.Second, true}, // a clock that is ahead
		{http.Header{"Retry-After": {later(-time.Hour)}}, 0, true},
		{http.Header{"Retry-After": {"99999999999"}}, 1_000_000 * time.Second, true}, // bounded
		{http.Header{"Ratelimit": {`"default";r=0;t=51`}}, 51 * time.Second, true},
		{http.Header{"Ratelimit": {"limit=20, remaining=0, reset=12"}}, 12 * time.Second, true},
		{http.Header{"Ratelimit-Reset": {"7"}}, 7 * time.Second, true},
		{http.Header{"X-Ratelimit-Reset": {"1795780830"}}, 30 * time.Second, true},
		{http.Header{"Retry-After": {"5"}, "Ratelimit-Reset": {"7"}}, 5 * time.Second, true},
		{http.Header{"Retry-After": {"soon"}}, 0, false},
		{nil, 0, false},
	} {
		h := http.Header{}
		for name, values := range tt.header {
			h[http.CanonicalHeaderKey(name)] = values
		}
		got, known := mcphttp.PauseOf(h, now)
		if tt.known && (got != tt.want || !known) || !tt.known && known {
			t.Errorf("%v: %s %v, want %s", tt.header, got, known, tt.want)
		}
	}
}

// All workers wait for the end of one pause, and no longer; a probe has its time beside it.
func TestLimits_OnePauseForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l limits
		h := http.Header{"Retry-After": {"42"}}
		for range 3 { // workers that have got 429 at once
			if !l.note(http.StatusTooManyRequests, h) {
				t.Fatal("it is not waited for")
			}
		}
		ctx, stop := l.timeout(t.Context(), 10*time.Second, http.ErrHandlerTimeout)
		defer stop()
		start := time.Now()
		done := make(chan struct{})
		for range 3 {
			go func() {
				l.pass(t.Context())
				done <- struct{}{}
			}()
		}
		for range 3 {
			<-done
		}
		waited, _ := l.total()
		if took := time.Since(start); took < 42*time.Second || took > 43*time.Second || waited > 43*time.Second {
			t.Errorf("waited %s, noted %s", took, waited)
		}
		if ctx.Err() != nil {
			t.Error("the pause has used up the time of the probe")
		}
	})
}

// What would end after the run is not waited for, and neither is a server that takes nothing after several pauses.
func TestLimits_Bounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits{deadline: time.Now().Add(time.Minute)}
		if l.note(http.StatusTooManyRequests, http.Header{"Retry-After": {"3600"}}) || !l.isOver() {
			t.Error("an hour is waited for within a minute")
		}
		if why := l.because().Why; why != "the server limits the rate of requests: it asks for a pause of 60 min 00 s, and the check ends before (--max-time, or fewer requests with --pace)" {
			t.Error(why)
		}
		l = limits{}
		n := 0
		for l.note(http.StatusTooManyRequests, nil) {
			l.pass(t.Context())
			n++
		}
		if n != mcphttp.MaxPauses {
			t.Errorf("%d pauses", n)
		}
		if why := l.because().Why; why != "the server limits the rate of requests, also after 4 pauses: HTTP status 429" {
			t.Error(why)
		}
	})
}

// Requests are as far apart as the user asks for.
func TestLimits_Pace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits{every: time.Second}
		start := time.Now()
		for range 10 {
			l.pass(t.Context())
		}
		if took := time.Since(start); took != 9*time.Second {
			t.Errorf("10 requests take %s", took)
		}
	})
}
