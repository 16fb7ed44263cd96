package backoff_test

import (
	"slices"
	"testing"
	"time"

	"mcptea/internal/backoff"
)

func TestAfter(t *testing.T) {
	for _, c := range []struct {
		name string
		b    backoff.Backoff
		want []time.Duration // after 0, 1, 2… failures
	}{
		{"doubled", backoff.Backoff{First: 1, Most: 7}, []time.Duration{0, 1, 2, 4, 7, 7}},
		{"by half", backoff.Backoff{First: 100, Most: 300, Factor: 1.5}, []time.Duration{0, 100, 150, 225, 300}},
		{"the first is the longest", backoff.Backoff{First: 9, Most: 5}, []time.Duration{0, 5, 5}},
	} {
		for n, want := range c.want {
			if got := c.b.After(n); got != want {
				t.Errorf("%s: after %d failures %d, want %d", c.name, n, got, want)
			}
		}
		if got := c.b.After(1_000_000_000); got != c.b.Most {
			t.Errorf("%s: after many failures %d", c.name, got)
		}
	}
}

func TestSeries(t *testing.T) {
	s := backoff.Series{Backoff: backoff.Backoff{First: 1, Most: 8}}
	got := []time.Duration{s.Next(), s.Next()}
	s.Lasted(8) // not longer than the longest pause
	got = append(got, s.Next())
	s.Lasted(9)
	got = append(got, s.Next())
	s.Reset()
	if got = append(got, s.Next()); !slices.Equal(got, []time.Duration{1, 2, 4, 1, 1}) {
		t.Error(got)
	}
}
