package demo

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/peer"
	"mcptea/internal/rpcserver"
)

// grace is how long subscriptions may take to end.
const grace = 200 * time.Millisecond

const methodHeader = "Mcp-Method"

// HandlerContext returns a handler that serves Streamable HTTP at /mcp, /legacy and
// /modern: all revisions, those with a handshake, those without; and at /sse
// what 2024-11-05 had instead. Each has sessions of its own. Requests with an Origin that is not on the loopback are refused.
// Sessions last until DELETE or until a hundred newer ones have come. All sessions and
// streams end with ctx, so that [http.Server.Shutdown] does not wait for them.
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
			mux.Handle("/sse", &rpcserver.SSE{Context: r.ctx, Open: r.opener(server)})
		}
		e := httpEra{server, s.fault.Name == "http-gateway"}
		mux.Handle(path, &rpcserver.Endpoint{Context: r.ctx, Open: r.opener(server), Route: e.route, OnlyPOST: e.onlyPOST, Hello: hello})
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

// opener returns what begins the sessions of a server over HTTP.
func (r *run) opener(server *peer.Server) rpcserver.Open {
	return func(alone bool, send func([]byte)) rpcserver.Session {
		return httpSession{peer.NewSession(r.ctx, server, send), alone}
	}
}

// httpSession is a session over HTTP, or what handles a request that stands alone.
type httpSession struct {
	*peer.Session
	alone bool
}

// Handle implements [rpcserver.Session].
func (s httpSession) Handle(_ context.Context, frame []byte, to *rpcserver.Stream) {
	s.Session.Handle(frame, httpReply{to, s.alone, jsonrpc.Scan(frame).Kind})
}

// Refuse implements [rpcserver.Session]. A missing header stands for 2025-03-26; it is
// let through in any session, since that is what clients of the time send.
func (s httpSession) Refuse(r *http.Request) string {
	version, own := revision.Revision(r.Header.Get(rpcserver.VersionHeader)), s.Revision()
	switch {
	case version == "":
	case !version.Known():
		return rpcserver.VersionHeader + ": unknown revision " + strconv.Quote(string(version))
	case peer.VersionHeader.In(own) && version != own:
		return rpcserver.VersionHeader + " is " + string(version) + ", the session speaks " + string(own)
	}
	return ""
}

// Primes implements [rpcserver.Session].
func (s httpSession) Primes() bool { return peer.PrimingEvents.In(s.Revision()) }

// httpReply is the stream of a message, with the status of a response alone.
type httpReply struct {
	*rpcserver.Stream
	alone bool
	kind  jsonrpc.Kind // of the message
}

// Answer implements [peer.Reply].
func (r httpReply) Answer(frame []byte) { r.Stream.Answer(frame, r.status(frame)) }

// status is 400 for bodies that are no messages, or batches that are refused as a whole;
// without a session the errors of the protocol have theirs too.
func (r httpReply) status(answer []byte) int {
	if !r.alone {
		refused := r.kind == jsonrpc.Batch && jsonrpc.Scan(answer).Kind == jsonrpc.ErrorResponse
		if r.kind == jsonrpc.Invalid || refused {
			return http.StatusBadRequest
		}
		return http.StatusOK
	}
	token, ok := jsonrpc.Member(answer, "error", "code")
	if !ok {
		return http.StatusOK
	}
	switch code, _ := jsonrpc.Integer(token); code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeInvalidParams,
		revision.CodeHeaderMismatch, revision.CodeMissingCapability, revision.CodeUnsupportedVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
