// Package sse reads event streams, the text/event-stream format of the HTML
// standard as Streamable HTTP and HTTP+SSE use it.
//
// It returns each event as soon as its blank line is read, with its exact bytes, and
// an incomplete event at the end of the stream. It does not know HTTP, JSON-RPC or
// MCP, and never reconnects: ids and retry fields are for its caller.
package sse
