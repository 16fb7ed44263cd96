package demo

import (
	"context"
	"io"
	"net/http"
	"sync"

	"mcptea/demo/peer"
)

// oldEndpoint is HTTP with server-sent events as 2024-11-05 has it: one stream
// for all that the server says, opened by GET, and a place of its own for what
// the client says, named in the first event.
type oldEndpoint struct {
	run    *run
	server *peer.Server

	mu   sync.Mutex
	open map[string]*oldSession
}

type oldSession struct {
	*peer.Session
	out *stream
}

// Send and Answer make it a [peer.Reply]: everything goes down the one stream.
func (s *oldSession) Send(frame []byte) { s.out.Send(frame) }

func (s *oldSession) Answer(frame []byte) {
	if frame != nil {
		s.out.Send(frame)
	}
}

func (e *oldEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		e.listen(w, r)
	case http.MethodPost:
		e.take(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "use GET for the stream, and POST for messages", http.StatusMethodNotAllowed)
	}
}

// listen opens a session, which lasts as long as the stream.
func (e *oldEndpoint) listen(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		http.Error(w, "accept text/event-stream", http.StatusNotAcceptable)
		return
	}
	id := newSessionID()
	s := &oldSession{out: newStream("")}
	s.Session = peer.NewSession(e.run.ctx, e.server, s.out.Send)
	s.out.attach(0)
	e.mu.Lock()
	e.open[id] = s
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		delete(e.open, id)
		e.mu.Unlock()
		s.Close()
		s.out.close()
		s.out.detach()
	}()
	defer context.AfterFunc(r.Context(), s.out.wake)()
	defer context.AfterFunc(e.run.ctx, s.out.wake)()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	buf := []byte("event: endpoint\ndata: " + r.URL.Path + "?session=" + id + "\n\n")
	out := http.NewResponseController(w)
	for {
		if _, err := w.Write(buf); err != nil || out.Flush() != nil {
			return
		}
		events := s.out.next(func() bool { return r.Context().Err() != nil || s.Ended() })
		if len(events) == 0 {
			return
		}
		buf = buf[:0]
		for _, event := range events {
			buf = appendEvent(buf, "", event.frame)
		}
	}
}

// take accepts a message. The answer, if there is one, comes on the stream.
func (e *oldEndpoint) take(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	s := e.open[r.URL.Query().Get("session")]
	e.mu.Unlock()
	if s == nil {
		http.Error(w, "no stream is open for this session; GET "+r.URL.Path+" opens one", http.StatusNotFound)
		return
	}
	frame, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
	if err != nil {
		http.Error(w, "cannot read the body: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	s.Handle(frame, s)
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "Accepted") // the peer is gone
}
