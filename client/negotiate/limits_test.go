package negotiate

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
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

// What a server says of itself is kept as long as the connection, so that it has a maximum.
func TestResults_Bound(t *testing.T) {
	for over, want := range []error{nil, errResultTooLarge} {
		for method, members := range map[string]string{
			"initialize":      `"protocolVersion":"2025-11-25","capabilities":{},"instructions":"`,
			"server/discover": `"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"`,
		} {
			result := `{` + members + strings.Repeat("x", 4<<20+over-len(members)-3) + `"}`
			frame := []byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)
			e := Event{Kind: Response, Frame: frame, Envelope: jsonrpc.Scan(frame)}
			_, err := (&Machine{}).parseInitializeResult(e)
			if method == "server/discover" {
				_, _, err = parseDiscoverResult(e)
			}
			if !errors.Is(err, want) {
				t.Errorf("%s with %d bytes: %v", method, len(result), err)
			}
		}
	}
}
