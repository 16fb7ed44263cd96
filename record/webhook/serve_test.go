package webhook

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/test/inmemory"
)

// Bodies that come byte for byte take their places for five seconds, headers that never end for ten, and a connection
// too many is closed at once: each is told once.
func TestServer_SlowRequests(t *testing.T) {
	for name, tt := range map[string]struct {
		connections int
		head        func(s *Server) string
		want        []Trouble
	}{
		"bodies": {40, func(s *Server) string {
			return "POST " + s.Path() + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\nwebhook-id: a\r\nwebhook-timestamp: 1\r\nwebhook-signature: v1,x\r\n\r\n{"
		}, []Trouble{tooSlow}},
		"headers":     {40, func(*Server) string { return "POST / HTTP/1.1\r\nHost: a\r\nwebhook-id: " }, nil},
		"connections": {maxConnections + 10, func(*Server) string { return "POST / HTTP/1.1\r\nHost: a\r\nwebhook-id: " }, []Trouble{busy}},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, dial := inmemory.Listen()
			s := Serve(l, "")
			told := map[Trouble]int{}
			s.Tell(func(d Delivery) { told[Trouble(d.Trouble)]++ }, func() {})
			ended := make(chan struct{}, tt.connections)
			for range tt.connections {
				c, err := dial(t.Context(), "tcp", "")
				if err != nil {
					t.Fatal(err)
				}
				go func() {
					go func() { _, _ = io.WriteString(c, tt.head(s)) }()
					_, _ = io.Copy(io.Discard, c)
					ended <- struct{}{}
				}()
			}
			late := time.After(20 * time.Second)
			for i := range tt.connections {
				select {
				case <-ended:
				case <-late:
					t.Fatalf("%s: %d of %d connections have ended", name, i, tt.connections)
				}
			}
			synctest.Wait()
			want := map[Trouble]int{}
			for _, trouble := range tt.want {
				want[trouble] = maxKept
			}
			if fmt.Sprint(told) != fmt.Sprint(want) || len(s.Troubles()) != len(tt.want) {
				t.Errorf("%s: told %v, counted %v", name, told, s.Troubles())
			}
			s.Stop(context.Background())
		})
	}
}
