package filter

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// columnTook is the heading of the durations in Traffic. It is accepted as a name of their property.
const columnTook = "ms"

// ranked parses a name from an ordered list, which selects it and everything above, or a bound as in [within].
func ranked(value string, names []string) func(rank int) bool {
	parse := func(name string) (int, bool) {
		i := slices.Index(names, name)
		if name == "warn" {
			i = slices.Index(names, "warning")
		}
		return i, i >= 0
	}
	if _, ok := parse(value); ok {
		value = ">=" + value
	}
	return within(value, parse)
}

// within parses a bound: >x, <x, >=x, <=x or x..y.
func within[T cmp.Ordered](value string, parse func(string) (T, bool)) func(T) bool {
	if from, to, ok := strings.Cut(value, ".."); ok {
		a, okA := parse(from)
		b, okB := parse(to)
		if !okA || !okB {
			return nil
		}
		return func(x T) bool { return x >= a && x <= b }
	}
	number := strings.TrimLeft(value, "<>=")
	n, ok := parse(number)
	if !ok {
		return nil
	}
	switch strings.TrimSuffix(value, number) {
	case "<":
		return func(x T) bool { return x < n }
	case ">":
		return func(x T) bool { return x > n }
	case "<=":
		return func(x T) bool { return x <= n }
	case ">=":
		return func(x T) bool { return x >= n }
	}
	return nil
}

func tookIs(value string) matcher {
	in := within(value, func(s string) (time.Duration, bool) {
		if _, err := strconv.ParseUint(s, 10, 32); err == nil {
			s += columnTook // a plain number has the unit of the column
		}
		d, err := time.ParseDuration(s)
		return d, err == nil
	})
	if in == nil {
		return nil
	}
	return func(fr *Frame) bool {
		if fr.Took == nil {
			return false
		}
		d, ok := fr.Took()
		return ok && in(d)
	}
}

func sizeIs(value string) matcher {
	in := within(value, func(s string) (int64, bool) {
		unit := int64(1)
		for suffix, factor := range map[string]int64{"k": 1e3, "M": 1e6} {
			if n, ok := strings.CutSuffix(s, suffix); ok {
				s, unit = n, factor
			}
		}
		n, err := strconv.ParseInt(s, 10, 64)
		return n * unit, err == nil
	})
	if in == nil {
		return nil
	}
	return func(fr *Frame) bool { return in(int64(fr.Row.Size)) }
}

// sinceIs selects frames by time. Their age, relative to the newest frame, is at most a duration,
// or they are not older than a time on the day of the newest frame.
func sinceIs(value string) matcher {
	if d, err := time.ParseDuration(value); err == nil {
		return func(fr *Frame) bool { return fr.Row.Time >= fr.Newest-int64(d) }
	}
	for _, form := range []string{"15:04:05", "15:04"} {
		if at, err := time.Parse(form, value); err == nil {
			return func(fr *Frame) bool {
				year, month, day := time.Unix(0, fr.Newest).Date()
				from := time.Date(year, month, day, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.Local)
				return fr.Row.Time >= from.UnixNano()
			}
		}
	}
	return nil
}
