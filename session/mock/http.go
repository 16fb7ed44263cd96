package mock

import (
	"context"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/httpserver"
)

// Handler returns a handler of HTTP requests at any path: HTTP+SSE if the recording
// has that, Streamable HTTP otherwise. Its streams end with ctx.
func (s *Server) Handler(ctx context.Context) http.Handler {
	open := func(_ bool, send func([]byte)) httpserver.Session { return httpSession{s.newConversation(ctx, send)} }
	if s.turns.Store().Header().Transport == "sse" {
		return httpserver.LoopbackOnly(&httpserver.SSE{Context: ctx, Open: open, Tolerant: true, MaxBody: s.maxBody})
	}
	return httpserver.LoopbackOnly(&httpserver.Endpoint{
		Context: ctx, Open: open, Route: s.route, OnlyPOST: s.wantsOnlyPost, Tolerant: true, MaxBody: s.maxBody,
	})
}

// route begins a session with initialize.
func (s *Server) route(r *http.Request, frame []byte, e jsonrpc.Envelope) (httpserver.Route, *httpserver.Refusal) {
	if s.sessions && e.Kind == jsonrpc.Request && e.HasMethod(frame, "initialize") && r.Header.Get(httpserver.SessionHeader) == "" {
		return httpserver.NewSession, nil
	}
	return httpserver.InSession, nil
}

// wantsOnlyPost reports whether what is not a POST is of no use: 2026-07-28 has neither
// sessions nor a stream of GET (basic / transports / streamable-http).
func (s *Server) wantsOnlyPost(r *http.Request) bool {
	version := revision.Revision(r.Header.Get(httpserver.VersionHeader))
	return s.discovers && (!s.initializes || r.Header.Get(httpserver.SessionHeader) == "" && version.IsStateless())
}

// httpSession is a conversation over HTTP.
type httpSession struct{ *conversation }

// Handle implements [httpserver.Session].
func (s httpSession) Handle(ctx context.Context, frame []byte, to *httpserver.Stream) {
	s.running.Go(s.handle(ctx, frame, httpReply{to}))
}

// Refuse implements [httpserver.Session].
func (httpSession) Refuse(*http.Request) string { return "" }

// Ready implements [httpserver.Session].
func (httpSession) Ready() bool { return true }

// Primes implements [httpserver.Session].
func (httpSession) Primes() bool { return false }

// Close implements [httpserver.Session].
func (s httpSession) Close() { s.stop() }

type httpReply struct{ to *httpserver.Stream }

func (r httpReply) message(frame []byte) { r.to.Send(frame) }

func (r httpReply) response(frame []byte, status int) { r.to.Answer(frame, status) }
