// Package httpsse is the client side of HTTP+SSE, the HTTP transport of revision
// 2024-11-05: a GET opens an event stream with all frames of the server, its first
// event is the endpoint, and each frame of the client is a POST to that endpoint.
//
// It carries bytes and reports exchanges. It does not know methods, capabilities or
// results. It never sends a frame twice, never reconnects, since the stream is the
// session, and sends nothing to another origin.
package httpsse
