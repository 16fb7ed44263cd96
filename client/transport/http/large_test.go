package http

import (
	"errors"
	"testing"
)

// endlessLine is a line without end.
type endlessLine struct{}

func (*endlessLine) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// An event that is too long takes one buffer of the maximum, and not a second one to find that out.
func TestEventReader_OneLargeBuffer(t *testing.T) {
	r := NewEventReader(&endlessLine{})
	r.max = 1 << 20
	caps := map[int]bool{}
	for {
		r.begin()
		ok := r.fill()
		caps[cap(r.buf)] = true
		r.pos, r.start = 0, 0
		if !ok {
			break
		}
	}
	large := 0
	for size := range caps {
		if size > r.max/2 {
			large++
		}
	}
	if large != 1 || !caps[r.max+firstBuffer] {
		t.Errorf("buffers of %v bytes", caps)
	}
	if _, err := NewEventReader(&endlessLine{}).Next(); !errors.Is(err, ErrEventTooLong) {
		t.Errorf("%v", err)
	}
}

// The memory of a large body is given back before the next exchange, once.
func TestExchange_LargeBodyIsGivenBack(t *testing.T) {
	largeEnded.Store(false)
	for received, want := range map[int64]bool{largeBody - 1: false, largeBody: true} {
		noteLarge(received)
		if got := largeEnded.Load(); got != want {
			t.Errorf("%d bytes: %t", received, got)
		}
		collectLarge()
		if largeEnded.Load() {
			t.Error("the memory is given back more than once")
		}
	}
}
