package session

import (
	"testing"
	"time"
)

func TestLinter_Pace(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name         string
		load         load
		slice, pause time.Duration
	}{
		{"frames come", load{came: 10, in: time.Second}, 3 * ms, 30 * ms},
		{"nothing comes", load{in: time.Second}, 3 * ms, 6 * ms},
		{"the user types", load{came: 10, in: time.Second, acts: true}, ms, 20 * ms},
		{"the user types, nothing comes", load{in: time.Second, acts: true}, ms, 20 * ms},
		{"as fast as it can keep up", load{came: 80_000, in: time.Second}, 3 * ms, 30 * ms},
		{"a flood", load{came: 80_001, in: time.Second}, ms, 200 * ms},
		{"a flood, the user types", load{came: 80_001, in: time.Second, acts: true}, ms, 200 * ms},
		{"a recording", load{recorded: true, in: time.Second}, 4 * ms, ms},
		{"a recording is read", load{recorded: true, came: 1_000_000, in: time.Second}, 4 * ms, ms},
		{"a recording, the user types", load{recorded: true, acts: true}, ms, 20 * ms},
		{"the first look at a recording that has rows", load{recorded: true, came: 1000}, 4 * ms, ms},
	} {
		if slice, pause := tt.load.pace(); slice != tt.slice || pause != tt.pause {
			t.Errorf("%s: %s, then %s; want %s, then %s", tt.name, slice, pause, tt.slice, tt.pause)
		}
	}
}
