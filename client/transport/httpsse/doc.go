// Package httpsse is the client side of HTTP+SSE, the transport over HTTP that
// MCP had in revision 2024-11-05: a GET opens the one event stream on which the
// server speaks, its first event names an endpoint, and every frame for the
// server is a POST to that endpoint.
//
// It carries bytes and reports exchanges. It must not know methods,
// capabilities, results or the meaning of an error. It never sends a frame
// twice, never reconnects, since the stream is the session, and never carries
// anything to another origin than that of the URL it was given.
package httpsse
