package rpcserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// Session is what a server has with one client. Its methods may be called from any
// goroutine.
type Session interface {
	// Handle takes a frame of the client, and sends what belongs to it. It may return
	// before all is sent; ctx ends when the client gives up the request.
	Handle(ctx context.Context, frame []byte, to *Stream)
	// Refuse returns why a request that names the session is refused, empty if it is not.
	Refuse(r *http.Request) string
	// Ready reports, after the response to initialize, whether the session begins.
	Ready() bool
	// Primes reports whether a stream begins with an event that has only an id, so that the
	// client can come back.
	Primes() bool
	// Wait waits until nothing runs any more.
	Wait()
	Close()
}

// Open begins a session, which is alone if it has one request. send takes the frames that
// belong to no request of the client.
type Open func(alone bool, send func(frame []byte)) Session

const (
	// maxSessions bounds the memory; the oldest session ends for a new one.
	maxSessions = 100
	// maxFinished is how many finished streams of a session can be resumed.
	maxFinished = 32
)

// session is a session and the streams on which its frames leave.
type session struct {
	Session
	id        string
	ctx       context.Context
	stop      context.CancelFunc
	unrelated *Stream // what belongs to no request

	mu      sync.Mutex
	count   int
	streams []*Stream // of requests, oldest first
}

// begin opens a session. name is that of its stream.
func begin(ctx context.Context, open Open, alone bool, name string) *session {
	s := &session{id: rand.Text(), unrelated: newStream(name)}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.Session = open(alone, s.unrelated.Send)
	return s
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
	return ctx, func() { stop(); cancel() }
}

// newStream returns the stream of a request that can be resumed. Old ones are forgotten.
func (s *session) newStream() *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	st := newStream(strconv.Itoa(s.count))
	s.streams = append(s.streams, st)
	over := len(s.streams) - maxFinished
	s.streams = slices.DeleteFunc(s.streams, func(one *Stream) bool {
		if over <= 0 || !one.finished() {
			return false
		}
		over--
		return true
	})
	return st
}

// stream returns the stream with a name, nil without one.
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

// add keeps a session.
func (t *sessions) add(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[string]*session{}
	}
	t.byID[s.id], t.order = s, append(t.order, s.id)
	if len(t.order) > maxSessions {
		t.remove(t.order[0])
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

// remove is end; the caller holds mu.
func (t *sessions) remove(id string) {
	if s := t.byID[id]; s != nil {
		s.end()
		delete(t.byID, id)
		t.order = slices.DeleteFunc(t.order, func(one string) bool { return one == id })
	}
}
