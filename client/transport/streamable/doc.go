// Package streamable is the client side of Streamable HTTP, the transport that
// MCP has since revision 2025-03-26: every frame is a POST to one endpoint,
// answered with JSON or with an event stream, and a GET opens the stream on
// which the server speaks unasked.
//
// Revision 2026-07-28 leaves the POST alone: no session, no GET, no resuming,
// and a request is taken back by closing its exchange.
//
// It carries bytes and reports exchanges. It keeps the session id, says which
// revision was agreed on, resumes a stream that broke before its answer, and
// ends the session at the end. It must not know methods, capabilities, results
// or the meaning of an error; "initialize" is the one method it recognises,
// because the session begins with it. It never sends a frame twice, never
// starts a session anew, and never carries a header to another origin.
package streamable
