package mock

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/loopback"
)

const (
	maxBody     = 64 << 20 // of a request, in bytes
	maxSessions = 100      // the oldest one ends for a new one
)

// onlyLoopback rejects requests of web pages.
func onlyLoopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := loopback.Refusal(r); reason != "" {
			reject(w, http.StatusForbidden, reason)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// reject responds with a status and an error without id.
func reject(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(jsonrpc.AppendError(nil, "null", jsonrpc.CodeInvalidRequest, text, nil)) // the client may be gone
}

// sessionTable are the conversations by session id.
type sessionTable struct {
	ctx    context.Context
	server *Server

	mu    sync.Mutex
	byID  map[string]*httpSession
	order []string // oldest first
}

// httpSession is a conversation and its stream for messages that belong to no request.
type httpSession struct {
	*conversation
	events *eventQueue
}

func (t *sessionTable) open() (*httpSession, string) {
	q := newEventQueue()
	s := &httpSession{conversation: t.server.newConversation(t.ctx, q.add), events: q}
	context.AfterFunc(s.ctx, q.close)
	id := rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID[id], t.order = s, append(t.order, id)
	if len(t.order) > maxSessions {
		t.end(t.order[0])
	}
	return s, id
}

// end ends a session. The caller holds mu.
func (t *sessionTable) end(id string) {
	t.byID[id].stop()
	delete(t.byID, id)
	for i, one := range t.order {
		if one == id {
			t.order = append(t.order[:i:i], t.order[i+1:]...)
			return
		}
	}
}

func (t *sessionTable) lookup(id string) (*httpSession, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.byID[id]
	return s, ok
}

// handler is Streamable HTTP (2025-03-26 and later).
type handler struct {
	sessionTable
	shared *httpSession // of requests without a session
}

func newHandler(ctx context.Context, s *Server) *handler {
	h := &handler{sessionTable: sessionTable{ctx: ctx, server: s, byID: map[string]*httpSession{}}}
	q := newEventQueue()
	h.shared = &httpSession{conversation: s.newConversation(ctx, q.add), events: q}
	context.AfterFunc(ctx, q.close)
	return h
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost && h.server.wantsOnlyPost(r) {
		w.Header().Set("Allow", "POST")
		reject(w, http.StatusMethodNotAllowed, "use POST; there are no sessions")
		return
	}
	s := h.shared
	if id := r.Header.Get(sessionHeader); id != "" {
		var ok bool
		if s, ok = h.lookup(id); !ok {
			reject(w, http.StatusNotFound, "the session does not exist")
			return
		}
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, s)
	case http.MethodGet:
		s.events.serve(w, r, nil)
	case http.MethodDelete:
		if s != h.shared {
			h.mu.Lock()
			if id := r.Header.Get(sessionHeader); h.byID[id] != nil {
				h.end(id)
			}
			h.mu.Unlock()
		}
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		reject(w, http.StatusMethodNotAllowed, "use GET, POST or DELETE")
	}
}

// wantsOnlyPost reports whether what is not a POST is of no use: 2026-07-28 has neither
// sessions nor a stream of GET (basic / transports / streamable-http).
func (s *Server) wantsOnlyPost(r *http.Request) bool {
	version := revision.Revision(r.Header.Get("MCP-Protocol-Version"))
	return s.discovers && (!s.initializes || r.Header.Get(sessionHeader) == "" && version.IsStateless())
}

func (h *handler) post(w http.ResponseWriter, r *http.Request, s *httpSession) {
	frame, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.server.maxBody))
	if err != nil {
		reject(w, http.StatusRequestEntityTooLarge, "cannot read the body: "+err.Error())
		return
	}
	e := jsonrpc.Scan(frame)
	reply := &postReply{w: w}
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	switch e.Kind {
	case jsonrpc.Notification, jsonrpc.Response, jsonrpc.ErrorResponse:
		w.WriteHeader(http.StatusAccepted)
	case jsonrpc.Invalid, jsonrpc.Batch:
	case jsonrpc.Request:
		if e.HasMethod(frame, "initialize") && s == h.shared && h.server.sessions {
			var id string
			s, id = h.open()
			w.Header().Set(sessionHeader, id)
		}
	}
	defer context.AfterFunc(s.ctx, stop)()
	s.handle(ctx, frame, reply)()
}

// postReply writes the response to a POST: one JSON object, or a stream if there are
// other messages.
type postReply struct {
	w http.ResponseWriter

	mu       sync.Mutex
	isStream bool
}

func (p *postReply) message(frame []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isStream {
		p.isStream = true
		startStream(p.w)
	}
	writeEvent(p.w, "message", frame)
}

func (p *postReply) response(frame []byte, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case frame == nil:
	case p.isStream:
		writeEvent(p.w, "message", frame)
	default:
		p.w.Header().Set("Content-Type", "application/json")
		if status != 0 {
			p.w.WriteHeader(status)
		}
		_, _ = p.w.Write(frame) // the client may be gone
	}
}
