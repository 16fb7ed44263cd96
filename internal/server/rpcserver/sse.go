package rpcserver

import (
	"cmp"
	"context"
	"net/http"
	"time"
)

// SSE is HTTP+SSE: the stream of a GET contains all frames of the server. Its first event contains
// the URL that the client sends frames to. The fields of SSE are set before it serves.
type SSE struct {
	Context  context.Context // ends all sessions
	Open     Open
	Tolerant bool // Accept is not checked
	// KeepAlive is the interval of comments on a stream without events, or zero for none.
	KeepAlive time.Duration
	// MaxSessions is the maximum number of sessions, or zero for 100. The oldest session ends for a newer one.
	MaxSessions int

	sessions sessions
}

func (e *SSE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		e.listen(w, r)
	case http.MethodPost:
		e.post(w, r)
	default:
		refuseMethod(w, "GET, POST", "use GET for the stream, and POST for messages")
	}
}

// listen opens a session, which lasts as long as its stream.
func (e *SSE) listen(w http.ResponseWriter, r *http.Request) {
	if !e.Tolerant && !checkGet(w, r) {
		return
	}
	s := begin(e.Context, e.Open, false, "")
	if why := s.Refuse(r); why != "" {
		s.end()
		Refuse(w, http.StatusServiceUnavailable, why)
		return
	}
	s.unrelated.lasts, s.unrelated.keepAlive = true, e.KeepAlive
	s.unrelated.attach(0)
	defer s.unrelated.detach()
	e.sessions.add(s, cmp.Or(e.MaxSessions, maxSessions))
	defer e.sessions.end(s.id)
	ctx, stop := s.during(r)
	defer stop()
	s.unrelated.pour(ctx, w, appendEvent(nil, "endpoint", "", []byte(r.URL.Path+"?session="+s.id)), nil)
}

func (e *SSE) post(w http.ResponseWriter, r *http.Request) {
	s := e.sessions.find(r.URL.Query().Get("session"))
	if s == nil {
		Refuse(w, http.StatusNotFound, "no stream is open for this session; GET "+r.URL.Path+" opens one")
		return
	}
	frame, ok := ReadBody(w, r)
	if !ok {
		return
	}
	s.Handle(s.ctx, frame, s.unrelated)
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write([]byte("Accepted")) // the client may have disconnected
}
