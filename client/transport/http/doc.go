// Package http implements the HTTP transports of MCP.
//
// [Streamable] is the client side of Streamable HTTP, the transport since protocol version 2025-03-26: each
// frame is a POST to one endpoint, its response is JSON or an event stream, and a GET opens the stream for
// messages that the server sends on its own. It keeps the session id, sends the negotiated version, resumes a
// stream that ended before the response, and deletes the session in Close. In 2026-07-28 there are only
// POSTs: no session, no GET and no resumption, and closing its exchange cancels a request.
//
// [SSE] is the client side of HTTP+SSE, the transport of 2024-11-05: a GET opens an event stream with all
// frames of the server, its first event is the endpoint, and each frame of the client is a POST to that
// endpoint. It never reconnects, since the stream is the session.
//
// Both carry bytes and report exchanges. They do not depend on methods, capabilities or results, except for
// "initialize", which starts a session. They never send a frame twice, never start a second session, and send
// headers to no other origin.
//
// [Client] performs their exchanges: it adds credentials and repeats requests as a [transport.Authorization]
// requires, follows redirects that keep method, body and origin, reads bodies and event streams without
// changing a byte, masks secrets in reports, and classifies failures. [EventReader] reads the
// text/event-stream format of the HTML standard. syntax.go has the rules of URLs and header fields that
// net/url and net/http do not export.
package http
