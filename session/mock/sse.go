package mock

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"

	"mcptea/internal/signal"
)

// maxQueued bounds the messages that wait for a stream of the client; the oldest ones
// are dropped for new ones.
const maxQueued = 1000

// eventQueue are messages for a stream that the client may open later.
type eventQueue struct {
	mu     sync.Mutex
	frames [][]byte
	added  chan struct{} // has one slot
	done   chan struct{}
	once   sync.Once
}

func newEventQueue() *eventQueue {
	return &eventQueue{added: make(chan struct{}, 1), done: make(chan struct{})}
}

func (q *eventQueue) add(frame []byte) {
	q.mu.Lock()
	q.frames = append(q.frames, bytes.Clone(frame))
	if len(q.frames) > maxQueued {
		q.frames = q.frames[1:]
	}
	q.mu.Unlock()
	signal.Wake(q.added)
}

func (q *eventQueue) close() { q.once.Do(func() { close(q.done) }) }

func (q *eventQueue) take() [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	frames := q.frames
	q.frames = nil
	return frames
}

// serve writes the messages as an event stream until the client or the session ends.
func (q *eventQueue) serve(w http.ResponseWriter, r *http.Request, begin func()) {
	startStream(w)
	if begin != nil {
		begin()
	}
	for {
		for _, frame := range q.take() {
			writeEvent(w, "message", frame)
		}
		select {
		case <-q.added:
		case <-q.done:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func startStream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // fails with the next write
}

func writeEvent(w http.ResponseWriter, name string, data []byte) {
	b := []byte("event: " + name)
	data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		b = append(append(b, "\ndata: "...), line...)
	}
	_, _ = w.Write(append(b, "\n\n"...)) // the client may be gone
	_ = http.NewResponseController(w).Flush()
}

// sseHandler is HTTP+SSE (2024-11-05): the stream of a GET has all messages of the
// server; the client sends its own ones to the URL in the first event.
type sseHandler struct{ sessionTable }

func newSSEHandler(ctx context.Context, s *Server) *sseHandler {
	return &sseHandler{sessionTable{ctx: ctx, server: s, byID: map[string]*httpSession{}}}
}

func (h *sseHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		s, id := h.open()
		defer func() {
			h.mu.Lock()
			if h.byID[id] != nil {
				h.end(id)
			}
			h.mu.Unlock()
		}()
		s.events.serve(w, r, func() { writeEvent(w, "endpoint", []byte(r.URL.Path+"?session="+id)) })
	case http.MethodPost:
		h.post(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		reject(w, http.StatusMethodNotAllowed, "use GET or POST")
	}
}

func (h *sseHandler) post(w http.ResponseWriter, r *http.Request) {
	s, ok := h.lookup(r.URL.Query().Get("session"))
	if !ok {
		reject(w, http.StatusNotFound, "no stream is open for this session; GET opens one")
		return
	}
	frame, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.server.maxBody))
	if err != nil {
		reject(w, http.StatusRequestEntityTooLarge, "cannot read the body: "+err.Error())
		return
	}
	w.WriteHeader(http.StatusAccepted)
	s.running.Go(s.handle(s.ctx, frame, queueReply{s.events}))
}

// queueReply sends everything on the one stream.
type queueReply struct{ q *eventQueue }

func (r queueReply) message(frame []byte) { r.q.add(frame) }

func (r queueReply) response(frame []byte, _ int) {
	if frame != nil {
		r.q.add(frame)
	}
}
