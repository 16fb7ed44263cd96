// Package streamable is the client side of Streamable HTTP, the HTTP transport since
// revision 2025-03-26: each frame is a POST to one endpoint, its response is JSON or
// an event stream, and a GET opens the stream for messages that the server sends on
// its own.
//
// In revision 2026-07-28 there are only POSTs: no session, no GET, no resumption, and
// a request is cancelled by closing its exchange.
//
// It carries bytes and reports exchanges. It keeps the session id, sends the
// negotiated revision, resumes a stream that ended before the response, and deletes
// the session in Close. It does not know methods, capabilities or results, except
// "initialize", with which a session begins. It never sends a frame twice, never
// starts another session, and sends headers to no other origin.
package streamable
