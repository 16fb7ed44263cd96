package rpcserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Session represents one client at a server. It must be safe for concurrent use.
type Session interface {
	// Handle handles a frame of the client, and sends the frames that belong to it. It may return before all
	// are sent; ctx ends when the client gives up the request.
	Handle(ctx context.Context, frame []byte, to *Stream)
	// Refuse returns why a request that names the session is refused, empty if it is not.
	Refuse(r *http.Request) string
	// Ready reports, after the response to initialize, whether the session begins.
	Ready() bool
	// Primes reports whether a stream begins with an event that has only an id, so that the client can resume
	// it.
	Primes() bool
	// Wait waits until nothing is running.
	Wait()
	Close()
}

// Open starts a session. alone reports that it has only one request. send is called with the frames that belong
// to no request of the client.
type Open func(alone bool, send func(frame []byte)) Session

// A Pusher is a Session that uses the stream of its frames that belong to no request.
type Pusher interface {
	// Unrelated is called with the stream before the first frame of the client.
	Unrelated(to *Stream)
}

const (
	// maxSessions is the default of [Endpoint.MaxSessions].
	maxSessions = 100
	// maxUnattended bounds how many unread streams of a session can be resumed, each with up to maxEventBytes.
	// The oldest are closed first: frames that a request still sends there are dropped.
	maxUnattended = 32
)

// session is a session with the streams that carry its frames.
type session struct {
	Session
	id        string
	ctx       context.Context
	stop      context.CancelFunc
	unrelated *Stream // stream of messages that belong to no request

	mu      sync.Mutex
	count   int
	streams []*Stream // streams of requests, oldest first
	open    int       // HTTP requests that have not ended
	last    time.Time // end of the newest HTTP request
}

// begin opens a session. name is the name of its stream.
func begin(ctx context.Context, open Open, alone bool, name string) *session {
	s := &session{id: rand.Text(), unrelated: newStream(name), last: time.Now()}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.Session = open(alone, s.unrelated.Send)
	if p, ok := s.Session.(Pusher); ok {
		p.Unrelated(s.unrelated)
	}
	return s
}

// isIdle reports whether the session has had no HTTP request for a time.
func (s *session) isIdle(d time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open == 0 && time.Since(s.last) >= d
}

// end ends the session and all its streams.
func (s *session) end() {
	s.Close()
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range append(s.streams, s.unrelated) {
		st.close()
	}
}

// during returns a context that ends with the request, and with the session.
func (s *session) during(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(s.ctx, cancel)
	s.mu.Lock()
	s.open++
	s.mu.Unlock()
	return ctx, func() {
		stop()
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		s.last = time.Now()
	}
}

// newStream returns the stream of a request that can be resumed. Old ones are forgotten.
func (s *session) newStream() *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	st := newStream(strconv.Itoa(s.count))
	s.streams = append(s.streams, st)
	over := -maxUnattended
	for _, one := range s.streams {
		if one.unattended() {
			over++
		}
	}
	s.streams = slices.DeleteFunc(s.streams, func(one *Stream) bool {
		if over <= 0 || !one.unattended() {
			return false
		}
		one.close()
		over--
		return true
	})
	return st
}

// stream returns the stream with a name, or nil.
func (s *session) stream(name string) *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range append(s.streams[:len(s.streams):len(s.streams)], s.unrelated) {
		if st.name == name {
			return st
		}
	}
	return nil
}

// sessions are the sessions by their ids.
type sessions struct {
	mu    sync.Mutex
	byID  map[string]*session
	order []string // oldest first
}

// add keeps a session. The oldest one ends if there are more than the maximum.
func (t *sessions) add(s *session, maximum int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[string]*session{}
	}
	t.byID[s.id], t.order = s, append(t.order, s.id)
	if len(t.order) > maximum {
		t.remove(t.order[0])
	}
}

// endIdle ends the sessions that have had no request for a time, until ctx ends.
func (t *sessions) endIdle(ctx context.Context, d time.Duration) {
	tick := time.NewTicker(max(d/10, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			t.removeIdle(d)
		}
	}
}

func (t *sessions) removeIdle(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, s := range t.byID {
		if s.isIdle(d) {
			t.remove(id)
		}
	}
}

func (t *sessions) find(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// end ends a session that is kept.
func (t *sessions) end(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(id)
}

// remove is like end, for a caller that holds mu.
func (t *sessions) remove(id string) {
	if s := t.byID[id]; s != nil {
		s.end()
		delete(t.byID, id)
		t.order = slices.DeleteFunc(t.order, func(one string) bool { return one == id })
	}
}
