package httptransport

import (
	"testing"

	"mcptea/client/transport"
	"mcptea/session/lint/rule"
)

func TestOpenStreams_Bound(t *testing.T) {
	var s openStreams
	for i := range uint32(maxOpenStreams + 1) {
		s.add(&rule.Exchange{Exchange: transport.Exchange{ID: i + 1}})
		if want := min(int(i)+1, maxOpenStreams); len(s.of) != want {
			t.Fatalf("%d streams after %d", len(s.of), i+1)
		}
	}
}
