// Package signal wakes goroutines that look at a state after it has changed. A signal
// carries no value: who is woken reads the state, so that changes between two looks
// count as one, and the one who signals never waits.
package signal

import "sync"

// Signal is what the readers of one state subscribe to. The zero value is ready to use,
// and its methods may be called from any goroutine.
type Signal struct {
	mu          sync.Mutex
	subscribers map[chan struct{}]struct{}
}

// Subscribe returns a channel with one slot that gets a token when the state changed,
// and a function that ends the subscription.
func (s *Signal) Subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscribers == nil {
		s.subscribers = map[chan struct{}]struct{}{}
	}
	s.subscribers[ch] = struct{}{}
	return ch, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subscribers, ch)
	}
}

// Notify wakes the subscribers.
func (s *Signal) Notify() {
	s.mu.Lock()
	for ch := range s.subscribers {
		Wake(ch)
	}
	s.mu.Unlock()
}

// Wake puts a token into a channel with one slot, unless there is one.
func Wake(slot chan<- struct{}) {
	select {
	case slot <- struct{}{}:
	default:
	}
}
