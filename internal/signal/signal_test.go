package signal_test

import (
	"testing"

	"mcptea/internal/signal"
)

func TestSignal(t *testing.T) {
	var s signal.Signal
	s.Notify() // without subscribers
	first, stop := s.Subscribe()
	second, stopSecond := s.Subscribe()
	defer stopSecond()
	s.Notify()
	s.Notify() // the token of the first one is still there
	for _, ch := range []<-chan struct{}{first, second} {
		if len(ch) != 1 {
			t.Errorf("%d tokens, want 1", len(ch))
		}
		<-ch
	}
	stop()
	s.Notify()
	if len(first) != 0 || len(second) != 1 {
		t.Errorf("%d and %d tokens, want 0 and 1", len(first), len(second))
	}
}
