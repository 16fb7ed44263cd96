package timeline

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// Further notifications are not remembered, and those that are stay with their request.
func TestTimeline_MaxNotifications(t *testing.T) {
	tl := newRig(t).tl
	tl.entries = []entry{{related: None, series: tl.series.index(seriesKey{method: "ping"})}}
	tl.notifications = make([]notification, 1_999_999) // memory that is not touched
	for row, want := range []int{2_000_000, 2_000_000} {
		tl.notified(0, int32(row), 0)
		if got := len(tl.notifications); got != want {
			t.Errorf("%d notifications are remembered, want %d", got, want)
		}
		if r, _ := tl.Request(0); r.Notifications != row+1 {
			t.Errorf("%d notifications are counted, want %d", r.Notifications, row+1)
		}
		if list := tl.NotificationsOf(0, 10); len(list) != 1 || list[0].Row != 0 {
			t.Errorf("those of the request are %v", list)
		}
	}
}

// The newest lines of stderr are remembered, at least so many and at most twice as many.
func TestTimeline_MaxLines(t *testing.T) {
	tl := newRig(t).tl
	line := func(n int) {
		tl.update(&record.Event{Kind: record.KindStderr, Time: time.Unix(0, int64(n))}, &store.Match{Message: &flow.Message{Row: store.None}})
	}
	for n := range 200_000 {
		line(n)
	}
	for _, tt := range []struct {
		lines int
		from  int64
	}{{200_000, 0}, {100_001, 100_000}} {
		if len(tl.lines) != tt.lines || tl.lines[0] != tt.from {
			t.Errorf("%d lines are remembered from line %d on, want %d from %d on", len(tl.lines), tl.lines[0], tt.lines, tt.from)
		}
		line(200_000)
	}
	for _, tt := range []struct {
		from, to int64
		n        int
		all      bool
	}{{150_000, 150_007, 7, true}, {0, 150_000, 50_000, false}, {150_007, 150_000, 0, true}} {
		if n, all := tl.LinesBetween(time.Unix(0, tt.from), time.Unix(0, tt.to)); n != tt.n || all != tt.all {
			t.Errorf("%d lines from %d to %d, all: %t", n, tt.from, tt.to, all)
		}
	}
	if tl.lineCount != 200_002 {
		t.Errorf("%d lines are counted", tl.lineCount)
	}
}

// The width of the buckets doubles when the session is longer than all of them.
func TestOverview_MaxBuckets(t *testing.T) {
	var o overview
	for _, tt := range []struct {
		after time.Duration
		used  int
		width time.Duration
	}{
		{0, 1, time.Millisecond},
		{1023 * time.Millisecond, 1024, time.Millisecond},
		{1024 * time.Millisecond, 513, 2 * time.Millisecond},
		{time.Hour, 879, 4096 * time.Millisecond},
	} {
		o.add(int64(time.Hour + tt.after))
		if o.used != tt.used || o.width != int64(tt.width) {
			t.Errorf("after %v there are %d buckets of %v, want %d of %v", tt.after, o.used, time.Duration(o.width), tt.used, tt.width)
		}
	}
	sum := int32(0)
	for _, n := range o.counts {
		sum += n
	}
	if sum != 4 {
		t.Errorf("%d of 4 rows are counted", sum)
	}
}

// Reading stops when there is no room for another request, even if it is tried again.
func TestTimeline_MaxEntries(t *testing.T) {
	r := newRig(t)
	r.tl.entries = make([]entry, maxEntries-1) // memory that is not touched
	for i := range 3 {
		r.frame(transport.In, 0, 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	for range 2 {
		if _, more, err := r.tl.read(time.Now()); more || !errors.Is(err, ErrFull) {
			t.Errorf("more: %t, %v", more, err)
		}
		if n := len(r.tl.entries); n != maxEntries || r.tl.rows != 1 {
			t.Errorf("%d requests of %d rows", n, r.tl.rows)
		}
	}
}
