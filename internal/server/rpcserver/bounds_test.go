package rpcserver

import (
	"context"
	"fmt"
	"net/http"
	"testing"
)

func TestStream_MaxEvents(t *testing.T) {
	s := newStream("")
	for i := range 1000 {
		s.Send(fmt.Append(nil, i))
	}
	if got := s.next(t.Context()); len(got) != 1000 || string(got[0].frame) != "0" {
		t.Errorf("of 1,000 messages %d wait, the first is %s", len(got), got[0].frame)
	}
	for i := range 1001 {
		s.Send(fmt.Append(nil, i))
	}
	if got := s.next(t.Context()); len(got) != 1000 || string(got[0].frame) != "1" {
		t.Errorf("of 1,001 messages %d wait, the first is %s", len(got), got[0].frame)
	}
}

func TestStream_MaxEventBytes(t *testing.T) {
	s := newStream("")
	for range 9 {
		s.Send(make([]byte, 1<<20))
	}
	if got := s.next(t.Context()); len(got) != 8 {
		t.Errorf("of 9 MiB in 9 messages %d wait", len(got))
	}
	s.Send(make([]byte, 9<<20))
	if got := s.next(t.Context()); len(got) != 1 {
		t.Errorf("of a message of 9 MiB %d wait", len(got))
	}
}

// idle is a session that does nothing.
type idle struct{}

func (idle) Handle(context.Context, []byte, *Stream) {}
func (idle) Refuse(*http.Request) string             { return "" }
func (idle) Ready() bool                             { return true }
func (idle) Primes() bool                            { return false }
func (idle) Wait()                                   {}
func (idle) Close()                                  {}

func TestSessions_MaxSessions(t *testing.T) {
	var all sessions
	open := func() *session {
		s := begin(t.Context(), func(bool, func([]byte)) Session { return idle{} }, false, "")
		all.add(s, maxSessions)
		return s
	}
	first := open()
	for range 99 {
		open()
	}
	if all.find(first.id) == nil || first.ctx.Err() != nil {
		t.Error("the first of 100 sessions has ended")
	}
	open()
	if all.find(first.id) != nil || first.ctx.Err() == nil || len(all.byID) != 100 || len(all.order) != 100 {
		t.Errorf("the first of 101 sessions has not ended; there are %d", len(all.byID))
	}
}

// Streams whose client has left before the response are kept up to a bound; those that are read,
// however many, stay.
func TestSession_BoundsUnattendedStreams(t *testing.T) {
	s := &session{}
	read := make([]*Stream, 100)
	for i := range read {
		read[i] = s.newStream()
		read[i].attach(0)
	}
	var last *Stream
	for range 300 {
		last = s.newStream()
		last.attach(0)
		last.detach() // the client has left
		last.Answer([]byte("{}"), 0)
	}
	if n := len(s.streams); n > len(read)+maxUnattended+1 {
		t.Errorf("%d streams are kept, %d of them are read", n, len(read))
	}
	for _, st := range append(read, last) {
		if s.stream(st.name) != st {
			t.Errorf("the stream %s is gone", st.name)
		}
	}
	if events := last.next(t.Context()); len(events) != 1 {
		t.Errorf("the newest stream has %d events for a client that comes back", len(events))
	}
}
