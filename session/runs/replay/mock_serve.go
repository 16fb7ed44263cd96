package replay

import (
	"context"
	"io"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/rpcserver"
)

// Handler returns a handler of HTTP requests at any path: HTTP+SSE if the recording
// has that, Streamable HTTP otherwise. Its streams end with ctx.
func (s *Mock) Handler(ctx context.Context) http.Handler {
	open := s.opener(ctx)
	if s.turns.Store().Header().Transport == "sse" {
		return rpcserver.LoopbackOnly(&rpcserver.SSE{Context: ctx, Open: open, Tolerant: true})
	}
	return rpcserver.LoopbackOnly(&rpcserver.Endpoint{
		Context: ctx, Open: open, Route: s.route, OnlyPOST: s.wantsOnlyPost, Tolerant: true,
	})
}

// ServeStdio serves one client, with a frame per line. It returns nil soon after the
// end of in, and the cause when ctx ends or out cannot be written.
func (s *Mock) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	stdio := rpcserver.Stdio{Out: out, Open: s.opener(ctx)}
	return stdio.Serve(ctx, in)
}

func (s *Mock) opener(ctx context.Context) rpcserver.Open {
	return func(_ bool, send func([]byte)) rpcserver.Session { return s.newConversation(ctx, send) }
}

// route begins a session with initialize.
func (s *Mock) route(r *http.Request, frame []byte, e jsonrpc.Envelope) (rpcserver.Route, *rpcserver.Refusal) {
	if s.sessions && e.Kind == jsonrpc.Request && e.HasMethod(frame, "initialize") && r.Header.Get(rpcserver.SessionHeader) == "" {
		return rpcserver.NewSession, nil
	}
	return rpcserver.InSession, nil
}

// wantsOnlyPost reports whether only POST requests are useful: 2026-07-28 has neither sessions nor a GET stream
// (basic / transports / streamable-http).
func (s *Mock) wantsOnlyPost(r *http.Request) bool {
	version := revision.Revision(r.Header.Get(rpcserver.VersionHeader))
	return s.discovers && (!s.initializes || r.Header.Get(rpcserver.SessionHeader) == "" && version.IsStateless())
}

// Handle implements [rpcserver.Session].
func (c *conversation) Handle(ctx context.Context, frame []byte, to *rpcserver.Stream) {
	c.running.Go(c.handle(ctx, frame, to))
}

// Refuse implements [rpcserver.Session].
func (*conversation) Refuse(*http.Request) string { return "" }

// Ready implements [rpcserver.Session].
func (*conversation) Ready() bool { return true }

// Primes implements [rpcserver.Session].
func (*conversation) Primes() bool { return false }

// Wait implements [rpcserver.Session].
func (c *conversation) Wait() { c.running.Wait() }

// Close implements [rpcserver.Session].
func (c *conversation) Close() { c.stop() }
