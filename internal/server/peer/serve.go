package peer

import (
	"context"
	"net/http"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/rpcserver"
)

const methodHeader = "Mcp-Method"

// Opener returns a function that starts sessions of a server, over stdio or HTTP. They end with ctx.
func Opener(ctx context.Context, server *Server) rpcserver.Open {
	return func(alone bool, send func([]byte)) rpcserver.Session {
		return httpSession{NewSession(ctx, server, send), alone}
	}
}

// Endpoint returns a server over Streamable HTTP. With gateway it imitates a gateway for stdio servers, which
// does not route server/discover, and routes requests without a session to its single session with the server.
func Endpoint(ctx context.Context, server *Server, gateway bool) *rpcserver.Endpoint {
	e := httpEra{server, gateway}
	return &rpcserver.Endpoint{Context: ctx, Open: Opener(ctx, server), Route: e.route, OnlyPOST: e.onlyPOST, Hello: hello}
}

// httpSession is a session over HTTP, or handles a stateless request.
type httpSession struct {
	*Session
	alone bool
}

// Handle implements [rpcserver.Session].
func (s httpSession) Handle(ctx context.Context, frame []byte, to *rpcserver.Stream) {
	s.Session.Handle(frame, httpReply{to, s.alone, jsonrpc.Scan(frame).Kind, principalOf(ctx)})
}

// Refuse implements [rpcserver.Session]. A missing header means 2025-03-26. It is accepted in any session,
// because clients of that version send none.
func (s httpSession) Refuse(r *http.Request) string {
	version, negotiated := revision.Revision(r.Header.Get(rpcserver.VersionHeader)), s.Revision()
	switch {
	case version == "":
	case !version.Known():
		return rpcserver.VersionHeader + ": unknown protocol version " + strconv.Quote(string(version))
	case VersionHeader.In(negotiated) && version != negotiated:
		return rpcserver.VersionHeader + " is " + string(version) + ", the session speaks " + string(negotiated)
	}
	return ""
}

// Primes implements [rpcserver.Session].
func (s httpSession) Primes() bool { return PrimingEvents.In(s.Revision()) }

// httpReply is the stream of a message, with the status of a response that comes first.
type httpReply struct {
	*rpcserver.Stream
	alone     bool
	kind      jsonrpc.Kind // kind of the message
	principal string       // principal of the request
}

// principalIn returns the principal of the request that a reply belongs to, or "".
func principalIn(reply Reply) string {
	r, _ := reply.(httpReply)
	return r.principal
}

// Answer implements [Reply].
func (r httpReply) Answer(frame []byte) { r.Stream.Answer(frame, r.status(frame)) }

// status returns 400 for bodies that are not messages, and for batches that are rejected as a whole. Without a
// session, errors of the protocol have their own statuses.
func (r httpReply) status(answer []byte) int {
	if !r.alone {
		refused := r.kind == jsonrpc.Batch && jsonrpc.Scan(answer).Kind == jsonrpc.ErrorResponse
		if r.kind == jsonrpc.Invalid || refused {
			return http.StatusBadRequest
		}
		return http.StatusOK
	}
	return StatusAlone(answer)
}

// StatusAlone returns the HTTP status of the response to a stateless request.
func StatusAlone(response []byte) int {
	token, ok := jsonrpc.Member(response, "error", "code")
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
