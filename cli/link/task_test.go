package link

import (
	"testing"
	"time"

	"mcptea/client"
)

func TestTaskPoll_AsTheServerAsks(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		0: time.Second, -time.Second: time.Second, 20 * time.Millisecond: 20 * time.Millisecond, time.Second: time.Second, 10 * time.Minute: 10 * time.Minute,
	} {
		if got := TaskPoll(client.Task{Poll: asked}); got != want {
			t.Errorf("a server that asks for %v is polled each %v, want %v", asked, got, want)
		}
	}
}
