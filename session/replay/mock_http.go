package replay

import (
	"context"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/httpserver"
)

// Handler returns a handler of HTTP requests at any path: HTTP+SSE if the recording
// has that, Streamable HTTP otherwise. Its streams end with ctx.
func (s *Mock) Handler(ctx context.Context) http.Handler {
	open := func(_ bool, send func([]byte)) httpserver.Session { return s.newConversation(ctx, send) }
	if s.turns.Store().Header().Transport == "sse" {
		return httpserver.LoopbackOnly(&httpserver.SSE{Context: ctx, Open: open, Tolerant: true, MaxBody: s.maxBody})
	}
	return httpserver.LoopbackOnly(&httpserver.Endpoint{
		Context: ctx, Open: open, Route: s.route, OnlyPOST: s.wantsOnlyPost, Tolerant: true, MaxBody: s.maxBody,
	})
}

// route begins a session with initialize.
func (s *Mock) route(r *http.Request, frame []byte, e jsonrpc.Envelope) (httpserver.Route, *httpserver.Refusal) {
	if s.sessions && e.Kind == jsonrpc.Request && e.HasMethod(frame, "initialize") && r.Header.Get(httpserver.SessionHeader) == "" {
		return httpserver.NewSession, nil
	}
	return httpserver.InSession, nil
}

// wantsOnlyPost reports whether what is not a POST is of no use: 2026-07-28 has neither
// sessions nor a stream of GET (basic / transports / streamable-http).
func (s *Mock) wantsOnlyPost(r *http.Request) bool {
	version := revision.Revision(r.Header.Get(httpserver.VersionHeader))
	return s.discovers && (!s.initializes || r.Header.Get(httpserver.SessionHeader) == "" && version.IsStateless())
}

// Handle implements [httpserver.Session].
func (c *conversation) Handle(ctx context.Context, frame []byte, to *httpserver.Stream) {
	c.running.Go(c.handle(ctx, frame, to))
}

// Refuse implements [httpserver.Session].
func (*conversation) Refuse(*http.Request) string { return "" }

// Ready implements [httpserver.Session].
func (*conversation) Ready() bool { return true }

// Primes implements [httpserver.Session].
func (*conversation) Primes() bool { return false }

// Close implements [httpserver.Session].
func (c *conversation) Close() { c.stop() }
