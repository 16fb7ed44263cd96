package watch

import (
	"maps"
	"slices"
	"time"
)

// debounce collects paths until none has come for a while, and sends them. While there
// is no receiver it collects further ones. It closes out when in is closed.
func debounce(in <-chan string, out chan<- []string) {
	defer close(out)
	paths := make(map[string]bool)
	var ready []string // nil while there is nothing to send
	var first time.Time
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	for {
		var send chan<- []string
		if ready != nil {
			send = out
		}
		select {
		case path, ok := <-in:
			if !ok {
				return
			}
			if len(paths) == 0 {
				first = time.Now()
			}
			paths[path], ready = true, nil
			timer.Reset(min(quiet, max(0, maxDelay-time.Since(first))))
		case <-timer.C:
			ready = slices.Sorted(maps.Keys(paths))
		case send <- ready:
			clear(paths)
			ready = nil
		}
	}
}
