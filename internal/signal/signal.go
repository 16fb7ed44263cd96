// Package signal wakes goroutines that read a state after it has changed. A signal carries no value: the
// woken goroutine reads the state, so changes between two reads count as one. Sending a signal never blocks.
package signal

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Signal lets readers of a state subscribe to its changes. The zero value is ready to use. It is safe for
// concurrent use.
type Signal struct {
	mu          sync.Mutex                      // held while subscribers is changed
	subscribers atomic.Pointer[[]chan struct{}] // replaced, never changed; nil if there are none
}

// Subscribe returns a channel with one slot that receives a token when the state changed, and a function that
// ends the subscription.
func (s *Signal) Subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	s.change(func(all []chan struct{}) []chan struct{} { return append(all, ch) })
	return ch, func() {
		s.change(func(all []chan struct{}) []chan struct{} {
			return slices.DeleteFunc(all, func(other chan struct{}) bool { return other == ch })
		})
	}
}

func (s *Signal) change(do func([]chan struct{}) []chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []chan struct{}
	if before := s.subscribers.Load(); before != nil {
		all = slices.Clone(*before)
	}
	all = do(all)
	s.subscribers.Store(&all)
}

// Notify wakes the subscribers. It takes no lock: a flood of changes calls it for each.
func (s *Signal) Notify() {
	if all := s.subscribers.Load(); all != nil {
		for _, ch := range *all {
			Wake(ch)
		}
	}
}

// Wake puts a token into a channel with one slot, unless there is one.
func Wake(slot chan<- struct{}) {
	select {
	case slot <- struct{}{}:
	default:
	}
}
