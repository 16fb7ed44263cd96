package phrase

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Took writes a duration the way all panes do: "85 µs", "1.9 ms",
// "312 ms", "6.1 s", "1m02s", "2h05m".
func Took(d time.Duration) string {
	if d < 0 {
		return "-" + Took(-max(d, math.MinInt64+1)) // the minimum has no positive counterpart
	}
	switch {
	case d == 0:
		return "0 ms"
	case d < 100*time.Microsecond:
		unit := " µs"
		if onlyASCII.Load() {
			unit = " us"
		}
		return strconv.FormatInt(max(d.Microseconds(), 1), 10) + unit
	case d < 9950*time.Microsecond:
		return strconv.FormatFloat(float64(d)/1e6, 'f', 1, 64) + " ms"
	case d < 999500*time.Microsecond:
		return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	case d < 59950*time.Millisecond:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	s := int64(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}

// Waited describes how long an operation has run, and when it times out, if it does: "5.4 s, times out in 25
// s".
func Waited(start, deadline, now time.Time) string {
	if now.Before(start) { // the clock of the screen ticks a few times in a second
		now = start
	}
	text := Took(now.Sub(start).Round(100 * time.Millisecond))
	if deadline.IsZero() {
		return text
	}
	left := int64(max(0, deadline.Sub(now)+time.Second-1) / time.Second)
	if left < 60 {
		return fmt.Sprintf("%s, times out in %d s", text, left)
	}
	return text + ", times out in " + Took(time.Duration(left)*time.Second)
}

// Size writes a number of bytes: "98 B", "1.2 kB", "48 MB".
func Size(n int64) string {
	if n < 0 {
		return "-" + Size(-max(n, math.MinInt64+1))
	}
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	v := float64(n)
	for _, unit := range []string{"kB", "MB", "GB", "TB", "PB", "EB"} {
		v /= 1000
		switch {
		case v < 9.95:
			return strconv.FormatFloat(v, 'f', 1, 64) + " " + unit
		case v < 999.5:
			return strconv.FormatFloat(v, 'f', 0, 64) + " " + unit
		}
	}
	return strconv.FormatInt(n, 10) + " B"
}

// Milliseconds writes a duration without its unit, as under a heading that names it.
func Milliseconds(d time.Duration) string {
	ms := float64(max(0, d)) / 1e6
	switch {
	case ms < 0.095:
		return strconv.FormatFloat(ms, 'f', 2, 64)
	case ms < 9.95:
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return Digits(int(ms + 0.5))
}

// Badge is like [Digits], for a number next to the name of a tab. It returns "" for 0.
func Badge(n int) string {
	if n == 0 {
		return ""
	}
	return Digits(n)
}

// Digits writes a number with a comma between groups of three: "1,204".
func Digits[T ~int | ~int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	if len(s) <= 3 {
		return sign + s
	}
	first := (len(s)-1)%3 + 1
	out := make([]byte, 0, len(s)+len(s)/3+1)
	out = append(out, sign...)
	out = append(out, s[:first]...)
	for i := first; i < len(s); i += 3 {
		out = append(out, ',')
		out = append(out, s[i:i+3]...)
	}
	return string(out)
}

// Count writes a number of things: "1 tool", "1,204 tools", "2 entries". The noun takes an s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou") {
		noun = stem + "ie"
	}
	return Digits(n) + " " + noun + "s"
}

// Clock writes the time of day of t in its own zone: "10:22:01.334".
func Clock(t time.Time) string { return t.Format("15:04:05.000") }

// Date returns a day and a time of the day, shorter the nearer it is: "today 14:15", "yesterday
// 17:40", "18 Nov 19:05", "18 Nov 2024".
func Date(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC) }
	switch days := day(now).Sub(day(t)) / (24 * time.Hour); {
	case t.IsZero():
		return ""
	case days == 0:
		return t.Format("today 15:04")
	case days == 1:
		return t.Format("yesterday 15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

// Countdown writes the time that is left to the second: "4:58", "1:02:03".
func Countdown(d time.Duration) string {
	s := int64(max(d, 0).Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s%3600/60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Number writes a number of a server: "3", "0.25", "1e+300".
func Number(n float64) string {
	if size := math.Abs(n); size >= 1e21 || size < 1e-6 {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
