package events

import (
	"fmt"
	"testing"
	"time"

	"mcptea/client/revision"
	"mcptea/internal/test/raced"
)

// notification are the params of an event of a stream.
func notification(n int) []byte {
	return fmt.Appendf(nil, `{"eventId":"evt_%d","name":"tick","timestamp":"2026-11-28T00:00:00Z","data":{"n":%d,"text":"abcdefghij abcdefghij"},"cursor":"c%d","_meta":{"io.modelcontextprotocol/subscriptionId":3}}`, n, n, n)
}

// streamed is a subscription that has reached its bounds, so that each further event drops one.
func streamed() *subscription {
	s := &subscription{State: State{Name: "tick", Mode: revision.DeliveryPush}}
	s.notified(0, time.Time{}, revision.EventsActive, []byte(`{"cursor":"c0","truncated":false}`))
	for n := range maxEntries + maxIDs {
		s.notified(int32(n), time.Time{}, revision.EventsEvent, notification(n))
	}
	return s
}

// What a stream of a thousand events a second makes of the collector depends on this number.
func TestSubscription_AllocationsOfAnEvent(t *testing.T) {
	raced.Never(t, "counts allocations")
	s, row := streamed(), int32(1<<20)
	params := make([][]byte, 2100)
	for i := range params {
		params[i] = notification(1<<20 + i)
	}
	if got := testing.AllocsPerRun(2000, func() {
		s.notified(row, time.Time{}, revision.EventsEvent, params[row-1<<20])
		row++
	}); got > 6 {
		t.Errorf("%.1f allocations", got)
	}
	if len(s.entries) != maxEntries || len(s.ids) != maxIDs || s.Dropped != s.State.Entries-maxEntries || s.Repeated != 0 {
		t.Errorf("%d entries, %d ids, %d dropped of %d", len(s.entries), len(s.ids), s.Dropped, s.State.Entries)
	}
}

func BenchmarkSubscription_Event(b *testing.B) {
	s, n := streamed(), 1<<20
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		params := notification(n)
		b.StartTimer()
		s.notified(int32(n), time.Time{}, revision.EventsEvent, params)
		n++
	}
}
