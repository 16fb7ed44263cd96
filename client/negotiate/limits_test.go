package negotiate

import (
	"net/http"
	"testing"
	"time"

	"mcptea/client/transport"
)

// A server that is busy is asked again twice, and not after a pause that is too long.
func TestRetry_Bounds(t *testing.T) {
	busy := func(pause time.Duration) Event {
		return Event{Err: &transport.StatusError{Status: http.StatusServiceUnavailable}, RetryAfter: pause}
	}
	for attempt, want := range map[int]bool{1: true, 2: true, 3: false} {
		m := &Machine{attempt: attempt}
		if _, ok := m.retry(busy(0), Action{}); ok != want {
			t.Errorf("after %d attempts there is another one: %t", attempt, ok)
		}
	}
	for pause, want := range map[time.Duration]bool{10 * time.Second: true, 10*time.Second + 1: false} {
		m := &Machine{attempt: 1}
		if a, ok := m.retry(busy(pause), Action{}); ok != want || ok && a.Wait != pause {
			t.Errorf("a pause of %s is waited for: %t, %s", pause, ok, a.Wait)
		}
	}
}
