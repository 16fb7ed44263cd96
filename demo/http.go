package demo

import (
	"context"
	"crypto/rand"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
	"mcptea/demo/peer"
	"mcptea/internal/loopback"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "MCP-Protocol-Version"
	methodHeader  = "Mcp-Method"

	// maxSessions bounds the memory; the oldest session goes first.
	maxSessions = 100
	// keepStreams is how many finished streams of a session can be resumed.
	keepStreams = 32
)

// endpoint is the Streamable HTTP transport: with sessions (2025-03-26 to
// 2025-11-25), and where requests stand alone (since 2026-07-28).
type endpoint struct {
	run    *run
	server *peer.Server

	mu       sync.Mutex
	sessions map[string]*httpSession
	order    []string // ids, oldest first
}

// httpSession is a session and the streams on which its frames leave.
type httpSession struct {
	*peer.Session
	id      string
	unasked *stream // the GET stream

	mu      sync.Mutex
	count   int
	streams []*stream // of POSTs, oldest first
}

// Handler returns a handler that serves Streamable HTTP at /mcp, /legacy and
// /modern: all revisions, those with a handshake, those without; and at /sse
// what 2024-11-05 had instead. Each has sessions of its own. Requests with an Origin that is not on the loopback are refused.
// Sessions last until DELETE or until a hundred newer ones have come; see
// [Server.HandlerContext] for a server that ends before its process.
func (s *Server) Handler() http.Handler { return s.HandlerContext(context.Background()) }

// HandlerContext is Handler for a server that ends: all sessions and streams end
// with ctx, so that [http.Server.Shutdown] does not wait for them.
func (s *Server) HandlerContext(ctx context.Context) http.Handler {
	if s.err != nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, s.err.Error(), http.StatusInternalServerError)
		})
	}
	r := &run{options: s.options, fault: s.fault, errs: s.options.Log}
	if r.errs == nil {
		r.errs = io.Discard
	}
	r.ctx, r.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	mux := http.NewServeMux()
	var servers []*peer.Server
	for path, era := range map[string]peer.Era{"/mcp": peer.BothEras, "/legacy": peer.LegacyOnly, "/modern": peer.ModernOnly} {
		server := r.describe()
		if server.Era == peer.BothEras { // a fault may restrict it
			server.Era = era
		}
		servers = append(servers, server)
		if path == "/legacy" && server.Era == peer.LegacyOnly {
			mux.Handle("/sse", &oldEndpoint{run: r, server: server, open: map[string]*oldSession{}})
		}
		mux.Handle(path, &endpoint{run: r, server: server, sessions: map[string]*httpSession{}})
	}
	context.AfterFunc(ctx, func() { r.shutDown(ctx, servers) })
	handler := loopbackOnly(mux)
	if s.fault.http != nil {
		handler = s.fault.http(r, handler)
	}
	return handler
}

// shutDown ends the run after the subscriptions, which get their responses.
func (r *run) shutDown(ctx context.Context, servers []*peer.Server) {
	ended := 0
	for _, server := range servers {
		ended += server.EndSubscriptions()
	}
	if ended > 0 {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.ctx.Done():
		}
	}
	r.stop(context.Cause(ctx))
}

// loopbackOnly refuses what a web page could send here by way of a browser.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := loopback.Refusal(r); reason != "" {
			refuse(w, http.StatusForbidden, "", reason)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers with a status and a JSON-RPC error that no request can claim.
func refuse(w http.ResponseWriter, status int, id jsonrpc.ID, message string) {
	refuseWith(w, status, id, jsonrpc.CodeInvalidRequest, message)
}

func refuseWith(w http.ResponseWriter, status int, id jsonrpc.ID, code int64, message string) {
	if id == "" {
		id = "null"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(jsonrpc.AppendError(nil, id, code, message, nil)) // the peer is gone
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost && e.wantsNoSession(r) {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, "", "use POST; there are no sessions")
		return
	}
	switch r.Method {
	case http.MethodPost:
		e.post(w, r)
	case http.MethodGet:
		e.get(w, r)
	case http.MethodDelete:
		e.remove(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "", "use GET, POST or DELETE")
	}
}

// wantsNoSession reports whether what is not a POST comes from a client that
// should not need it.
func (e *endpoint) wantsNoSession(r *http.Request) bool {
	return e.server.Era == peer.ModernOnly ||
		e.server.Era == peer.BothEras && r.Header.Get(sessionHeader) == "" && r.Header.Get(versionHeader) == string(revision.R20260728)
}

func (e *endpoint) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "", "the content type must be application/json")
		return
	}
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, "", "accept both application/json and text/event-stream")
		return
	}
	frame, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "", "cannot read the body: "+err.Error())
		return
	}
	envelope := jsonrpc.Scan(frame)
	if e.standsAlone(r, frame, envelope) {
		e.answerAlone(w, r, frame, envelope)
		return
	}
	session := e.sessionFor(w, r, frame, envelope)
	if session == nil {
		return
	}
	if envelope.Kind == jsonrpc.Notification || envelope.Kind.IsResponse() {
		session.Handle(frame, discard{})
		w.WriteHeader(http.StatusAccepted)
		return
	}
	e.answer(w, r, session, frame, envelope)
}

// answer serves a body that may be answered. What the session has to say
// decides on the form: the answer alone is JSON, anything before it makes SSE.
func (e *endpoint) answer(w http.ResponseWriter, r *http.Request, session *httpSession, frame []byte, envelope jsonrpc.Envelope) {
	st := session.newStream()
	st.attach(0)
	defer st.detach()
	defer context.AfterFunc(r.Context(), st.wake)()
	defer context.AfterFunc(e.run.ctx, st.wake)()
	go session.Handle(frame, st) // it may wait for us to read
	gone := func() bool { return r.Context().Err() != nil || session.Ended() }
	first := st.next(gone)
	if envelope.Kind == jsonrpc.Request && string(envelope.Method.Of(frame)) == "initialize" {
		e.keepIfReady(w, session)
	}
	switch {
	case len(first) == 0 && r.Context().Err() != nil:
	case len(first) == 0 && envelope.Kind == jsonrpc.Batch:
		w.WriteHeader(http.StatusAccepted) // nothing but notifications
	case len(first) == 1 && first[0].answer:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(statusOf(envelope, first[0].frame))
		_, _ = w.Write(first[0].frame) // the peer is gone
	default:
		session.pour(w, st, first, gone)
	}
}

// statusOf is 400 for bodies that are no messages, or batches that are refused
// as a whole.
func statusOf(envelope jsonrpc.Envelope, answer []byte) int {
	refused := envelope.Kind == jsonrpc.Batch && jsonrpc.Scan(answer).Kind == jsonrpc.ErrorResponse
	if envelope.Kind == jsonrpc.Invalid || refused {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// discard is the reply to what gets none.
type discard struct{}

func (discard) Send([]byte)   {}
func (discard) Answer([]byte) {}

// accepts reports whether the Accept header lists a media type.
func accepts(r *http.Request, want string) bool {
	for _, value := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			kind, _, _ := strings.Cut(strings.TrimSpace(part), ";")
			family, _, _ := strings.Cut(want, "/")
			if kind == want || kind == "*/*" || kind == family+"/*" {
				return true
			}
		}
	}
	return false
}

func newSessionID() string { return rand.Text() }
