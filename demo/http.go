package demo

import (
	"context"
	"io"
	"net/http"
	"time"

	"mcptea/internal/server/peer"
	"mcptea/internal/server/rpcserver"
)

// grace bounds how long subscriptions may take to end.
const grace = 200 * time.Millisecond

// HandlerContext returns a handler that serves Streamable HTTP at /mcp (all versions), /legacy (versions with a
// handshake) and /modern (versions without), and HTTP+SSE of 2024-11-05 at /sse. Each path has separate
// sessions. Requests with an Origin outside of loopback are rejected. Sessions last until DELETE or until there
// are a hundred newer ones. All sessions and streams end with ctx, so that [http.Server.Shutdown] does not wait
// for them.
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
		server.Events.Post = postDeliveries(s.options.Deliveries)
		if server.Era == peer.BothEras { // a fault may restrict it
			server.Era = era
		}
		servers = append(servers, server)
		if path == "/legacy" && server.Era == peer.LegacyOnly {
			mux.Handle("/sse", &rpcserver.SSE{Context: r.ctx, Open: peer.Opener(r.ctx, server)})
		}
		mux.Handle(path, peer.Principals(peer.Endpoint(r.ctx, server, s.fault.Name == "http-gateway")))
	}
	context.AfterFunc(ctx, func() { r.shutDown(ctx, servers) })
	handler := rpcserver.LoopbackOnly(mux)
	switch {
	case s.fault.HTTP != nil:
		return s.fault.HTTP
	case s.fault.http != nil:
		return s.fault.http(r, handler)
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
		over, stop := context.WithTimeout(r.ctx, grace)
		defer stop()
		<-over.Done()
	}
	r.stop(context.Cause(ctx))
}
