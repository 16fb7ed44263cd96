package tap

import (
	"context"
	"sync"
	"testing"
)

// What begins late is refused, and does not begin beside the end of the wait.
func TestBackground_Late(t *testing.T) {
	for range 100 {
		var b background
		var running, late sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		b.Go(func() { <-ctx.Done() })
		n := 0 // written by what has begun; the race detector finds what Wait does not wait for
		var mu sync.Mutex
		for range 4 {
			running.Go(func() {
				for b.begin() {
					mu.Lock()
					n++
					mu.Unlock()
					b.Go(func() {
						mu.Lock()
						defer mu.Unlock()
						n++
					})
					b.end()
				}
			})
		}
		late.Go(cancel)
		b.Wait()
		n = 0
		running.Wait()
		late.Wait()
		if b.Go(func() { n++ }); n != 0 || b.begin() {
			t.Error("something begins after the wait")
		}
	}
}
