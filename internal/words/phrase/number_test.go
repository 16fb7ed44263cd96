package phrase_test

import (
	"math"
	"testing"
	"time"

	"mcptea/internal/words/phrase"
)

func TestPhrase_Numbers(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 85 * time.Microsecond: "85 µs", 300: "1 µs", 900 * time.Microsecond: "0.9 ms", 1900 * time.Microsecond: "1.9 ms",
		312 * time.Millisecond: "312 ms", 9999 * time.Microsecond: "10 ms", 6100 * time.Millisecond: "6.1 s",
		10 * time.Second: "10.0 s", 59990 * time.Millisecond: "1m00s", 62 * time.Second: "1m02s",
		125 * time.Minute: "2h05m", -time.Second: "-1.0 s",
	} {
		if got := phrase.Took(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 98: "98 B", 999: "999 B", 1234: "1.2 kB", 9960: "10 kB", 48_000_000: "48 MB", 999_600: "1.0 MB"} {
		if got := phrase.Size(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1204: "1,204", 1234567: "1,234,567", -1204: "-1,204"} {
		if got := phrase.Digits(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	at := time.Date(2026, 1, 2, 10, 22, 1, 334e6, time.UTC)
	for deadline, want := range map[time.Time]string{
		{}: "4.3 s", at.Add(59 * time.Second): "4.3 s, times out in 55 s", at.Add(3 * time.Minute): "4.3 s, times out in 2m56s", at: "4.3 s, times out in 0 s",
	} {
		if got := phrase.Waited(at, deadline, at.Add(4321*time.Millisecond)); got != want {
			t.Errorf("waited %q, want %q", got, want)
		}
	}
	if got := phrase.Clock(at); got != "10:22:01.334" {
		t.Errorf("clock %q", got)
	}
	if got := phrase.Waited(at, at.Add(time.Minute), at.Add(-70*time.Millisecond)); got != "0 ms, times out in 1m00s" {
		t.Errorf("before the start is seen: %q", got)
	}
}

// No number of a peer or of a recording is one that cannot be written.
func TestPhrase_Numbers_Extremes(t *testing.T) {
	for n, want := range map[int64]string{math.MinInt64: "-2562047h47m", math.MaxInt64: "2562047h47m", -1: "-1 µs", 0: "0 ms"} {
		if got := phrase.Took(time.Duration(n)); got != want {
			t.Errorf("duration %d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{math.MinInt64: "-9.2 EB", math.MaxInt64: "9.2 EB", -1: "-1 B", 0: "0 B"} {
		if got := phrase.Size(n); got != want {
			t.Errorf("size %d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{math.MinInt64: "-9,223,372,036,854,775,808", math.MaxInt64: "9,223,372,036,854,775,807", -1: "-1", 0: "0"} {
		if got := phrase.Digits(n); got != want {
			t.Errorf("count %d: %q, want %q", n, got, want)
		}
		if got := phrase.Count(n, "tool"); got != want+" tools" {
			t.Errorf("plural %d: %q", n, got)
		}
	}
	for n, want := range map[int64]string{math.MinInt64: "0:00", math.MaxInt64: "2562047:47:16", -1: "0:00", 0: "0:00"} {
		if got := phrase.Countdown(time.Duration(n)); got != want {
			t.Errorf("countdown %d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[float64]string{math.Inf(-1): "-Inf", math.MaxFloat64: "1.7976931348623157e+308", 5e-324: "5e-324", -1: "-1", 0: "0"} {
		if got := phrase.Number(n); got != want {
			t.Errorf("number %g: %q, want %q", n, got, want)
		}
	}
	for _, n := range []int64{math.MinInt64, math.MaxInt64, -1, 0} {
		for _, at := range []time.Time{time.Unix(n, 0), time.Unix(0, n)} {
			if phrase.Date(at, time.Unix(0, 0)) == "" || phrase.Date(time.Unix(0, 0), at) == "" || phrase.Clock(at) == "" {
				t.Errorf("time %d is painted as nothing", n)
			}
		}
	}
}

func TestPhrase_Countdown(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0:00", 9 * time.Second: "0:09", 298 * time.Second: "4:58", 3723 * time.Second: "1:02:03",
	} {
		if got := phrase.Countdown(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestPhrase_Duration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		32 * time.Millisecond: "32 ms", 1500 * time.Millisecond: "1.5 s", 5 * time.Second: "5 s", 125 * time.Second: "2 min 05 s", 85 * time.Microsecond: "85 µs",
		-27 * time.Minute: "-27 min 00 s", math.MinInt64: "-153722867 min 16 s",
	} {
		if got := phrase.Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestPhrase_UseASCII(t *testing.T) {
	phrase.UseASCII(true)
	defer phrase.UseASCII(false)
	if got := phrase.Signs("“a” → b · …"); got != `"a" > b - ~` {
		t.Error(got)
	}
	if got := phrase.Ellipsis() + phrase.Took(85*time.Microsecond) + phrase.Range(1, 26); got != "~85 us1-26" {
		t.Error(got)
	}
}
