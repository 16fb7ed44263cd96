package compose_test

import (
	"strings"
	"testing"
	"time"

	"mcptea/offer/compose"
)

func TestCompose_ParseRepeat(t *testing.T) {
	const after = -1
	for _, tc := range []struct {
		text     string
		count    int
		interval time.Duration
		problem  string
	}{
		{"100", 100, after, ""},
		{"50 0ms", 50, 0, ""},
		{"50 at once", 50, 0, ""},
		{"50 in parallel", 50, 0, ""},
		{"50 parallel", 50, 0, ""},
		{"at once", 0, 0, "is not a count"},
		{" 5 50ms ", 5, 50 * time.Millisecond, ""},
		{"5 every 2s", 5, 2 * time.Second, ""},
		{"", 0, 0, "write a count"},
		{"0", 0, 0, `"0" is not a count`},
		{"10001", 0, 0, "is not a count"},
		{"5 fast", 0, 0, `"fast" is not an interval`},
		{"5 -1s", 0, 0, "is not an interval"},
	} {
		count, interval, err := compose.ParseRepeat(tc.text, after)
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if tc.problem == "" && (count != tc.count || interval != tc.interval || problem != "") || !strings.Contains(problem, tc.problem) {
			t.Errorf("%q: %d, %v, %q", tc.text, count, interval, problem)
		}
	}
}
