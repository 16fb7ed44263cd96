package session

import (
	"sync"
	"testing"

	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/record/store"
)

// Equal frames keep their senders: of 1,000 notifications with the same bytes that a command and
// the user of the session send at once, each has a row of its own, with the side of its sender.
func TestSides_EqualFrames(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		const n = 1000
		frame := []byte(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		calls := make([]*Call, n)
		var sending sync.WaitGroup
		for i := range calls {
			sending.Go(func() {
				if i%2 == 0 {
					calls[i] = s.Forward(frame, nil)
				} else {
					calls[i] = s.StartFrame(frame)
				}
			})
		}
		sending.Wait()
		seen := map[transport.Ref]bool{}
		for i, c := range calls {
			<-c.Done()
			row, ok := s.Store().Row(c.Ref().Row())
			if attached := row.Flags&store.Attached != 0; !ok || attached != (i%2 == 0) || seen[c.Ref()] {
				t.Fatalf("frame %d is row %d, of a command: %t", i, c.Ref().Row(), attached)
			}
			seen[c.Ref()] = true
		}
	})
}
